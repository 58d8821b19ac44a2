"""What a window asks of the inspection of a folder: values, and the seam between the two. Light to import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from converter.cancellation import CancellationToken

_PACKAGES = ("jinja2", "markupsafe", "PIL")


def lacking() -> str:
    """The package that an HTML report needs and that is not installed; empty if it can be made. Loads none of them."""
    return next((name for name in _PACKAGES if find_spec(name) is None), "")


@dataclass(frozen=True, slots=True)
class InspectionOrder:
    """Inspect the documents in `folder` and below. The form of the report goes by the suffix of its name: `.jsonl` is
    JSON Lines, anything else one HTML page."""

    folder: Path
    report: Path


@dataclass(frozen=True, slots=True)
class InspectionMoment:
    """How far it is: files done and in all, findings that are at least warnings, seconds since the first file."""

    done: int = 0
    total: int = 0
    findings: int = 0
    seconds: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at the rate so far; `None` as long as nobody knows."""
        return self.seconds / self.done * (self.total - self.done) if self.done and self.seconds > 0 else None


@dataclass(frozen=True, slots=True)
class InspectionEnd:
    """How it ended; `interrupted` if it was cancelled, and then the report has the files that were done. Without
    documents (`at.total` is 0) there is no report."""

    at: InspectionMoment
    interrupted: bool = False


class FolderInspections(Protocol):
    """Inspects folders, one at a time."""

    @property
    def lacks(self) -> str:
        """See `lacking`."""

    def run(
        self, order: InspectionOrder, told: Callable[[InspectionMoment], None], token: CancellationToken
    ) -> InspectionEnd:
        """Inspect; blocks, and calls `told` on the calling thread. After `token` is cancelled it ends soon.

        Raises `OutputError` where the report cannot be written, `EngineError` where there is no engine yet.
        """
