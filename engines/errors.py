"""What can go wrong with a document or an engine: one exception class, a bounded `kind`.

The kinds are a subset of the outcomes of the conversion service (`converter.errors.Outcome`), by the same
names. They cross a process boundary as their string values, never as pickled exceptions.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorKind(StrEnum):
    """Whose fault it is, in one word."""

    UNSUPPORTED = "unsupported"
    """Not a document that docpeek shows, whatever its name."""
    ENCRYPTED = "encrypted"
    """A password is needed."""
    BAD_PASSWORD = "bad_password"  # noqa: S105 - the name of a kind
    """The password given does not open the document."""
    CORRUPT = "corrupt"
    """Of a known type, but damaged beyond reading."""
    EMPTY = "empty"
    """Zero bytes."""
    LIMIT = "limit"
    """A bound was reached: size, archive bomb, pages, memory."""
    TIMEOUT = "timeout"
    """The deadline passed."""
    UNAVAILABLE = "unavailable"
    """There is no engine to be had; the message says what to do."""
    ENGINE = "engine"
    """The engine crashed or failed."""
    CANCELLED = "cancelled"
    """The caller gave up."""


class EngineError(Exception):
    """A document could not be converted.

    `message` is one plain sentence for a person, `diagnostics` is bounded text for a details pane
    (what the engine printed, a traceback of the child); it may be empty.
    """

    def __init__(self, kind: ErrorKind, message: str, diagnostics: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.diagnostics = diagnostics

    def __repr__(self) -> str:
        return f"EngineError({self.kind.value!r}, {self.message!r})"
