"""Who may run, wait, join, or not: one pure state machine, `(state, event) -> actions`.

Theory. *Readers* hold seats and belong to one job each. A *job* is in the line (sorted by lane, then by arrival) or
runs, and then holds a slot and a byte reservation, which it got together. After every event the head of the line
starts as long as it fits, and only the head is looked at: that one rule gives strict lanes (C16), lets foreground that
waits for bytes or a slot hold back all background (C22), and starts whatever became eligible in the same step (C18).
A running job whose readers have all left is *doomed*: it is told to stop, nobody can join it, its result is dropped,
and it keeps what it holds until it settles (C24). A running job of an old generation is *retired*: the same, except
that its readers still get its result (C8).

Guarantees, after every step (`converter.invariants` asserts them): the bounds of `Limits` hold for readers, the line,
the HIGH shares in both, slots, background slots and reserved bytes; every key and digest of the indexes leads to a live
job with a live reader that has it (C15); a reader has one job and one terminal action ever.

What is refused, and why, stands in `occupancy`; what time means to a job in `job`.
No input or output, no thread, no clock: time comes with the events, ids of readers from the caller. The order of the
actions is the order to carry them out in. Rules are cited where they are decided.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from collections.abc import Callable
from typing import Any

from converter.conversion import Phase, PhaseChanged, PlaceChanged, StillWorking
from converter.errors import Bound, Outcome
from converter.events import (
    Action,
    Ask,
    BackgroundSwitched,
    BytesRead,
    Closing,
    Deliver,
    DigestKnown,
    Event,
    Extend,
    Finish,
    GraceOver,
    Leave,
    Move,
    Moved,
    Notify,
    PhaseReached,
    Retired,
    Settled,
    Start,
    Stop,
    Tick,
)
from converter.job import Job, Reader
from converter.occupancy import Occupancy
from converter.request import Lane, Limits


class Admission(Occupancy):
    """The state. `step` is the only way to change it."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.counts: Counter[tuple[Lane, str]] = Counter()
        self._jobs_made = 0
        self._line_changed = False
        self._actions: list[Action] = []
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            Ask: self._ask,
            Move: self._move,
            Leave: self._leave,
            Extend: self._extend,
            BytesRead: self._bytes_read,
            DigestKnown: self._digest_known,
            PhaseReached: self._phase_reached,
            Settled: self._settled,
            Retired: self._retire,
            BackgroundSwitched: self._switch_background,
            Tick: self._tick,
            Closing: self._close,
            GraceOver: self._kill,
        }

    def __repr__(self) -> str:
        return f"<Admission {len(self.readers)} readers, {len(self.line)} waiting, {len(self.running)} running>"

    def step(self, event: Event) -> list[Action]:
        """Take one event; what is to be done about it, in order."""
        self._handlers[type(event)](event)
        self._start_what_fits(event.now)
        if self._line_changed:
            self._tell_places()
        actions, self._actions = self._actions, []
        return actions

    @property
    def due_at(self) -> float:
        """When a `Tick` is needed next; infinite if time changes nothing."""
        waiting = min((job.due_at for job in self.line), default=math.inf)
        return min(waiting, min((job.due_at for job in self.running.values()), default=math.inf))

    # Asking (C14..C17, C20)

    def _ask(self, event: Ask) -> None:
        job = self.by_key.get(event.key)  # nothing has the key `None`
        refusal = self.refusal(event, job)
        if refusal is not None:
            self.counts[event.lane, "refused"] += 1
            self._actions.append(Finish(event.reader, *refusal))
            return
        wait_until = math.inf if event.wait_max_s is None else event.now + event.wait_max_s
        reader = Reader(event.reader, event.lane, event.key, event.now, event.deadline_s, wait_until)
        self.readers[reader.id] = reader
        self.seats[reader.lane] += 1
        if job is None:
            self._enter_line(self._new_job(event), reader)
        else:
            self.counts[event.lane, "joined"] += 1
            self._add(job, reader, event.now)

    def _new_job(self, event: Ask) -> Job:
        self._jobs_made += 1
        return Job(self._jobs_made, event.lane, event.now, self.need(event.size_bytes))

    def _enter_line(self, job: Job, reader: Reader) -> None:
        insort(self.line, job)
        self._line_changed = True
        self._add(job, reader, reader.asked_at)
        self._start_what_fits(reader.asked_at)
        if len(self.line) > self.limits.waiting_jobs_max:
            youngest = self.youngest_background()
            assert youngest is not None  # `refusal` has looked
            self._evict(youngest, reader.asked_at)

    def _add(self, job: Job, reader: Reader, now: float) -> None:
        """Make a reader one of the job's (C19: a waiting job's lane follows)."""
        reader.job = job
        job.readers[reader.id] = reader
        if reader.key is not None:
            self.by_key[reader.key] = job
        if job.waiting:
            self._follow_lanes(job, now)
            if job.ahead >= 0:
                self._actions.append(Notify(reader.id, PlaceChanged(job.ahead)))
        else:
            reader.counted_from = now
            self._actions.append(Notify(reader.id, PhaseChanged(job.phase)))
        job.schedule(self.limits)

    # Starting (C16, C18, C21, C22, C25)

    def _start_what_fits(self, now: float) -> None:
        """Start the head of the line while it fits. Nothing overtakes a head that does not (C16, C22)."""
        while self.line and self.fits(self.line[0].lane, self.line[0].bytes):
            job = self.line.pop(0)
            self._line_changed = True
            self._start(job, now)

    def _start(self, job: Job, now: float) -> None:
        job.started_at = now
        job.phase = Phase.READING
        job.background = not job.lane.foreground
        self.background_running += job.background
        self.reserved_bytes += job.bytes
        self.running[job.id] = job
        self._actions.append(Start(job.id, next(iter(job.readers))))
        for reader in job.readers.values():
            reader.counted_from = now
            self._actions.append(Notify(reader.id, PhaseChanged(job.phase)))
        job.schedule(self.limits)

    def _tell_places(self) -> None:
        self._line_changed = False
        for ahead, job in enumerate(self.line):
            if job.ahead != ahead:
                job.ahead = ahead
                self._actions.extend(Notify(reader, PlaceChanged(ahead)) for reader in job.readers)

    # A job's own news (C5, C7, C8, C24)

    def _bytes_read(self, event: BytesRead) -> None:
        """The surplus of a reservation goes back when the size is known (C5)."""
        job = self.running.get(event.job)
        if job is not None and event.size_bytes < job.bytes:
            self.reserved_bytes -= job.bytes - event.size_bytes
            job.bytes = event.size_bytes

    def _digest_known(self, event: DigestKnown) -> None:
        """An equal live job takes the readers over, and this job's slot and bytes go back at once."""
        job = self.running.get(event.job)
        if job is None or job.doomed or job.retired or event.digest is None:
            return
        equal = self.by_digest.get(event.digest)
        if equal is None:
            job.digest = event.digest
            self.by_digest[event.digest] = job
            self._enter(job, Phase.IDENTIFIED)
            return
        for reader in tuple(job.readers.values()):
            self.counts[reader.lane, "joined"] += 1
            counted_from = reader.counted_from
            self._add(equal, reader, event.now)
            reader.counted_from = counted_from
        equal.schedule(self.limits)
        job.readers.clear()
        self._release(job)

    def _phase_reached(self, event: PhaseReached) -> None:
        job = self.running.get(event.job)
        if job is None:
            return
        self._enter(job, event.phase)
        if job.phase is Phase.CHECKED:  # the engine is through: its source bytes are gone
            self.reserved_bytes -= job.bytes
            job.bytes = 0

    def _enter(self, job: Job, phase: Phase) -> None:
        job.phase = phase
        self._actions.extend(Notify(reader, PhaseChanged(phase)) for reader in job.readers)

    def _settled(self, event: Settled) -> None:
        """Everything of a job has ended: it is released together, and its readers get the result."""
        job = self.running.get(event.job)
        if job is None:
            return
        for reader in tuple(job.readers.values()):
            waited_s = max(0.0, job.started_at - reader.asked_at)
            self.counts[reader.lane, "settled"] += 1
            self._actions.append(Deliver(reader.id, event.result, waited_s))
            self._forget(reader)
        self._release(job)

    def _release(self, job: Job) -> None:
        del self.running[job.id]
        self.reserved_bytes -= job.bytes
        self.background_running -= job.background
        self._unindex(job)

    def _unindex(self, job: Job) -> None:
        """Nobody can join this job any more."""
        for reader in job.readers.values():
            if self.by_key.get(reader.key) is job:
                del self.by_key[reader.key]
        if job.digest is not None and self.by_digest.get(job.digest) is job:
            del self.by_digest[job.digest]

    def _retire(self, event: Retired) -> None:
        for job_id in event.jobs:
            job = self.running.get(job_id)
            if job is not None:
                self._unindex(job)
                job.retired = True

    # Leaving and moving (C15, C19, C23, C24)

    def _leave(self, event: Leave) -> None:
        reader = self.readers.get(event.reader)
        if reader is not None:
            self._dismiss(reader, Outcome.CANCELLED, event.now)

    def _dismiss(self, reader: Reader, outcome: Outcome, now: float, bound: Bound | None = None) -> None:
        """One reader goes alone (C23); the last one's going ends the job."""
        job = reader.job
        self.counts[reader.lane, "evicted" if outcome is Outcome.EVICTED else "left"] += 1
        worked = None if job.waiting or outcome is not Outcome.TIMEOUT else job.id
        self._actions.append(Finish(reader.id, outcome, bound, worked))
        self._forget(reader)
        if job.readers:
            if job.waiting:
                self._follow_lanes(job, now)
            job.schedule(self.limits)
        elif job.waiting:
            self.line.remove(job)
            self._line_changed = True
        else:
            job.doomed = True
            job.due_at = math.inf
            self._unindex(job)
            self._actions.append(Stop(job.id, outcome))

    def _forget(self, reader: Reader) -> None:
        """Take a reader out of everything that knows it; its key goes unless another reader of the job has it (C15)."""
        job = reader.job
        del self.readers[reader.id], job.readers[reader.id]
        self.seats[reader.lane] -= 1
        shared = any(other.key == reader.key for other in job.readers.values())
        if not shared and self.by_key.get(reader.key) is job:
            del self.by_key[reader.key]

    def _evict(self, job: Job, now: float, bound: Bound | None = None) -> None:
        for reader in tuple(job.readers.values()):
            self._dismiss(reader, Outcome.EVICTED, now, bound)

    def _move(self, event: Move) -> None:
        reader = self.readers.get(event.reader)
        if reader is None or reader.lane is event.lane:
            return
        if not self.may_move(reader, event.lane):
            return
        self.seats[reader.lane] -= 1
        self.seats[event.lane] += 1
        reader.lane = event.lane
        self._actions.append(Moved(reader.id, event.lane))
        if reader.job.waiting:
            self._follow_lanes(reader.job, event.now)
            reader.job.schedule(self.limits)

    def _follow_lanes(self, job: Job, now: float) -> None:
        """A waiting job has the strongest lane of its readers, and keeps its arrival inside the lane (C19)."""
        lane = job.strongest_lane
        if lane is job.lane:
            return
        self.line.remove(job)
        job.lane, job.lane_since = lane, now
        insort(self.line, job)
        self._line_changed = True

    # Time (deadlines, soft limit, stale prefetches)

    def _extend(self, event: Extend) -> None:
        reader = self.readers.get(event.reader)
        if reader is None:
            return
        reader.deadline_s = min(event.deadline_s, self.limits.deadline_max_s)
        reader.job.schedule(self.limits)

    def _tick(self, event: Tick) -> None:
        for job in [job for job in self.line if job.due_at <= event.now]:
            self._wait_is_over(job, event.now)
        for job in [job for job in self.running.values() if job.due_at <= event.now]:
            self._time_is_over(job, event.now)

    def _wait_is_over(self, job: Job, now: float) -> None:
        if now >= job.stale_at(self.limits):  # C16
            most, waited = round(self.limits.prefetch_wait_max_s), round(now - job.lane_since)
            self._evict(job, now, Bound("seconds of a prefetch in the line", most, waited))
            return
        for reader in [reader for reader in job.readers.values() if reader.wait_until <= now]:
            most, waited = round(reader.wait_until - reader.asked_at), round(now - reader.asked_at)
            self._dismiss(reader, Outcome.TIMEOUT, now, Bound("seconds in the line", most, waited))

    def _time_is_over(self, job: Job, now: float) -> None:
        for reader, at in [(reader, at) for reader, at in job.expiries(self.limits) if at <= now]:
            most, worked = round(at - job.started_at), round(now - job.started_at)
            self._dismiss(reader, Outcome.TIMEOUT, now, Bound("seconds of work", most, worked))
        if not job.readers:
            return
        if not job.told_still_working and now >= job.started_at + self.limits.soft_limit_s:
            job.told_still_working = True
            event = StillWorking(now - job.started_at)
            self._actions.extend(Notify(reader, event) for reader in job.readers)
        job.schedule(self.limits)

    # Switching and closing (C17, C26)

    def _switch_background(self, event: BackgroundSwitched) -> None:
        """Queued background goes, also where it shares a person's job; running background runs to its end (C17)."""
        self.background_enabled = event.enabled
        if event.enabled:
            return
        for reader in tuple(self.readers.values()):
            if reader.job.waiting and not reader.lane.foreground:
                self._dismiss(reader, Outcome.EVICTED, event.now)

    def _close(self, event: Closing) -> None:
        self.closing = True
        for reader in [reader for reader in self.readers.values() if reader.job.waiting]:
            self._dismiss(reader, Outcome.CLOSED, event.now)

    def _kill(self, event: GraceOver) -> None:
        for reader in tuple(self.readers.values()):
            self._dismiss(reader, Outcome.CLOSED, event.now)
