"""Who rasterizes what next: a state machine without I/O, clock, thread or lock.

Theory. A *job* is one question about one document; several *readers* that ask the same question share it, and it stands
in the most urgent of their lanes. Jobs start in the order (lane, submission), a running job is never displaced. A
worker has one document open, a document is open in at most one worker: its jobs run there, one after the other. A
document that is open nowhere goes to an empty worker, else to the one whose document is the least urgent, then the
least recently used.

Every event (`submit`, `finished`, `worker_died`, ...) returns the actions that the caller is to carry out, in order.
The caller owes an event for each: `Start` is answered by `finished` or `worker_died`, `Kill` by `worker_died`, `Settle`
by `delivered`, when the readers have got their answer.

Guarantees. A reader is settled at most once, and never after its `cancel`. The running count rises with `Start` and
falls only with `delivered`. Queued work is cancelled at once; a running job that nobody waits for any more is asked to
stop (`Interrupt`), and its worker is killed only when it has ignored that for the grace time and stands in the way.
A crash fails the one job that was running; what waits for the same document is tried on the next worker, until the
document has crashed `crashes_max` times in a row.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator

from preview_app.raster.actions import (
    Action,
    Admission,
    Interrupt,
    Kill,
    LaneStatistics,
    Outcome,
    QueueFullError,
    SchedulerClosedError,
    Settle,
    Start,
    Unload,
)
from preview_app.raster.api import Lane
from preview_app.raster.jobs import Document, Job, State, Worker


class Scheduler:
    """See the theory above. `queue_capacity` bounds the jobs that wait."""

    def __init__(self, queue_capacity: int, crashes_max: int = 3) -> None:
        self._queue_capacity = queue_capacity
        self._crashes_max = crashes_max
        self._numbers = itertools.count(1)
        self._documents: dict[Hashable, Document] = {}
        self._workers: dict[int, Worker] = {}
        self._questions: dict[tuple[Document, Hashable], Job] = {}
        self._readers: dict[int, Job] = {}
        self._running: dict[int, Job] = {}
        self._undelivered: dict[int, Job] = {}
        self._waiting = 0
        self._counts: Counter[tuple[Lane, str]] = Counter()
        self._closed = False

    # What readers do

    def submit(self, document: Hashable, question: Hashable, lane: Lane) -> tuple[Admission, list[Action]]:
        """Ask. Raises `QueueFullError`, `SchedulerClosedError`."""
        if self._closed:
            self._counts[lane, "rejected"] += 1
            raise SchedulerClosedError
        record = self._documents.get(document) or Document(document)
        job = self._questions.get((record, question))
        joined = job is not None
        if job is None:
            if self._waiting >= self._queue_capacity:
                self._counts[lane, "rejected"] += 1
                raise QueueFullError
            job = self._queue(record, question, lane)
        reader = next(self._numbers)
        job.readers[reader] = lane
        self._readers[reader] = job
        if joined:
            self._counts[lane, "joined"] += 1
            self._follow_readers(job)
        actions: list[Action] = []
        if record.crashes >= self._crashes_max:
            actions.append(self._settle(job, Outcome.CRASHED))
        return Admission(reader, job.number, joined), actions + self._dispatch()

    def promote(self, reader: int, lane: Lane) -> list[Action]:
        """Move a reader to a more urgent lane; without effect on one that is settled, or when the lane is not."""
        job = self._readers.get(reader)
        if job is None or lane >= job.readers[reader]:
            return []
        job.readers[reader] = lane
        self._follow_readers(job)
        return self._dispatch()

    def cancel(self, reader: int) -> list[Action]:
        """The reader gives up. Idempotent."""
        job = self._readers.pop(reader, None)
        if job is None:
            return []
        del job.readers[reader]
        actions: list[Action] = []
        if job.readers:
            self._follow_readers(job)
        else:
            actions = self._abandon(job)
        return actions + self._dispatch()

    def drop_document(self, document: Hashable) -> list[Action]:
        """Cancel every reader of the document and let it go. Idempotent."""
        record = self._documents.get(document)
        if record is None:
            return []
        actions: list[Action] = []
        for job in [job for (owner, _), job in self._questions.items() if owner is record]:
            for reader in job.readers:
                del self._readers[reader]
            job.readers.clear()
            actions += self._abandon(job)
        del self._documents[document]
        if record.worker is not None:
            actions.append(Unload(record.worker.number))
            self._unload(record)
        return actions + self._dispatch()

    # What workers do

    def add_worker(self) -> int:
        """A worker was started; it takes nothing before it is ready."""
        worker = Worker(next(self._numbers))
        self._workers[worker.number] = worker
        return worker.number

    def worker_ready(self, worker: int) -> list[Action]:
        """The worker has said hello."""
        self._workers[worker].ready = True
        return self._dispatch()

    def finished(self, worker: int) -> list[Action]:
        """The worker has answered the job that it was given."""
        job = self._workers[worker].job
        assert job is not None
        job.document.crashes = 0
        if job.state is State.RUNNING:
            return [self._settle(job, Outcome.DONE)]
        return self._release(job)

    def worker_died(self, worker: int, *, unread: bool = False) -> list[Action]:
        """The worker is gone; the job that it was given, if any, with it, unless the worker never read it."""
        record = self._workers.pop(worker)
        if record.document is not None:
            self._unload(record.document)
        job, record.job = record.job, None
        actions: list[Action] = []
        if job is not None and job.state is State.RUNNING and unread:
            self._requeue(job)
        elif job is not None and job.state is State.RUNNING:
            job.document.crashes += 1
            actions.append(self._settle(job, Outcome.CRASHED))
            actions += self._give_up_on(job.document)
        elif job is not None and job.state is State.ABANDONED:
            del self._running[job.number]
        return actions + self._dispatch()

    def grace_over(self, job: int) -> list[Action]:
        """The grace time of an interrupted job has passed."""
        record = self._running.get(job)
        if record is not None and record.worker is not None and record.state is State.ABANDONED:
            record.worker.overdue = True
        return self._dispatch()

    def deadline_over(self, job: int) -> list[Action]:
        """The time that a job may take has passed."""
        record = self._running.get(job)
        if record is None or record.worker is None or record.state is State.SETTLED:
            return []
        return self._kill(record.worker)

    def delivered(self, job: int) -> list[Action]:
        """The readers of a settled job have got their answer."""
        return self._release(self._undelivered.pop(job))

    def fail_waiting(self) -> list[Action]:
        """No worker can be started: what waits fails."""
        return [self._settle(job, Outcome.CRASHED) for job in self._jobs() if job.state is State.QUEUED]

    def close(self) -> list[Action]:
        """Take nothing more; what waits and runs is settled as closed, and every worker is forgotten. Idempotent."""
        self._closed = True
        actions: list[Action] = [self._settle(job, Outcome.CLOSED) for job in self._jobs()]
        for job in [job for job in self._running.values() if job.state is State.ABANDONED]:
            del self._running[job.number]
        self._workers.clear()
        self._documents.clear()
        return actions

    # What can be seen

    @property
    def idle(self) -> bool:
        """Nothing waits, nothing runs, every answer has been delivered."""
        return not (self._waiting or self._running or self._undelivered)

    def statistics(self) -> dict[Lane, LaneStatistics]:
        """A snapshot."""
        now: Counter[tuple[Lane, str]] = Counter(self._counts)
        now.update((job.lane, "waiting") for job in self._jobs() if job.state is State.QUEUED)
        now.update((job.lane, "running") for job in self._running.values())
        names = LaneStatistics.__dataclass_fields__
        return {lane: LaneStatistics(**{name: now[lane, name] for name in names}) for lane in Lane}

    def __repr__(self) -> str:
        return (
            f"<Scheduler waiting={self._waiting} running={len(self._running)} undelivered={len(self._undelivered)} "
            f"workers={len(self._workers)} documents={len(self._documents)}>"
        )

    # Moves

    def _queue(self, document: Document, question: Hashable, lane: Lane) -> Job:
        self._documents[document.key] = document
        job = Job(next(self._numbers), document, question, lane)
        self._questions[document, question] = job
        self._enter_queue(job)
        return job

    def _enter_queue(self, job: Job) -> None:
        self._waiting += 1
        job.document.waiting += 1
        job.document.push(job)

    def _requeue(self, job: Job) -> None:
        """Put a job back that its worker has not begun; it keeps its place in its lane."""
        del self._running[job.number]
        job.state, job.worker = State.QUEUED, None
        self._enter_queue(job)

    def _unqueue(self, job: Job) -> None:
        self._waiting -= 1
        job.document.waiting -= 1

    def _follow_readers(self, job: Job) -> None:
        lane = min(job.readers.values())
        if lane is not job.lane:
            job.lane = lane
            if job.state is State.QUEUED:
                job.document.push(job)

    def _abandon(self, job: Job) -> list[Action]:
        """The last reader of a job has left."""
        self._counts[job.lane, "cancelled"] += 1
        del self._questions[job.document, job.question]
        if job.state is State.QUEUED:
            job.state = State.SETTLED
            self._unqueue(job)
            return []
        job.state = State.ABANDONED
        assert job.worker is not None
        return [Interrupt(job.worker.number, job.number)]

    def _settle(self, job: Job, outcome: Outcome) -> Settle:
        if job.state is State.QUEUED:
            self._unqueue(job)
        job.state = State.SETTLED
        del self._questions[job.document, job.question]
        for reader in job.readers:
            self._readers.pop(reader, None)
        self._undelivered[job.number] = job
        self._counts[job.lane, "completed" if outcome is Outcome.DONE else outcome.name.lower()] += 1
        return Settle(job.number, tuple(job.readers), outcome)

    def _release(self, job: Job) -> list[Action]:
        self._running.pop(job.number, None)
        if job.worker is not None and job.worker.job is job:
            job.worker.job = None
            job.worker.overdue = False
        return self._dispatch()

    def _give_up_on(self, document: Document) -> Iterator[Action]:
        if document.crashes >= self._crashes_max:
            for job in self._jobs():
                if job.document is document:
                    yield self._settle(job, Outcome.CRASHED)

    def _unload(self, document: Document) -> None:
        if document.worker is not None:
            document.worker.document = None
            document.worker = None

    def _kill(self, worker: Worker) -> list[Action]:
        if worker.killed:
            return []
        worker.killed = True
        return [Kill(worker.number)]

    def _jobs(self) -> list[Job]:
        """Every job that is neither settled nor abandoned, oldest first."""
        return sorted(self._questions.values(), key=lambda job: job.number)

    # The decision

    def _dispatch(self) -> list[Action]:
        actions: list[Action] = []
        while (pair := self._next_pair()) is not None:
            actions.append(self._start(*pair))
        for worker in self._workers.values():
            if worker.overdue and self._stands_in_the_way(worker):
                actions += self._kill(worker)
        return actions

    def _next_pair(self) -> tuple[Job, Worker] | None:
        idle = [worker for worker in self._workers.values() if worker.idle]
        if not idle:
            return None
        heads = (document.head() for document in self._documents.values() if self._can_start(document))
        job = min((job for job in heads if job is not None), key=lambda job: (job.lane, job.number), default=None)
        if job is None:
            return None
        return job, job.document.worker or min(idle, key=_reluctance)

    def _can_start(self, document: Document) -> bool:
        return document.waiting > 0 and (document.worker is None or document.worker.idle)

    def _start(self, job: Job, worker: Worker) -> Start:
        document = job.document
        load = worker.document is not document
        if load:
            if worker.document is not None:
                self._unload(worker.document)
            worker.document, document.worker = document, worker
        document.last_lane, document.last_used = job.lane, next(self._numbers)
        self._unqueue(job)
        job.state, job.worker, worker.job = State.RUNNING, worker, job
        self._running[job.number] = job
        return Start(worker.number, job.number, document.key, job.question, load)

    def _stands_in_the_way(self, worker: Worker) -> bool:
        """Whether something waits that could start if this worker were gone."""
        return any(
            document.waiting and (document.worker is None or document.worker is worker)
            for document in self._documents.values()
        )


def _reluctance(worker: Worker) -> tuple[bool, int, int]:
    """How much a worker's document is worth keeping open there."""
    document = worker.document
    return (False, 0, 0) if document is None else (True, -document.last_lane, document.last_used)
