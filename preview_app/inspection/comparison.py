"""A document against another state of it: pages aligned, words and pixels compared, differences pictured.

The other state is an earlier document or its PDF, or what another engine makes of the same document. Everything is
bounded: pages, time, the size of pictures, and how many of them are kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import Image

from converter.errors import ConversionError
from preview_app.inspection import comparison_pixels as pixels
from preview_app.inspection.comparison_sources import NOTHING_TO_COMPARE, OtherState
from preview_app.inspection.comparison_text import PageText, Pair, TextChange, align, changes
from preview_app.inspection.findings import Box, Finding, finding
from preview_app.inspection.inspect_one import Seen
from preview_app.inspection.pictures import Picture, PictureStore
from preview_app.inspection.report_html_pictures import PICTURE_PX, rgb, webp
from preview_app.raster.api import PageSize, RasterError, Word
from preview_app.raster.blocking import PageRenderer

_PAGES_MAX = 1000
_SECONDS_MAX = 120.0
_SIDE_PX_MAX = 1600
_SCALE = 1.0
"""Pixels a point: 72 dpi. Enough to see a line that moved, and quick."""
_PICTURED_MAX = 4
_FEW_WORDS = 5
_LOOK_PX = 32
_QUOTED_MAX = 60


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much may differ: the share of a page's pixels, from 0 to 1."""

    pixels_share: float = 0.0001


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
        self._ends_s = time.monotonic() + _SECONDS_MAX
        self._counts = len(sizes), len(seen.pages.sizes)

    def run(self) -> Iterator[Finding]:
        """What differs, page by page."""
        before, after = self._counts
        if before != after:
            yield finding("page_count_changed", f"The number of pages changed from {before:,} to {after:,}.")
        try:
            pairs = align(
                [self._text(self._before, number) for number in range(len(self._before_sizes))],
                [self._text(self._after, number) for number in range(len(self._after_sizes))],
            )
        except RasterError as error:
            yield finding("not_compared", f"The pages cannot be compared: {error.message}")
            return
        except TimeoutError:
            yield finding("not_compared", "The pages were not compared: no time.")
            return
        yield from self._of_pairs(pairs)

    def _of_pairs(self, pairs: Sequence[Pair]) -> Iterator[Finding]:
        for done, pair in enumerate(pairs):
            self._seen.token.raise_if_cancelled()
            if time.monotonic() > self._ends_s:
                yield finding("not_compared", f"The last {len(pairs) - done:,} pages were not compared: no time.")
                return
            try:
                yield from self._of_pair(pair)
            except RasterError as error:
                yield finding("not_compared", f"The page cannot be compared: {error.message}", (pair.after or 0) + 1)
        if (left := max(self._counts) - _PAGES_MAX) > 0:
            yield finding("not_compared", f"The last {left:,} pages were not compared: there are too many.")

    def _of_pair(self, pair: Pair) -> Iterator[Finding]:
        if pair.before is None:
            assert pair.after is not None
            yield finding("page_added", "The page is new.", pair.after + 1)
        elif pair.after is None:
            yield finding("page_removed", f"Page {pair.before + 1} of before is there no more.")
        else:
            yield from self._of_pages(pair.before, pair.after)

    def _of_pages(self, before: int, after: int) -> Iterator[Finding]:
        words = self._after.words(after)
        found = changes([word.text for word in self._before.words(before)], [word.text for word in words])
        if found:
            yield finding("text_changed", _sentence(found, words), after + 1, _box_of(found[0], words))
        one, other = self._before_sizes[before], self._after_sizes[after]
        scale = min(_SCALE, *(_SIDE_PX_MAX / max(size.width_pt, size.height_pt, 1.0) for size in (one, other)))
        images = rgb(self._before.pixels(before, scale)), rgb(self._after.pixels(after, scale))
        difference = pixels.compare(*images)
        differs = difference.share > self._tolerance.pixels_share
        if differs and difference.box is not None:
            left, top, right, bottom = (round(edge / scale, 1) for edge in difference.box)
            yield finding("pixels_changed", _of_share(difference.share), after + 1, (left, top, right, bottom))
        if found or differs:
            changed = pixels.picture(images[1], difference)
            self._keep(
                [("before", before, images[0]), ("after", after, images[1]), ("difference", after, changed)], scale
            )

    def _keep(self, pictures: Sequence[tuple[str, int, Image.Image]], scale: float) -> None:
        """Keep kinds, pages (from 0) and pictures for the report, of the first pages that differ."""
        if self._store is None or self._pictured >= _PICTURED_MAX:
            return
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


def _sentence(found: Sequence[TextChange], words: Sequence[Word]) -> str:
    first = found[0]
    before, after = _quoted(first.before), _quoted([word.text for word in words[first.first : first.end]])
    if before and after:
        told = f"“{before}” became “{after}”"
    else:
        told = f"“{after}” is new" if after else f"“{before}” is gone"
    more = len(found) - 1
    return f"The text differs: {told}{f', and {more:,} more' if more else ''}."


def _quoted(words: Sequence[str]) -> str:
    text = " ".join(words[:_QUOTED_MAX])
    return text if len(text) <= _QUOTED_MAX else f"{text[:_QUOTED_MAX]}…"


def _box_of(change: TextChange, words: Sequence[Word]) -> Box | None:
    boxes = [word.box for word in words[change.first : change.end]]
    if not boxes:
        return None
    lefts, tops = (min(getattr(box, edge) for box in boxes) for edge in ("x0", "y0"))
    rights, bottoms = (max(getattr(box, edge) for box in boxes) for edge in ("x1", "y1"))
    return (round(lefts, 1), round(tops, 1), round(rights, 1), round(bottoms, 1))


def _of_share(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f} % of the page look different." if percent >= 0.1 else "A bit of the page looks different."
