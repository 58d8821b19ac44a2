"""A document against another state of it: pages aligned, words and pixels compared, differences pictured.

The other state is an earlier document or its PDF, or what another engine makes of the same document. Everything is
bounded: pages, time, the size of pictures, and how many of them are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from PIL import Image

from converter.errors import ConversionError
from preview_app.inspection.comparison_looks import PageImage
from preview_app.inspection.comparison_pages import Page, PagePair
from preview_app.inspection.comparison_sources import NOTHING_TO_COMPARE, OtherState
from preview_app.inspection.comparison_text import PageText, Pair, align
from preview_app.inspection.comparison_words import Exchange, exchange
from preview_app.inspection.findings import Finding, Severity, finding
from preview_app.inspection.inspect_one import Seen
from preview_app.inspection.pictures import Picture, PictureStore
from preview_app.inspection.report_html_pictures import PICTURE_PX, rgb, webp
from preview_app.raster.api import PageSize, RasterError
from preview_app.raster.blocking import PageRenderer

_PAGES_MAX = 1000
_SECONDS_MAX = 120.0
_SIDE_PX_MAX = 1600
_SCALE = 1.0
"""Pixels a point: 72 dpi. Enough to see a line that moved, and quick."""
_PICTURED_MAX = 4
_FEW_WORDS = 5
_LOOK_PX = 32


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much may differ: the share of a page's pixels, from 0 to 1."""

    pixels_share: float = 0.0003


class Comparer:
    """A check; see `Check`. Pictures go to `store` where there is one."""

    def __init__(self, other: OtherState, tolerance: Tolerance, store: PictureStore | None = None) -> None:
        self._other = other
        self._tolerance = tolerance
        self._store = store

    def __call__(self, seen: Seen) -> Iterator[Finding]:
        """See `Check`."""
        try:
            conversion = self._other.find(seen)
        except ConversionError as error:
            yield finding("not_compared", f"{self._other.name} is not shown: {error.message}")
            return
        if conversion is NOTHING_TO_COMPARE or (conversion and conversion.pdf == seen.conversion.pdf):
            return
        if conversion is None:
            yield finding("not_in_baseline", f"{self._other.name} has no such document.")
            return
        try:
            before = seen.tools.other_renderer
            sizes = before.open(conversion.pdf)
        except (RasterError, OSError) as error:
            yield finding("not_compared", f"{self._other.name} cannot be looked at: {error}.")
            return
        yield from _Comparison(seen, before, sizes, self._tolerance, self._store).run()


class _Comparison:
    """Two PDFs that are open."""

    def __init__(
        self,
        seen: Seen,
        before: PageRenderer,
        sizes: Sequence[PageSize],
        tolerance: Tolerance,
        store: PictureStore | None,
    ) -> None:
        self._seen = seen
        self._before, self._before_sizes = before, sizes[:_PAGES_MAX]
        self._after, self._after_sizes = seen.renderer, seen.pages.sizes[:_PAGES_MAX]
        self._tolerance = tolerance
        self._store = store
        self._pictured = 0
        self._fonts_told: set[str] = set()
        self._ends_s = time.monotonic() + _SECONDS_MAX
        self._counts = len(sizes), len(seen.pages.sizes)

    def run(self) -> Iterator[Finding]:
        """What differs, page by page."""
        before, after = self._counts
        if before != after:
            yield finding("page_count_changed", f"The number of pages changed from {before:,} to {after:,}.")
        try:
            texts = (
                [self._text(self._before, number) for number in range(len(self._before_sizes))],
                [self._text(self._after, number) for number in range(len(self._after_sizes))],
            )
        except RasterError as error:
            yield finding("not_compared", f"The pages cannot be compared: {error.message}")
            return
        except TimeoutError:
            yield finding("not_compared", "The pages were not compared: no time.")
            return
        yield from self._of_pairs(align(*texts), *texts)

    def _of_pairs(
        self, pairs: Sequence[Pair], before: Sequence[PageText], after: Sequence[PageText]
    ) -> Iterator[Finding]:
        @cache
        def exchanged(at: int) -> Exchange:
            if not 0 <= at < len(pairs):
                return Exchange()
            i, j = pairs[at].before, pairs[at].after
            return exchange(() if i is None else before[i].words, () if j is None else after[j].words)

        for done, pair in enumerate(pairs):
            self._seen.token.raise_if_cancelled()
            if time.monotonic() > self._ends_s:
                yield finding("not_compared", f"The last {len(pairs) - done:,} pages were not compared: no time.")
                return
            try:
                yield from self._of_pair(pair, lambda at=done: exchanged(at - 1) + exchanged(at + 1))  # type: ignore[misc]
            except RasterError as error:
                yield finding("not_compared", f"The page cannot be compared: {error.message}", (pair.after or 0) + 1)
        if (left := max(self._counts) - _PAGES_MAX) > 0:
            yield finding("not_compared", f"The last {left:,} pages were not compared: there are too many.")

    def _of_pair(self, pair: Pair, around: Callable[[], Exchange]) -> Iterator[Finding]:
        if pair.before is None:
            assert pair.after is not None
            yield finding("page_added", "The page is new.", pair.after + 1)
        elif pair.after is None:
            yield finding("page_removed", f"Page {pair.before + 1} of before is there no more.")
        else:
            yield from self._of_pages(pair.before, pair.after, around())

    def _of_pages(self, before: int, after: int, around: Exchange) -> Iterator[Finding]:
        one, other = self._before_sizes[before], self._after_sizes[after]
        scale = min(_SCALE, *(_SIDE_PX_MAX / max(size.width_pt, size.height_pt, 1.0) for size in (one, other)))
        pages = _page(self._before, before, scale), _page(self._after, after, scale)
        pair = PagePair(*pages, after + 1, around, self._tolerance.pixels_share)
        found = [each for each in pair.findings() if not self._is_told(each)]
        yield from found
        if any(each.severity.reaches(Severity.WARNING) for each in found) and self._is_pictured():
            images = [page.image.image for page in pages]
            self._keep(
                [("before", before, images[0]), ("after", after, images[1]), ("difference", after, pair.difference())],
                scale,
            )

    def _is_told(self, found: Finding) -> bool:
        """Whether it is what an earlier page has told: the fonts of a document are mostly the same on each."""
        if found.id != "fonts_changed":
            return False
        known = found.sentence in self._fonts_told
        self._fonts_told.add(found.sentence)
        return known

    def _is_pictured(self) -> bool:
        """Whether the report has room for pictures of one more page that differs."""
        return self._store is not None and self._pictured < _PICTURED_MAX

    def _keep(self, pictures: Sequence[tuple[str, int, Image.Image]], scale: float) -> None:
        """Keep kinds, pages (from 0) and pictures for the report, of the first pages that differ."""
        assert self._store is not None
        self._pictured += 1
        for kind, page, image in pictures:
            width, height = image.width / scale, image.height / scale
            image.thumbnail(PICTURE_PX)
            self._store.put(str(self._seen.file), Picture(kind, page + 1, width, height, webp(image)))

    def _text(self, renderer: PageRenderer, page: int) -> PageText:
        self._seen.token.raise_if_cancelled()
        if time.monotonic() > self._ends_s:
            raise TimeoutError
        words = tuple(word.text for word in renderer.words(page))
        return PageText(words, self._look(renderer, page) if len(words) <= _FEW_WORDS else None)

    def _look(self, renderer: PageRenderer, page: int) -> bytes:
        """A page of pictures is known again by a small picture of it, in few shades."""
        sizes = self._before_sizes if renderer is self._before else self._after_sizes
        scale = 2 * _LOOK_PX / max(sizes[page].width_pt, sizes[page].height_pt, 1.0)
        small = rgb(renderer.pixels(page, scale)).convert("L").resize((_LOOK_PX, _LOOK_PX))
        return small.point([value >> 5 for value in range(256)]).tobytes()


def _page(renderer: PageRenderer, number: int, scale: float) -> Page:
    """A page (from 0) with all that is compared. Raises `RasterError`, and so do its fonts."""

    def fonts() -> frozenset[str]:
        return frozenset(font.name for font in renderer.page_facts(number).fonts)

    return Page(renderer.words(number), PageImage(rgb(renderer.pixels(number, scale)), scale), fonts)
