"""A bounded pool of threads with strict lanes, for work that blocks.

Theory. One lock guards the waiting tasks (a heap by lane, then arrival) and the counts. A task passes two milestones:
*complete*, when its result is decided, and *replied*, when its reply has been delivered or dropped (X4). Between a
worker's taking it and the second milestone it counts as running (X6); a worker takes a task only while fewer run than
there are workers, so replies that an owner is slow to run hold back new work instead of piling up (X2). Nothing is
called with the lock held. A reply goes to an `Owner`: that is the thread which asked, seen from here.

Guarantees: strict lanes, first in first out inside each, no pre-emption (X1). `submit` never blocks. A wait on the
thread that delivers replies pumps them, so it cannot wait for itself (X7). An owner whose loop has ended makes its
replies `OwnerGone` at once; nobody waits for it (X5).
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Generic, TypeVar

from converter.cancellation import CancellationToken, Cancelled
from converter.owner import Owner, OwnerGone
from converter.request import Lane

PUMP_SLICE_S = 0.02

T = TypeVar("T")
Work = Callable[[CancellationToken], T]


class QueueFull(Exception):  # noqa: N818 - a state of the queue, named as in the standard library
    """No more tasks may wait."""


class Closed(Exception):  # noqa: N818 - a state of the executor
    """The executor takes no more tasks."""


class ReplyMode(Enum):
    """How the reply of a task is delivered."""

    DIRECT = "direct"
    """On the worker."""
    QUEUED = "queued"
    """On the owner's thread; the worker goes on."""
    SYNCHRONOUS = "synchronous"
    """On the owner's thread; the worker waits until it has run."""


class TaskState(Enum):
    """Where a task is."""

    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Task(Generic[T]):
    """One piece of work and what became of it. Made by `Executor.submit`."""

    def __init__(
        self,
        work: Work[T],
        lane: Lane,
        token: CancellationToken,
        reply: Callable[[Task[T]], object] | None,
        mode: ReplyMode,
        owner: Owner | None,
    ) -> None:
        self.lane = lane
        self.token = token
        self.owner = owner
        self.mode = mode
        self.state = TaskState.WAITING
        self.result: T | None = None
        self.error: BaseException | None = None
        self.reply_error: BaseException | None = None
        self._work: Work[T] | None = work
        self._reply = reply
        self.revoke: Callable[[], None] = lambda: None
        self._completed = threading.Event()
        self._replied = threading.Event()

    def __repr__(self) -> str:
        return f"<Task {self.lane.name} {self.state.value}>"

    @property
    def complete(self) -> bool:
        """Whether the result is decided (X4)."""
        return self._completed.is_set()

    @property
    def replied(self) -> bool:
        """Whether the reply has been delivered or dropped (X4)."""
        return self._replied.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until it is complete, pumping the replies of the calling thread; whether it is (X7)."""
        return pumping_wait(self._completed.wait, self.owner, timeout_s)

    def wait_replied(self, timeout_s: float | None = None) -> bool:
        """Wait until its reply has been delivered or dropped; whether it has."""
        return pumping_wait(self._replied.wait, self.owner, timeout_s)

    def cancel(self, reason: str = "cancelled", message: str = "") -> bool:
        """Ask it to end: at once if it waits, else at its next `raise_if_cancelled` (X12)."""
        return self.token.cancel(reason, message)

    def run(self) -> None:
        """Do the work and decide the result."""
        work, self._work = self._work, None
        assert work is not None
        try:
            self.token.raise_if_cancelled()
            self.result = work(self.token)
            self.state = TaskState.SUCCEEDED
        except Cancelled:
            self.state = TaskState.CANCELLED
        except BaseException as error:  # noqa: BLE001 - whatever it was, it is the task's result
            self.error, self.state = error, TaskState.FAILED
        self._completed.set()

    def drop(self) -> None:
        """Decide a waiting task's result: cancelled."""
        self._work, self.state = None, TaskState.CANCELLED
        self._completed.set()

    def deliver(self, finished: Callable[[Task[T]], None], *, may_wait: bool = True) -> None:
        """Deliver the reply in its mode, then call `finished` once, from whichever thread ended it (X5).

        A synchronous reply is waited for on a worker only: who cancels a waiting task may be its owner.
        """
        if self._reply is None or self.mode is ReplyMode.DIRECT or self.owner is None:
            self._call_reply()
            self._end_reply(finished)
            return
        ran, dropped = partial(self._answer, finished), partial(self._owner_gone, finished)
        if not self.owner.post(ran, dropped):
            self._owner_gone(finished)
        elif self.mode is ReplyMode.SYNCHRONOUS and may_wait:
            self._replied.wait()

    def _answer(self, finished: Callable[[Task[T]], None]) -> None:
        self._call_reply()
        self._end_reply(finished)

    def _owner_gone(self, finished: Callable[[Task[T]], None]) -> None:
        self.reply_error = OwnerGone()
        self._end_reply(finished)

    def _call_reply(self) -> None:
        """Run the reply; what it raises changes nothing but `reply_error` (X8)."""
        if self._reply is None:
            return
        try:
            self._reply(self)
        except BaseException as error:  # noqa: BLE001 - kept for whoever looks
            self.reply_error = error

    def _end_reply(self, finished: Callable[[Task[T]], None]) -> None:
        self._reply = None
        finished(self)
        self._replied.set()


@dataclass(frozen=True, slots=True)
class ExecutorStatistics:
    """A snapshot: tasks waiting and running now, submissions rejected since the start (X2)."""

    waiting: int
    running: int
    rejected: int


class Executor:
    """Runs tasks on at most `workers` daemon threads, started when they are needed."""

    def __init__(self, *, workers: int, queue_capacity: int, name: str = "worker") -> None:
        if workers < 1:
            raise ValueError("an executor needs a worker")
        self._workers = workers
        self._capacity = queue_capacity
        self._name = name
        self._changed = threading.Condition()
        self._heap: list[tuple[Lane, int, Task[Any]]] = []
        self._sequence = itertools.count()
        self._running: set[Task[Any]] = set()
        self._cancelling = 0
        self._rejected = 0
        self._owners: Counter[Owner] = Counter()
        self._threads: list[threading.Thread] = []
        self._free = 0
        self._closed = False

    def __repr__(self) -> str:
        now = self.statistics()
        return f"<Executor {self._name} {now.waiting} waiting, {now.running} running, {self._workers} workers>"

    def statistics(self) -> ExecutorStatistics:
        """The counts now."""
        with self._changed:
            return ExecutorStatistics(len(self._heap), len(self._running), self._rejected)

    def submit(
        self,
        work: Work[T],
        lane: Lane = Lane.NORMAL,
        *,
        reply: Callable[[Task[T]], object] | None = None,
        mode: ReplyMode = ReplyMode.DIRECT,
        owner: Owner | None = None,
        token: CancellationToken | None = None,
    ) -> Task[T]:
        """Queue work; `reply(task)` follows its end. Raises `QueueFull` or `Closed` (X3).

        Without a thread, and none to be had from the system, the queue has no room either: `QueueFull`.
        """
        if owner is None and mode is not ReplyMode.DIRECT:
            raise ValueError(f"a {mode.value} reply needs an owner")
        task = Task(work, lane, token or CancellationToken(), reply, mode, owner)
        with self._changed:
            if self._closed or len(self._heap) >= self._capacity:
                self._rejected += 1
                raise Closed(self._name) if self._closed else QueueFull(f"{self._name}: {self._capacity} tasks wait")
            self._enter_queue(task)
            if owner is not None:
                self._owners[owner] += 1
            self._changed.notify_all()
        task.revoke = task.token.on_cancel(lambda: self._withdraw(task))
        if task.complete:  # whoever settled it may have been too early to revoke
            task.revoke()
        return task

    def try_submit(self, work: Work[T], lane: Lane = Lane.NORMAL, **options: Any) -> Task[T] | None:
        """Like `submit`, but `None` where that raises; counted all the same (X3)."""
        try:
            return self.submit(work, lane, **options)
        except (QueueFull, Closed):
            return None

    def wait_for_idle(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing waits, nothing runs and every reply has been delivered; whether that is so (X4, X7)."""
        deadline = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = deadline - time.monotonic()
            with self._changed:
                self._changed.wait_for(self._idle_or_mine, None if left_s == math.inf else left_s)
                if self._idle():
                    return True
                owner = self._owner_here()
            if owner is None or left_s <= 0:
                return False
            owner.pump(min(PUMP_SLICE_S, left_s))

    def shutdown(self, timeout_s: float, *, drain: bool = False) -> list[Task[Any]]:
        """Take no more tasks, cancel those that wait (or let them run), wait for idle, end the threads (X11).

        Returns the tasks that did not end in time; their threads are daemons and end with them.
        """
        deadline = time.monotonic() + timeout_s
        with self._changed:
            self._closed = True
            waiting = [] if drain else [task for _, _, task in self._heap]
            self._changed.notify_all()
        for task in waiting:
            task.cancel("closed", f"{self._name} is closing")
        idle = self.wait_for_idle(timeout_s)
        with self._changed:
            left = [] if idle else [*self._running, *(task for _, _, task in self._heap)]
        for thread in self._threads:
            if idle and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()) + PUMP_SLICE_S)
        return left

    def _idle_or_mine(self) -> bool:
        return self._idle() or self._owner_here() is not None

    def _owner_here(self) -> Owner | None:
        """The owner, with a reply to come, whose thread this is. A task may get one while somebody waits."""
        return next((owner for owner in self._owners if owner.is_current()), None)

    def _idle(self) -> bool:
        return not self._heap and not self._running and not self._cancelling

    def _enter_queue(self, task: Task[Any]) -> None:
        """With the lock held: queue a task for which there is, or will be, a thread."""
        entry = (task.lane, next(self._sequence), task)
        heapq.heappush(self._heap, entry)
        try:
            self._ensure_worker()
        except RuntimeError as error:
            if self._threads:  # they get to it
                return
            self._heap.remove(entry)
            self._rejected += 1
            raise QueueFull(f"{self._name}: {error}") from error

    def _ensure_worker(self) -> None:
        """With the lock held: start a thread if none is free and more are allowed. Raises `RuntimeError`."""
        if self._free < len(self._heap) and len(self._threads) < self._workers:
            thread = threading.Thread(target=self._serve, name=f"{self._name}-{len(self._threads)}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self) -> None:
        while (task := self._take()) is not None:
            task.run()
            task.deliver(self._finished)
            del task  # an idle worker keeps nothing alive

    def _take(self) -> Task[Any] | None:
        with self._changed:
            self._free += 1
            self._changed.wait_for(lambda: self._takeable() or (self._closed and not self._heap))
            self._free -= 1
            if not self._heap:
                return None
            task = heapq.heappop(self._heap)[2]
            task.state = TaskState.RUNNING
            self._running.add(task)
            return task

    def _takeable(self) -> bool:
        return bool(self._heap) and len(self._running) < self._workers

    def _withdraw(self, task: Task[Any]) -> None:
        """A task was cancelled: if it waits, it ends here, and its reply follows."""
        with self._changed:
            entry = next((entry for entry in self._heap if entry[2] is task), None)
            if entry is None:
                return
            self._heap.remove(entry)
            heapq.heapify(self._heap)
            self._cancelling += 1
            self._changed.notify_all()
        task.drop()
        task.deliver(self._withdrawn, may_wait=False)

    def _withdrawn(self, task: Task[Any]) -> None:
        self._settle(task, 1)

    def _finished(self, task: Task[Any]) -> None:
        self._settle(task, 0)

    def _settle(self, task: Task[Any], withdrawn: int) -> None:
        task.revoke()
        with self._changed:
            self._running.discard(task)
            self._cancelling -= withdrawn
            if task.owner is not None:
                self._owners[task.owner] -= 1
                if not self._owners[task.owner]:
                    del self._owners[task.owner]
            self._changed.notify_all()


def pumping_wait(wait: Callable[[float | None], bool], owner: Owner | None, timeout_s: float | None) -> bool:
    """Wait; on the owner's own thread in slices, running what was posted to it in between (X7)."""
    if owner is None or not owner.is_current():
        return wait(timeout_s)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        if wait(0.0):
            return True
        left_s = PUMP_SLICE_S if deadline is None else min(PUMP_SLICE_S, deadline - time.monotonic())
        if left_s <= 0:
            return False
        owner.pump(left_s)
