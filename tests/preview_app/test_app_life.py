"""The converter of the window: made on a thread while the window may already be closed again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from converter.request import Locator
from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.select import Decision, NativeState
from preview_app import app
from preview_app.config import Config
from tests.fakes import PATIENCE_S, FakeEngine, Gate


class Asked:
    """A call on a thread of its own, and what it raised."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.error: Exception | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._call()
        except Exception as error:  # noqa: BLE001 - to be looked at
            self.error = error

    def ended(self) -> Exception | None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "it hangs"
        return self.error


def _told(_message: str, _percent: float) -> None:
    """Nobody looks at the progress."""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """The engine that is decided on, whatever is installed here."""
    made = FakeEngine()
    monkeypatch.setattr(app, "choose_engine", lambda *_: Decision("native", NativeState()))
    monkeypatch.setattr(app, "make_engine", lambda *_: made)
    return made


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children()}, set(threading.enumerate())
    yield
    processes = {child.pid for child in psutil.Process().children()}
    assert (processes - before[0], set(threading.enumerate()) - before[1]) == (set(), set())


def test_it_is_there_until_it_is_closed(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(app, "other_engines", lambda *_: [])
    desktop = app._DesktopConverter(Config(), None)
    desktop.connect(_told)
    assert desktop.converter is not None
    assert desktop.engines() == (engine.info,)
    desktop.converter.open(Locator.of(tmp_path / "nowhere.txt"))
    desktop.close()
    desktop.close()
    assert engine.stopped


def test_a_connection_that_the_close_overtakes_leaves_nothing(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()

    def slowly(*_: object) -> list[Engine]:
        gate.pass_through()
        return []

    monkeypatch.setattr(app, "other_engines", slowly)
    desktop = app._DesktopConverter(Config(), None)
    connecting = Asked(lambda: desktop.connect(_told))
    gate.wait_for_arrivals()
    desktop.close()
    gate.open()
    error = connecting.ended()
    assert isinstance(error, EngineError)
    assert error.kind is ErrorKind.CANCELLED
    assert engine.stopped
    assert desktop.converter is None


def test_an_engine_of_a_connection_that_fails_is_stopped(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[Engine]:
        raise RuntimeError("a bug")

    monkeypatch.setattr(app, "other_engines", fail)
    desktop = app._DesktopConverter(Config(), None)
    with pytest.raises(RuntimeError):
        desktop.connect(_told)
    assert engine.stopped
    desktop.close()


def test_whatever_fails_when_it_begins_is_told_and_does_not_keep_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Decision:
        raise RuntimeError("a bug")

    monkeypatch.setattr(app, "choose_engine", fail)
    desktop = app._DesktopConverter(Config(), None)
    assert isinstance(Asked(lambda: desktop.connect(_told)).ended(), RuntimeError)
    assert Asked(desktop.close).ended() is None
    never_connected = app._DesktopConverter(Config(), None)
    assert Asked(never_connected.close).ended() is None
