"""What goes wrong with a preview, as a person reads it below a cell: what it is and what to do."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engines.base import EngineInfo
from preview_app.config import ConfigError, config_path
from preview_app.jupyter.errors import ApiError, api_error
from preview_app.jupyter.notebook_service import Wanted

_ADVICE = {
    "encrypted": (
        'Give its password: preview(..., password="..."). `password=getpass.getpass()` asks for it and leaves it out of'
        " the notebook."
    ),
    "bad_password": "Check the password: capital letters and the keyboard's language count.",
    "unavailable": "`docpeek engines` in a terminal tells what is there and what to do.",
    "timeout": "Allow it more seconds: preview(..., deadline_s=300).",
}
_RED, _PLAIN = "\x1b[31m", "\x1b[39m"


class PreviewError(Exception):
    """A document that cannot be shown.

    `kind` is a word of the command line's table (`encrypted`, `corrupt`, `not_found` ...), `message` a sentence,
    `advice` what to do about it and `diagnostics` what the engine said; both may be empty.
    """

    def __init__(self, kind: str, message: str, advice: str = "", diagnostics: str = "") -> None:
        super().__init__(f"{message} {advice}".strip())
        self.kind = kind
        self.message = message
        self.advice = advice
        self.diagnostics = diagnostics

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        lines = [f"{_RED}PreviewError{_PLAIN} ({self.kind}): {self.message}"]
        lines += [self.advice] if self.advice else []
        return [*lines, *self.diagnostics.splitlines()[-5:]]


def preview_error(error: Exception, wanted: Wanted, engines: Sequence[EngineInfo] = ()) -> PreviewError:
    """An error of the layers below, as a person reads it."""
    if isinstance(error, ConfigError):
        return PreviewError("config", str(error))
    told = api_error(error, engines)
    diagnostics = "" if told.fault == "caller" else told.details.get("diagnostics", "")
    return PreviewError(told.kind, f"{wanted.name}: {told.message}", _advice(told, wanted), diagnostics)


def _advice(told: ApiError, wanted: Wanted) -> str:
    if told.kind == "not_found" and wanted.data is None:
        return f"Looked for {wanted.path}. The kernel works in {os.getcwd()}."  # noqa: PTH109 - for a person
    if told.kind == "limit":
        return f"The limits are settings in {config_path()}."
    others = told.details.get("other_engines")
    if others:
        return f'{_ADVICE.get(told.kind, "")} Or try the other engine: preview(..., engine="{others[0]}").'.strip()
    return _ADVICE.get(told.kind, "")
