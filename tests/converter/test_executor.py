"""The threaded executor: X1 to X8, X11, X12."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from converter.cancellation import CancellationToken
from converter.executor import Closed, Executor, QueueFull, ReplyMode, Task, TaskState
from converter.owner import Mailbox, OwnerGone
from converter.request import Lane
from tests.fakes import PATIENCE_S, Gate

Make = Callable[..., Executor]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Executor] = []

    def executor(workers: int = 1, queue_capacity: int = 100) -> Executor:
        made.append(Executor(workers=workers, queue_capacity=queue_capacity, name="test"))
        return made[-1]

    yield executor
    for each in made:
        assert each.shutdown(PATIENCE_S) == []


def note(where: list[Any], what: object, _argument: object) -> None:
    """Work, or a reply, that leaves a trace."""
    where.append(what)


def echo(number: int, _token: CancellationToken) -> int:
    """Work with a result."""
    return number


def held(executor: Executor, gate: Gate, lane: Lane = Lane.CRITICAL) -> Task[bool]:
    """A task that is at its gate."""
    arrivals = gate.arrivals
    task = executor.submit(lambda _token: gate.pass_through(), lane)
    gate.wait_for_arrivals(arrivals + 1)
    return task


def test_x1_strict_lanes_first_in_first_out_inside_each(make: Make) -> None:
    executor, gate, ran = make(), Gate(), list[str]()
    held(executor, gate)
    lanes = {"low": Lane.LOW, "n1": Lane.NORMAL, "high": Lane.HIGH, "n2": Lane.NORMAL, "critical": Lane.CRITICAL}
    for name, lane in lanes.items():
        executor.submit(partial(note, ran, name), lane)
    gate.open()
    assert executor.wait_for_idle(PATIENCE_S)
    assert ran == ["critical", "high", "n1", "n2", "low"]


def test_x2_and_x3_the_capacity_bounds_waiting_tasks_only(make: Make) -> None:
    executor, gate = make(workers=2, queue_capacity=1), Gate()
    held(executor, gate)
    held(executor, gate)
    executor.submit(lambda _token: None)
    with pytest.raises(QueueFull):
        executor.submit(lambda _token: None)
    assert executor.try_submit(lambda _token: None) is None
    now = executor.statistics()
    assert (now.waiting, now.running, now.rejected) == (1, 2, 2)
    assert repr(executor) == "<Executor test 1 waiting, 2 running, 2 workers>"
    gate.open()


def test_x3_closed(make: Make) -> None:
    executor = make()
    executor.shutdown(PATIENCE_S)
    with pytest.raises(Closed):
        executor.submit(lambda _token: None)
    assert executor.try_submit(lambda _token: None) is None
    assert executor.statistics().rejected == 2


def test_x4_and_x6_complete_and_idle_are_two_milestones(make: Make) -> None:
    executor, gate = make(), Gate()
    task = executor.submit(lambda _token: 7, reply=lambda _task: gate.pass_through())
    gate.wait_for_arrivals()
    assert task.wait(PATIENCE_S)
    assert (task.complete, task.replied, task.result, task.state) == (True, False, 7, TaskState.SUCCEEDED)
    assert not executor.wait_for_idle(0.0)
    assert executor.statistics().running == 1, "until its reply has been delivered"
    gate.open()
    assert executor.wait_for_idle(PATIENCE_S)
    assert task.wait_replied(PATIENCE_S)
    assert executor.statistics().running == 0


def test_x5_direct_on_the_worker_queued_and_synchronous_on_the_owner(make: Make) -> None:
    executor, owner, threads = make(), Mailbox(), dict[ReplyMode, str]()

    def note(task: Task[None]) -> None:
        threads[task.mode] = threading.current_thread().name

    for mode in ReplyMode:
        executor.submit(lambda _token: None, reply=note, mode=mode, owner=owner)
    assert executor.wait_for_idle(PATIENCE_S)
    here = threading.current_thread().name
    assert threads == {ReplyMode.DIRECT: "test-0", ReplyMode.QUEUED: here, ReplyMode.SYNCHRONOUS: here}
    owner.close()


def test_x5_a_synchronous_reply_holds_its_worker(make: Make) -> None:
    executor, owner = make(workers=1), Mailbox()
    task = executor.submit(lambda _token: None, reply=lambda _task: None, mode=ReplyMode.SYNCHRONOUS, owner=owner)
    assert task._completed.wait(PATIENCE_S), "looked at without pumping"
    executor.submit(lambda _token: None)
    assert executor.statistics().running == 1
    assert executor.wait_for_idle(PATIENCE_S)
    owner.close()


@pytest.mark.parametrize("mode", [ReplyMode.QUEUED, ReplyMode.SYNCHRONOUS])
def test_x5_replies_to_a_loop_that_has_ended_are_dropped(make: Make, mode: ReplyMode) -> None:
    executor, owner, posted = make(), Mailbox(), Gate()
    original = owner.post

    def post(callback: Callable[[], None], dropped: Callable[[], None]) -> bool:
        taken = original(callback, dropped)
        threading.Thread(target=posted.pass_through).start()
        return taken

    owner.post = post  # type: ignore[method-assign]
    before = executor.submit(lambda _token: 1, reply=lambda _task: None, mode=mode, owner=owner)
    posted.wait_for_arrivals()
    owner.close()  # with a reply under way
    after = executor.submit(lambda _token: 2, reply=lambda _task: None, mode=mode, owner=owner)
    assert executor.wait_for_idle(PATIENCE_S)
    assert isinstance(before.reply_error, OwnerGone)
    assert isinstance(after.reply_error, OwnerGone)
    assert (before.result, after.result, after.state) == (1, 2, TaskState.SUCCEEDED)
    posted.open()


def test_x2_and_x6_undelivered_replies_hold_back_new_work(make: Make) -> None:
    executor, owner, ran = make(workers=1), Mailbox(), list[int]()
    first = executor.submit(lambda _token: None, reply=lambda _task: None, mode=ReplyMode.QUEUED, owner=owner)
    second = executor.submit(lambda _token: ran.append(2))
    assert first._completed.wait(PATIENCE_S), "looked at without pumping"
    assert (executor.statistics().running, ran) == (1, [])
    owner.pump(PATIENCE_S)
    assert second.wait(PATIENCE_S)
    assert ran == [2]
    owner.close()


def test_x7_a_blocking_batch_with_synchronous_replies_finishes(make: Make) -> None:
    executor, owner, replies = make(workers=2), Mailbox(), list[int]()

    def note(task: Task[int]) -> None:
        assert task.result is not None
        replies.append(task.result)

    tasks = [executor.submit(partial(echo, n), reply=note, mode=ReplyMode.SYNCHRONOUS, owner=owner) for n in range(20)]
    assert all(task.wait(PATIENCE_S) for task in tasks)
    assert executor.wait_for_idle(PATIENCE_S)
    assert sorted(replies) == list(range(20))
    owner.close()


def test_x7_a_pumping_wait_ends_at_its_deadline(make: Make) -> None:
    executor, owner, gate = make(), Mailbox(), Gate()
    task = executor.submit(
        lambda _token: gate.pass_through(), reply=lambda _task: None, mode=ReplyMode.QUEUED, owner=owner
    )
    assert not task.wait(0.03)
    assert not executor.wait_for_idle(0.03)
    gate.open()
    assert executor.wait_for_idle(PATIENCE_S)
    owner.close()


def test_x7_a_reply_may_wait_in_turn(make: Make) -> None:
    executor, owner, results = make(workers=2), Mailbox(), list[int | None]()

    def asks_more(_task: Task[int]) -> None:
        more = executor.submit(
            lambda _token: 2, reply=lambda task: results.append(task.result), mode=ReplyMode.SYNCHRONOUS, owner=owner
        )
        assert more.wait_replied(PATIENCE_S)

    executor.submit(lambda _token: 1, reply=asks_more, mode=ReplyMode.SYNCHRONOUS, owner=owner)
    assert executor.wait_for_idle(PATIENCE_S)
    assert results == [2]
    owner.close()


def test_x7_a_wait_pumps_also_what_others_ask_to_be_replied_here(make: Make) -> None:
    executor, owner, gate, replies = make(workers=2), Mailbox(), Gate(), list[int]()

    def asks_more(_token: CancellationToken) -> None:
        gate.pass_through()
        executor.submit(partial(echo, 5), reply=partial(note, replies, 5), mode=ReplyMode.SYNCHRONOUS, owner=owner)

    executor.submit(asks_more)
    gate.wait_for_arrivals()
    threading.Timer(0.0, gate.open).start()
    assert executor.wait_for_idle(PATIENCE_S)
    assert replies == [5]
    owner.close()


def test_x8_a_reply_that_raises_changes_nothing_else(make: Make) -> None:
    def fails(_task: Task[int]) -> None:
        raise ValueError("in a reply")

    executor = make()
    task = executor.submit(lambda _token: 3, reply=fails)
    assert task.wait_replied(PATIENCE_S)
    assert isinstance(task.reply_error, ValueError)
    assert (task.state, task.result, task.error) == (TaskState.SUCCEEDED, 3, None)


def test_a_task_that_raises_has_failed(make: Make) -> None:
    task = make().submit(lambda _token: 1 // 0)
    assert task.wait(PATIENCE_S)
    assert task.state is TaskState.FAILED
    assert isinstance(task.error, ZeroDivisionError)
    assert "failed" in repr(task)


@pytest.mark.parametrize("mode", list(ReplyMode))
def test_x11_a_waiting_task_is_cancelled_at_once_and_its_reply_follows(make: Make, mode: ReplyMode) -> None:
    executor, gate, owner, replies = make(), Gate(), Mailbox(), list[TaskState]()
    held(executor, gate)
    task = executor.submit(lambda _token: None, reply=lambda task: replies.append(task.state), mode=mode, owner=owner)
    assert task.cancel("not wanted")
    assert task.state is TaskState.CANCELLED
    assert task.wait_replied(PATIENCE_S)
    assert replies == [TaskState.CANCELLED]
    assert executor.statistics().waiting == 0
    gate.open()
    owner.close()


def test_x12_a_running_task_ends_cooperatively(make: Make) -> None:
    executor, started = make(), Gate(is_open=True)

    def work(token: CancellationToken) -> None:
        started.pass_through()
        assert token.wait(PATIENCE_S)
        token.raise_if_cancelled()

    task = executor.submit(work)
    started.wait_for_arrivals()
    task.cancel()
    assert task.wait(PATIENCE_S)
    assert task.state is TaskState.CANCELLED


def test_x11_shutdown_cancels_what_waits_and_returns_what_did_not_end() -> None:
    executor, gate = Executor(workers=1, queue_capacity=10), Gate()
    running = held(executor, gate)
    waiting = [executor.submit(lambda _token: None) for _ in range(3)]
    waiting[0].token.on_cancel(lambda: executor.try_submit(lambda _token: None))  # calls back
    assert executor.shutdown(0.0) == [running]
    assert {task.state for task in waiting} == {TaskState.CANCELLED}
    assert waiting[0].token.reason == "closed"
    gate.open()
    assert executor.shutdown(PATIENCE_S) == []


def test_x11_shutdown_with_draining_lets_them_run() -> None:
    executor, gate, ran = Executor(workers=1, queue_capacity=10), Gate(), list[int]()
    held(executor, gate)
    for number in range(3):
        executor.submit(partial(note, ran, number))
    gate.open()
    assert executor.shutdown(PATIENCE_S, drain=True) == []
    assert ran == [0, 1, 2]


def test_x11_shutdown_pumps_the_replies_of_its_own_thread() -> None:
    executor, owner, replies = Executor(workers=1, queue_capacity=10), Mailbox(), list[int]()
    for number in range(3):
        executor.submit(
            lambda _token: None,
            reply=partial(note, replies, number),
            mode=ReplyMode.SYNCHRONOUS,
            owner=owner,
        )
    assert executor.shutdown(PATIENCE_S, drain=True) == []
    assert replies == [0, 1, 2]
    owner.close()


def test_a_token_that_outlives_its_tasks_keeps_nothing_of_them(make: Make) -> None:
    executor, token = make(), CancellationToken()
    for _ in range(50):
        executor.submit(lambda _token: None, token=token)
    assert executor.wait_for_idle(PATIENCE_S)
    assert "0 callbacks" in repr(token)


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="needs a worker"):
        Executor(workers=0, queue_capacity=1)
    with pytest.raises(ValueError, match="queued reply needs an owner"):
        Executor(workers=1, queue_capacity=1).submit(lambda _token: None, mode=ReplyMode.QUEUED)


def test_a_closed_mailbox_takes_nothing() -> None:
    owner, ran = Mailbox(), list[str]()
    assert owner.post(lambda: ran.append("run"), lambda: ran.append("dropped"))
    assert repr(owner) == "<Mailbox 1 waiting>"
    owner.close()
    assert not owner.post(lambda: None, lambda: None)
    owner.pump(0.0)
    assert ran == ["dropped"]
    assert repr(owner) == "<Mailbox 0 waiting, closed>"
