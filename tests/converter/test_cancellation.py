"""Cancellation tokens and the deadline clock: X9, X10, X12, X14, X15."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from converter.cancellation import CancellationToken, Cancelled, DeadlineClock
from tests.fakes import PATIENCE_S


class ObservingFlag(threading.Event):
    """Looks at the token at the moment when its flag is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.token: CancellationToken | None = None
        self.seen: list[tuple[bool, str | None, str, float | None]] = []

    def set(self) -> None:
        super().set()
        assert self.token is not None
        self.seen.append((self.token.cancelled, self.token.reason, self.token.message, self.token.cancelled_at_s))


def test_x9_reason_message_and_time_are_set_before_the_flag() -> None:
    flag = ObservingFlag()
    flag.token = token = CancellationToken(flag=flag, now=lambda: 12.5)
    assert (token.cancelled, token.reason, token.cancelled_at_s) == (False, None, None)
    assert token.cancel("deadline", "took too long")
    assert flag.seen == [(True, "deadline", "took too long", 12.5)]


def test_x9_later_attempts_change_nothing() -> None:
    times = iter([1.0, 2.0])
    token = CancellationToken(now=lambda: next(times))
    assert token.cancel("first", "one")
    assert not token.cancel("second", "two")
    assert (token.reason, token.message, token.cancelled_at_s) == ("first", "one", 1.0)
    silent = CancellationToken()
    assert silent.cancel("first")
    assert (silent.reason, silent.message) == ("first", "")


def test_x9_one_winner_of_many() -> None:
    token, start, wins = CancellationToken(), threading.Barrier(8), []

    def attempt(number: int) -> None:
        start.wait(PATIENCE_S)
        if token.cancel(str(number)):
            wins.append(number)

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert [str(number) for number in wins] == [token.reason]


def test_x9_a_token_can_be_waited_for() -> None:
    token = CancellationToken()
    assert not token.wait(0.0)
    thread = threading.Thread(target=token.cancel, args=("other thread",))
    thread.start()
    assert token.wait(PATIENCE_S)
    thread.join(PATIENCE_S)


def test_x10_callbacks_run_once_outside_the_lock_each_guarded(caplog: pytest.LogCaptureFixture) -> None:
    token, ran = CancellationToken(), list[str]()

    def fails() -> None:
        raise ValueError("in a callback")

    def calls_back() -> None:
        ran.append("late registration")
        token.on_cancel(lambda: ran.append("at once"))
        assert not token.cancel("again")

    token.on_cancel(fails)
    token.on_cancel(calls_back)
    token.cancel("now")
    token.cancel("again")
    assert ran == ["late registration", "at once"]
    assert caplog.messages == ["A cancellation callback failed"]


def test_x10_a_registration_can_be_revoked() -> None:
    token, ran = CancellationToken(), list[str]()
    revoke = token.on_cancel(lambda: ran.append("revoked"))
    token.on_cancel(lambda: ran.append("kept"))
    revoke()
    revoke()
    token.cancel("now")
    assert ran == ["kept"]
    token.on_cancel(lambda: ran.append("after"))()
    assert ran == ["kept", "after"]


@given(st.lists(st.sampled_from(["add", "revoke", "cancel"]), max_size=30))
def test_x10_any_order_of_adding_revoking_and_cancelling(operations: list[str]) -> None:
    token = CancellationToken()
    ran: list[int] = []
    revokers: list[tuple[int, Callable[[], None]]] = []
    expected: list[int] = []
    waiting: list[int] = []
    for number, operation in enumerate(operations):
        if operation == "add":
            revokers.append((number, token.on_cancel(lambda number=number: ran.append(number))))  # type: ignore[misc]
            (expected if token.cancelled else waiting).append(number)
        elif operation == "revoke" and revokers:
            key, revoke = revokers.pop(0)
            revoke()
            if key in waiting:
                waiting.remove(key)
        elif operation == "cancel":
            token.cancel("x")
            expected, waiting = expected + waiting, []
    assert ran == expected


def test_x12_raise_if_cancelled() -> None:
    token = CancellationToken()
    token.raise_if_cancelled()
    assert "live, 0 callbacks" in repr(token)
    token.cancel("evicted", "made room")
    with pytest.raises(Cancelled, match="made room") as caught:
        token.raise_if_cancelled()
    assert caught.value.reason == "evicted"
    assert "evicted" in repr(token)


class PublishedCancelToken(Protocol):
    """The protocol of `engines.base.CancelToken` as it was published (X15): do not change it here."""

    @property
    def cancelled(self) -> bool: ...

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]: ...


def test_x15_our_token_works_for_an_engine_written_against_the_published_protocol() -> None:
    def old_engine(token: PublishedCancelToken) -> list[bool]:
        seen = [token.cancelled]
        token.on_cancel(lambda: seen.append(token.cancelled))
        return seen

    token = CancellationToken()
    seen = old_engine(token)
    token.cancel("x")
    assert seen == [False, True]


def test_x14_ten_thousand_deadlines_cost_one_thread() -> None:
    clock, before = DeadlineClock("test-deadlines"), threading.active_count()
    for number in range(10_000):
        clock.call_at(clock.now() + 1000 + number, lambda: None)
    assert threading.active_count() == before + 1
    assert clock.pending == 10_000
    assert "10000 pending" in repr(clock)
    clock.close()
    assert threading.active_count() == before
    assert clock.pending == 0


def test_x14_due_calls_run_in_order_and_a_failing_one_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    clock, ran, done = DeadlineClock("test-deadlines"), list[str](), threading.Event()
    base = clock.now()
    clock.call_at(base + 900, lambda: ran.append("far"))
    clock.call_at(base + 0.02, done.set)
    clock.call_at(base + 0.01, lambda: ran.append("second"))
    clock.call_at(base - 1, lambda: 1 // 0)
    revoked = clock.call_at(base + 0.015, lambda: ran.append("revoked"))
    clock.revoke(revoked)
    clock.revoke(revoked)
    assert done.wait(PATIENCE_S)
    clock.close()
    assert ran == ["second"]
    assert "ZeroDivisionError" in caplog.text


def test_x14_no_call_is_early() -> None:
    clock, ran, done = DeadlineClock(), list[float](), threading.Event()
    when = clock.now() + 0.05
    clock.call_at(when, lambda: ran.append(clock.now()))
    clock.call_at(when + 0.01, done.set)
    assert done.wait(PATIENCE_S)
    assert ran[0] >= when
    thread = clock._thread
    assert thread is not None
    assert thread.name == "deadlines"
    clock.close()
    assert not thread.is_alive(), "closing waits for the thread"


def test_x14_revoked_calls_do_not_pile_up() -> None:
    clock = DeadlineClock("test-deadlines")
    for _ in range(1000):
        clock.revoke(clock.call_at(clock.now() + 1000, lambda: None))
    assert clock.pending == 0
    assert len(clock._heap) <= 1
    clock.close()
    clock.call_at(clock.now(), lambda: None)
    assert clock.pending == 0, "a closed clock takes nothing"
    clock.close()


def test_x14_an_earlier_call_is_not_late_because_a_later_one_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    clock, done, ended = DeadlineClock("test-deadlines"), threading.Event(), list[bool]()
    far = clock.call_at(clock.now() + 1000, lambda: None)
    assert (far.when_s > clock.now(), clock.pending) == (True, 1)
    thread = clock._thread
    assert thread is not None
    assert (thread.name, thread.daemon) == ("test-deadlines", True)
    while not clock._wake._waiters:  # type: ignore[attr-defined]
        assert thread.is_alive()

    def close() -> None:
        clock.close()  # on the clock's own thread
        ended.append(True)
        done.set()

    clock.call_at(clock.now(), close)
    assert done.wait(PATIENCE_S)
    thread.join(PATIENCE_S)
    assert (ended, thread.is_alive(), caplog.text) == ([True], False, "")


def test_x14_revoked_calls_are_swept_when_they_are_the_greater_part() -> None:
    clock = DeadlineClock("test-deadlines")
    alarms = [clock.call_at(clock.now() + 1000 + number, lambda: None) for number in range(10)]
    for alarm in alarms[:5]:
        clock.revoke(alarm)
    assert (clock.pending, len(clock._heap)) == (5, 10)
    clock.revoke(alarms[5])
    assert (clock.pending, len(clock._heap)) == (4, 4)
    clock.revoke(alarms[6])
    assert (clock.pending, len(clock._heap)) == (3, 4)
    clock.close()


def test_x14_a_revoked_call_that_comes_due_is_not_run_and_not_counted() -> None:
    clock, ran, done = DeadlineClock("test-deadlines"), list[str](), threading.Event()
    far = clock.call_at(clock.now() + 1000, lambda: None)
    more = [clock.call_at(clock.now() + 1000, lambda: None) for _ in range(3)]
    soon = clock.call_at(clock.now() + 0.02, lambda: ran.append("revoked"))
    clock.revoke(soon)
    clock.call_at(clock.now() + 0.03, done.set)
    assert done.wait(PATIENCE_S)
    assert (ran, clock.pending) == ([], 4)
    for alarm in (far, *more):
        clock.revoke(alarm)
    clock.close()


def test_a_cancellation_without_a_message_tells_its_reason() -> None:
    assert str(Cancelled("deadline")) == "deadline"
    assert Cancelled("deadline").message == ""
    assert str(Cancelled("deadline", "too slow")) == "too slow"
    assert (CancellationToken().reason, CancellationToken().message) == (None, "")
