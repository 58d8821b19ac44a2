"""What can happen to the admission state, and what it wants done about it. Values only.

Readers and jobs are numbers here: the state machine knows nothing of tickets, sources, engines or bytes.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from converter.conversion import Phase, TicketEvent
from converter.errors import Bound, Outcome
from converter.request import Lane


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened at `now` (seconds of the owner's monotonic clock)."""

    now: float


@dataclass(frozen=True, slots=True)
class Ask(Event):
    """A reader asks. It is authorized and no ready result was found for it.

    `key` is what makes requests the same before reading (`None`: nothing does). `size_bytes` is `None` when unknown.
    `deadline_s` and `wait_max_s` are `None` for the default and for no bound.
    """

    reader: int
    lane: Lane
    key: Hashable | None
    size_bytes: int | None
    deadline_s: float | None = None
    wait_max_s: float | None = None


@dataclass(frozen=True, slots=True)
class Move(Event):
    """A reader wants another lane."""

    reader: int
    lane: Lane


@dataclass(frozen=True, slots=True)
class Leave(Event):
    """A reader gives up."""

    reader: int


@dataclass(frozen=True, slots=True)
class Extend(Event):
    """A reader allows its job `deadline_s` seconds from the slot."""

    reader: int
    deadline_s: float


@dataclass(frozen=True, slots=True)
class BytesRead(Event):
    """The source of a job was read: its size is known."""

    job: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DigestKnown(Event):
    """The identity of a job is known; `None` if its work is private."""

    job: int
    digest: str | None


@dataclass(frozen=True, slots=True)
class PhaseReached(Event):
    """A running job entered a phase. From `CHECKED` on it holds no source bytes."""

    job: int
    phase: Phase


@dataclass(frozen=True, slots=True)
class Settled(Event):
    """A job and all that belonged to it has ended; `result` goes to the readers that it still has."""

    job: int
    result: object


@dataclass(frozen=True, slots=True)
class Retired(Event):
    """The generation of these running jobs is no more: they end for their readers and nobody joins them."""

    jobs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BackgroundSwitched(Event):
    """Speculative work is wanted, or not."""

    enabled: bool


@dataclass(frozen=True, slots=True)
class Tick(Event):
    """Time passed."""


@dataclass(frozen=True, slots=True)
class Closing(Event):
    """No more work; what runs may end by itself."""


@dataclass(frozen=True, slots=True)
class GraceOver(Event):
    """What still runs is to be killed."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something to carry out, outside the lock."""


@dataclass(frozen=True, slots=True)
class Start(Action):
    """Run this job; its source is that of `reader`, who is live."""

    job: int
    reader: int


@dataclass(frozen=True, slots=True)
class Finish(Action):
    """Give a reader an outcome that is no result of a job; `job` is the running one whose work took too long."""

    reader: int
    outcome: Outcome
    bound: Bound | None = None
    job: int | None = None


@dataclass(frozen=True, slots=True)
class Deliver(Action):
    """Give a reader the result of its job; `waited_s` is its time in the line."""

    reader: int
    result: object
    waited_s: float


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """Nobody wants this running job any more: cancel it. It keeps what it holds until it settles."""

    job: int
    reason: Outcome


@dataclass(frozen=True, slots=True)
class Notify(Action):
    """Tell a reader what happens on the way."""

    reader: int
    event: TicketEvent


@dataclass(frozen=True, slots=True)
class Moved(Action):
    """A reader has this lane now."""

    reader: int
    lane: Lane
