"""kill -9 of a kit, of its zygote and of the whole application, at every phase: a typed error, and nothing is left.

A phase is met by letting a process get there and no further: at a milestone that the engine tells, or by stopping
(SIGSTOP) whoever would go on.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from converter.conversion import Phase
from converter.errors import ConversionError, Outcome
from converter.request import Request, Source
from converter.service import Converter
from engines.base import Artifact, Engine, Progress
from engines.errors import EngineError, ErrorKind
from engines.native import scratch
from preview_app.raster.blocking import PdfChecker
from tests.conftest import REPOSITORY
from tests.engines.engine_life import run
from tests.real.conversions import convert
from tests.real.household import Household, scratch_of
from tests.real.phases import (
    PATIENCE_S,
    PHASES,
    WELCOME,
    ended,
    kill,
    kill_kits,
    kill_zygote,
    long_document,
    make,
    spare,
    wait_for,
    zygote,
)  # fmt: skip

pytestmark = pytest.mark.wasm
KILL = {"kit": kill_kits, "zygote": kill_zygote}


@pytest.fixture
def own(either_engine: Engine) -> Iterator[Engine]:
    """An engine that a test may kill; skipped where the shared one is."""
    engine = make(either_engine.info.name)
    engine.start()
    yield engine
    engine.stop()


class Running:
    """A conversion on a thread of its own, and what became of it."""

    def __init__(self, engine: Engine, path: Path = WELCOME) -> None:
        self.ended: Artifact | EngineError | None = None
        self._thread = threading.Thread(target=self._run, args=(engine, path))
        self._thread.start()

    def _run(self, engine: Engine, path: Path) -> None:
        try:
            self.ended = convert(engine, path)
        except EngineError as error:
            self.ended = error

    def join(self) -> Artifact | EngineError | None:
        self._thread.join(PATIENCE_S)
        return self.ended


def all_is_well(engine: Engine) -> None:
    """The next document finds an engine, and nothing is left of the last one."""
    household = Household(engine)
    assert convert(engine, WELCOME).pdf.startswith(b"%PDF-")
    assert not household.strays()


# A kit and a zygote that wait


def test_a_kit_is_killed_while_it_waits(own: Engine) -> None:
    kit = spare(own)
    kit.kill()
    wait_for(lambda: not kit.is_running())  # no zombie either: the zygote has reaped it
    all_is_well(own)
    assert own.starts == 1  # type: ignore[attr-defined]


def test_a_kit_is_killed_the_moment_it_is_forked(own: Engine) -> None:
    for _ in range(2):
        first = spare(own)
        running = Running(own)  # it takes the spare kit; the next one is forked right away
        wait_for(lambda: set(zygote(own).children()) - {first})  # noqa: B023 - it is through before the next
        kill(*set(zygote(own).children()) - {first})
        assert isinstance(running.join(), Artifact)
        all_is_well(own)
    assert own.starts == 1  # type: ignore[attr-defined]


def test_a_zygote_is_killed_while_it_waits(own: Engine) -> None:
    kit = spare(own)
    kill_zygote(own)
    wait_for(lambda: ended(kit))
    all_is_well(own)
    assert own.starts == 2  # type: ignore[attr-defined]


def test_a_zygote_is_killed_while_it_starts(own: Engine) -> None:
    engine = make(own.info.name)
    before = set(psutil.Process().children())
    caught: list[EngineError] = []

    def start() -> None:
        try:
            engine.start()
        except EngineError as error:
            caught.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    wait_for(lambda: [child for child in set(psutil.Process().children()) - before if child.name() != "pytest"])
    kill(*set(psutil.Process().children()) - before)
    thread.join(PATIENCE_S)
    assert [error.kind for error in caught] == [ErrorKind.UNAVAILABLE]
    assert engine.healthy(), "the next caller may try again"
    assert scratch_of(engine) is None
    all_is_well(engine)
    engine.stop()


# At work


def reading(engine: Engine, victim: str) -> Artifact | EngineError | None:
    """Kill while a kit has been given its document and has not looked at it."""
    kit = spare(engine)
    kit.suspend()
    descriptors = zygote(engine).num_fds()
    running = Running(engine)
    wait_for(lambda: zygote(engine).num_fds() > descriptors)  # it holds the job's socket
    KILL[victim](engine)
    return running.join()


def at(phase: str) -> Callable[[Engine, str], Artifact | EngineError | None]:
    """Kill as soon as the engine tells of a phase."""

    def run_until(engine: Engine, victim: str) -> Artifact | EngineError | None:
        def on_phase(step: Progress) -> None:
            if step.phase == phase:
                KILL[victim](engine)

        try:
            return run(engine, long_document(), progress=on_phase)
        except EngineError as error:
            return error

    return run_until


@pytest.mark.parametrize("victim", ["kit", "zygote"])
@pytest.mark.parametrize("phase", ["reading", "loading", "exporting"])
def test_a_kill_at_work_fails_one_document(own: Engine, phase: str, victim: str) -> None:
    came = (reading if phase == "reading" else at(phase))(own, victim)
    assert isinstance(came, EngineError)
    assert came.kind is ErrorKind.ENGINE
    assert ("before it had read" in came.message) == (phase == "reading")
    all_is_well(own)


def test_a_zygote_is_killed_when_the_answer_is_there(own: Engine) -> None:
    """Its kit has told the result and ended: the document comes whole."""

    def stop_zygote(step: Progress) -> None:
        if step.phase == "exporting":
            zygote(own).suspend()

    made: list[Artifact] = []
    kit = spare(own)
    thread = threading.Thread(target=lambda: made.append(run(own, long_document(), progress=stop_zygote)))
    thread.start()
    wait_for(lambda: ended(kit))
    kill_zygote(own)
    thread.join(PATIENCE_S)
    assert made[0].pdf.rstrip().endswith(b"%%EOF")
    all_is_well(own)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["kit", "zygote"])
def test_kills_at_spread_moments(own: Engine, victim: str) -> None:
    convert(own, WELCOME)
    began = time.monotonic()
    convert(own, WELCOME)
    whole, kinds = time.monotonic() - began, set()
    for moment in range(10):
        running = Running(own)
        threading.Event().wait(whole * moment / 10)
        KILL[victim](own)
        came = running.join()
        assert came is not None, "it hangs"
        kinds.add(came.kind if isinstance(came, EngineError) else None)
        own.start()
    assert kinds <= {None, ErrorKind.ENGINE, ErrorKind.UNAVAILABLE}
    assert ErrorKind.ENGINE in kinds
    own.start()
    wait_for(lambda: not any(map(ended, zygote(own).children())))
    all_is_well(own)


# The service gives a document a second kit where the first had not looked at it


def test_the_service_tries_once_more_after_a_kit_that_had_read_nothing(own: Engine) -> None:
    checker = PdfChecker()
    data = WELCOME.read_bytes()
    source = Source(WELCOME.name, len(data), None, lambda _most: (data, None))
    with Converter(own, checker) as converter:
        kit = spare(own)
        kit.suspend()
        descriptors = zygote(own).num_fds()
        ticket = converter.submit(Request(source, private=True))
        wait_for(lambda: zygote(own).num_fds() > descriptors)
        kill(kit)
        assert ticket.result(PATIENCE_S).pages == 2
    checker.close()


def test_the_service_tells_of_a_kit_that_died_at_work(own: Engine) -> None:
    checker = PdfChecker()
    source = Source("long.txt", None, None, lambda _most: (bytes(long_document().data), None))
    with Converter(own, checker) as converter:
        kit = spare(own)
        ticket = converter.submit(Request(source, private=True))
        wait_for(lambda: ticket.phase is Phase.CONVERTING and kit.cpu_times().user > 0.05)
        kill(kit)
        with pytest.raises(ConversionError) as caught:
            ticket.result(PATIENCE_S)
        assert caught.value.outcome is Outcome.ENGINE
        assert caught.value.engine == own.info
    checker.close()
    all_is_well(own)


# The application


@pytest.mark.parametrize(
    ("phase", "victims"), [*((phase, "parent") for phase in PHASES), ("waiting", "all"), ("exporting", "all")]
)
def test_the_application_is_killed(either_engine: Engine, phase: str, victims: str) -> None:
    """Zygote and kits go with it; the folder goes too, at the latest when the next application starts."""
    command = [sys.executable, "-m", "tests.real.doomed", either_engine.info.name, phase]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as parent:
        assert parent.stdout is not None
        told = json.loads(parent.stdout.readline())
        family = [psutil.Process(pid) for pid in told["family"]]
        kill(psutil.Process(parent.pid), *(family if victims != "parent" else []))
    assert family
    wait_for(lambda: all(map(ended, family)))
    if folder := told["scratch"]:

        def cleared() -> bool:  # the last thread of a dying kit lets go of it
            scratch.clear_old(Path(folder).parent, now=time.time() + 3600)
            return not Path(folder).exists()

        wait_for(cleared)
    else:
        assert either_engine.info.name == "wasm"
