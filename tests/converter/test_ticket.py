"""Tickets: one outcome, once; callbacks in the mode that was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from converter.conversion import (
    NO_ENGINE,
    Conversion,
    Phase,
    PhaseChanged,
    PlaceChanged,
    StillWorking,
    TicketEvent,
)
from converter.errors import ConversionError, Outcome
from converter.request import Lane
from converter.ticket import Ticket
from tests.fakes import PATIENCE_S

DONE = Conversion(b"%PDF-", 1, "digest", "txt", NO_ENGINE, "", 0)


class Owner:
    """A converter that only notes what tickets ask of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    def leave(self, reader: int, message: str) -> bool:
        self.asked.append(("leave", reader, message))
        return True

    def move(self, reader: int, lane: Lane) -> bool:
        self.asked.append(("move", reader, lane))
        return False

    def extend(self, reader: int, deadline_s: float) -> bool:
        self.asked.append(("extend", reader, deadline_s))
        return True


def ticket(post: Callable[[Callable[[], None]], object] | None = None) -> Ticket:
    return Ticket(7, "a.txt", Lane.HIGH, Owner(), post)


def test_the_first_outcome_stands() -> None:
    one = ticket()
    assert (one.done(), one.outcome, repr(one)) == (False, None, "<Ticket 7 'a.txt' HIGH waiting>")
    assert one.settle(DONE)
    assert not one.settle(ConversionError(Outcome.CANCELLED))
    assert one.result() is DONE
    assert (one.phase, repr(one)) == (Phase.SETTLED, "<Ticket 7 'a.txt' HIGH ok>")


def test_every_caller_gets_an_error_of_its_own() -> None:
    one = ticket()
    one.settle(ConversionError(Outcome.BUSY))
    errors = []
    for _ in range(2):
        with pytest.raises(ConversionError) as caught:
            one.result()
        errors.append(caught.value)
    assert errors[0] is not errors[1]


def test_waiting_is_bounded() -> None:
    with pytest.raises(TimeoutError, match="the request goes on"):
        ticket().result(timeout_s=0.0)


def test_a_waiting_thread_is_woken() -> None:
    one, results = ticket(), list[Conversion]()
    thread = threading.Thread(target=lambda: results.append(one.result(PATIENCE_S)))
    thread.start()
    one.settle(DONE)
    thread.join(PATIENCE_S)
    assert results == [DONE]


def test_callbacks_run_once_each_guarded(caplog: pytest.LogCaptureFixture) -> None:
    one, ran = ticket(), list[str]()

    def fails(_ticket: Ticket) -> None:
        raise ValueError("in a callback")

    one.add_done_callback(fails)
    one.add_done_callback(lambda ticket: ran.append(f"{ticket.outcome} {ticket.result().pages}"))
    one.settle(DONE)
    one.settle(DONE)
    one.add_done_callback(lambda _ticket: ran.append("late"))
    assert ran == ["ok 1", "late"]
    assert "A callback of a conversion ticket failed" in caplog.text


def test_events_begin_with_the_present_and_end_with_the_outcome() -> None:
    one, events = ticket(), list[TicketEvent]()
    one.notify(PlaceChanged(3))
    one.on_event(events.append)
    assert one.ahead == 3
    for event in (PlaceChanged(2), PhaseChanged(Phase.READING), PhaseChanged(Phase.CONVERTING), StillWorking(15.0)):
        one.notify(event)
    assert one.ahead is None
    one.settle(DONE)
    assert events == [
        PhaseChanged(Phase.WAITING),
        PlaceChanged(3),
        PlaceChanged(2),
        PhaseChanged(Phase.READING),
        PhaseChanged(Phase.CONVERTING),
        StillWorking(15.0),
        PhaseChanged(Phase.SETTLED),
    ]


def test_late_news_is_dropped() -> None:
    one, events = ticket(), list[TicketEvent]()
    one.notify(PhaseChanged(Phase.CONVERTING))
    one.on_event(events.append)
    for event in (PhaseChanged(Phase.READING), PhaseChanged(Phase.CONVERTING), PlaceChanged(1)):
        one.notify(event)
    one.settle(DONE)
    one.notify(StillWorking(1.0))
    assert events == [PhaseChanged(Phase.CONVERTING), PhaseChanged(Phase.SETTLED)]
    one.on_event(events.append)
    assert events[2:] == [PhaseChanged(Phase.SETTLED)]


def test_callbacks_go_through_the_callers_post() -> None:
    posted: list[Callable[[], None]] = []
    ran: list[str] = []
    one = ticket(posted.append)
    one.add_done_callback(lambda _ticket: ran.append("done"))
    one.on_event(lambda event: ran.append(type(event).__name__))
    one.settle(DONE)
    assert ran == []
    for call in posted:
        call()
    assert ran == ["PhaseChanged", "PhaseChanged", "done"]


def test_a_post_whose_loop_is_gone_hurts_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def gone(_call: Callable[[], None]) -> None:
        raise RuntimeError("loop is closed")

    one = ticket(gone)
    one.add_done_callback(lambda _ticket: None)
    assert one.settle(DONE)
    assert "loop is closed" in caplog.text


def test_wishes_go_to_the_converter() -> None:
    owner = Owner()
    one = Ticket(7, "a.txt", Lane.LOW, owner)
    assert one.cancel("enough")
    assert not one.promote(Lane.CRITICAL)
    assert one.extend(300.0)
    assert owner.asked == [("leave", 7, "enough"), ("move", 7, Lane.CRITICAL), ("extend", 7, 300.0)]
    lanes = [one.lane]
    one.moved(Lane.CRITICAL)
    assert [*lanes, one.lane] == [Lane.LOW, Lane.CRITICAL]
