"""What the raster pool keeps of a question: who asked, which worker has it, and the handle by which it is given up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from preview_app.raster.api import Lane, RasterError
from preview_app.raster.document import Question
from preview_app.raster.loop import Timer
from preview_app.raster.protocol import Frame


@dataclass(slots=True)
class Running:
    """A job that a worker has been given, and what has come back."""

    job: int
    question: Question[Any]
    timers: list[Timer]
    unread: bool = False
    """The worker was dead before it could be given the job."""
    load_error: RasterError | None = None
    answer: tuple[int, Frame] | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Whom to tell."""

    document: int
    done: Callable[[Any], None]
    failed: Callable[[RasterError], None]


class Task:
    """See `preview_app.raster.api.RasterTask`."""

    __slots__ = ("_cancel", "_promote")

    def __init__(self, cancel: Callable[[], object], promote: Callable[[Lane], None]) -> None:
        self._cancel = cancel
        self._promote = promote

    def cancel(self) -> None:
        """Give up."""
        self._cancel()

    def promote(self, lane: Lane) -> None:
        """Move to a more urgent lane."""
        self._promote(lane)
