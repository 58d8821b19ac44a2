"""What may go wrong between parent, zygote and kits: each ends in time, is told, harms no other, and leaves nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from engines import kits_forked
from engines.base import ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.kits import Job, Kits
from engines.kits_forked import ForkedKits, Program
from engines.kits_spawned import SpawnedKits
from engines.protocol import Convert, Init
from engines.supervisor import Supervisor
from tests.engines.cancel_token import Token
from tests.engines.kits_harness import EVERY_WAY, OFFICE, TEXT, Harness, Make
from tests.shortage import descriptors_left, no_threads, open_descriptors

PATIENCE_S = 30.0
FOR_EVER_S = 600.0
DEAF = Program((sys.executable, "-c", "import time; time.sleep(600)"))
"""A program that reads nothing and says nothing."""
_T = TypeVar("_T")


class _Asked:
    """A call on a thread of its own: what came of it, in time or never."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.result: object = None
        self.error: EngineError | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._call()
        except EngineError as error:
            self.error = error

    @property
    def going_on(self) -> bool:
        return self._thread.is_alive()

    def ended(self) -> EngineError | None:
        self._thread.join(PATIENCE_S)
        assert not self.going_on, "it hangs"
        return self.error


def _zygote_of(one: Harness) -> int:
    kits = one.supervisor.start()
    assert isinstance(kits, ForkedKits)
    assert kits.pid
    return kits.pid


def _hanging(one: Harness) -> tuple[_Asked, Token]:
    """A document at which a kit is at work, and the token that ends it."""
    token, begun = Token(), threading.Event()
    asked = _Asked(
        lambda: one.supervisor.convert(
            SourceDocument(b'{"do":"hang"}', TEXT),
            ExportOptions(),
            deadline_s=FOR_EVER_S,
            cancel=token,
            progress=lambda _step: begun.set(),
        )
    )
    assert begun.wait(PATIENCE_S)
    return asked, token


# A zygote that is stuck


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kits_forked, "_REAP_S", 0.3)


@pytest.mark.usefixtures("impatient")
def test_a_stuck_zygote_does_not_keep_a_document_that_was_given_up(harness: Make) -> None:
    """The converter gives the engine a deadline of ten minutes, and ends a job by its token long before."""
    one = harness("forked")
    asked, token = _hanging(one)
    os.kill(_zygote_of(one), signal.SIGSTOP)
    token.cancel()
    error = asked.ended()
    assert error is not None
    assert error.kind is ErrorKind.CANCELLED
    assert one.told()


@pytest.mark.usefixtures("impatient")
def test_a_stuck_zygote_does_not_keep_an_answer_that_is_there(harness: Make) -> None:
    one = harness("forked")
    zygote = _zygote_of(one)
    asked = _Asked(
        lambda: one.supervisor.convert(
            SourceDocument(b'{"do":"convert"}', TEXT),
            ExportOptions(),
            deadline_s=FOR_EVER_S,
            cancel=Token(),
            progress=lambda _step: os.kill(zygote, signal.SIGSTOP),
        )
    )
    assert asked.ended() is None
    assert asked.result
    assert one.told()


# A start that does not come to its end


def _never_reads() -> ForkedKits:
    return ForkedKits(Init(OFFICE, {"pad": "x" * (2 << 20)}), start_deadline_s=0.3, program=DEAF)


def _never_answers() -> ForkedKits:
    return ForkedKits(Init(OFFICE, {}), start_deadline_s=FOR_EVER_S, program=DEAF)


def test_a_process_that_does_not_read_is_not_waited_for() -> None:
    supervisor = Supervisor(_never_reads)
    error = _Asked(supervisor.start).ended()
    assert error is not None
    assert error.kind is ErrorKind.UNAVAILABLE
    supervisor.stop(0)


def test_a_spawned_process_that_does_not_read_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    deaf.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(deaf))
    kits = SpawnedKits(Init(OFFICE, {"pad": "x" * (2 << 20)}), start_deadline_s=0.3)
    error = _Asked(kits.start).ended()
    assert error is not None
    assert error.kind is ErrorKind.UNAVAILABLE


def test_a_program_that_is_not_there_is_told_and_leaves_nothing() -> None:
    before = open_descriptors()
    kits = ForkedKits(Init(OFFICE, {}), program=Program(("/nonexistent/python",)))
    with pytest.raises(EngineError) as caught:
        kits.start()
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert open_descriptors() == before


def test_what_is_killed_before_its_process_is_there_does_not_start() -> None:
    kits = _never_answers()
    kits.kill()
    error = _Asked(kits.start).ended()
    assert error is not None
    assert error.kind is ErrorKind.UNAVAILABLE


def test_spawned_kits_that_are_killed_before_their_process_is_there_do_not_start() -> None:
    kits = SpawnedKits(Init(OFFICE, {}))
    kits.kill()
    error = _Asked(kits.start).ended()
    assert error is not None
    assert error.kind is ErrorKind.UNAVAILABLE


def test_stop_ends_a_start_that_has_only_begun() -> None:
    """`stop` comes when the kits are being made: it has nothing to kill yet, and must not wait for their start."""
    begun, go_on = threading.Event(), threading.Event()

    def make() -> Kits:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return _never_answers()

    supervisor = Supervisor(make)
    start = _Asked(supervisor.start)
    assert begun.wait(PATIENCE_S)
    stop = _Asked(lambda: supervisor.stop(0))
    while supervisor.healthy():  # until `stop` has said so
        threading.Event().wait(0.001)
    go_on.set()
    error = start.ended()
    assert error is not None
    assert error.kind is ErrorKind.UNAVAILABLE
    assert stop.ended() is None


_STARTER = """
import sys
sys.path.insert(0, {repository!r})
from tests.engines.kits_harness import Harness
Harness({way!r}, 1 << 20, {{"never": {pid_file!r}}}).supervisor.start()
"""


@EVERY_WAY
def test_the_parent_dies_while_the_office_hangs_in_its_start_and_everything_dies(way: str, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    os.mkfifo(pid_file)
    repository = str(Path(__file__).resolve().parents[2])
    program = _STARTER.format(repository=repository, way=way, pid_file=str(pid_file))
    parent = subprocess.Popen([sys.executable, "-c", program])
    office = psutil.Process(int(pid_file.read_text()))
    parent.kill()
    parent.wait()
    try:
        _gone, alive = psutil.wait_procs([office], timeout=PATIENCE_S / 3)
        assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            office.kill()


# An office that cannot be forked


def test_a_document_without_a_kit_is_told_and_harms_no_other(harness: Make, tmp_path: Path) -> None:
    restless = tmp_path / "restless"
    one = harness("forked", restless=str(restless), spare_kit=False)
    asked, token = _hanging(one)
    restless.touch()
    assert one.fails(ErrorKind.ENGINE, do="convert").message == "no rest"
    assert asked.going_on
    restless.unlink()
    assert one.told()
    assert one.supervisor.starts == 1
    token.cancel()
    error = asked.ended()
    assert error is not None
    assert error.kind is ErrorKind.CANCELLED


def test_a_spare_that_cannot_be_made_harms_nobody(harness: Make, tmp_path: Path) -> None:
    restless = tmp_path / "restless"
    one = harness("forked", restless=str(restless))
    zygote = psutil.Process(_zygote_of(one))
    _wait_for(zygote.children)
    restless.touch()
    asked, token = _hanging(one)  # it has the spare, and the zygote wants another
    _wait_for(restless.read_text)
    restless.unlink()
    assert one.told()
    assert asked.going_on
    assert one.supervisor.starts == 1
    token.cancel()
    error = asked.ended()
    assert error is not None
    assert error.kind is ErrorKind.CANCELLED


# A kit that does not keep to what was agreed


def test_a_kit_that_says_nothing_more_and_stays_is_killed(harness: Make) -> None:
    one = harness("spawned")
    error = _Asked(lambda: one.order(do="mute", deadline_s=FOR_EVER_S)).ended()
    assert error is not None
    assert error.kind is ErrorKind.ENGINE
    assert one.told()


@EVERY_WAY
def test_a_kit_that_speaks_nonsense_is_killed(harness: Make, way: str) -> None:
    one = harness(way)
    error = _Asked(lambda: one.order(do="babble", deadline_s=FOR_EVER_S)).ended()
    assert error is not None
    assert error.kind is ErrorKind.ENGINE
    assert one.told()


# Descriptors and memory that are not to be had


def test_a_spawned_kit_without_memory_for_its_result_is_let_go(harness: Make) -> None:
    one = harness("spawned", result_bytes_max=1 << 62)
    kits = one.supervisor.start()
    assert isinstance(kits, SpawnedKits)
    assert kits._waiting is not None
    process = kits._waiting.process
    assert one.fails(ErrorKind.ENGINE, do="convert").diagnostics
    assert process.poll() is not None


def test_without_a_thread_no_spawned_kit_is_left_unwatched(harness: Make) -> None:
    one = harness("spawned")
    before = {child.pid for child in psutil.Process().children()}
    with no_threads():
        one.fails(ErrorKind.UNAVAILABLE, do="convert")
    assert {child.pid for child in psutil.Process().children()} == before
    assert one.told()


@pytest.mark.parametrize("spare", range(4))
def test_a_document_for_which_there_are_no_descriptors_takes_none(spare: int) -> None:
    kits = ForkedKits(Init(OFFICE, {}))
    job = Job(b"{}", Convert("txt", "", {}, 1, 1), 1.0, Token(), lambda _name: None)
    before = open_descriptors()
    with descriptors_left(spare), pytest.raises(OSError, match="Too many open files"):
        kits.run(job)
    assert open_descriptors() == before


def _wait_for(look: Callable[[], _T]) -> _T:
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.01)):
        if found := look():
            return found
        pause.wait(0.01)
    raise AssertionError("it never came to that")
