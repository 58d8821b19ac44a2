"""What the raster scheduler keeps of documents, jobs and workers. Mutable, and touched by the scheduler alone."""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto

from preview_app.raster.api import Lane


class State(Enum):
    QUEUED = auto()
    RUNNING = auto()
    ABANDONED = auto()
    """Running, and nobody waits for it."""
    SETTLED = auto()


@dataclass(slots=True, eq=False)
class Document:
    key: Hashable
    worker: Worker | None = None
    waiting: int = 0
    crashes: int = 0
    last_lane: Lane = Lane.LOW
    last_used: int = 0
    heap: list[tuple[Lane, int, Job]] = field(default_factory=list)

    def push(self, job: Job) -> None:
        """Queue a job, or queue it anew because its lane has changed. Entries that no longer hold are left behind."""
        heapq.heappush(self.heap, (job.lane, job.number, job))
        if len(self.heap) > 2 * self.waiting + 16:
            self.heap = [entry for entry in self.heap if entry[2].stands_in(entry[0])]
            heapq.heapify(self.heap)

    def head(self) -> Job | None:
        """The job that is next."""
        while self.heap and not self.heap[0][2].stands_in(self.heap[0][0]):
            heapq.heappop(self.heap)
        return self.heap[0][2] if self.heap else None


@dataclass(slots=True, eq=False)
class Job:
    number: int
    document: Document
    question: Hashable
    lane: Lane
    readers: dict[int, Lane] = field(default_factory=dict)
    state: State = State.QUEUED
    worker: Worker | None = None

    def stands_in(self, lane: Lane) -> bool:
        """Whether a queue entry made for `lane` still holds."""
        return self.state is State.QUEUED and self.lane is lane


@dataclass(slots=True, eq=False)
class Worker:
    number: int
    ready: bool = False
    killed: bool = False
    overdue: bool = False
    job: Job | None = None
    document: Document | None = None

    @property
    def idle(self) -> bool:
        return self.ready and not self.killed and self.job is None
