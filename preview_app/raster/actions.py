"""What the raster scheduler tells its caller: actions to carry out, admissions, counts. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class Outcome(Enum):
    """Why a job is settled."""

    DONE = auto()
    """The worker has answered, be it with a refusal."""
    CRASHED = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Start:
    """Give `job` to the idle `worker`, which must open the document first if `load`."""

    worker: int
    job: int
    document: Any
    question: Any
    load: bool


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Ask the worker to stop; when the grace time is over, tell `grace_over`."""

    worker: int
    job: int


@dataclass(frozen=True, slots=True)
class Unload:
    """Let the worker close its document after what it is doing."""

    worker: int


@dataclass(frozen=True, slots=True)
class Kill:
    """End the worker's process."""

    worker: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Give the outcome to the readers, then tell `delivered`."""

    job: int
    readers: tuple[int, ...]
    outcome: Outcome


Action = Start | Interrupt | Unload | Kill | Settle


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of a submission; `joined` if the same question was already being asked."""

    reader: int
    job: int
    joined: bool


class QueueFullError(Exception):
    """As many jobs wait as may."""


class SchedulerClosedError(Exception):
    """Nothing is taken any more."""


@dataclass(frozen=True, slots=True)
class LaneStatistics:
    """Counts of jobs; `waiting` and `running` are of now, the others since the start."""

    waiting: int = 0
    running: int = 0
    completed: int = 0
    cancelled: int = 0
    crashed: int = 0
    closed: int = 0
    rejected: int = 0
    joined: int = 0
