"""Pictures of first pages for the documents in view, one after another, as background work. Knows no toolkit.

A picture costs a conversion, so nobody waits for one and nobody waits because of one: the lane is LOW throughout, one
document is under way at a time, and it is given up when it scrolls out of view, or while a person opens something.
What was made is kept by the version of the file, so that a file that did not change is never converted twice for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from preview_app.preview_states import ConversionRequest, Conversions, Converted, Extent, Failure
from preview_app.raster.api import Lane, Pixels, RasterDocument, RasterError, RasterTask, TextDocument, TextRasterizer

Key = tuple[int, ...]
"""The version of a file."""
THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX = 112, 144
"""The box that a picture fills, in device pixels."""
_PASSING = frozenset({"busy", "evicted", "timeout", "unavailable", "closed", "cancelled", "crashed", "changed"})
"""Outcomes that say nothing of the document: it is tried again when the view changes."""


class ThumbnailStore(Protocol):
    """Where pictures are kept."""

    def has(self, key: Key) -> bool:
        """Whether there is one; it is at hand from now on."""

    def put(self, key: Key, pixels: Pixels) -> None:
        """Keep one. Raises nothing: what cannot be kept is made again."""


def version_of(path: Path) -> Key | None:
    """What tells one version of a file from another; `None` where there is no file."""
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def scale_for(document: RasterDocument) -> float:
    """The scale at which the first page fills the box."""
    size = document.pages[0]
    return min(THUMBNAIL_WIDTH_PX / size.width_pt, THUMBNAIL_HEIGHT_PX / size.height_pt)


class Thumbnailer:
    """Makes the pictures that are wanted. Lives on one thread, that of its callbacks."""

    def __init__(
        self,
        conversions: Conversions,
        rasterizer: TextRasterizer,
        store: ThumbnailStore,
        *,
        arrived: Callable[[Path, Key], None],
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """`arrived` is told of each picture that is in the store; `soon` runs a call in a later turn."""
        self._conversions = conversions
        self._rasterizer = rasterizer
        self._store = store
        self._arrived = arrived
        self._soon = soon
        self._wanted: list[Path] = []
        self._versions: dict[Path, Key | None] = {}
        """Of the wanted, as they were when they were first looked at: a file system may be slow to tell."""
        self._told: dict[Path, Key] = {}
        self._failed: dict[Key, str] = {}
        self._work: _Work | None = None
        self._offer: tuple[Path, RasterTask] | None = None
        self._view: tuple[TextDocument, Key | None] | None = None
        """The document that was offered last, and what its file was then."""
        self._allowed = True
        self._paused = False
        self._closed = False
        self._stepping = False

    def __repr__(self) -> str:
        return f"<Thumbnailer wanted={len(self._wanted)} working={self._work is not None} paused={self._paused}>"

    @property
    def working_on(self) -> Path | None:
        """The document that is under way."""
        return None if self._work is None else self._work.path

    def want(self, paths: Sequence[Path]) -> None:
        """The documents in view, the most urgent first. What is under way for another one is given up."""
        self._wanted = list(paths)
        self._versions.clear()
        self._told = {path: key for path, key in self._told.items() if path in set(paths)}
        self._failed = {key: kind for key, kind in self._failed.items() if kind not in _PASSING}
        if self._work is not None and self._work.path not in self._wanted:
            self._give_up()
        self._step_soon()

    def set_allowed(self, allowed: bool) -> None:
        """Whether documents may be converted for this at all. What is kept is shown anyway."""
        self._allowed = allowed
        if not allowed:
            self._give_up()
        self._step_soon()

    def set_paused(self, paused: bool) -> None:
        """A person waits for a document: stand aside."""
        self._paused = paused
        if paused:
            self._give_up()
            self._drop_offer()
        self._step_soon()

    def offer(self, path: Path, document: TextDocument) -> None:
        """A document is open already, until the next pause: its picture costs next to nothing."""
        if self._is_offered(path):
            return
        key = self._version_of_view(path, document)
        self._drop_offer()
        if self._closed or key is None or path not in self._wanted or not document.pages or self._store.has(key):
            return
        if self._work is not None and self._work.path == path:
            self._give_up()

        def done(pixels: Pixels) -> None:
            self._offer = None
            self._keep(path, key, pixels)

        def failed(_: RasterError) -> None:
            self._offer = None
            self._step_soon()

        self._offer = path, document.render(0, scale_for(document), lane=Lane.LOW, done=done, failed=failed)

    def _version_of_view(self, path: Path, document: TextDocument) -> Key | None:
        """The version of the file when the view was new: the file may change behind it."""
        if self._view is None or self._view[0] is not document:
            self._view = document, version_of(path)
        return self._view[1]

    def forget(self) -> None:
        """The store was emptied, or files may have changed: look at everything again."""
        self._told.clear()
        self._versions.clear()
        self._step_soon()

    def close(self) -> None:
        """Give everything up. Idempotent."""
        self._closed = True
        self._wanted = []
        self._view = None
        self._give_up()
        self._drop_offer()

    def _step_soon(self) -> None:
        if not self._stepping and not self._closed:
            self._stepping = True
            self._soon(self._step)

    def _step(self) -> None:
        """One document: a picture that is there is told, one that is not is begun. Never more in one turn."""
        self._stepping = False
        for path in self._wanted if self._work is None and not self._closed else ():
            if self._is_offered(path) or (key := self._version(path)) is None or self._told.get(path) == key:
                continue
            if self._store.has(key):
                self._tell(path, key)
                return
            if self._allowed and not self._paused and key not in self._failed:
                self._work = _Work(self, path, key)
                self._work.begin(self._conversions)
                return

    def _version(self, path: Path) -> Key | None:
        if path not in self._versions:
            self._versions[path] = version_of(path)
        return self._versions[path]

    def _tell(self, path: Path, key: Key) -> None:
        self._told[path] = key
        self._arrived(path, key)
        self._step_soon()

    def _keep(self, path: Path, key: Key, pixels: Pixels) -> None:
        self._store.put(key, pixels)
        self._tell(path, key)

    def _is_offered(self, path: Path) -> bool:
        return self._offer is not None and self._offer[0] == path

    def _drop_offer(self) -> None:
        if self._offer is not None:
            (_, task), self._offer = self._offer, None
            task.cancel()

    def _give_up(self) -> None:
        if self._work is not None:
            work, self._work = self._work, None
            work.cancel()

    def open_pdf(self, pdf: bytes | memoryview, work: _Work) -> RasterTask:
        """For `_Work`: its PDF on the rasterizer."""
        return self._rasterizer.open(pdf, lane=Lane.LOW, opened=work.opened, failed=work.raster_failed)

    def finished(self, work: _Work, pixels: Pixels | None, kind: str = "") -> None:
        """For `_Work`: it has its picture, or there will be none."""
        if self._work is not work:
            return
        self._work = None
        if pixels is not None:
            self._keep(work.path, work.key, pixels)
        else:
            self._failed[work.key] = kind
            self._step_soon()


class _Work:
    """One document on its way to a picture. Silent after `cancel`."""

    def __init__(self, owner: Thumbnailer, path: Path, key: Key) -> None:
        self.path = path
        self.key = key
        self._owner = owner
        self._request: ConversionRequest | None = None
        self._task: RasterTask | None = None
        self._document: TextDocument | None = None

    def begin(self, conversions: Conversions) -> None:
        self._request = conversions.request(
            self.path,
            Lane.LOW,
            phase=lambda _: None,
            slow=lambda: None,
            done=self._converted,
            failed=self._failed,
            extent=Extent.FIRST_PAGE,
        )

    def cancel(self) -> None:
        if self._request is not None:
            self._request.cancel()
        self._release()

    def opened(self, document: TextDocument) -> None:
        self._document = document
        if document.pages:
            self._task = document.render(
                0, scale_for(document), lane=Lane.LOW, done=self._drawn, failed=self.raster_failed
            )
        else:
            self._end(None, "empty")

    def raster_failed(self, error: RasterError) -> None:
        self._end(None, error.kind)

    def _converted(self, converted: Converted) -> None:
        self._task = self._owner.open_pdf(converted.pdf, self)

    def _failed(self, failure: Failure) -> None:
        self._end(None, failure.outcome)

    def _drawn(self, pixels: Pixels) -> None:
        self._end(pixels)

    def _end(self, pixels: Pixels | None, kind: str = "") -> None:
        self._owner.finished(self, pixels, kind)
        self._release()

    def _release(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if self._document is not None:
            document, self._document = self._document, None
            document.close()
