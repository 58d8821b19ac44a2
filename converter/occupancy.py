"""Who holds seats, places, slots and bytes, and which bound denies more of them. Looks only; `admission` changes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from converter.errors import Bound, Outcome
from converter.events import Ask
from converter.job import Job, Reader
from converter.request import Lane, Limits


class Occupancy:
    """The facts of admission, and the questions that they answer."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.readers: dict[int, Reader] = {}
        self.seats: Counter[Lane] = Counter()
        self.line: list[Job] = []
        self.running: dict[int, Job] = {}
        self.background_running = 0
        self.reserved_bytes = 0
        self.by_key: dict[Hashable, Job] = {}
        self.by_digest: dict[str, Job] = {}
        self.background_enabled = True
        self.closing = False

    def wanted(self, job_id: int) -> bool:
        """Whether a running job still has readers."""
        return job_id in self.running and not self.running[job_id].doomed

    def publishable(self, job_id: int) -> bool:
        """Whether the result of a running job may be kept: never of a cancelled or an old one (C8, C11, C24)."""
        return self.wanted(job_id) and not self.running[job_id].retired

    def need(self, size_bytes: int | None) -> int:
        """What a source reserves: its size, or the cap of a document while that is unknown (C5)."""
        return self.limits.source_bytes_max if size_bytes is None else size_bytes

    def fits(self, lane: Lane, need: int) -> bool:
        """Whether a slot and a reservation are free, both at once."""
        limits = self.limits
        if len(self.running) >= limits.slots or self.reserved_bytes + need > limits.reserved_bytes_max:
            return False
        return lane.foreground or self.background_running < limits.background_slots

    def youngest_background(self) -> Job | None:
        """The queued background job that makes room (C20)."""
        return max((job for job in self.line if not job.lane.foreground), key=lambda job: job.id, default=None)

    def refusal(self, event: Ask, job: Job | None) -> tuple[Outcome, Bound | None] | None:
        """Why a reader is not admitted, decided before anything changes."""
        limits = self.limits
        if self.closing:
            return Outcome.CLOSED, None
        if event.size_bytes is not None and event.size_bytes > limits.source_bytes_max:
            return Outcome.LIMIT, Bound("bytes of a document", limits.source_bytes_max, event.size_bytes)
        if not event.lane.foreground and not self.background_enabled:  # C17: before it can join anything
            return Outcome.BUSY, Bound("background work, which is switched off", 0, 0)
        bound = self._seat_bound(event.lane) or (
            self._line_bound(event) if job is None else self._high_share_bound(event.lane, job)
        )
        return None if bound is None else (Outcome.BUSY, bound)

    def _seat_bound(self, lane: Lane) -> Bound | None:
        """The bound that denies a new reader a seat: the last one is kept for CRITICAL, HIGH has its share (C16)."""
        most, taken = self.limits.readers_max, len(self.readers)
        if taken >= most:
            return Bound("live readers", most, taken)
        if lane is not Lane.CRITICAL and taken >= most - 1:
            return Bound("live readers, the last seat being kept for a person", most - 1, taken)
        return self._high_seat_bound(lane)

    def _high_seat_bound(self, lane: Lane) -> Bound | None:
        most, high = self.limits.high_readers_max, self.seats[Lane.HIGH]
        return Bound("live readers in lane HIGH", most, high) if lane is Lane.HIGH and high >= most else None

    def may_move(self, reader: Reader, lane: Lane) -> bool:
        """Whether a live reader may have another lane: background is wanted, the bounds of seats and line hold."""
        if not lane.foreground and not self.background_enabled:  # C17
            return False
        others = len(self.readers) - self.seats[Lane.CRITICAL]
        if reader.lane is Lane.CRITICAL and others >= self.limits.readers_max - 1:
            return False
        return self._high_seat_bound(lane) is None and self._high_share_bound(lane, reader.job) is None

    def _line_bound(self, event: Ask) -> Bound | None:
        """The bound that keeps a new job out of the line, if it must wait at all."""
        behind = bool(self.line) and self.line[0].lane <= event.lane
        if not behind and self.fits(event.lane, self.need(event.size_bytes)):
            return None
        bound = self._high_share_bound(event.lane, None)
        if bound is not None or len(self.line) < self.limits.waiting_jobs_max:
            return bound
        if event.lane.foreground and self.youngest_background() is not None:  # C20
            return None
        return Bound("waiting jobs", self.limits.waiting_jobs_max, len(self.line))

    def _high_share_bound(self, lane: Lane, job: Job | None) -> Bound | None:
        """The bound that keeps a HIGH reader from a new place in the line, or from joining a waiting job (C16).

        Every waiting job that a HIGH reader wants counts, so that no leaving or moving of others can break the bound.
        """
        if lane is not Lane.HIGH or (job is not None and (not job.waiting or job.wanted_by_high)):
            return None
        high = sum(waiting.wanted_by_high for waiting in self.line)
        most = self.limits.high_waiting_jobs_max
        return Bound("waiting jobs for lane HIGH", most, high) if high >= most else None
