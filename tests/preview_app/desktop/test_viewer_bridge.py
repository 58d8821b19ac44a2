"""Qt's side of the seams: calls from other threads, descriptors, timers, the converter's tickets."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from converter.conversion import NO_ENGINE, Conversion, Phase, PhaseChanged, PlaceChanged, Seconds, StillWorking
from converter.errors import ConversionError, Outcome
from converter.request import Lane as ConverterLane
from converter.ticket import Post, Ticket
from engines.base import EngineInfo
from engines.decryption import Password
from preview_app.desktop.bridge import ConverterBridge, MainThreadPost, QtLoop, failure_of
from preview_app.preview_states import ConversionRequest, Converted, EngineOffer, Extent, Failure
from preview_app.raster.api import Lane
from tests.fakes import PATIENCE_S


@pytest.fixture
def post(qtbot: QtBot) -> Iterator[MainThreadPost]:
    made = MainThreadPost()
    yield made
    made.close()


@pytest.fixture
def loop(qtbot: QtBot) -> Iterator[QtLoop]:
    made = QtLoop()
    yield made
    made.close()


def test_calls_from_threads_run_here_in_order(qtbot: QtBot, post: MainThreadPost) -> None:
    ran: list[tuple[int, bool]] = []
    here = threading.get_ident()

    def work() -> None:
        for number in range(1000):
            post(lambda number=number: ran.append((number, threading.get_ident() == here)))  # type: ignore[misc]

    thread = threading.Thread(target=work)
    thread.start()
    qtbot.waitUntil(lambda: len(ran) == 1000)
    thread.join()
    assert ran == [(number, True) for number in range(1000)]


def test_a_call_never_runs_within_the_posting_one(qtbot: QtBot, post: MainThreadPost) -> None:
    ran: list[str] = []

    def outer() -> None:
        post(lambda: ran.append("inner"))
        ran.append("outer")

    post(outer)
    assert ran == []
    qtbot.waitUntil(lambda: ran == ["outer", "inner"])


def test_a_closed_post_drops_what_waits(qtbot: QtBot, post: MainThreadPost) -> None:
    ran: list[int] = []
    post(lambda: ran.append(1))
    post.close()
    post(lambda: ran.append(2))
    qtbot.wait(1)
    assert ran == []


def test_a_call_that_raises_costs_no_other(qtbot: QtBot, post: MainThreadPost) -> None:
    ran: list[int] = []

    def fail() -> None:
        raise RuntimeError("on purpose")

    with qtbot.capture_exceptions() as raised:
        post(fail)
        post(lambda: ran.append(1))
        qtbot.waitUntil(lambda: ran == [1])
    assert [str(error) for _kind, error, _trace in raised] == ["on purpose"]


def test_a_call_that_turns_the_loop_hears_of_those_behind_it(qtbot: QtBot, post: MainThreadPost, loop: QtLoop) -> None:
    ran: list[str] = []
    seen: list[bool] = []
    post(lambda: seen.append(loop.run_until(lambda: ran == ["behind"], PATIENCE_S)))
    post(lambda: ran.append("behind"))
    qtbot.waitUntil(lambda: seen == [True])


def test_readers_run_until_removed(qtbot: QtBot, loop: QtLoop) -> None:
    ours, theirs = socket.socketpair()
    got: list[bytes] = []
    loop.add_reader(ours.fileno(), lambda: got.append(ours.recv(1)))
    theirs.send(b"ab")
    qtbot.waitUntil(lambda: got == [b"a", b"b"])
    loop.remove_reader(ours.fileno())
    loop.remove_reader(ours.fileno())
    theirs.send(b"c")
    qtbot.wait(1)
    assert got == [b"a", b"b"]
    assert repr(loop) == "<QtLoop readers=0 writers=0>"
    ours.close()
    theirs.close()


def test_a_reader_hears_of_the_end_and_may_remove_itself(qtbot: QtBot, loop: QtLoop) -> None:
    ours, theirs = socket.socketpair()
    ended: list[bytes] = []

    def read() -> None:
        ended.append(ours.recv(1))
        loop.remove_reader(ours.fileno())

    loop.add_reader(ours.fileno(), read)
    theirs.close()
    qtbot.waitUntil(lambda: ended == [b""])
    ours.close()


def test_writers_run_when_there_is_room(qtbot: QtBot, loop: QtLoop) -> None:
    ours, theirs = socket.socketpair()
    wrote: list[int] = []

    def write() -> None:
        wrote.append(ours.send(b"x"))
        loop.remove_writer(ours.fileno())

    loop.add_writer(ours.fileno(), write)
    qtbot.waitUntil(lambda: wrote == [1])
    assert theirs.recv(2) == b"x"
    ours.close()
    theirs.close()


def test_timers_run_once_or_not_at_all(qtbot: QtBot, loop: QtLoop) -> None:
    ran: list[str] = []
    kept = loop.call_later(0.001, lambda: ran.append("kept"))
    loop.call_later(0.001, lambda: ran.append("cancelled")).cancel()
    loop.call_soon(lambda: ran.append("soon"))
    loop.call_soon(lambda: ran.append("revoked")).cancel()
    qtbot.waitUntil(lambda: set(ran) == {"soon", "kept"})
    kept.cancel()
    kept.cancel()


def test_pumping_ends_with_its_condition_or_its_time(loop: QtLoop) -> None:
    ran: list[int] = []
    loop.call_later(0.001, lambda: ran.append(1))
    assert loop.run_until(lambda: bool(ran), 5)
    assert not loop.run_until(lambda: False, 0.01)


def test_a_closed_loop_watches_nothing(qtbot: QtBot, loop: QtLoop) -> None:
    reader, writer = os.pipe()
    got: list[int] = []
    loop.add_reader(reader, lambda: got.append(1))
    os.write(writer, b"x")
    loop.close()
    qtbot.wait(1)
    assert got == []
    os.close(reader)
    os.close(writer)


class Owner:
    """Settles tickets that leave, as the converter does."""

    def __init__(self) -> None:
        self.tickets: list[Ticket] = []
        self.left: list[int] = []
        self.extended: list[tuple[int, float]] = []

    def open_ticket(
        self, path: Path, lane: ConverterLane, post: Post, password: Password | None, engine: str | None, extent: Extent
    ) -> Ticket:
        ticket = Ticket(len(self.tickets), path.name, lane, self, post)
        self.tickets.append(ticket)
        return ticket

    def leave(self, reader: int, message: str) -> bool:
        self.left.append(reader)
        return self.tickets[reader].settle(ConversionError(Outcome.CANCELLED, message))

    def move(self, reader: int, lane: ConverterLane) -> bool:
        return True

    def extend(self, reader: int, deadline_s: float) -> bool:
        self.extended.append((reader, deadline_s))
        return True


class Asked:
    """One request through the bridge and all that it told."""

    def __init__(self, post: MainThreadPost, *, connected: bool = True) -> None:
        self.owner = Owner()
        self.phases: list[str] = []
        self.slow: list[bool] = []
        self.done: list[Converted] = []
        self.failed: list[Failure] = []
        self.bridge = ConverterBridge(post)
        if connected:
            self.bridge.connect(self.owner.open_ticket)
        self.request = self.ask()

    def ask(self, lane: Lane = Lane.CRITICAL) -> ConversionRequest:
        return self.bridge.request(
            Path("/docs/a.docx"),
            lane,
            phase=self.phases.append,
            slow=lambda: self.slow.append(True),
            done=self.done.append,
            failed=self.failed.append,
        )

    @property
    def ticket(self) -> Ticket:
        return self.owner.tickets[0]


def conversion(engine: EngineInfo) -> Conversion:
    return Conversion(b"%PDF", 1, "digest", "docx", engine, engine.fingerprint, 10, Seconds(0.1, 0.2, 0.3))


def test_a_ticket_tells_its_phases_and_its_result(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post)
    assert asked.ticket.lane is ConverterLane.CRITICAL
    asked.ticket.notify(PlaceChanged(2))
    asked.ticket.notify(PhaseChanged(Phase.CONVERTING))
    asked.ticket.notify(StillWorking(15.0))
    asked.ticket.settle(conversion(EngineInfo("wasm", "26.2", "fp")))
    qtbot.waitUntil(lambda: bool(asked.done))
    assert asked.phases[:3] == ["waiting for its turn", "waiting, 2 before it", "converting"]
    assert asked.slow == [True]
    assert (asked.done[0].engine, asked.done[0].seconds) == ("LibreOffice 26.2 in WebAssembly", 0.2)
    assert asked.failed == []


def test_a_person_may_wait_longer(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post)
    asked.request.extend()
    assert asked.owner.extended == [(0, 600.0)]


def test_a_pdf_that_was_passed_through_names_no_engine(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post)
    asked.ticket.settle(conversion(NO_ENGINE))
    qtbot.waitUntil(lambda: bool(asked.done))
    assert asked.done[0].engine == ""


def test_a_failure_comes_with_its_outcome(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post)
    asked.ticket.settle(ConversionError(Outcome.CORRUPT, "Damaged.", "details"))
    qtbot.waitUntil(lambda: bool(asked.failed))
    assert asked.failed == [Failure("corrupt", "Damaged.", "details")]


def test_a_cancelled_request_is_silent(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post)
    asked.request.cancel()
    asked.request.cancel()
    qtbot.wait(1)
    assert asked.owner.left == [0]
    assert (asked.done, asked.failed, asked.phases) == ([], [], [])


def test_requests_wait_for_the_converter(qtbot: QtBot, post: MainThreadPost) -> None:
    asked = Asked(post, connected=False)
    qtbot.waitUntil(lambda: asked.phases == ["getting LibreOffice ready"])
    given_up = asked.ask()
    given_up.cancel()
    asked.bridge.connect(asked.owner.open_ticket)
    assert len(asked.owner.tickets) == 1
    asked.ticket.settle(conversion(NO_ENGINE))
    qtbot.waitUntil(lambda: bool(asked.done))


def test_without_a_converter_requests_fail_and_the_next_one_of_a_person_asks_for_another_attempt(
    qtbot: QtBot, post: MainThreadPost
) -> None:
    asked = Asked(post, connected=False)
    attempts: list[int] = []
    failure = Failure("unavailable", "There is no network.")
    asked.bridge.fail(failure, lambda: attempts.append(1))
    assert asked.failed == [failure]
    asked.ask(Lane.LOW)
    assert attempts == []
    asked.ask()
    asked.ask()
    assert attempts == [1]


def test_a_post_may_outlive_its_parent(qtbot: QtBot) -> None:
    parent = QWidget()
    made = MainThreadPost(parent)
    made.close()
    parent.deleteLater()
    made(lambda: None)


def test_an_engine_that_failed_names_the_others() -> None:
    native, wasm = EngineInfo("native", "25.2", "ab"), EngineInfo("wasm", "26.8", "cd")
    error = ConversionError(Outcome.ENGINE, "It failed.", engine=wasm)
    assert failure_of(error, (native, wasm)).others == (EngineOffer("native", "LibreOffice 25.2"),)
    assert failure_of(error).others == ()
    assert failure_of(ConversionError(Outcome.CORRUPT, "Damaged."), (native, wasm)).others == ()
    assert failure_of(ConversionError(Outcome.LIMIT, "Large.", engine=wasm), (native, wasm)).others == ()
