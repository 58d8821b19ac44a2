"""Pictures of pages for a report: taken while a file is inspected, small, and bounded for each file.

They are made of pixels that the raster worker gives: nothing that it says is parsed as a picture here.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from PIL import Image

from preview_app.inspection.findings import Finding
from preview_app.inspection.inspect_one import Seen
from preview_app.inspection.pictures import Picture, PictureStore
from preview_app.raster.api import PageSize, Pixels, RasterError
from preview_app.raster.blocking import PageRenderer

PAGES_MAX = 6
"""Pages of a file that are shown: the first one, and those with findings."""
_THUMBNAIL_PX = (60, 60)
PICTURE_PX = (420, 1200)
"""The largest width and height of a page's picture."""
_SCALE_MAX = 2.0
_QUALITY, _METHOD = 55, 2
"""Of WebP: small, and done in a few milliseconds."""


class PictureTaker:
    """A check that finds nothing: it takes pictures of the first page and of pages with findings. To be put last."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store

    def __call__(self, seen: Seen) -> Iterator[Finding]:
        """See `Check`."""
        file = str(seen.file)
        for number in pages_to_show(seen.findings, len(seen.pages.sizes)):
            seen.token.raise_if_cancelled()
            try:
                image = image_of(seen.renderer, number - 1, seen.pages.sizes[number - 1])
            except RasterError:
                continue  # that it cannot be read is a finding already
            if number == 1:
                self._store.put_thumbnail(file, webp(_thumbnail(image)))
            size = seen.pages.sizes[number - 1]
            if not self._store.put(file, Picture("page", number, size.width_pt, size.height_pt, webp(image))):
                break
        yield from ()


def pages_to_show(findings: tuple[Finding, ...], count: int) -> list[int]:
    """The first page and the first ones with findings, from 1, ascending."""
    found = {found.place.page for found in findings if found.place is not None and 1 <= found.place.page <= count}
    return sorted({1, *sorted(found - {1})[: PAGES_MAX - 1]})


def image_of(renderer: PageRenderer, page: int, size: PageSize, scale: float | None = None) -> Image.Image:
    """The page (from 0) as a picture, at `scale` pixels a point or as large as a report shows it.

    Raises `RasterError`.
    """
    return rgb(renderer.pixels(page, scale or scale_of(size)))


def scale_of(size: PageSize) -> float:
    """Pixels a point at which a report shows a page of this size."""
    width, height = PICTURE_PX
    return min(_SCALE_MAX, width / max(size.width_pt, 1.0), height / max(size.height_pt, 1.0))


def rgb(pixels: Pixels) -> Image.Image:
    """Pixels as a picture of Pillow's."""
    size = (pixels.width, pixels.height)
    return Image.frombytes("RGB", size, bytes(pixels.data), "raw", "BGRX", pixels.stride)


def webp(image: Image.Image) -> bytes:
    """A picture as a small file."""
    file = io.BytesIO()
    image.save(file, "WEBP", quality=_QUALITY, method=_METHOD)
    return file.getvalue()


def _thumbnail(image: Image.Image) -> Image.Image:
    small = image.copy()
    small.thumbnail(_THUMBNAIL_PX, reducing_gap=2.0)
    return small
