"""What goes wrong, as HTTP tells it: a status and a JSON object for each error of the converter and the rasterizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from converter.errors import ConversionError, Fault, Outcome, Retry, outcome_of
from engines.base import EngineInfo
from engines.errors import EngineError
from preview_app.raster.api import RasterError

_STATUS = {
    Outcome.UNSUPPORTED: 422,
    Outcome.ENCRYPTED: 423,
    Outcome.BAD_PASSWORD: 423,
    Outcome.CORRUPT: 422,
    Outcome.EMPTY: 422,
    Outcome.LIMIT: 413,
    Outcome.TIMEOUT: 504,
    Outcome.UNAVAILABLE: 503,
    Outcome.ENGINE: 500,
    Outcome.NOT_FOUND: 404,
    Outcome.NOT_ALLOWED: 403,
    Outcome.CHANGED: 409,
    Outcome.BUSY: 429,
    Outcome.EVICTED: 429,
    Outcome.CLOSED: 503,
    Outcome.CANCELLED: 409,
}
_NO_RETRY = frozenset({Retry.NEVER, Retry.WITH_PASSWORD, Retry.WITH_OTHER_LIMITS})
_ENGINES_DIFFER = frozenset({Outcome.ENGINE, Outcome.TIMEOUT, Outcome.CORRUPT})
"""Outcomes that may be others with another engine, if one was at work."""
_RASTER_STATUS = {"corrupt": 422, "limit": 413, "encrypted": 423, "bad_password": 423, "busy": 429, "crashed": 500}
_RASTER_FAULT = {"busy": "load", "crashed": "engine"}


class ApiError(Exception):
    """An answer that is none. `kind` is a word for programs, `message` a sentence for a person."""

    def __init__(self, status: int, kind: str, message: str, fault: str = "caller", *, retry: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.fault = fault
        self.retry = retry
        self.details: dict[str, Any] = {}

    def as_json(self) -> dict[str, Any]:
        """The body of the answer."""
        told = {"kind": self.kind, "message": self.message, "fault": self.fault, "retry": self.retry}
        return told | self.details


def wrong(message: str) -> ApiError:
    """The caller asked for something that cannot be."""
    return ApiError(400, "bad_request", message)


def gone() -> ApiError:
    """The document is not open any more, or never was."""
    return ApiError(410, "gone", "The document is not open here any more: open it again.", "load", retry=True)


def api_error(error: Exception, engines: Sequence[EngineInfo] = ()) -> ApiError:
    """How to tell an error; `engines` are all that a document can be asked of."""
    match error:
        case ApiError():
            return error
        case ConversionError():
            return _of_conversion(error, engines)
        case EngineError():
            return _of_conversion(ConversionError(outcome_of(error.kind), error.message, error.diagnostics), engines)
        case RasterError():
            return _of_raster(error)
        case OSError():
            return ApiError(503, "unavailable", "The machine has no room for this now.", "machine", retry=True)
    return ApiError(500, "engine", "The server failed unexpectedly.", "engine", retry=True)


def _of_conversion(error: ConversionError, engines: Sequence[EngineInfo]) -> ApiError:
    outcome = error.outcome
    fault = outcome.fault.value.partition(" ")[0]  # "document or engine": the document is looked at first
    told = ApiError(_STATUS[outcome], outcome.value, error.message, fault, retry=outcome.retry not in _NO_RETRY)
    failed = error.engine.name if error.engine else None
    if failed and outcome in _ENGINES_DIFFER:
        told.details = {"engine": failed, "other_engines": [each.name for each in engines if each.name != failed]}
    if error.diagnostics and outcome.fault is not Fault.CALLER:  # of a path they would tell where the root lies
        told.details["diagnostics"] = error.diagnostics
    return told


def _of_raster(error: RasterError) -> ApiError:
    if error.kind in ("closed", "cancelled"):
        return gone()
    fault = _RASTER_FAULT.get(error.kind, "document")
    return ApiError(
        _RASTER_STATUS.get(error.kind, 500), error.kind, error.message, fault, retry=error.kind in ("busy", "crashed")
    )
