"""Two pages that belong together: what a person would see that differs, as findings, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from PIL import Image

from preview_app.inspection import comparison_pixels as pixels
from preview_app.inspection.comparison_looks import LookChange, PageImage, look_alike, look_changes
from preview_app.inspection.comparison_words import (
    Exchange,
    Matched,
    Moved,
    TextChange,
    box_around,
    flowed,
    is_complex,
    line_shifts,
    match,
    moved,
    shift_of,
)
from preview_app.inspection.findings import Box, Finding, finding
from preview_app.raster.api import Box as PageBox
from preview_app.raster.api import Word

_QUOTED_MAX = 60
_OF_A_KIND_MAX = 5
_SHIFT_PT = 6.0
"""A smaller one is told by nobody who looks at a page."""
_LOOKS = {"size": "in another size or font", "colour": "in another colour", "font": "in another font or shade"}

_STYLES = {"slanted": ("italic", "oblique"), "bold": ("bold", "black", "heavy")}


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is: its words, its picture, and what gives the names of its fonts where somebody asks."""

    words: Sequence[Word]
    image: PageImage
    fonts: Callable[[], frozenset[str]]


class PagePair:
    """Compares a page before with the page after (`number`, from 1). `around` is what words left or joined the pages
    beside it; `pixels_share` of the page's pixels may differ, from 0 to 1."""

    def __init__(self, before: Page, after: Page, number: int, around: Exchange, pixels_share: float) -> None:
        self._before, self._after = before, after
        self._number = number
        self._around = around
        self._pixels_share = pixels_share
        self._pixels: pixels.PixelDifference | None = None
        self._marks: list[PageBox] = []

    def findings(self) -> list[Finding]:
        """What differs. None if the pages are the same to the pixel."""
        if self._is_equal():
            return []
        matched = match(self._before.words, self._after.words)
        told, flow = self._text_changes(matched)
        looks = look_changes(
            self._before.words, self._after.words, matched.pairs, self._before.image, self._after.image
        )
        apart = moved(self._before.words, self._after.words, matched.pairs)
        self._marks = [*self._places(told, looks), *(each.box for each in apart)]
        return [
            *self._of_text(told),
            *self._of_looks(looks),
            *self._of_moved(apart),
            *self._of_pixels(matched),
            *self._of_shift(matched, flow, told, apart),
        ]

    def difference(self) -> Image.Image:
        """The page after, with marks where pixels differ and around words that do: what `findings` has found."""
        scale = self._after.image.scale
        frames = [(box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale) for box in self._marks]
        return pixels.picture(self._after.image.image, self._pixels, frames)

    def _places(self, told: Sequence[TextChange], looks: Sequence[LookChange]) -> Iterator[PageBox]:
        """Where words differ; of words that are gone, where they were."""
        for numbers in (*(change.after for change in told), *(change.words for change in looks)):
            if numbers:
                yield box_around([self._after.words[number].box for number in numbers])
        for change in told:
            if not change.after:
                yield box_around([self._before.words[number].box for number in change.before])

    def _is_equal(self) -> bool:
        one, other = self._before, self._after
        same = [word.text for word in one.words] == [word.text for word in other.words]
        return same and one.image.image == other.image.image

    def _text_changes(self, matched: Matched) -> tuple[list[TextChange], bool]:
        """Those that count, and whether text flowed from page to page."""
        flow, told = False, []
        for change in matched.changes:
            gone = [self._before.words[number].text for number in change.before]
            came = [self._after.words[number].text for number in change.after]
            if flowed(gone, came, self._around):
                flow = True
            elif not self._only_told_otherwise(change, gone, came):
                told.append(change)
        return told, flow

    def _only_told_otherwise(self, change: TextChange, gone: Sequence[str], came: Sequence[str]) -> bool:
        """Whether letters that PDFs tell in several ways look as they did."""
        if not (gone and came and is_complex("".join((*gone, *came)))):
            return False
        one = box_around([self._before.words[number].box for number in change.before])
        other = box_around([self._after.words[number].box for number in change.after])
        return look_alike(one, other, self._before.image, self._after.image)

    def _of_text(self, changes: Sequence[TextChange]) -> Iterator[Finding]:
        if changes:
            yield finding("text_changed", self._sentence(changes), self._number, self._box(changes[0].after))

    def _sentence(self, changes: Sequence[TextChange]) -> str:
        before = _quoted([self._before.words[number].text for number in changes[0].before])
        after = _quoted([self._after.words[number].text for number in changes[0].after])
        if before and after:
            told = f"“{before}” became “{after}”"
        else:
            told = f"“{after}” is new" if after else f"“{before}” is gone"
        more = len(changes) - 1
        return f"The text differs: {told}{f', and {more:,} more' if more else ''}."

    def _of_looks(self, changes: Sequence[LookChange]) -> Iterator[Finding]:
        for change in changes[:_OF_A_KIND_MAX]:
            text = _quoted([self._after.words[number].text for number in change.words])
            sentence = f"“{text}” is {_LOOKS[change.kind]}{self._fonts_changed()}."
            yield finding("text_look_changed", sentence, self._number, self._box(change.words))
        if (left := len(changes) - _OF_A_KIND_MAX) > 0:
            yield finding("text_look_changed", f"{left:,} more places of the page look different.", self._number)
        if (styles := self._styles_changed()) and not changes:
            yield finding("text_look_changed", f"Text of the page is {styles}.", self._number)
        elif not changes and (told := self._fonts_changed()):
            yield finding("fonts_changed", f"The page has other fonts{told}; its words look alike.", self._number)

    @cached_property
    def _fonts(self) -> tuple[frozenset[str], frozenset[str]]:
        return self._before.fonts(), self._after.fonts()

    def _fonts_changed(self) -> str:
        before, after = self._fonts
        gone, came = sorted(before - after), sorted(after - before)
        return f" ({', '.join(gone[:3])} became {', '.join(came[:3])})" if gone and came else ""

    def _styles_changed(self) -> str:
        """What no measure of a word tells for sure: slanted letters may be as wide and as dark as upright ones."""
        before, after = map(_styles, self._fonts)
        came, gone = sorted(after - before), sorted(before - after)
        return " and ".join([*(f"{style} now" for style in came), *(f"{style} no more" for style in gone)])

    def _of_moved(self, apart: Sequence[Moved]) -> Iterator[Finding]:
        for each in apart[:_OF_A_KIND_MAX]:
            yield finding("content_moved", f"Text stands {_way(each)} than before.", self._number, _rounded(each.box))
        if (left := len(apart) - _OF_A_KIND_MAX) > 0:
            yield finding("content_moved", f"{left:,} more places of the page have moved.", self._number)

    def _of_pixels(self, matched: Matched) -> Iterator[Finding]:
        one, other = self._before.image, self._after.image
        shifts = [
            (middle * other.scale, down * other.scale)
            for middle, down in line_shifts(self._before.words, self._after.words, matched.pairs)
        ]
        boxes = [word.box for word in (*self._before.words, *self._after.words)]
        text = [(box.x0 * one.scale, box.y0 * one.scale, box.x1 * one.scale, box.y1 * one.scale) for box in boxes]
        bands = pixels.bands_of(shifts, max(one.image.height, other.image.height))
        found = pixels.compare(one.image, other.image, text=text, bands=bands)
        if found.share > self._pixels_share and found.box is not None:
            self._pixels = found
            left, top, right, bottom = (round(edge / other.scale, 1) for edge in found.box)
            yield finding("pixels_changed", _of_share(found.share), self._number, (left, top, right, bottom))

    def _of_shift(
        self, matched: Matched, flow: bool, told: Sequence[TextChange], apart: Sequence[Moved]
    ) -> Iterator[Finding]:
        """That it stands elsewhere, where nothing else tells that."""
        if flow:
            yield finding(
                "content_shifted", "Lines of the page went to another page, or came from there.", self._number
            )
        elif not told and not apart:
            far = shift_of(self._before.words, self._after.words, matched.pairs)
            if far > _SHIFT_PT:
                sentence = f"The same text stands up to {far:.0f} points from where it was."
                yield finding("content_shifted", sentence, self._number)

    def _box(self, numbers: Sequence[int]) -> Box | None:
        boxes = [self._after.words[number].box for number in numbers]
        return _rounded(box_around(boxes)) if boxes else None


def _styles(fonts: Iterable[str]) -> set[str]:
    """The styles that names of fonts tell."""
    return {style for style, words in _STYLES.items() if any(word in font.lower() for font in fonts for word in words)}


def _rounded(box: PageBox) -> Box:
    return (round(box.x0, 1), round(box.y0, 1), round(box.x1, 1), round(box.y1, 1))


def _way(each: Moved) -> str:
    ways = [
        f"{abs(length):.0f} points {more if length > 0 else less}"
        for length, more, less in (
            (each.down_pt, "lower", "higher"),
            (each.right_pt, "farther right", "farther left"),
        )
        if abs(length) > _SHIFT_PT
    ]
    return " and ".join(ways)


def _quoted(words: Sequence[str]) -> str:
    text = " ".join(words[:_QUOTED_MAX])
    return text if len(text) <= _QUOTED_MAX else f"{text[:_QUOTED_MAX]}…"


def _of_share(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f} % of the page look different." if percent >= 0.1 else "A bit of the page looks different."
