"""Bringing an engine to a phase of its life, and no further: for tests that kill whoever is there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import psutil

from engines import select
from engines.base import Engine, SourceDocument
from engines.formats import by_id
from engines.native.engine import NativeEngine
from engines.wasm.engine import WasmEngine
from tests.real.conversions import SAMPLES
from tests.real.engine_contract import LONG_TEXT
from tests.real.household import zygote_of

PATIENCE_S = 30.0
PHASES = ("starting", "waiting", "reading", "loading", "exporting")
WELCOME = SAMPLES[-1]


def make(name: str) -> Engine:
    """A new engine, cold, so that it is soon there."""
    if name == "wasm":
        return WasmEngine.found(warm_up=False)
    state = select.look()
    assert state.installation is not None
    return NativeEngine(state.installation, state.found, warm_up=False)


def fallback() -> Engine:
    """The native engine where LibreOffice cannot be initialised ahead: a program for each document."""
    state = select.look()
    assert state.installation is not None
    return NativeEngine(state.installation, replace(state.found, python="", uno=""))


def document() -> SourceDocument:
    """A small one with pictures."""
    return SourceDocument(WELCOME.read_bytes(), by_id("docx"))


def long_document() -> SourceDocument:
    """One whose every phase takes a while."""
    return SourceDocument(LONG_TEXT[: len(LONG_TEXT) // 20], by_id("txt"))


def wait_for(condition: Callable[[], object]) -> None:
    """Look again until it holds."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "it never came to that"
        threading.Event().wait(0.002)


def zygote(engine: Engine) -> psutil.Process:
    """The zygote of an engine that has been started."""
    found = zygote_of(engine)
    assert found is not None
    return found


def spare(engine: Engine) -> psutil.Process:
    """The kit that waits, once it does."""

    def ready() -> bool:
        kits = zygote(engine).children()
        return len(kits) == 1 and kits[0].name() == "docpeek-kit" and kits[0].status() == psutil.STATUS_SLEEPING

    wait_for(ready)
    return zygote(engine).children()[0]


def ended(process: psutil.Process) -> bool:
    """Whether it runs no more, reaped or not."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def kill(*processes: psutil.Process) -> None:
    """kill -9, and wait until they are dead."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    wait_for(lambda: all(map(ended, processes)))


def kill_zygote(engine: Engine) -> None:
    """The same, and wait until the engine can know: of several threads the last one counts."""
    kill(zygote(engine))
    wait_for(lambda: not engine._supervisor._kits.alive())  # type: ignore[attr-defined]


def kill_kits(engine: Engine) -> None:
    """Kill whatever kits there are."""
    kill(*zygote(engine).children())
