"""Supervisor, zygote and kits over a fake office, forked and spawned: one contract, every way to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from engines.base import ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.kits import Job
from engines.kits_forked import ForkedKits
from engines.protocol import Convert
from tests.engines.cancel_token import Token
from tests.engines.kits_harness import EVERY_WAY, TEXT, Harness, Make


@EVERY_WAY
def test_a_document_becomes_an_artifact(harness: Make, way: str) -> None:
    phases: list[str] = []
    artifact = harness(way).order(do="convert", phases=phases)
    told = json.loads(artifact.pdf[5:])
    assert told["suffix"] == "txt"
    assert told["export"]["page_range"] == "1-2"
    assert told["pid"] != os.getpid()
    assert artifact.missing_fonts[0].requested == "Aptos"
    assert artifact.notices == ("a notice",)
    assert phases == ["loading", "exporting"]


@EVERY_WAY
def test_every_document_has_a_process_of_its_own_that_is_gone(harness: Make, way: str) -> None:
    one = harness(way)
    pids = {one.told()["pid"] for _ in range(4)}
    assert len(pids) == 4
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


@EVERY_WAY
def test_a_kit_leaves_no_core_dump(harness: Make, way: str) -> None:
    assert max(harness(way).told()["core"]) <= 1, "bytes"


@EVERY_WAY
def test_a_large_pdf_comes_whole(harness: Make, way: str) -> None:
    assert len(harness(way).told(pad=900_000)["pad"]) == 900_000


@EVERY_WAY
def test_a_pdf_over_the_limit_is_refused(harness: Make, way: str) -> None:
    harness(way, result_bytes_max=1000).fails(ErrorKind.LIMIT, do="convert", pad=2000)


@EVERY_WAY
def test_the_office_says_what_is_wrong(harness: Make, way: str) -> None:
    error = harness(way).fails(ErrorKind.CORRUPT, do="fail", kind="corrupt")
    assert (error.message, error.diagnostics) == ("as told", "why")


@EVERY_WAY
def test_a_bug_in_the_kit_is_told_with_its_traceback(harness: Make, way: str) -> None:
    assert "RuntimeError: a bug" in harness(way).fails(ErrorKind.ENGINE, do="raise").diagnostics


@EVERY_WAY
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT])
def test_a_crash_harms_only_its_document(harness: Make, way: str, number: int) -> None:
    one = harness(way)
    error = one.fails(ErrorKind.ENGINE, do="signal", signal=number)
    assert signal.Signals(number).name in error.message
    assert one.told()
    assert one.supervisor.starts == 1


@EVERY_WAY
def test_an_exit_without_an_answer_is_a_failure(harness: Make, way: str) -> None:
    assert "exit status 0" in harness(way).fails(ErrorKind.ENGINE, do="exit", status=0).message


@EVERY_WAY
def test_a_kit_that_dies_before_it_has_read_says_so(harness: Make, way: str) -> None:
    error = harness(way, die_before_reading=True).fails(ErrorKind.ENGINE, do="convert")
    assert "before it had read" in error.message


@EVERY_WAY
def test_the_deadline_kills(harness: Make, way: str, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    harness(way).fails(ErrorKind.TIMEOUT, do="hang", pid_file=str(pid_file), deadline_s=1.0)
    assert not psutil.pid_exists(int(pid_file.read_text()))


def _cancel_when_reading(one: Harness, order: dict[str, Any]) -> EngineError:
    token = Token()
    with pytest.raises(EngineError) as caught:
        one.supervisor.convert(
            SourceDocument(json.dumps(order).encode(), TEXT),
            ExportOptions(),
            deadline_s=30,
            cancel=token,
            progress=lambda _step: token.cancel(),
        )
    return caught.value


@EVERY_WAY
def test_cancel_kills(harness: Make, way: str) -> None:
    one = harness(way)
    assert _cancel_when_reading(one, {"do": "hang"}).kind is ErrorKind.CANCELLED
    assert one.told()


@EVERY_WAY
def test_cancelled_before_it_began(harness: Make, way: str) -> None:
    token = Token()
    token.cancel()
    with pytest.raises(EngineError) as caught:
        harness(way).order(do="hang", cancel=token)
    assert caught.value.kind is ErrorKind.CANCELLED


def test_the_whole_process_group_goes(harness: Make) -> None:
    one = harness("forked")
    one.supervisor.start()
    assert _cancel_when_reading(one, {"do": "hang", "grandchild": True}).kind is ErrorKind.CANCELLED


def test_processor_time_is_bounded(harness: Make) -> None:
    kits = harness("forked").supervisor.start()
    request = Convert("txt", "", {}, cpu_s=1, result_bytes_max=1000)
    ending = kits.run(Job(b'{"do":"spin"}', request, 60, Token(), lambda _name: None))
    assert ending.exited is not None
    assert ending.exited.status in (-signal.SIGXCPU, -signal.SIGKILL)
    assert not ending.overdue


@EVERY_WAY
def test_a_failed_start_is_told_and_tried_again(harness: Make, way: str, tmp_path: Path) -> None:
    one = harness(way, fail_once=str(tmp_path / "marker"))
    error = one.fails(ErrorKind.UNAVAILABLE, do="convert")
    assert (error.message, error.diagnostics) == ("not today", "the details")
    assert one.told()


@EVERY_WAY
def test_a_start_that_dies_is_told(harness: Make, way: str) -> None:
    assert "while starting" in harness(way, die=True).fails(ErrorKind.UNAVAILABLE, do="convert").message


def test_the_zygote_dies_and_only_that_document_fails(harness: Make) -> None:
    one = harness("forked")
    zygote = one.supervisor.start()
    assert isinstance(zygote, ForkedKits)
    with pytest.raises(EngineError) as caught:
        one.supervisor.convert(
            SourceDocument(b'{"do":"hang"}', TEXT),
            ExportOptions(),
            deadline_s=30,
            cancel=Token(),
            progress=lambda _step: os.kill(zygote.pid or 0, signal.SIGKILL),
        )
    assert caught.value.kind is ErrorKind.ENGINE
    assert one.told()
    assert one.supervisor.starts == 2


def test_a_stopped_zygote_is_killed_at_the_deadline(harness: Make) -> None:
    one = harness("forked")
    kits = one.supervisor.start()
    assert isinstance(kits, ForkedKits)
    os.kill(kits.pid or 0, signal.SIGSTOP)
    one.fails(ErrorKind.TIMEOUT, do="convert", deadline_s=0.2)
    assert one.told()


@EVERY_WAY
def test_several_at_once(harness: Make, way: str) -> None:
    one = harness(way)
    one.supervisor.start()
    pids: list[int] = []
    threads = [threading.Thread(target=lambda: pids.append(one.told()["pid"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(set(pids)) == 4


@EVERY_WAY
def test_stop_ends_what_runs(harness: Make, way: str) -> None:
    one = harness(way)
    caught: list[EngineError] = []
    running = threading.Event()

    def hang() -> None:
        try:
            one.supervisor.convert(
                SourceDocument(b'{"do":"hang"}', TEXT),
                ExportOptions(),
                deadline_s=60,
                cancel=Token(),
                progress=lambda _step: running.set(),
            )
        except EngineError as error:
            caught.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    assert running.wait(30)
    one.supervisor.stop(1)
    thread.join(30)
    assert caught[0].kind is ErrorKind.ENGINE
    one.fails(ErrorKind.UNAVAILABLE, do="convert")


def test_the_office_hears_of_each_kit_that_is_gone_before_the_answer_comes(harness: Make, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    one = harness("forked", gone=str(gone))
    pids = [one.told()["pid"]]
    one.fails(ErrorKind.TIMEOUT, do="hang", deadline_s=0.3)
    pids.append(one.told()["pid"])
    heard = gone.read_text().splitlines()
    assert len(heard) == 3
    assert [heard[0], heard[2]] == [str(pid) for pid in pids]
    one.supervisor.stop(5)
    assert gone.read_text().splitlines()[-1] == "closed"


def test_a_kit_that_dies_while_it_waits_is_no_zombie_and_replaced_with_the_next_document(harness: Make) -> None:
    one = harness("forked")
    kits = one.supervisor.start()
    assert isinstance(kits, ForkedKits)
    assert kits.pid
    zygote = psutil.Process(kits.pid)
    (spare,) = _wait_for(zygote.children)
    spare.kill()
    assert _wait_for(lambda: not zygote.children())
    assert one.told()["pid"] != spare.pid
    (other,) = _wait_for(zygote.children)
    assert other.pid != spare.pid


def _wait_for(look: Callable[[], Any]) -> Any:
    until = time.monotonic() + 20
    while not (found := look()):
        assert time.monotonic() < until, "it never came to that"
    return found


def test_descriptors_do_not_pile_up(harness: Make) -> None:
    one = harness("forked")
    one.told()
    before = len(os.listdir("/proc/self/fd"))
    kits = one.supervisor.start()
    assert isinstance(kits, ForkedKits)
    zygote_before = len(os.listdir(f"/proc/{kits.pid}/fd"))
    rounds = 20
    for _ in range(rounds):
        one.told()
    assert len(os.listdir("/proc/self/fd")) == before
    # A spare may be there now, and the last kit's descriptors are let go after its end was told.
    assert len(os.listdir(f"/proc/{kits.pid}/fd")) < zygote_before + rounds / 2


_ORPHAN_MAKER = """
import json, os, sys
sys.path.insert(0, {repository!r})
from tests.engines.kits_harness import Harness
one = Harness({way!r}, 1 << 20, {{}})
one.order(do="hang", pid_file={pid_file!r}, deadline_s=60)
"""


@EVERY_WAY
def test_the_parent_dies_and_everything_dies(way: str, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    os.mkfifo(pid_file)
    repository = str(Path(__file__).resolve().parents[2])
    program = _ORPHAN_MAKER.format(repository=repository, way=way, pid_file=str(pid_file))
    parent = subprocess.Popen([sys.executable, "-c", program])
    kit = psutil.Process(int(pid_file.read_text()))
    family = [*psutil.Process(parent.pid).children(recursive=True), kit]
    parent.kill()
    parent.wait()
    _gone, alive = psutil.wait_procs(family, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
