"""The admission rules once more, as naively as they can be said: flat lists, everything counted anew at each look.

There are no indexes, no running totals and no schedule here, so that a fault in those of the real state machine shows
as a difference.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from converter.errors import Outcome
from converter.events import (
    Ask,
    BackgroundSwitched,
    BytesRead,
    Closing,
    DigestKnown,
    Event,
    Extend,
    GraceOver,
    Leave,
    Move,
    PhaseReached,
    Retired,
    Settled,
    Tick,
)
from converter.request import Lane, Limits

BACKGROUND = (Lane.NORMAL, Lane.LOW)


@dataclass
class ModelReader:
    id: int
    lane: Lane
    key: Hashable | None
    asked: float
    deadline_s: float | None
    wait_until: float
    job: int
    since: float = 0.0


@dataclass
class ModelJob:
    id: int
    bytes: int
    lane: Lane
    lane_since: float
    started: float | None = None
    background: bool = False
    digest: str | None = None
    retired: bool = False


@dataclass
class Model:
    limits: Limits
    readers: list[ModelReader] = field(default_factory=list)
    jobs: list[ModelJob] = field(default_factory=list)
    outcomes: dict[int, object] = field(default_factory=dict)
    background: bool = True
    closing: bool = False
    made: int = 0

    # What can be seen

    def of(self, job: ModelJob) -> list[ModelReader]:
        return [reader for reader in self.readers if reader.job == job.id]

    def line(self) -> list[ModelJob]:
        waiting = [job for job in self.jobs if job.started is None]
        return sorted(waiting, key=lambda job: (min(reader.lane for reader in self.of(job)), job.id))

    def running(self) -> list[ModelJob]:
        return [job for job in self.jobs if job.started is not None]

    def reserved(self) -> int:
        return sum(job.bytes for job in self.running())

    def job(self, number: int) -> ModelJob | None:
        return next((job for job in self.running() if job.id == number), None)

    # What happens

    def apply(self, event: Event) -> None:  # noqa: C901 - one case an event
        match event:
            case Ask():
                self._ask(event)
            case Move(_, reader, lane):
                self._move(reader, lane)
            case Leave(_, reader):
                self._end([r for r in self.readers if r.id == reader], Outcome.CANCELLED)
            case Extend(_, reader, deadline_s):
                for r in self.readers:
                    if r.id == reader:
                        r.deadline_s = min(deadline_s, self.limits.deadline_max_s)
            case Retired(_, numbers):
                for job in self.running():
                    job.retired |= job.id in numbers
            case BackgroundSwitched(_, enabled):
                self._switch(enabled=enabled)
            case Tick(now):
                self._tick(now)
            case Closing():
                self.closing = True
                self._end([r for job in self.line() for r in self.of(job)], Outcome.CLOSED)
            case GraceOver():
                self._end(list(self.readers), Outcome.CLOSED)
            case _:
                self._job_news(event)
        self._start(event.now)

    def _job_news(self, event: Event) -> None:
        match event:
            case BytesRead(_, number, size) if job := self.job(number):
                job.bytes = min(job.bytes, size)
            case PhaseReached(_, number, phase) if job := self.job(number):
                job.bytes = 0 if phase == "checked" else job.bytes
            case DigestKnown(_, number, digest) if job := self.job(number):
                self._digest(job, digest)
            case Settled(_, number, result) if job := self.job(number):
                for reader in self.of(job):
                    self.outcomes[reader.id] = result
                    self.readers.remove(reader)
                self.jobs.remove(job)
            case _:
                pass

    def _digest(self, job: ModelJob, digest: str | None) -> None:
        if digest is None or job.retired or not self.of(job):
            return
        for equal in self.running():
            if equal.digest == digest and not equal.retired and self.of(equal):
                for reader in self.of(job):
                    reader.job = equal.id
                self.jobs.remove(job)
                return
        job.digest = digest

    def _joinable(self, key: Hashable | None) -> ModelJob | None:
        for job in self.jobs:
            if key is not None and not job.retired and any(reader.key == key for reader in self.of(job)):
                return job
        return None

    def _ask(self, event: Ask) -> None:
        outcome = self._refusal(event)
        if outcome is not None:
            self.outcomes[event.reader] = outcome
            return
        wait_until = event.now + event.wait_max_s if event.wait_max_s is not None else math.inf
        reader = ModelReader(event.reader, event.lane, event.key, event.now, event.deadline_s, wait_until, 0, event.now)
        job = self._joinable(event.key)
        if job is None:
            self.made += 1
            need = self.limits.source_bytes_max if event.size_bytes is None else event.size_bytes
            job = ModelJob(self.made, need, event.lane, event.now)
            self.jobs.append(job)
        reader.job = job.id
        self.readers.append(reader)
        self._start(event.now)
        if len(self.line()) > self.limits.waiting_jobs_max:
            victims = [job for job in self.line() if self._lane(job) in BACKGROUND]
            self._end(self.of(max(victims, key=lambda victim: victim.id)), Outcome.EVICTED)

    def _refusal(self, event: Ask) -> Outcome | None:
        limits, lane = self.limits, event.lane
        if self.closing:
            return Outcome.CLOSED
        if (event.size_bytes or 0) > limits.source_bytes_max:
            return Outcome.LIMIT
        seats = limits.readers_max if lane is Lane.CRITICAL else limits.readers_max - 1
        high = [reader for reader in self.readers if reader.lane is Lane.HIGH]
        no_seat = len(self.readers) >= seats or (lane is Lane.HIGH and len(high) >= limits.readers_max // 2)
        if no_seat or (lane in BACKGROUND and not self.background):
            return Outcome.BUSY
        job = self._joinable(event.key)
        return Outcome.BUSY if (self._no_place(event) if job is None else self._high_full(lane, job)) else None

    def _no_place(self, event: Ask) -> bool:
        lane, need = event.lane, self.limits.source_bytes_max if event.size_bytes is None else event.size_bytes
        overtakes_all = all(self._lane(job) > lane for job in self.line())
        if overtakes_all and self._fits(lane, need):
            return False
        if self._high_full(lane, None):
            return True
        full = len(self.line()) >= self.limits.waiting_jobs_max
        evictable = lane not in BACKGROUND and any(self._lane(job) in BACKGROUND for job in self.line())
        return full and not evictable

    def _high_full(self, lane: Lane, job: ModelJob | None) -> bool:
        def high(waiting: ModelJob) -> bool:
            return any(reader.lane is Lane.HIGH for reader in self.of(waiting))

        if lane is not Lane.HIGH or (job is not None and (job.started is not None or high(job))):
            return False
        return len([waiting for waiting in self.line() if high(waiting)]) >= self.limits.waiting_jobs_max // 2

    def _lane(self, job: ModelJob) -> Lane:
        return min(reader.lane for reader in self.of(job))

    def _fits(self, lane: Lane, need: int) -> bool:
        background = [job for job in self.running() if job.background]
        return (
            len(self.running()) < self.limits.slots
            and self.reserved() + need <= self.limits.reserved_bytes_max
            and (lane not in BACKGROUND or len(background) < self.limits.background_slots)
        )

    def _start(self, now: float) -> None:
        for job in self.line():
            if self._lane(job) is not job.lane:
                job.lane, job.lane_since = self._lane(job), now
        while self.line() and self._fits(self._lane(self.line()[0]), self.line()[0].bytes):
            job = self.line()[0]
            job.background = self._lane(job) in BACKGROUND
            job.started = now
            for reader in self.of(job):
                reader.since = now

    def _move(self, number: int, lane: Lane) -> None:
        reader = next((r for r in self.readers if r.id == number), None)
        if reader is None or reader.lane is lane or (lane in BACKGROUND and not self.background):
            return
        after = [lane if r is reader else r.lane for r in self.readers]
        job = next(job for job in self.jobs if job.id == reader.job)
        if sum(each is not Lane.CRITICAL for each in after) > self.limits.readers_max - 1:
            return
        if after.count(Lane.HIGH) > self.limits.readers_max // 2 and lane is Lane.HIGH:
            return
        if not self._high_full(lane, job):
            reader.lane = lane

    def _end(self, readers: list[ModelReader], outcome: Outcome) -> None:
        for reader in readers:
            self.outcomes[reader.id] = outcome
            self.readers.remove(reader)
        self.jobs = [job for job in self.jobs if job.started is not None or self.of(job)]

    def _switch(self, *, enabled: bool) -> None:
        self.background = enabled
        if not enabled:
            waiting = [reader for job in self.line() for reader in self.of(job)]
            self._end([reader for reader in waiting if reader.lane in BACKGROUND], Outcome.EVICTED)

    def _tick(self, now: float) -> None:
        for job in self.line():
            if self._lane(job) is Lane.LOW and now >= job.lane_since + self.limits.prefetch_wait_max_s:
                self._end(self.of(job), Outcome.EVICTED)
            else:
                self._end([reader for reader in self.of(job) if reader.wait_until <= now], Outcome.TIMEOUT)
        for job in self.running():
            self._end([reader for reader in self.of(job) if self._expired(reader, job, now)], Outcome.TIMEOUT)

    def _expired(self, reader: ModelReader, job: ModelJob, now: float) -> bool:
        assert job.started is not None
        ends = [
            min(
                job.started + self.limits.deadline_s if r.deadline_s is None else r.since + r.deadline_s,
                job.started + self.limits.deadline_max_s,
            )
            for r in self.of(job)
        ]
        own = max(ends) if reader.deadline_s is None else reader.since + reader.deadline_s
        return now >= min(own, job.started + self.limits.deadline_max_s)
