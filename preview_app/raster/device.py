"""From points to device pixels: which pixels of a page a request means. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from preview_app.raster.child import RefusedError

DeviceBox = tuple[int, int, int, int]
"""Left, top, right, bottom in device pixels from the page's top left corner; right and bottom are outside."""

_EPSILON = 0.001
"""Of a pixel: what a length may be off by the arithmetic, and need no pixel more."""


def device_box(
    width_pt: float, height_pt: float, scale: float, clip: Sequence[float] | None, pixels_max: int
) -> DeviceBox:
    """The pixels of a page, or of the part `clip` (x0, y0, x1, y1 in points), rounded outwards and cut to the page.

    Raises `RefusedError` of kind `limit` where there are none, or more than `pixels_max`.
    """
    right, bottom = _up(width_pt * scale), _up(height_pt * scale)
    left = top = 0
    if clip is not None:
        left, top = max(left, _down(clip[0] * scale)), max(top, _down(clip[1] * scale))
        right, bottom = min(right, _up(clip[2] * scale)), min(bottom, _up(clip[3] * scale))
    if left >= right or top >= bottom:
        raise RefusedError("limit", "The part asked for is not on the page.")
    if (right - left) * (bottom - top) > pixels_max:
        raise RefusedError("limit", f"The image would have more than {pixels_max:,} pixels.")
    return left, top, right, bottom


def _up(length: float) -> int:
    return max(1, math.ceil(length - _EPSILON))


def _down(length: float) -> int:
    return math.floor(length + _EPSILON)
