"""Previews in a notebook: `preview("report.docx", pages="1-3")` shows pages below the cell.

In a notebook that somebody looks at they are interactive; what is saved with it, and what a run without a person leaves
(nbconvert, papermill), is a picture of the first page that any viewer of notebooks shows.
"""

from __future__ import annotations

import base64
import os
import queue
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from converter.errors import ConversionError
from engines.base import ExportOptions
from engines.decryption import Password
from engines.errors import EngineError
from preview_app.config import ConfigError
from preview_app.jupyter.asking import ask_twice
from preview_app.jupyter.documents import OpenDocument
from preview_app.jupyter.errors import ApiError
from preview_app.jupyter.notebook_errors import PreviewError, preview_error
from preview_app.jupyter.notebook_pages import DPI_MAX, PageServer
from preview_app.jupyter.notebook_progress import Progress, display_raw, shell
from preview_app.jupyter.notebook_service import NotebookService, Wanted, kernel_service
from preview_app.outputs import ALL_PAGES, PageRanges
from preview_app.raster.api import Clip, Lane, PageSize, RasterError

if TYPE_CHECKING:
    from preview_app.jupyter.notebook_widget import PreviewWidget

_T = TypeVar("_T")

STILL_WIDTH_MAX = 1600
STILL_HEIGHT_MAX = 2400
"""Pixels of the picture that stays in the notebook: of a long sheet, its beginning."""
_END_CHARACTERS = 200
"""By so much of its end the widget knows the picture beside it."""
_TOLD = (ConversionError, EngineError, RasterError, ApiError, ConfigError, OSError)


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self) -> bytes:
        """All that is left."""


Document = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable
Pages = str | int | Iterable[int] | None


def preview(
    document: Document,
    pages: Pages = None,
    *,
    name: str = "",
    password: str | None = None,
    engine: str | None = None,
    print_layout: bool = False,
    deadline_s: float | None = None,
    dpi: float = 96.0,
    interactive: bool | None = None,
) -> Preview:
    """Show pages of an office document below the cell.

    `document` is a path (relative to the kernel's folder), the bytes of a document, or a file open for reading them;
    `name` then helps to tell what kind it is and stands above the pages. `pages` is a text like `"1-3,7,9-"`, a number
    or some numbers, counted from 1; all unless given. `password` opens what is encrypted, and is kept nowhere. `engine`
    is `"native"` or `"wasm"` where not the default one is to convert. `print_layout` lays spreadsheets out as they
    would be printed, instead of one page a sheet. `deadline_s` are the seconds that the conversion may take. `dpi` is
    the resolution of the picture that stays in the notebook. `interactive` decides whether there is more than that
    picture; unless given, whether a person can look at this run of the notebook.

    Raises `PreviewError` for what cannot be shown, `ValueError` and `TypeError` for wrong arguments.
    """
    chosen = _ranges(pages)
    if not 8 <= dpi <= DPI_MAX:
        raise ValueError(f"dpi must be from 8 to {DPI_MAX:g}")
    if engine not in (None, "native", "wasm"):
        raise ValueError('engine must be "native" or "wasm"')
    path, data = _resolved(document, name)
    wanted = Wanted(path, data, engine=engine, deadline_s=deadline_s)
    try:
        service = kernel_service()
    except ConfigError as error:
        raise preview_error(error, wanted) from None
    secret = Password(password) if password is not None else None
    asked = Asked(_with_options(wanted, service, print_layout=print_layout), chosen, secret, dpi)
    return show(service, asked, interactive=interactive)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call of `preview` comes to."""

    wanted: Wanted
    pages: PageRanges
    password: Password | None
    dpi: float


@dataclass(frozen=True, slots=True)
class Still:
    """A picture of a page (counted from 1); `whole` unless only its beginning is on it."""

    png: bytes
    page: int
    width: int
    height: int
    whole: bool


def show(service: NotebookService, asked: Asked, *, interactive: bool | None = None) -> Preview:
    """See `preview`. Waits for the document; an interrupt gives it up. Raises `PreviewError`."""
    progress = Progress()
    try:
        entry, numbers, still = _wait(lambda report: service.submit(_open(service, asked, report)), progress)
    except _TOLD as error:
        raise preview_error(error, asked.wanted, service.engines) from None
    finally:
        progress.clear()
    return Preview(service, asked.wanted, entry, numbers, still, interactive=interactive)


async def _open(
    service: NotebookService, asked: Asked, report: Callable[[str, float], None]
) -> tuple[OpenDocument, list[int], Still]:
    entry = await service.open(asked.wanted, asked.password, report)
    try:
        count = len(entry.pdf.document.pages)
        numbers = asked.pages.within(count)
        if not numbers:
            message = f"The document has {count} page{'s'[: count != 1]}; none of those asked for is among them."
            raise ApiError(404, "no_such_page", message)
        return entry, numbers, await _still(entry, numbers[0], asked.dpi)
    except BaseException:
        service.documents.release(entry.id, entry.path)
        raise


async def _still(entry: OpenDocument, number: int, dpi: float) -> Still:
    clip = _beginning(entry.pdf.document.pages[number - 1], dpi)
    with entry.asked() as document:
        png: bytes = await ask_twice(
            lambda done, failed: document.png(number - 1, dpi, lane=Lane.CRITICAL, done=done, failed=failed, clip=clip)
        )
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")  # of its first chunk, IHDR
    return Still(png, number, width, height, clip is None)


def _beginning(size: PageSize, dpi: float) -> Clip | None:
    """The part of a page that its picture shows; `None` for all of it."""
    width = min(size.width_pt, STILL_WIDTH_MAX * 72 / min(dpi, 96.0))
    height = min(size.height_pt, STILL_HEIGHT_MAX * 72 / min(dpi, 96.0))
    return None if (width, height) == (size.width_pt, size.height_pt) else Clip(0, 0, width, height)


def _wait(begin: Callable[[Callable[[str, float], None]], Future[_T]], progress: Progress) -> _T:
    """Wait on this thread, so that what is told on the way appears below the cell that waits."""
    told: queue.SimpleQueue[tuple[str, float] | None] = queue.SimpleQueue()
    future = begin(lambda message, percent: told.put((message, percent)))
    future.add_done_callback(lambda _: told.put(None))
    try:
        while (news := told.get()) is not None:
            progress.show(*news)
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise


class Preview:
    """Pages of a document, shown where the value of a cell is shown. Made by `preview`."""

    def __init__(
        self,
        service: NotebookService,
        wanted: Wanted,
        entry: OpenDocument,
        numbers: Sequence[int],
        still: Still,
        *,
        interactive: bool | None,
    ) -> None:
        self._service = service
        self._wanted = wanted
        self._entry = entry
        self._server: PageServer | None = None
        self._sizes = entry.pdf.document.pages
        self._interactive = interactive
        self._still = still
        self._widget: PreviewWidget | None = None
        self.name = wanted.name
        self.pages = tuple(numbers)
        self.notices = tuple(_notices(entry))

    def __repr__(self) -> str:
        return f"{self.name}: {_told(self.pages)} of {self.page_count}"

    @property
    def page_count(self) -> int:
        """How many pages the whole document has."""
        return len(self._sizes)

    @property
    def png(self) -> bytes:
        """The picture of the first page."""
        return self._still.png

    def close(self) -> None:
        """Let the document go, and take the pages from the screen. Idempotent."""
        if self._widget is not None:
            self._widget.close()
        self._service.call_soon(self._server.close if self._server is not None else self._release)

    def _release(self) -> None:
        self._service.documents.release(self._entry.id, self._entry.path)

    def _repr_mimebundle_(self, **_asked: object) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """For IPython: the picture, and a line where no picture can be shown."""
        still = self._still
        data = {"text/plain": repr(self), "image/png": base64.b64encode(still.png).decode()}
        return data, {"image/png": {"width": still.width, "height": still.height}}

    def _ipython_display_(self, **_asked: object) -> None:
        """For IPython: the picture as an output of its own, then the widget, which hides it while it lives.

        Of an output that has both, JupyterLab shows the widget or an error, also when its kernel is long gone.
        """
        data, metadata = self._repr_mimebundle_()
        display_raw(data, metadata)
        widget = self.widget() if self._is_interactive() else None
        shown = widget._repr_mimebundle_() if widget is not None else None
        if shown:
            display_raw({**shown[0], "text/plain": repr(self)}, {})

    def widget(self) -> PreviewWidget | None:
        """The interactive half, made when it is first asked for; `None` where anywidget is not installed."""
        if self._widget is None:
            try:
                from preview_app.jupyter.notebook_widget import PreviewWidget  # noqa: PLC0415 - where it is shown only
            except ImportError:
                return None
            still = self._still.png if self._still.whole else b""
            widget = self._widget = PreviewWidget(document=self._document(), still=still)
            # The front end's table of widgets keeps this one, and must not keep this object and its picture with it.
            server = PageServer(
                self._service, self._wanted, self._entry, [number - 1 for number in self.pages], widget.send
            )
            widget.on_message(partial(self._service.call_soon, server.receive))
            self._server = server
        return self._widget

    def _is_interactive(self) -> bool:
        return _somebody_looks() if self._interactive is None else self._interactive

    def _document(self) -> dict[str, Any]:
        sizes = [(number, self._sizes[number - 1]) for number in self.pages]
        return {
            "name": self.name,
            "page_count": self.page_count,
            "pages": [{"number": number, "width": size.width_pt, "height": size.height_pt} for number, size in sizes],
            "notices": list(self.notices),
            "still_page": self._still.page if self._still.whole else None,
            "still_end": base64.b64encode(self._still.png).decode()[-_END_CHARACTERS:],
        }


def _somebody_looks() -> bool:
    """Whether a person may see this run: a front end that runs notebooks by itself says that nobody can answer it."""
    kernel = getattr(shell(), "kernel", None)
    if kernel is None:
        return False
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin", False))


def _notices(entry: OpenDocument) -> Iterable[str]:
    conversion = entry.opened.conversion
    yield from (str(each) for each in conversion.notices)
    fonts = [f"{font.requested} → {font.used}" if font.used else font.requested for font in conversion.missing_fonts]
    if fonts:
        yield f"Fonts that are not here were replaced: {', '.join(fonts)}"


def _told(numbers: Sequence[int]) -> str:
    """Page numbers in words: `page 2`, `pages 1-3, 7`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    return f"page{'s'[: len(numbers) != 1]} {', '.join('-'.join(map(str, each)) for each in ranges)}"


def _ranges(pages: Pages) -> PageRanges:
    if pages is None:
        return ALL_PAGES
    if isinstance(pages, str):
        return PageRanges.parse(pages)
    numbers = [pages] if isinstance(pages, int) else list(pages)
    return PageRanges.parse(",".join(str(int(number)) for number in numbers))


def _resolved(document: Document, name: str) -> tuple[str, bytes | None]:
    """The absolute path; or a name, and the bytes."""
    if isinstance(document, str | os.PathLike):
        return str(Path(document).expanduser().absolute()), None
    if isinstance(document, bytes | bytearray | memoryview):
        return name or "document", bytes(document)
    data = document.read() if hasattr(document, "read") else None
    if not isinstance(data, bytes):
        raise TypeError("preview takes a path, bytes, or a file that is open for reading bytes")
    own = getattr(document, "name", "")
    return name or (Path(own).name if isinstance(own, str) else "") or "document", data


def _with_options(wanted: Wanted, service: NotebookService, *, print_layout: bool) -> Wanted:
    single = service.config.single_page_sheets and not print_layout
    options = ExportOptions(single_page_sheets=single, pages_max=service.config.pages_max)
    return replace(wanted, options=options)


__all__ = ["Preview", "PreviewError", "preview"]
