"""What a preview says and asks: its states, and where conversions come from. Values and protocols; no toolkit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from converter.errors import Bound
from engines.base import FontReplacement
from engines.decryption import Password
from engines.notices import Notice
from preview_app.raster.api import Lane, TextDocument

LOCKED = frozenset({"encrypted", "bad_password"})
"""Outcomes that a password can change."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Where a conversion comes from, as `converter.conversion.Conversion` has it."""

    type_id: str = ""
    engine_name: str = ""
    engine_version: str = ""
    generation: str = ""
    digest: str = ""
    source_bytes: int = 0
    queue_seconds: float = 0.0
    total_seconds: float = 0.0
    engine_note: str = ""


@dataclass(frozen=True, slots=True)
class Converted:
    """A finished conversion: the PDF and how it came about.

    `engine` is its name for a person, empty for a PDF as it is; `seconds` is the time of the conversion itself.
    `facts` are those of the conversion for quality assurance.
    """

    pdf: bytes | memoryview
    engine: str
    seconds: float
    missing_fonts: tuple[FontReplacement, ...] = ()
    notices: tuple[Notice, ...] = ()
    from_cache: bool = False
    facts: Facts = Facts()


class Extent(Enum):
    """How much of a document is asked for."""

    BOUNDED = "bounded"
    """As many pages as the settings allow."""
    ALL = "all"
    """All pages: a person wants them."""
    FIRST_PAGE = "first page"
    """The first page, for a small picture. Nobody else gets what comes of it, and it takes nobody's place in a cache.
    """


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """An engine that a person may ask for: its name for the converter, its label for the person."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is nothing to show. `outcome` is a word of the converter's table, `message` a sentence for a person."""

    outcome: str
    message: str
    diagnostics: str = ""
    others: tuple[EngineOffer, ...] = ()
    """Other engines that may fare better."""
    bound: Bound | None = None
    """The bound that was met, where one was."""
    engine: str = ""
    """The engine that was at work, by its name for a person; empty if none was."""
    engine_name: str = ""
    engine_version: str = ""


class ConversionRequest(Protocol):
    """One conversion asked for. No callback of it runs after `cancel`."""

    def cancel(self) -> None:
        """Give up. Idempotent."""

    def extend(self) -> None:
        """Let it take as long as a conversion may take at all."""


class Conversions(Protocol):
    """Where PDFs come from. Never blocks; all callbacks come later, on the owner's thread."""

    def request(
        self,
        path: Path,
        lane: Lane,
        *,
        phase: Callable[[str], None],
        slow: Callable[[], None],
        done: Callable[[Converted], None],
        failed: Callable[[Failure], None],
        password: Password | None = None,
        engine: str | None = None,
        extent: Extent = Extent.BOUNDED,
    ) -> ConversionRequest:
        """Ask for the PDF of the document at `path`, which `password` opens, of `engine` or of the default one.

        `phase` names the milestone that was reached; `slow` tells that it takes unusually long and will be ended at
        its deadline, unless it is extended.
        """


@dataclass(frozen=True, slots=True)
class Nothing:
    """No document has been asked for."""

    generation: int = 0


@dataclass(frozen=True, slots=True)
class Opening:
    """A document is on its way.

    `started_s` is the clock's time of the request; `reload` keeps the place in it; `slow` means that it will be ended
    at its deadline, unless a person wants to wait.
    """

    path: Path
    generation: int
    started_s: float
    phase: str
    reload: bool
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Showing:
    """A document is there. `stale` says why a newer version of the file could not replace it."""

    path: Path
    generation: int
    started_s: float
    document: TextDocument
    converted: Converted
    reload: bool
    stale: Failure | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """A document cannot be shown."""

    path: Path
    generation: int
    failure: Failure


State = Nothing | Opening | Showing | Failed
