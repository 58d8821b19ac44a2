"""Documents that are given up at moments spread over their whole life: nothing survives, nothing is left on disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.native.engine import NativeEngine
from tests.engines.cancel_token import Token
from tests.engines.engine_life import run
from tests.real.household import Household
from tests.real.phases import document, fallback

pytestmark = pytest.mark.wasm
COUNTS = pytest.mark.parametrize("count", [12, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])


def _moments(engine: Engine, count: int) -> list[float]:
    """From the beginning to a little past the end, in seconds."""
    run(engine, document())
    began = time.monotonic()
    run(engine, document())
    whole = time.monotonic() - began
    return [1.1 * whole * number / count for number in range(count)]


def _outcome(engine: Engine, *, deadline_s: float = 60.0, cancel: Token | None = None) -> ErrorKind | None:
    try:
        run(engine, document(), deadline_s=deadline_s, cancel=cancel or Token())
    except EngineError as error:
        return error.kind
    return None


class _GivenUp:
    @COUNTS
    def test_cancels_leave_nothing(self, engine: Engine, count: int) -> None:
        household, kinds, strays = Household(engine), list[ErrorKind | None](), list[str]()
        for moment in _moments(engine, count):
            token = Token()
            timer = threading.Timer(moment, token.cancel)
            timer.start()
            kinds.append(_outcome(engine, cancel=token))
            timer.cancel()
            timer.join()
            strays += household.strays()
        assert not strays
        assert set(kinds) <= {ErrorKind.CANCELLED, None}
        assert kinds.count(ErrorKind.CANCELLED) > count / 4
        assert run(engine, document()).pdf

    @COUNTS
    def test_deadlines_leave_nothing(self, engine: Engine, count: int) -> None:
        household, kinds, strays = Household(engine), list[ErrorKind | None](), list[str]()
        for moment in _moments(engine, count):
            kinds.append(_outcome(engine, deadline_s=max(0.001, moment)))
            strays += household.strays()
        assert not strays
        assert set(kinds) <= {ErrorKind.TIMEOUT, None}
        assert kinds.count(ErrorKind.TIMEOUT) > count / 4
        assert run(engine, document()).pdf


class TestForked(_GivenUp):
    """Kits of a zygote, of each engine."""

    @pytest.fixture
    def engine(self, either_engine: Engine) -> Engine:
        return either_engine


class TestCommand(_GivenUp):
    """A program for each document, the native engine's fallback."""

    @pytest.fixture
    def engine(self, native_engine: NativeEngine) -> Iterator[Engine]:
        engine = fallback()
        yield engine
        engine.stop()
