"""The scheduler under random events, with its promises checked after each."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from preview_app.raster.actions import (
    Action,
    Interrupt,
    Kill,
    Outcome,
    QueueFullError,
    Settle,
    Start,
    Unload,
)
from preview_app.raster.api import Lane
from preview_app.raster.scheduler import Scheduler


class Machine(RuleBasedStateMachine):
    """Random events. The model is what the scheduler has promised: who waits, which workers are busy with what."""

    @initialize(workers=st.integers(1, 3))
    def begin(self, workers: int) -> None:
        self.core = Scheduler(queue_capacity=12)
        self.waiting: dict[int, tuple[str, str]] = {}  # reader -> question
        self.busy: dict[int, Start] = {}
        self.undelivered: list[int] = []
        self.ready: set[int] = set()
        self.starting: list[int] = []
        self.killed: set[int] = set()
        self.located: dict[int, str] = {}
        for _ in range(workers):
            self.starting.append(self.core.add_worker())

    def carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Start(worker, job, document, _, load):
                    assert worker in self.ready
                    assert worker not in self.busy
                    assert load == (self.located.get(worker) != document)
                    self.located[worker] = document
                    assert list(self.located.values()).count(document) == 1, "open in two workers"
                    self.busy[worker] = action
                    assert job not in self.undelivered
                case Settle(job, readers, outcome):
                    assert readers
                    assert outcome is not Outcome.CLOSED
                    for reader in readers:
                        del self.waiting[reader]  # exactly once, and never after its cancel
                    self.undelivered.append(job)
                case Kill(worker):
                    assert worker not in self.killed
                    self.killed.add(worker)
                case Unload(worker):
                    self.located.pop(worker, None)
                case Interrupt(worker, job):
                    assert self.busy[worker].job == job

    @rule(document=st.sampled_from("abc"), question=st.sampled_from("xyz"), lane=st.sampled_from(Lane))
    def submit(self, document: str, question: str, lane: Lane) -> None:
        try:
            admission, actions = self.core.submit(document, question, lane)
        except QueueFullError:
            return
        self.waiting[admission.reader] = (document, question)
        self.carry_out(actions)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def cancel(self, data: Any) -> None:
        reader = data.draw(st.sampled_from(sorted(self.waiting)))
        del self.waiting[reader]
        self.carry_out(self.core.cancel(reader))

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), lane=st.sampled_from(Lane))
    def promote(self, data: Any, lane: Lane) -> None:
        self.carry_out(self.core.promote(data.draw(st.sampled_from(sorted(self.waiting))), lane))

    @precondition(lambda self: self.starting)
    @rule()
    def worker_gets_ready(self) -> None:
        worker = self.starting.pop(0)
        self.ready.add(worker)
        self.carry_out(self.core.worker_ready(worker))

    @precondition(lambda self: self.busy)
    @rule(data=st.data())
    def worker_finishes(self, data: Any) -> None:
        worker = data.draw(st.sampled_from(sorted(self.busy)))
        del self.busy[worker]
        self.carry_out(self.core.finished(worker))

    @precondition(lambda self: self.ready)
    @rule(data=st.data(), unread=st.booleans())
    def worker_dies(self, data: Any, unread: bool) -> None:
        worker = data.draw(st.sampled_from(sorted(self.ready)))
        self.ready.discard(worker)
        self.killed.discard(worker)
        self.located.pop(worker, None)
        self.busy.pop(worker, None)
        self.starting.append(self.core.add_worker())
        self.carry_out(self.core.worker_died(worker, unread=unread))

    @precondition(lambda self: self.busy)
    @rule(data=st.data(), grace=st.booleans())
    def time_passes(self, data: Any, grace: bool) -> None:
        job = self.busy[data.draw(st.sampled_from(sorted(self.busy)))].job
        self.carry_out(self.core.grace_over(job) if grace else self.core.deadline_over(job))

    @precondition(lambda self: self.undelivered)
    @rule()
    def deliver(self) -> None:
        self.carry_out(self.core.delivered(self.undelivered.pop(0)))

    @rule(document=st.sampled_from("abc"))
    def drop(self, document: str) -> None:
        self.waiting = {reader: key for reader, key in self.waiting.items() if key[0] != document}
        self.carry_out(self.core.drop_document(document))

    @invariant()
    def counts_hold(self) -> None:
        statistics = self.core.statistics()
        assert sum(lane.waiting for lane in statistics.values()) <= 12
        running = sum(lane.running for lane in statistics.values())
        assert running >= len(self.busy)
        if not (self.waiting or self.busy or self.undelivered):
            assert self.core.idle

    @invariant()
    def no_worker_idles_while_it_could_work(self) -> None:
        free = {worker for worker in self.ready if worker not in self.busy and worker not in self.killed}
        queued = {job.document.key for job in self.core._jobs() if job.worker is None}
        delivering = {worker.number for worker in self.core._workers.values() if worker.job is not None}
        for document in queued:
            where = [worker for worker, located in self.located.items() if located == document]
            for worker in where or free:
                assert worker in self.busy or worker in self.killed or worker in delivering

    def teardown(self) -> None:
        if not hasattr(self, "core"):
            return
        for action in self.core.close():
            if isinstance(action, Settle):
                self.undelivered.append(action.job)
        for job in self.undelivered:
            self.core.delivered(job)
        assert self.core.idle


TestSchedulerUnderRandomEvents = Machine.TestCase
TestSchedulerUnderRandomEvents.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
