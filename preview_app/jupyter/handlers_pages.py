"""Pages of open documents: pictures, text, search, outline."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import version

from preview_app import __version__
from preview_app.jupyter import describe
from preview_app.jupyter.asking import ask, ask_twice
from preview_app.jupyter.documents import OpenDocument
from preview_app.jupyter.errors import ApiError, wrong
from preview_app.jupyter.handlers_base import DocpeekHandler, encoded, endpoint
from preview_app.raster.api import Clip, Hit, Lane, Link, OutlineEntry, PageSize, RasterError, TextDocument, TextLine

PHRASE_CHARACTERS_MAX = 1000
HITS_MAX = 10_000
_DPI_LEAST = 4.0
_SEARCHED_EVERY = 20
_LANES = tuple(lane.name.lower() for lane in Lane)


@functools.cache
def renderer() -> str:
    """What draws the pages: part of what a picture depends on."""
    return f"{__version__}-{version('pymupdf')}"


class PageHandler(DocpeekHandler):
    """Base of the handlers about one page of a document."""

    async def page(self, identity: str, number: str) -> tuple[OpenDocument, int]:
        """The document and the page, counted from 0. Raises `ApiError`, `ConversionError`."""
        entry, _ = await self.service.document(identity, self.path_argument)
        page = int(number) - 1
        if not 0 <= page < len(entry.pdf.document.pages):
            raise ApiError(404, "not_found", f"The document has no page {number}.")
        return entry, page

    @property
    def lane(self) -> Lane:
        """How urgent it is. Raises `ApiError`."""
        return Lane[self.choice_argument("lane", "critical", _LANES).upper()]


class PictureHandler(PageHandler):
    """`GET documents/ID/pages/N.png`."""

    @endpoint
    async def get(self, identity: str, number: str) -> None:
        """A page or a part of it."""
        dpi = self.number_argument("dpi", 96.0, _DPI_LEAST, self.service.settings.dpi_max)
        dpi *= self.number_argument("dpr", 1.0, 0.25, 8.0)
        if dpi > self.service.settings.dpi_max:
            raise wrong(f"More than {self.service.settings.dpi_max:g} dots an inch are not drawn.")
        tile, night, lane = self._tile(), self.flag_argument("night"), self.lane
        entry, page = await self.page(identity, number)
        self._bound(entry.pdf.document.pages[page], tile, dpi / 72)
        drawn = f"{entry.digest}-{page}-{dpi:g}-{_word(tile)}-{night:d}-{renderer()}"
        if self.not_modified(drawn, protected=entry.opened.protected):
            return
        with entry.asked() as document:
            png: bytes = await ask_twice(
                lambda done, failed: document.png(
                    page, dpi, lane=lane, done=done, failed=failed, clip=tile, night=night
                )
            )
        self.finish(png, set_content_type="image/png")

    def _tile(self) -> Clip | None:
        text = self.get_query_argument("tile", "")
        if not text:
            return None
        try:
            tile = Clip(*(float(number) for number in text.split(",")))
        except (ValueError, TypeError) as error:
            raise wrong("The argument `tile` must be four numbers.") from error
        if not (0 <= tile.x0 < tile.x1 < 1e6 and 0 <= tile.y0 < tile.y1 < 1e6):
            raise wrong("The argument `tile` must be x0,y0,x1,y1 in points from the top left corner.")
        return tile

    def _bound(self, size: PageSize, tile: Clip | None, scale: float) -> None:
        """Refuse what is too large before a worker is asked."""
        x0, y0, x1, y1 = (tile.x0, tile.y0, tile.x1, tile.y1) if tile else (0, 0, size.width_pt, size.height_pt)
        if x0 >= size.width_pt or y0 >= size.height_pt:
            raise wrong("The tile is outside of the page.")
        pixels = (min(x1, size.width_pt) - x0) * (min(y1, size.height_pt) - y0) * scale * scale
        if pixels > self.service.settings.image_pixels_max:
            raise ApiError(413, "limit", "The picture would have too many pixels: ask for a part of it.")


def _word(tile: Clip | None) -> str:
    return f"{tile.x0:g},{tile.y0:g},{tile.x1:g},{tile.y1:g}" if tile else ""


class TextHandler(PageHandler):
    """`GET documents/ID/pages/N/text`."""

    @endpoint
    async def get(self, identity: str, number: str) -> None:
        """Lines and links."""
        lane = self.lane
        entry, page = await self.page(identity, number)
        if self.not_modified(f"{entry.digest}-{page}-text-{renderer()}", protected=entry.opened.protected):
            return
        with entry.asked() as document:
            lines: Sequence[TextLine] = await ask_twice(
                lambda done, failed: document.lines(page, lane=lane, done=done, failed=failed)
            )
            links: Sequence[Link] = await ask_twice(
                lambda done, failed: document.links(page, lane=lane, done=done, failed=failed)
            )
        # A sheet can hold hundreds of thousands of characters: too many to write down between two turns of the loop.
        self.tell_encoded(await self.service.machinery.run(encoded_text, lines, links))


def encoded_text(lines: Sequence[TextLine], links: Sequence[Link]) -> bytes:
    """What stands on a page, as JSON; on a thread."""
    return encoded(describe.text(lines, links))


class OutlineHandler(DocpeekHandler):
    """`GET documents/ID/outline`."""

    @endpoint
    async def get(self, identity: str) -> None:
        """The table of contents."""
        entry, _ = await self.service.document(identity, self.path_argument)
        if self.not_modified(f"{entry.digest}-outline-{renderer()}", protected=entry.opened.protected):
            return
        with entry.asked() as document:
            entries: Sequence[OutlineEntry] = await ask_twice(
                lambda done, failed: document.outline(lane=Lane.HIGH, done=done, failed=failed)
            )
        self.tell(describe.outline(entries))


class SearchHandler(DocpeekHandler):
    """`GET documents/ID/search`: hits as they are found, a line a page."""

    @endpoint
    async def get(self, identity: str) -> None:
        """Search from page `from` on and round."""
        phrase = self.get_query_argument("q", "", strip=False)
        if not phrase.strip() or len(phrase) > PHRASE_CHARACTERS_MAX:
            raise wrong(f"The argument `q` must be 1 to {PHRASE_CHARACTERS_MAX} characters.")
        options = {"match_case": self.flag_argument("case"), "whole_words": self.flag_argument("words")}
        entry, _ = await self.service.document(identity, self.path_argument)
        count = len(entry.pdf.document.pages)
        first = int(self.number_argument("from", 1, 1, count)) - 1
        self.begin_stream()
        total = 0
        for searched, page in enumerate([*range(first, count), *range(first)], 1):
            with entry.asked() as document:
                found = await _find(document, page, phrase, options)
            total += len(found)
            if found:
                await self.send_line(describe.hits(page, found))
            if total >= HITS_MAX:
                break
            if searched % _SEARCHED_EVERY == 0:
                await self.send_line({"searched": searched})
        await self.send_line({"done": True, "hits": total, "truncated": total >= HITS_MAX})
        self.end_stream()


async def _find(document: TextDocument, page: int, phrase: str, options: dict[str, bool]) -> tuple[Hit, ...]:
    """The hits of a page; a page that cannot be read has none."""
    try:
        return await ask(
            lambda done, failed: document.search(page, phrase, lane=Lane.NORMAL, done=done, failed=failed, **options)
        )
    except RasterError as error:
        if error.kind in ("closed", "busy"):
            raise
        return ()
