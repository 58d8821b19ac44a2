"""Pictures of pages for a report: taken while a file is inspected, small, and bounded for each file.

They are made of pixels that the raster worker gives: nothing that it says is parsed as a picture here.
"""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image

from preview_app.inspection.findings import Finding
from preview_app.inspection.inspect_one import Seen
from preview_app.raster.api import PageSize, Pixels, RasterError
from preview_app.raster.blocking import PageRenderer

PAGES_MAX = 6
"""Pages of a file that are shown: the first one, and those with findings."""
PICTURES_BYTES_MAX = 160 << 10
"""All pictures of a file, but for the thumbnail."""
_THUMBNAIL_PX = (60, 60)
PICTURE_PX = (420, 1200)
"""The largest width and height of a page's picture."""
_SCALE_MAX = 2.0
_QUALITY, _METHOD = 55, 2
"""Of WebP: small, and done in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page: `kind` is `page`, or `before`, `after` or `difference` of a comparison; `page` counts from 1, width and
    height are in points, `data` is a WebP file."""

    kind: str
    page: int
    width: float
    height: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Pictures:
    """Of one file: the thumbnail of its first page (WebP, may be empty), and pages."""

    thumbnail: bytes = b""
    pages: tuple[Picture, ...] = ()


class PictureStore:
    """Pictures on their way from the threads that take them to the report. Thread-safe.

    It holds those of files whose turn in the report has not come.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thumbnails: dict[str, bytes] = {}
        self._pages: dict[str, list[Picture]] = {}

    def put_thumbnail(self, file: str, data: bytes) -> None:
        """Keep the thumbnail of a file."""
        with self._lock:
            self._thumbnails[file] = data

    def put(self, file: str, picture: Picture) -> bool:
        """Keep a picture, unless the file has as many as it may; whether it was kept."""
        with self._lock:
            pages = self._pages.setdefault(file, [])
            fits = sum(len(each.data) for each in pages) + len(picture.data) <= PICTURES_BYTES_MAX
            if fits:
                pages.append(picture)
            return fits

    def take(self, file: str) -> Pictures:
        """What was kept of a file; it is kept no longer."""
        with self._lock:
            return Pictures(self._thumbnails.pop(file, b""), tuple(self._pages.pop(file, ())))


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


def as_text(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode("ascii")


def _thumbnail(image: Image.Image) -> Image.Image:
    small = image.copy()
    small.thumbnail(_THUMBNAIL_PX, reducing_gap=2.0)
    return small
