"""What the raster worker found on the pages of a PDF, checked and made into values.

A worker parses hostile PDFs, so its answers are not trusted: what has the wrong shape raises `ProtocolError`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import msgspec

from preview_app.raster.protocol import Frame, ProtocolError

_T = TypeVar("_T")


class SpotKind(StrEnum):
    """What is the matter at a place."""

    NO_GLYPH = "no_glyph"
    """Characters that the font cannot show."""
    UNREADABLE = "unreadable"
    """Characters that are U+FFFD: nobody knows which they were."""
    BEYOND_PAGE = "beyond_page"
    """Text that reaches over the edge of the page."""
    OFF_PAGE = "off_page"
    """Text that lies wholly beside the page."""
    CLIPPED = "clipped"
    """Text that is cut at the edge of a cell or a frame."""
    HASHES = "hashes"
    """Nothing but `###`: what Calc shows of a number that has no room."""
    INVISIBLE = "invisible"
    """Text that is there to be found, not to be seen."""


class Spot(NamedTuple):
    """A place on a page as shown, in points from its top left corner, and the text there (bounded)."""

    kind: SpotKind
    text: str
    x0: float
    y0: float
    x1: float
    y1: float


class Font(NamedTuple):
    """A font of a page: PostScript name without the mark of a subset, kind as PDF names it (`TrueType`)."""

    name: str
    kind: str
    embedded: bool


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is on a page: visible characters and pictures, whether anything can be seen at all, and what is wrong.

    `spots` are bounded for each kind, `counts` says how many there are. `annotations` counts by PDF's kinds.
    """

    characters: int
    images: int
    drawn: bool
    spots: tuple[Spot, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    fonts: tuple[Font, ...] = ()
    annotations: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PdfFacts:
    """What a PDF says of itself (its `metadata` by PyMuPDF's names), and what is in it beside its pages."""

    metadata: dict[str, str]
    scripts: bool
    attachments: int


def page_facts(frame: Frame) -> PageFacts:
    """The answer to `page_facts`."""
    facts = _converted(frame.head, PageFacts)
    if not all(math.isfinite(value) for spot in facts.spots for value in spot[2:]):
        raise ProtocolError("a place on a page is no place")
    return facts


def pdf_facts(frame: Frame) -> PdfFacts:
    """The answer to `document_facts`."""
    return _converted(frame.head, PdfFacts)


def _converted(head: Any, kind: type[_T]) -> _T:
    try:
        return msgspec.convert(head, kind)
    except msgspec.ValidationError as error:
        raise ProtocolError("an answer has the wrong shape") from error
