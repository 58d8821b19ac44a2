"""Two pictures of a page: how much differs, where, and a picture that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageChops, ImageFilter

PIXEL_THRESHOLD = 48
"""How much of 255 a channel of a pixel may differ: edges are smoothed a little otherwise from machine to machine."""
_MARK = (220, 20, 40)
_MARK_PX = 5
"""A difference of one pixel is shown as large as this."""
_FADED = 0.25
"""How much is left of the page below the marks."""


@dataclass(frozen=True, slots=True)
class PixelDifference:
    """The share of pixels that differ, from 0 to 1; the box around them (left, top, right, bottom in pixels); and which
    they are (mode L, 255 where they differ)."""

    share: float
    box: tuple[int, int, int, int] | None
    mask: Image.Image


def compare(before: Image.Image, after: Image.Image) -> PixelDifference:
    """Compare two RGB pictures. Where one is larger, the other counts as white paper."""
    size = (max(before.width, after.width), max(before.height, after.height))
    bands = ImageChops.difference(_on_paper(before, size), _on_paper(after, size)).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    mask = most.point([255 * (value > PIXEL_THRESHOLD) for value in range(256)])
    return PixelDifference(mask.histogram()[255] / (size[0] * size[1]), mask.getbbox(), mask)


def picture(after: Image.Image, difference: PixelDifference) -> Image.Image:
    """The page after, faded, with what differs marked."""
    size = difference.mask.size
    paper = Image.new("RGB", size, "white")
    faded = Image.blend(paper, _on_paper(after, size).convert("L").convert("RGB"), _FADED)
    faded.paste(_MARK, mask=difference.mask.filter(ImageFilter.MaxFilter(_MARK_PX)))
    return faded


def _on_paper(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    paper = Image.new("RGB", size, "white")
    paper.paste(image)
    return paper
