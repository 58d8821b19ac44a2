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

    `data` is a read-only buffer that belongs to this object alone; it stays valid as long as this object (or a view of
    it) lives. `x` and `y` say where its first pixel lies on the page, in device pixels at this scale: a clip is rounded
    outwards to whole pixels and cut to the page.
    """

    page: int
    scale: float
    width: int
    height: int
    stride: int
    data: memoryview
    x: int = 0
    y: int = 0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page as shown, in points from its top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Word:
    """A word, where it stands, and the block and the line in the block that it belongs to (counted from 0)."""

    text: str
    box: Box
    block: int
    line: int


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text and the block (counted from 0) that it belongs to.

    `edges` says where each character begins along the line, and where the last one ends: one number more than there
    are characters, x coordinates in points, or y where the line is `vertical`. They fall where text runs backwards.
    """

    text: str
    box: Box
    block: int
    vertical: bool
    edges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A place to click: leads to `uri`, or to `page` (and there to the point `x`, `y`, where the PDF says one)."""

    box: Box
    uri: str | None = None
    page: int | None = None
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A line of the table of contents; `level` counts from 1, `page` from 0 (`None`: it leads nowhere)."""

    level: int
    title: str
    page: int | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Hit:
    """An occurrence of a search phrase on a page: one box for each line that it touches."""

    page: int
    boxes: tuple[Box, ...]


class RasterError(Exception):
    """What became of a request instead of an answer; `message` is for a person.

    `kind` is `corrupt`, `limit`, `encrypted`, `bad_password`, `busy`, `crashed`, `closed` or `cancelled`. `passing`
    says that it has nothing to do with the document and may be over soon: the same request is worth another try.
    """

    def __init__(self, kind: str, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.passing = passing

    def __repr__(self) -> str:
        return f"RasterError({self.kind!r}, {self.message!r})"


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
        night: bool = False,
    ) -> RasterTask:
        """Rasterize a page (counted from 0), or the part `clip` of it; for the `night` light on dark, pictures kept."""

    def close(self) -> None:
        """Cancel what is asked and let the document go. Idempotent."""


class TextDocument(RasterDocument, Protocol):
    """A document that also gives what stands on its pages. Asynchronous like `render`; pages count from 0."""

    def png(
        self,
        page: int,
        dpi: float,
        *,
        lane: Lane,
        done: Callable[[bytes], None],
        failed: Callable[[RasterError], None],
        clip: Clip | None = None,
        night: bool = False,
    ) -> RasterTask:
        """The page, or the part `clip` of it, as a PNG file that states its resolution."""

    def words(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[Word, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> RasterTask:
        """The words of a page in reading order."""

    def lines(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[TextLine, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> RasterTask:
        """The lines of text of a page in reading order, to the character."""

    def links(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[Link, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> RasterTask:
        """The links of a page."""

    def outline(
        self,
        *,
        lane: Lane,
        done: Callable[[tuple[OutlineEntry, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> RasterTask:
        """The table of contents, depth first; empty if there is none."""

    def search(
        self,
        page: int,
        phrase: str,
        *,
        lane: Lane,
        done: Callable[[tuple[Hit, ...]], None],
        failed: Callable[[RasterError], None],
        match_case: bool = False,
        whole_words: bool = False,
    ) -> RasterTask:
        """Where `phrase` occurs on a page, also across the ends of lines; at most 10,000 hits."""


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


class TextRasterizer(Rasterizer, Protocol):
    """A rasterizer whose documents give their text."""

    def open(
        self,
        pdf: bytes | memoryview,
        *,
        lane: Lane,
        opened: Callable[[TextDocument], None],
        failed: Callable[[RasterError], None],
        password: str | None = None,
    ) -> RasterTask:
        """Open a PDF and measure its pages."""
