"""Readers and jobs: the records of the admission state, and what time means to each. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from converter.conversion import Phase
from converter.request import Lane, Limits


@dataclass(slots=True, eq=False)
class Reader:
    """A caller with a live ticket. `deadline_s` is its own, `None` to go by the job's."""

    id: int
    lane: Lane
    key: Hashable | None
    asked_at: float
    deadline_s: float | None
    wait_until: float
    job: Job = field(init=False, repr=False)
    counted_from: float = 0.0
    """When its deadline began: the slot of its job, or its joining a running one."""


@dataclass(slots=True, eq=False)
class Job:
    """One conversion, wanted by its readers."""

    id: int
    lane: Lane
    lane_since: float
    bytes: int
    """In the line: what it will reserve. Running: what it has reserved."""
    readers: dict[int, Reader] = field(default_factory=dict)
    phase: Phase = Phase.WAITING
    started_at: float = math.inf
    background: bool = False
    """Running: occupies a background slot, whatever becomes of its lane (C21)."""
    digest: str | None = None
    doomed: bool = False
    retired: bool = False
    told_still_working: bool = False
    ahead: int = -1
    due_at: float = math.inf
    """When time will next matter to it."""

    def __lt__(self, other: Job) -> bool:
        return (self.lane, self.id) < (other.lane, other.id)

    @property
    def waiting(self) -> bool:
        """Whether it is in the line."""
        return self.phase is Phase.WAITING

    @property
    def strongest_lane(self) -> Lane:
        """The strongest of its readers' lanes."""
        return min(reader.lane for reader in self.readers.values())

    @property
    def wanted_by_high(self) -> bool:
        """Whether a reader of lane HIGH wants it."""
        return any(reader.lane is Lane.HIGH for reader in self.readers.values())

    def stale_at(self, limits: Limits) -> float:
        """When a waiting prefetch has waited too long (C16)."""
        return self.lane_since + limits.prefetch_wait_max_s if self.lane is Lane.LOW else math.inf

    def expiries(self, limits: Limits) -> list[tuple[Reader, float]]:
        """When each reader of the running job gives up.

        A reader with a deadline of its own goes by it, any other stays as long as the job may run: the default from
        the slot, or longer where a reader allows it; never beyond the ceiling.
        """
        ceiling = self.started_at + limits.deadline_max_s
        own = [
            (reader, min(reader.counted_from + reader.deadline_s, ceiling))
            for reader in self.readers.values()
            if reader.deadline_s is not None
        ]
        longest = max((at for _, at in own), default=0.0)
        if len(own) == len(self.readers):
            return own
        last = max(longest, self.started_at + limits.deadline_s)
        return own + [(reader, last) for reader in self.readers.values() if reader.deadline_s is None]

    def schedule(self, limits: Limits) -> None:
        """Set `due_at`."""
        if self.waiting:
            self.due_at = min(self.stale_at(limits), *(reader.wait_until for reader in self.readers.values()))
        else:
            soft_at = math.inf if self.told_still_working else self.started_at + limits.soft_limit_s
            self.due_at = min(soft_at, *(at for _, at in self.expiries(limits)))
