"""What the rest of the program sees of rasterizing: values and the `Rasterizer` protocol.

A rasterizer lives on one thread (the one that runs its event loop). It never blocks that thread: every call returns
at once and every answer is a callback on that thread. Lengths of a page are in points (1/72 inch), sizes of images
in device pixels. `scale` is device pixels a point: 1.0 is 72 dpi, `dpi / 72` in general.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class Lane(IntEnum):
    """Strict priorities, most urgent first."""

    CRITICAL = 0
    """Visible now."""
    HIGH = 1
    """Zoom detail, the next page in the direction of travel."""
    NORMAL = 2
    """The rest of the document, thumbnails."""
    LOW = 3
    """Neighbouring documents."""


@dataclass(frozen=True, slots=True)
class PageSize:
    """Width and height of a page as shown (its own rotation applied), in points."""

    width_pt: float
    height_pt: float


@dataclass(frozen=True, slots=True)
class Clip:
    """A part of a page, in points from its top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Pixels:
    """Premultiplied BGRA, rows top down, `stride` bytes apart, opaque (white paper).

    `data` is a buffer that belongs to this object alone; it stays valid as long as this object (or a view of it) lives.
    """

    page: int
    scale: float
    width: int
    height: int
    stride: int
    data: memoryview


@dataclass(frozen=True, slots=True)
class RasterError(Exception):
    """`kind` is `corrupt`, `limit`, `encrypted`, `crashed`, `closed` or `cancelled`; `message` is for a person."""

    kind: str
    message: str


class RasterTask(Protocol):
    """One request. After `cancel` no callback of it runs."""

    def cancel(self) -> None:
        """Give up: queued work goes at once, running work as soon as it can. Idempotent."""

    def promote(self, lane: Lane) -> None:
        """Move to a more urgent lane, while still queued."""


class RasterDocument(Protocol):
    """A document opened for rasterizing."""

    @property
    def pages(self) -> tuple[PageSize, ...]:
        """One entry a page, in order."""

    def render(
        self,
        page: int,
        scale: float,
        *,
        lane: Lane,
        done: Callable[[Pixels], None],
        failed: Callable[[RasterError], None],
        clip: Clip | None = None,
    ) -> RasterTask:
        """Rasterize a page (counted from 0), or the part `clip` of it."""

    def close(self) -> None:
        """Cancel what is asked and let the document go. Idempotent."""


class Rasterizer(Protocol):
    """Opens PDFs. Knows no Office format."""

    def open(
        self,
        pdf: bytes | memoryview,
        *,
        lane: Lane,
        opened: Callable[[RasterDocument], None],
        failed: Callable[[RasterError], None],
    ) -> RasterTask:
        """Open a PDF and measure its pages."""

    def close(self) -> None:
        """End every worker; queued and running requests fail with kind `closed`. Idempotent."""
