"""Races and shortages: what may come between two steps of the service, and what the system may not give."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from converter.cancellation import CancellationToken, DeadlineClock
from converter.conversion import Phase, PhaseChanged, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.executor import Executor, QueueFull
from converter.request import Lane
from converter.ticket import Ticket
from tests.converter.bench import Bench, outcome
from tests.fakes import PATIENCE_S, Gate
from tests.shortage import no_threads


def _nothing(_token: CancellationToken) -> None:
    """A task."""


# Threads that are not to be had


def test_a_task_for_which_there_is_no_thread_is_refused_and_leaves_nothing() -> None:
    executor = Executor(workers=1, queue_capacity=1)
    with no_threads(), pytest.raises(QueueFull):
        executor.submit(_nothing)
    now = executor.statistics()
    assert (now.waiting, now.running, now.rejected) == (0, 0, 1)
    assert executor.submit(_nothing).wait(PATIENCE_S), "the next one gets its thread"
    assert executor.shutdown(PATIENCE_S) == []


def test_a_task_for_which_there_is_no_further_thread_waits_for_those_that_are_there() -> None:
    gate = Gate()
    executor = Executor(workers=2, queue_capacity=2)
    executor.submit(lambda _token: gate.pass_through())
    gate.wait_for_arrivals()
    with no_threads():
        task = executor.submit(_nothing)
    assert executor.statistics().waiting == 1
    gate.open()
    assert task.wait(PATIENCE_S)
    assert executor.shutdown(PATIENCE_S) == []


def test_a_clock_without_a_thread_gets_one_later() -> None:
    clock, early, late = DeadlineClock(), threading.Event(), threading.Event()
    with no_threads():
        clock.call_at(clock.now(), early.set)
    clock.call_at(clock.now(), late.set)
    assert early.wait(PATIENCE_S)
    assert late.wait(PATIENCE_S)
    clock.close()


def test_a_clock_that_never_got_a_thread_can_be_closed() -> None:
    clock = DeadlineClock()
    with no_threads():
        clock.call_at(clock.now(), lambda: None)
    clock.close()
    assert clock.pending == 0


def test_a_conversion_without_a_thread_is_busy_and_holds_nothing(make_bench: Callable[..., Bench]) -> None:
    one = make_bench()
    with no_threads():
        ticket = one.ask("one")
    assert outcome(ticket) is Outcome.BUSY
    one.check()
    assert one.now.jobs == 0
    assert outcome(one.ask("two")) is Outcome.OK


# Order and ends


def test_what_a_close_finds_handed_over_and_not_begun_is_ended_too(make_bench: Callable[..., Bench]) -> None:
    """C26: a worker that is slow in a reader's callback has the next job behind it; that one is no leftover."""
    one, callback = make_bench(slots=1), Gate()
    first, kit = one.run("one")

    def slow(_ticket: Ticket) -> None:
        callback.pass_through()

    first.add_done_callback(slow)
    kit.gate.open()
    callback.wait_for_arrivals()
    second = one.ask("two")
    assert not one.converter.close(grace_s=0.0), "the callback is still there"
    assert outcome(second) is Outcome.CLOSED
    callback.open()
    one.wait_for_running(0)
    assert one.now.reserved_bytes == 0


class _Nobody:
    """An owner whose ticket is not asked for anything."""

    def leave(self, reader: int, message: str) -> bool:
        return False

    def move(self, reader: int, lane: Lane) -> bool:
        return False

    def extend(self, reader: int, deadline_s: float) -> bool:
        return False


def test_nothing_follows_the_outcome_also_when_two_threads_bring_news() -> None:
    ticket, gate, told = Ticket(1, "a", Lane.CRITICAL, _Nobody()), Gate(), list[TicketEvent]()

    def slow(event: TicketEvent) -> None:
        if event == PhaseChanged(Phase.CONVERTING):
            gate.pass_through()

    ticket.on_event(slow)
    ticket.on_event(told.append)
    news = threading.Thread(target=lambda: ticket.notify(PhaseChanged(Phase.CONVERTING)))
    news.start()
    gate.wait_for_arrivals()
    assert ticket.settle(ConversionError(Outcome.CANCELLED))
    assert ticket.outcome is Outcome.CANCELLED, "whoever waits need not wait for a listener"
    gate.open()
    news.join(PATIENCE_S)
    assert told == [PhaseChanged(phase) for phase in (Phase.WAITING, Phase.CONVERTING, Phase.SETTLED)]


def test_the_present_phase_is_told_before_what_follows_it() -> None:
    """A listener that is added while news comes: it hears of the present first."""
    gate, told = Gate(), list[TicketEvent]()
    posted: list[Callable[[], None]] = []

    def post(call: Callable[[], None]) -> None:
        if threading.current_thread() is adding:
            gate.pass_through()
        posted.append(call)

    ticket = Ticket(1, "a", Lane.CRITICAL, _Nobody(), post)
    adding = threading.Thread(target=lambda: ticket.on_event(told.append))
    adding.start()
    gate.wait_for_arrivals()
    ticket.notify(PhaseChanged(Phase.READING))
    gate.open()
    adding.join(PATIENCE_S)
    for call in posted:
        call()
    assert told == [PhaseChanged(Phase.WAITING), PhaseChanged(Phase.READING)]
