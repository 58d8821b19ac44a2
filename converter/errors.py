"""Every way in which a request can end, and the one exception that says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.base import EngineInfo
from engines.errors import EngineError, ErrorKind


class Fault(StrEnum):
    """Whose fault an outcome is, so that a person knows where to look."""

    NOBODY = ""
    DOCUMENT = "document"
    DOCUMENT_OR_ENGINE = "document or engine"
    MACHINE = "machine"
    ENGINE = "engine"
    CALLER = "caller"
    LOAD = "load"


class Retry(StrEnum):
    """When asking again can help."""

    NEVER = "no"
    WITH_PASSWORD = "with a password"  # noqa: S105 - a word of the table, not a password
    WITH_OTHER_LIMITS = "with other limits"
    LONGER = "yes, longer"
    AFTER_SETUP = "after set-up"
    OTHER_ENGINE = "yes, or the other engine"
    YES = "yes"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class OutcomeTraits:
    """One line of the table of outcomes (C29)."""

    exit_status: int
    fault: Fault
    retry: Retry
    sentence: str


class Outcome(StrEnum):
    """The terminal value of a request. The same words are JSON's `kind` and decide the exit status."""

    OK = "ok"
    UNSUPPORTED = "unsupported"
    ENCRYPTED = "encrypted"
    BAD_PASSWORD = "bad_password"  # noqa: S105 - the name of an outcome
    CORRUPT = "corrupt"
    EMPTY = "empty"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    ENGINE = "engine"
    NOT_FOUND = "not_found"
    NOT_ALLOWED = "not_allowed"
    CHANGED = "changed"
    BUSY = "busy"
    EVICTED = "evicted"
    CLOSED = "closed"
    CANCELLED = "cancelled"

    @property
    def traits(self) -> OutcomeTraits:
        """The outcome's line of the table."""
        return _TRAITS[self]

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends so; 0 for `ok`."""
        return self.traits.exit_status

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        return self.traits.fault

    @property
    def retry(self) -> Retry:
        """When asking again can help."""
        return self.traits.retry

    @property
    def sentence(self) -> str:
        """What to tell a person who knows nothing of converters."""
        return self.traits.sentence


_TRAITS = {
    Outcome.OK: OutcomeTraits(0, Fault.NOBODY, Retry.NEVER, "The document was converted."),
    Outcome.UNSUPPORTED: OutcomeTraits(
        3, Fault.DOCUMENT, Retry.NEVER, "This is not a document that can be shown, whatever its name says."
    ),
    Outcome.ENCRYPTED: OutcomeTraits(
        4, Fault.DOCUMENT, Retry.WITH_PASSWORD, "The document is encrypted: it opens with its password only."
    ),
    Outcome.BAD_PASSWORD: OutcomeTraits(
        4, Fault.DOCUMENT, Retry.WITH_PASSWORD, "The password does not open the document."
    ),
    Outcome.CORRUPT: OutcomeTraits(5, Fault.DOCUMENT, Retry.NEVER, "The document is damaged beyond reading."),
    Outcome.EMPTY: OutcomeTraits(5, Fault.DOCUMENT, Retry.NEVER, "The file is empty."),
    Outcome.LIMIT: OutcomeTraits(
        6, Fault.DOCUMENT, Retry.WITH_OTHER_LIMITS, "The document is larger than the limits set here allow."
    ),
    Outcome.TIMEOUT: OutcomeTraits(
        7, Fault.DOCUMENT_OR_ENGINE, Retry.LONGER, "The document took too long; try again with more time."
    ),
    Outcome.UNAVAILABLE: OutcomeTraits(8, Fault.MACHINE, Retry.AFTER_SETUP, "There is no conversion engine yet."),
    Outcome.ENGINE: OutcomeTraits(
        9, Fault.ENGINE, Retry.OTHER_ENGINE, "The conversion engine failed on this document; try again."
    ),
    Outcome.NOT_FOUND: OutcomeTraits(10, Fault.CALLER, Retry.YES, "There is no such file."),
    Outcome.NOT_ALLOWED: OutcomeTraits(10, Fault.CALLER, Retry.YES, "This file may not be opened here."),
    Outcome.CHANGED: OutcomeTraits(
        10, Fault.CALLER, Retry.YES, "The file changed while it was being read; open it again."
    ),
    Outcome.BUSY: OutcomeTraits(11, Fault.LOAD, Retry.LATER, "Too much is being converted already; try again soon."),
    Outcome.EVICTED: OutcomeTraits(
        11, Fault.LOAD, Retry.LATER, "This was being prepared in advance and made room for something more urgent."
    ),
    Outcome.CLOSED: OutcomeTraits(11, Fault.LOAD, Retry.LATER, "The converter is closing."),
    Outcome.CANCELLED: OutcomeTraits(130, Fault.CALLER, Retry.YES, "The request was cancelled."),
}


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound that refused a request: its name, its limit and the figure that met it (C14)."""

    name: str
    limit: int
    figure: int

    def __str__(self) -> str:
        return f"{self.name}: {self.figure} of at most {self.limit}"


class ConversionError(Exception):
    """A request that did not end in a PDF.

    `message` is a plain sentence for a person; `diagnostics` is bounded text for a details pane and may be empty.
    `engine` is the engine that was working on it, `None` if none was; `bound` is set when a bound refused it.
    """

    def __init__(
        self,
        outcome: Outcome,
        message: str = "",
        diagnostics: str = "",
        engine: EngineInfo | None = None,
        bound: Bound | None = None,
    ) -> None:
        self.outcome = outcome
        self.message = message or (f"{outcome.sentence} ({bound})" if bound else outcome.sentence)
        self.diagnostics = diagnostics
        self.engine = engine
        self.bound = bound
        super().__init__(self.message)

    def copy(self) -> ConversionError:
        """A fresh instance, so that a traceback belongs to one raise even where readers share an outcome."""
        return ConversionError(self.outcome, self.message, self.diagnostics, self.engine, self.bound)

    def __repr__(self) -> str:
        return f"ConversionError({self.outcome.value!r}, {self.message!r})"


def outcome_of(kind: ErrorKind) -> Outcome:
    """The outcome by the same name."""
    return Outcome(kind.value)


def translated(error: EngineError, engine: EngineInfo | None = None) -> ConversionError:
    """An engine's error as the caller of the converter sees it; the one place where the two meet."""
    return ConversionError(outcome_of(error.kind), error.message, error.diagnostics, engine)
