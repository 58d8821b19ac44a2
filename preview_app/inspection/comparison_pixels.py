"""Two pictures of a page: how much differs, where, and a picture that shows it.

Theory. A pixel differs if the other picture has nothing like it close by: it is held against the lightest and the
darkest that the other one has around its place, both pictures blurred a little, and so the other way round. Edges that
were smoothed otherwise, and lines that lie half a pixel elsewhere, do not count; what is missing, or has another
colour, does. Text is not judged here: its places are left out (see `comparison_looks`). Where lines are higher or
lower than before, the picture before is cut into bands that are laid where their text is now; what stayed at its place
all the same, as a picture that belongs to the page does, does not count either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from PIL import Image, ImageChops, ImageDraw, ImageFilter

PIXEL_THRESHOLD = 48
"""How much of 255 a channel of a pixel may differ: edges are smoothed a little otherwise from machine to machine."""
_BLURRED_THRESHOLD = 28
"""The same of blurred pictures, in which a line of a hair's width is faint."""
_MARK = (220, 20, 40)
_MARK_PX = 5
"""A difference of one pixel is shown as large as this."""
_FADED = 0.25
"""How much is left of the page below the marks."""
_NEAR_STEPS = 2
"""Pixels around one that count as close by."""
_AROUND_TEXT_PX = 2

PixelBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Band:
    """Rows from `top` to `bottom` of the picture after, which show what stood `shift` pixels higher before."""

    top: int
    bottom: int
    shift: int


@dataclass(frozen=True, slots=True)
class PixelDifference:
    """The share of pixels that differ, from 0 to 1; the box around them (left, top, right, bottom in pixels); and which
    they are (mode L, 255 where they differ)."""

    share: float
    box: tuple[int, int, int, int] | None
    mask: Image.Image


def compare(
    before: Image.Image, after: Image.Image, *, text: Iterable[PixelBox] = (), bands: Sequence[Band] = ()
) -> PixelDifference:
    """Compare two RGB pictures but for the places of `text`. Where one is larger, the other counts as white paper."""
    size = (max(before.width, after.width), max(before.height, after.height))
    one, other = _on_paper(before, size), _on_paper(after, size)
    counted = _without(text, size)
    mask = _differing(one, other, counted)
    if mask.getbbox() is not None and any(band.shift for band in bands):
        mask = ImageChops.darker(mask, _differing(_moved(one, bands), other, counted))
    return PixelDifference(mask.histogram()[255] / (size[0] * size[1]), mask.getbbox(), mask)


def bands_of(lines: Iterable[tuple[float, float]], height: int) -> list[Band]:
    """Bands from the middles of lines of text after and how far each one moved down, in pixels."""
    ordered = sorted(lines)
    shifts = [round(median(each[1] for each in ordered[max(0, at - 1) : at + 2])) for at in range(len(ordered))]
    bands: list[Band] = []
    top = 0
    for (one, other), (here, there) in zip(pairwise(ordered), pairwise(shifts), strict=True):
        if here != there:
            edge = round((one[0] + other[0]) / 2)
            bands.append(Band(top, edge, here))
            top = edge
    return [*bands, Band(top, height, shifts[-1])] if shifts else []


def picture(after: Image.Image, difference: PixelDifference | None, frames: Iterable[PixelBox] = ()) -> Image.Image:
    """The page after, faded, with pixels that differ marked, and frames around other places."""
    size = after.size if difference is None else difference.mask.size
    paper = Image.new("RGB", size, "white")
    faded = Image.blend(paper, _on_paper(after, size).convert("L").convert("RGB"), _FADED)
    if difference is not None:
        faded.paste(_MARK, mask=difference.mask.filter(ImageFilter.MaxFilter(_MARK_PX)))
    draw = ImageDraw.Draw(faded)
    for left, top, right, bottom in frames:
        draw.rectangle((left - 2, top - 2, max(left, right) + 2, max(top, bottom) + 2), outline=_MARK, width=2)
    return faded


def _differing(one: Image.Image, other: Image.Image, counted: Image.Image | None) -> Image.Image:
    """Where two pictures of one size differ."""
    mask = _beyond(ImageChops.difference(one, other))
    mask = mask if counted is None else ImageChops.darker(mask, counted)
    where = mask.getbbox()
    if where is None:
        return mask
    around = _around(where, mask.size)
    blurred = [image.crop(around).filter(ImageFilter.BoxBlur(1)) for image in (one, other)]
    apart = Image.new("L", mask.size)
    apart.paste(ImageChops.lighter(_apart(*blurred), _apart(*reversed(blurred))), around[:2])
    return ImageChops.darker(mask, apart)


def _around(box: tuple[int, int, int, int], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """A box with as much around it as is looked at beside a pixel."""
    left, top, right, bottom = box
    more = _NEAR_STEPS + 2
    return max(0, left - more), max(0, top - more), min(size[0], right + more), min(size[1], bottom + more)


def _apart(image: Image.Image, other: Image.Image) -> Image.Image:
    """Where a picture has what the other one has nowhere near."""
    lightest = darkest = other
    for _ in range(_NEAR_STEPS):
        lightest, darkest = _spread(lightest, ImageChops.lighter), _spread(darkest, ImageChops.darker)
    beyond = ImageChops.lighter(ImageChops.subtract(image, lightest), ImageChops.subtract(darkest, image))
    return _beyond(beyond, _BLURRED_THRESHOLD)


def _spread(image: Image.Image, choose: Callable[[Image.Image, Image.Image], Image.Image]) -> Image.Image:
    """Of each pixel and the eight around it the one to choose; many times as fast as Pillow's filters of ranks."""
    for right, down in ((1, 0), (0, 1)):
        moved = [ImageChops.offset(image, sign * right, sign * down) for sign in (1, -1)]
        image = choose(choose(image, moved[0]), moved[1])
    return image


def _beyond(difference: Image.Image, threshold: int = PIXEL_THRESHOLD) -> Image.Image:
    """Which pixels differ in one of their channels by more than may be."""
    bands = difference.split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return most.point([255 * (value > threshold) for value in range(256)])


def _without(text: Iterable[PixelBox], size: tuple[int, int]) -> Image.Image | None:
    """255 where pixels count; nothing if all do."""
    boxes = list(text)
    if not boxes:
        return None
    counted = Image.new("L", size, 255)
    draw = ImageDraw.Draw(counted)
    for left, top, right, bottom in boxes:
        around = _AROUND_TEXT_PX
        if right >= left and bottom >= top:
            draw.rectangle((left - around, top - around, right + around, bottom + around), fill=0)
    return counted


def _moved(image: Image.Image, bands: Sequence[Band]) -> Image.Image:
    paper = Image.new("RGB", image.size, "white")
    for band in bands:
        strip = image.crop((0, band.top - band.shift, image.width, band.bottom - band.shift))
        paper.paste(_on_white(strip, image, band), (0, band.top))
    return paper


def _on_white(strip: Image.Image, image: Image.Image, band: Band) -> Image.Image:
    """The strip with paper where it reaches beyond the picture, which a crop leaves black."""
    above, below = max(0, band.shift - band.top), max(0, band.bottom - band.shift - image.height)
    draw = ImageDraw.Draw(strip)
    if above:
        draw.rectangle((0, 0, strip.width, min(above, strip.height) - 1), fill="white")
    if below and below <= strip.height:
        draw.rectangle((0, strip.height - below, strip.width, strip.height), fill="white")
    return strip


def _on_paper(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    paper = Image.new("RGB", size, "white")
    paper.paste(image)
    return paper
