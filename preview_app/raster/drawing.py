"""Drawing in the child: a part of a page on white paper, and its lightness turned over for the night."""

# mypy: disable-error-code="no-untyped-call"
# PyMuPDF declares that it is typed and leaves most of its functions without types.

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pymupdf
from pymupdf import mupdf

from preview_app.raster.device import DeviceBox

NIGHT_PAPER, NIGHT_INK = 0x1E1F22, 0xE8E8E8


def draw(display_list: Any, scale: float, box: DeviceBox, colorspace: Any, alpha: int, room: memoryview | None) -> Any:
    """Draw the device pixels of `box` on white paper: opaque, so premultiplied or not is the same.

    In `room`, if there is one: it must be large enough, and outlive what is returned.
    """
    area, none = mupdf.FzIrect(*box), mupdf.FzSeparations()
    if room is None:
        pixmap = mupdf.fz_new_pixmap_with_bbox(colorspace, area, none, alpha)
    else:
        place = mupdf.python_mutable_buffer_data(room)
        pixmap = mupdf.fz_new_pixmap_with_bbox_and_data(colorspace, area, none, alpha, place)
    mupdf.fz_clear_pixmap_with_value(pixmap, 255)
    origin = display_list.rect
    matrix = mupdf.FzMatrix(scale, 0, 0, scale, -origin.x0 * scale, -origin.y0 * scale)
    device = mupdf.fz_new_draw_device(matrix, pixmap)
    everything = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
    mupdf.fz_run_display_list(display_list.this, device, mupdf.FzMatrix(), everything, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return pixmap


def image_boxes(display_list: Any, scale: float) -> Iterator[DeviceBox]:
    """Where the pictures of a page lie, in device pixels, rounded outwards."""
    page = pymupdf.TextPage(display_list.get_textpage(pymupdf.TEXT_PRESERVE_IMAGES))
    origin = display_list.rect
    for image in page.extractIMGINFO():
        x0, y0, x1, y1 = image["bbox"]
        left, top = (x0 - origin.x0) * scale, (y0 - origin.y0) * scale
        right, bottom = (x1 - origin.x0) * scale, (y1 - origin.y0) * scale
        if all(map(math.isfinite, (left, top, right, bottom))):
            yield math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)


def turn_to_night(pixmap: Any, images: Iterable[DeviceBox]) -> None:
    """Invert the lightness of a page in place and keep its hues; pictures (device pixels) stay as they are."""
    colorspaces = mupdf.FzDefaultColorspaces()
    area = mupdf.fz_pixmap_bbox(pixmap)
    kept = []
    for x0, y0, x1, y1 in images:
        part = mupdf.FzIrect(max(x0, area.x0), max(y0, area.y0), min(x1, area.x1), min(y1, area.y1))
        if part.x0 < part.x1 and part.y0 < part.y1:
            copy = mupdf.fz_new_pixmap_with_bbox(
                mupdf.fz_pixmap_colorspace(pixmap), part, mupdf.FzSeparations(), mupdf.fz_pixmap_alpha(pixmap)
            )
            mupdf.fz_copy_pixmap_rect(copy, pixmap, part, colorspaces)
            kept.append((copy, part))
    mupdf.fz_invert_pixmap_luminance(pixmap)
    mupdf.fz_tint_pixmap(pixmap, NIGHT_PAPER, NIGHT_INK)
    for copy, part in kept:
        mupdf.fz_copy_pixmap_rect(pixmap, copy, part, colorspaces)
