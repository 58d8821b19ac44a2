"""What a reader gets, at the end and on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engines.base import EngineInfo, FontReplacement
from engines.notices import Notice, tells_of_a_cut

NO_ENGINE = EngineInfo("none", "", "")
"""The engine of a PDF that was passed through."""


class Phase(StrEnum):
    """Where a job is in its life, in this order."""

    WAITING = "waiting"
    """In the line: holds a place and metadata only."""
    READING = "reading"
    """Has a slot and its bytes reserved."""
    IDENTIFIED = "identified"
    """Type and digest are known."""
    SCREENED = "screened"
    """Cheap checks found nothing against it."""
    CONVERTING = "converting"
    """An engine works on it."""
    CHECKED = "checked"
    """The PDF is there and its pages have been counted."""
    SETTLED = "settled"
    """The outcome is known."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Where the time of one reader went: in the line, in the engine, and from asking to the answer."""

    queue: float = 0.0
    convert: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Conversion:
    """A finished conversion: the complete bytes of a PDF with at least one page, and where they come from.

    `pdf` is immutable and may be shared with other readers and the cache. `digest` (hexadecimal BLAKE3) identifies
    the conversion (C7). `document_type` is the id of the detected type (`"docx"`). `generation` is the fingerprint
    of the engine that made it, empty for a PDF passed through. `from_cache` tells that nothing was converted for
    this reader's request.
    """

    pdf: bytes = field(repr=False)
    pages: int
    digest: str
    document_type: str
    engine: EngineInfo
    generation: str
    source_bytes: int
    seconds: Seconds = Seconds()
    missing_fonts: tuple[FontReplacement, ...] = ()
    notices: tuple[Notice, ...] = ()
    from_cache: bool = False

    @property
    def truncated(self) -> bool:
        """Whether a bound has left out pages or cells, which a notice tells in words."""
        return tells_of_a_cut(self.notices)


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The job of the ticket entered a phase."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class PlaceChanged:
    """The job of the ticket has so many others before it in the line."""

    ahead: int


@dataclass(frozen=True, slots=True)
class StillWorking:
    """The soft limit passed: the reader may wait, extend its deadline, or cancel."""

    running_s: float


@dataclass(frozen=True, slots=True)
class FirstPages:
    """A partial PDF, ahead of the whole one. It is not the outcome and is kept nowhere (C1)."""

    pdf: bytes = field(repr=False)
    pages: int


TicketEvent = PhaseChanged | PlaceChanged | StillWorking | FirstPages
