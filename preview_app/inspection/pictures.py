"""Pictures of pages on their way to a report: values, bounded for each file, and their form between two machines.

Here is nothing that needs a library for pictures: who only hands them on does without.
"""

from __future__ import annotations

import base64
import json
import math
import re
import threading
from dataclasses import dataclass
from typing import Any

PICTURES_BYTES_MAX = 160 << 10
"""All pictures of a file, but for the thumbnail."""
THUMBNAIL_BYTES_MAX = 32 << 10
KINDS = frozenset({"page", "before", "after", "difference"})
_BASE64 = re.compile("[A-Za-z0-9+/]*={0,2}")


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

    def put_all(self, file: str, pictures: Pictures) -> None:
        """Keep what was taken of a file elsewhere."""
        with self._lock:
            if pictures.thumbnail:
                self._thumbnails[file] = pictures.thumbnail
            if pictures.pages:
                self._pages[file] = [*pictures.pages]

    def take(self, file: str) -> Pictures:
        """What was kept of a file; it is kept no longer."""
        with self._lock:
            return Pictures(self._thumbnails.pop(file, b""), tuple(self._pages.pop(file, ())))


def as_text(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode("ascii")


def is_text(text: str) -> bool:
    """Whether a text of unknown origin is Base64, and nothing else."""
    return _BASE64.fullmatch(text) is not None


def encode(pictures: Pictures) -> str:
    """Pictures as a line of JSON, in ASCII."""
    pages = [[each.kind, each.page, each.width, each.height, as_text(each.data)] for each in pictures.pages]
    return json.dumps([as_text(pictures.thumbnail), pages], separators=(",", ":"), allow_nan=False) + "\n"


def decode(text: str) -> Pictures:
    """Pictures that came from elsewhere. Raises `ValueError` for anything else, and for more than a file may have."""
    match json.loads(text):
        case [str(thumbnail), list(pages)] if is_text(thumbnail):
            told = Pictures(base64.b64decode(thumbnail), tuple(map(_picture, pages)))
        case _:
            raise ValueError("these are no pictures")
    if len(told.thumbnail) > THUMBNAIL_BYTES_MAX or sum(len(each.data) for each in told.pages) > PICTURES_BYTES_MAX:
        raise ValueError("these are more pictures than a file may have")
    return told


def _picture(value: Any) -> Picture:
    match value:
        case [str(kind), int(page), float() | int() as width, float() | int() as height, str(data)]:
            if kind in KINDS and page > 0 and all(_is_length(each) for each in (width, height)) and is_text(data):
                return Picture(kind, page, float(width), float(height), base64.b64decode(data))
    raise ValueError("this is no picture")


def _is_length(value: float) -> bool:
    return math.isfinite(value) and value > 0
