"""The scheduler, by example."""

from __future__ import annotations

import pytest

from preview_app.raster.actions import (
    Action,
    Interrupt,
    Kill,
    Outcome,
    QueueFullError,
    SchedulerClosedError,
    Settle,
    Start,
    Unload,
)
from preview_app.raster.api import Lane
from preview_app.raster.scheduler import Scheduler

CRITICAL, HIGH, NORMAL, LOW = Lane


class Driver:
    """Feeds a scheduler and keeps what it said. Questions are strings; `started` lists those that were started."""

    def __init__(self, workers: int = 1, capacity: int = 100) -> None:
        self.core = Scheduler(capacity)
        self.actions: list[Action] = []
        self.workers = [self.core.add_worker() for _ in range(workers)]
        for worker in self.workers:
            self.do(self.core.worker_ready(worker))

    def do(self, actions: list[Action]) -> list[Action]:
        self.actions += actions
        return actions

    def ask(self, question: str, lane: Lane = NORMAL, document: str = "a") -> int:
        admission, actions = self.core.submit(document, question, lane)
        self.do(actions)
        return admission.reader

    @property
    def started(self) -> list[str]:
        return [action.question for action in self.actions if isinstance(action, Start)]

    def last_start(self, worker: int | None = None) -> Start:
        starts = [action for action in self.actions if isinstance(action, Start)]
        return [start for start in starts if worker is None or start.worker == worker][-1]

    def finish(self, worker: int | None = None) -> None:
        """The worker answers, and the answer is delivered."""
        start = self.last_start(worker)
        for action in self.do(self.core.finished(start.worker)):
            if isinstance(action, Settle):
                self.do(self.core.delivered(action.job))

    def settled(self) -> list[Settle]:
        return [action for action in self.actions if isinstance(action, Settle)]


def test_lanes_are_strict_and_first_in_first_out() -> None:
    driver = Driver()
    for name, lane in [("0", LOW), ("l", LOW), ("n1", NORMAL), ("c1", CRITICAL), ("n2", NORMAL), ("c2", CRITICAL)]:
        driver.ask(name, lane)
    for _ in range(6):
        driver.finish()
    assert driver.started == ["0", "c1", "c2", "n1", "n2", "l"]
    assert driver.core.idle


def test_lanes_go_across_documents() -> None:
    driver = Driver()
    driver.ask("0")
    driver.ask("n", NORMAL, "b")
    driver.ask("l", LOW, "a")
    driver.ask("c", CRITICAL, "c")
    driver.ask("n", NORMAL, "a")
    for _ in range(5):
        driver.finish()
    order = [(action.document, action.question) for action in driver.actions if isinstance(action, Start)]
    assert order == [("a", "0"), ("c", "c"), ("b", "n"), ("a", "n"), ("a", "l")]


def test_promotion_takes_the_place_by_submission_in_the_new_lane() -> None:
    driver = Driver()
    driver.ask("0")
    early = driver.ask("early", LOW)
    driver.ask("c", CRITICAL)
    late = driver.ask("late", LOW)
    driver.do(driver.core.promote(late, CRITICAL))
    driver.do(driver.core.promote(early, CRITICAL))
    driver.do(driver.core.promote(early, LOW))  # less urgent: without effect
    for _ in range(4):
        driver.finish()
    assert driver.started == ["0", "early", "c", "late"]


def test_the_same_question_is_asked_once_in_the_most_urgent_lane_of_its_readers() -> None:
    driver = Driver()
    driver.ask("0")
    driver.ask("n", NORMAL)
    patient = driver.ask("shared", LOW)
    urgent = driver.ask("shared", CRITICAL)
    driver.finish()
    assert driver.started == ["0", "shared"]
    driver.finish()
    assert driver.settled()[-1].readers == (patient, urgent)
    assert driver.core.statistics()[CRITICAL].joined == 1


def test_a_job_falls_back_when_its_urgent_reader_leaves() -> None:
    driver = Driver()
    driver.ask("0")
    driver.ask("shared", LOW)
    urgent = driver.ask("shared", CRITICAL)
    driver.ask("n", NORMAL)
    driver.do(driver.core.cancel(urgent))
    driver.finish()
    assert driver.started == ["0", "n"]


def test_queued_work_is_cancelled_at_once_and_leaves_nothing() -> None:
    driver = Driver()
    driver.ask("0")
    for number in range(10_000):
        reader = driver.ask(f"q{number}", NORMAL)
        driver.do(driver.core.cancel(reader))
        driver.do(driver.core.cancel(reader))
    assert driver.core.statistics()[NORMAL].cancelled == 10_000
    assert "waiting=0 running=1" in repr(driver.core)
    assert len(driver.core._documents["a"].heap) < 100
    driver.finish()
    assert driver.started == ["0"]
    assert driver.core.idle


def test_running_work_is_interrupted_and_its_answer_dropped() -> None:
    driver = Driver()
    reader = driver.ask("0")
    start = driver.last_start()
    assert driver.do(driver.core.cancel(reader)) == [Interrupt(start.worker, start.job)]
    assert not driver.core.idle
    driver.finish()
    assert driver.settled() == []
    assert driver.core.idle


def test_a_worker_that_ignores_an_interrupt_is_killed_once_it_stands_in_the_way() -> None:
    driver = Driver()
    driver.do(driver.core.cancel(driver.ask("stuck")))
    start = driver.last_start()
    assert driver.do(driver.core.grace_over(start.job)) == []
    driver.ask("next")
    assert driver.actions[-1] == Kill(start.worker)
    driver.ask("another")
    assert [action for action in driver.actions if isinstance(action, Kill)] == [Kill(start.worker)]
    driver.do(driver.core.worker_died(start.worker))
    driver.do(driver.core.worker_ready(driver.core.add_worker()))
    assert driver.started == ["stuck", "next"]
    assert driver.last_start().load


@pytest.mark.parametrize("document", ["a", "b"])
def test_a_stuck_worker_stands_in_the_way_of_any_document_that_has_no_other(document: str) -> None:
    driver = Driver()
    driver.do(driver.core.cancel(driver.ask("stuck")))
    start = driver.last_start()
    driver.do(driver.core.grace_over(start.job))
    driver.ask("next", document=document)
    assert driver.actions[-1] == Kill(start.worker)


def test_a_worker_that_stopped_late_is_not_killed_for_its_next_job() -> None:
    driver = Driver()
    driver.do(driver.core.cancel(driver.ask("late")))
    driver.do(driver.core.grace_over(driver.last_start().job))
    driver.finish()
    driver.do(driver.core.cancel(driver.ask("next")))
    driver.ask("waits")
    assert not [action for action in driver.actions if isinstance(action, Kill)]


def test_a_settled_reader_can_neither_cancel_nor_promote_and_is_forgotten() -> None:
    driver = Driver()
    reader = driver.ask("one")
    driver.finish()
    assert driver.core.cancel(reader) == driver.core.promote(reader, CRITICAL) == []
    assert driver.core._readers == {}
    assert driver.core.statistics()[NORMAL].cancelled == 0


def test_a_stuck_worker_is_left_alone_while_another_one_serves() -> None:
    driver = Driver(workers=2)
    driver.do(driver.core.cancel(driver.ask("stuck", document="a")))
    driver.do(driver.core.grace_over(driver.last_start().job))
    driver.ask("next", document="b")
    assert driver.started == ["stuck", "next"]
    assert not [action for action in driver.actions if isinstance(action, Kill)]


def test_a_document_stays_with_its_worker() -> None:
    driver = Driver(workers=2)
    driver.ask("a1", document="a")
    driver.ask("a2", document="a")
    driver.ask("b1", document="b")
    first, second = driver.last_start(driver.workers[0]), driver.last_start(driver.workers[1])
    assert (first.question, second.question) == ("a1", "b1")
    driver.finish(second.worker)
    assert driver.started == ["a1", "b1"], "a2 waits for the worker that has its document open"
    driver.finish(first.worker)
    assert driver.last_start() == Start(first.worker, driver.last_start().job, "a", "a2", load=False)


def test_the_least_urgent_then_the_oldest_document_makes_room() -> None:
    driver = Driver(workers=2)
    driver.ask("visible", CRITICAL, "a")
    driver.ask("neighbour", LOW, "b")
    driver.finish(driver.workers[0])
    driver.finish(driver.workers[1])
    driver.ask("other", LOW, "c")
    assert driver.last_start().worker == driver.workers[1]
    driver.finish()
    driver.ask("again", CRITICAL, "a")
    assert driver.last_start().load is False


def test_of_equally_urgent_documents_the_one_used_last_stays() -> None:
    driver = Driver(workers=2)
    for document in ("a", "b"):
        driver.ask("first", document=document)
    for worker in driver.workers:
        driver.finish(worker)
    driver.ask("again", document="a")
    driver.finish(driver.workers[0])
    driver.ask("new", document="c")
    assert driver.last_start().worker == driver.workers[1]


def test_a_crash_fails_only_the_running_job() -> None:
    driver = Driver()
    victim = driver.ask("victim")
    driver.ask("waits")
    start = driver.last_start()
    settled = driver.do(driver.core.worker_died(start.worker))
    assert settled == [Settle(start.job, (victim,), Outcome.CRASHED)]
    driver.do(driver.core.delivered(start.job))
    driver.do(driver.core.worker_ready(driver.core.add_worker()))
    assert driver.started == ["victim", "waits"]
    assert driver.last_start().load
    driver.finish()
    assert driver.core.idle


def test_a_job_that_its_worker_never_read_keeps_its_place() -> None:
    driver = Driver()
    driver.ask("first")
    driver.ask("second")
    driver.do(driver.core.worker_died(driver.last_start().worker, unread=True))
    driver.do(driver.core.worker_ready(driver.core.add_worker()))
    assert driver.started == ["first", "first"]
    assert driver.settled() == []


def test_a_document_that_crashes_again_and_again_is_given_up_and_others_are_not() -> None:
    driver = Driver()
    for number in range(5):
        driver.ask(f"a{number}")
    driver.ask("b", document="b")
    for _ in range(3):
        for action in driver.do(driver.core.worker_died(driver.last_start().worker)):
            if isinstance(action, Settle):
                driver.do(driver.core.delivered(action.job))
        driver.do(driver.core.worker_ready(driver.core.add_worker()))
    assert driver.started == ["a0", "a1", "a2", "b"]
    assert [settle.outcome for settle in driver.settled()] == [Outcome.CRASHED] * 5
    driver.ask("a9")
    assert driver.settled()[-1].outcome is Outcome.CRASHED


def test_an_answer_makes_up_for_earlier_crashes() -> None:
    driver = Driver()
    for number in range(6):
        driver.ask(f"crash {number}")
        for action in driver.do(driver.core.worker_died(driver.last_start().worker)):
            if isinstance(action, Settle):
                driver.do(driver.core.delivered(action.job))
        driver.do(driver.core.worker_ready(driver.core.add_worker()))
        if number % 2:
            driver.ask(f"good {number}")
            driver.finish()
    assert len(driver.started) == 9


def test_the_deadline_kills_and_counts_as_a_crash() -> None:
    driver = Driver()
    driver.ask("slow")
    start = driver.last_start()
    assert driver.do(driver.core.deadline_over(start.job)) == [Kill(start.worker)]
    assert driver.do(driver.core.deadline_over(start.job)) == []
    (settle,) = driver.do(driver.core.worker_died(start.worker))
    assert isinstance(settle, Settle)
    assert settle.outcome is Outcome.CRASHED
    assert driver.core.deadline_over(start.job) == []


def test_the_capacity_counts_what_waits_and_not_what_runs() -> None:
    driver = Driver(capacity=2)
    for question in ("runs", "waits", "waits too"):
        driver.ask(question)
    with pytest.raises(QueueFullError):
        driver.ask("too many", HIGH)
    driver.ask("waits")  # joins
    assert driver.core.statistics()[HIGH].rejected == 1
    assert driver.core.statistics()[NORMAL].waiting == 2
    assert driver.core.statistics()[NORMAL].running == 1


def test_running_falls_only_with_the_delivery() -> None:
    driver = Driver()
    driver.ask("one")
    driver.ask("two")
    start = driver.last_start()
    (settle,) = driver.do(driver.core.finished(start.worker))
    assert driver.core.statistics()[NORMAL].running == 1
    assert driver.started == ["one"]
    assert isinstance(settle, Settle)
    driver.do(driver.core.delivered(settle.job))
    assert driver.started == ["one", "two"]


def test_dropping_a_document_silences_its_readers_and_frees_its_worker() -> None:
    driver = Driver()
    reader = driver.ask("runs")
    driver.ask("waits")
    driver.ask("other", document="b")
    start = driver.last_start()
    assert driver.do(driver.core.drop_document("a")) == [Interrupt(start.worker, start.job), Unload(start.worker)]
    assert driver.core.drop_document("a") == []
    assert driver.core.cancel(reader) == driver.core.promote(reader, CRITICAL) == []
    driver.finish()
    assert driver.started == ["runs", "other"]
    assert driver.settled() == []


def test_closing_settles_everything_as_closed_and_takes_nothing_more() -> None:
    driver = Driver()
    readers = [driver.ask("runs"), driver.ask("waits")]
    settled = driver.do(driver.core.close())
    assert [(action.readers, action.outcome) for action in settled if isinstance(action, Settle)] == [
        ((readers[0],), Outcome.CLOSED),
        ((readers[1],), Outcome.CLOSED),
    ]
    assert driver.core.close() == []
    with pytest.raises(SchedulerClosedError):
        driver.ask("late")
    for settle in driver.settled():
        driver.do(driver.core.delivered(settle.job))
    assert driver.core.idle


def test_without_workers_what_waits_can_be_failed() -> None:
    driver = Driver(workers=0)
    driver.ask("a")
    driver.ask("b")
    assert [settle.outcome for settle in driver.do(driver.core.fail_waiting()) if isinstance(settle, Settle)] == [
        Outcome.CRASHED
    ] * 2
