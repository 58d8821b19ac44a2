"""Preparing beside others, interrupted and killed: real processes, held at a gate in the translator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engines.errors import EngineError
from engines.wasm.prepare import prepare
from engines.wasm.prepared import find, remove
from engines.wasm.progress import TRANSLATE, PrepareProgress
from tests.conftest import REPOSITORY
from tests.engines.wasm.tiny_engine import lines, make_tiny_engine, surroundings

_WAIT_S = 30

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs FIFOs and signals")


class Gate:
    """Holds the translator of a tiny engine, which tells its process id first."""

    def __init__(self, folder: Path) -> None:
        self._reached, self._release = folder / "reached", folder / "release"
        os.mkfifo(self._reached)
        os.mkfifo(self._release)

    def wait_reached(self) -> psutil.Process:
        return psutil.Process(int(self._reached.read_text(encoding="ascii")))

    def release(self) -> None:
        with self._release.open("w", encoding="ascii"):
            pass

    def take_away(self) -> None:
        self._reached.unlink()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "payload"
    path.mkdir()
    make_tiny_engine(path)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def started(folder: Path, cache: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Append processes here; whatever still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate(timeout=_WAIT_S)


def start(folder: Path, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engines.wasm.tiny_engine", str(folder), str(cache)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def staging(cache: Path) -> list[Path]:
    return list((cache / "wasm").glob("staging/*"))


def test_two_processes_prepare_once(folder: Path, cache: Path, started: list[subprocess.Popen[str]]) -> None:
    gate = Gate(folder)
    started.append(start(folder, cache))
    gate.wait_reached()
    started.append(start(folder, cache))
    second = started[1].stdout
    assert second is not None
    assert second.readline() == "waiting\n"
    gate.release()
    outputs = [process.communicate(timeout=_WAIT_S) for process in started]
    assert [process.returncode for process in started] == [0, 0], outputs
    assert set(outputs[1][0].split()) <= {"waiting", "done"}
    assert lines(folder / "translations") == ["once"]


def test_two_threads_prepare_once(folder: Path, cache: Path) -> None:
    around = surroundings(folder)
    results: list[object] = []
    threads = [
        threading.Thread(target=lambda: results.append(prepare(cache_dir=cache, surroundings=around))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_WAIT_S)
    assert len(results) == 2
    assert results[0] == results[1]
    assert lines(folder / "translations") == ["once"]


def test_interrupt_kills_the_step_and_the_next_run_goes_on(
    folder: Path, cache: Path, started: list[subprocess.Popen[str]]
) -> None:
    gate = Gate(folder)
    started.append(start(folder, cache))
    translator = gate.wait_reached()
    started[0].send_signal(signal.SIGINT)
    _output, errors = started[0].communicate(timeout=_WAIT_S)
    assert "KeyboardInterrupt" in errors
    assert not translator.is_running()
    assert staging(cache) == []
    gate.take_away()
    engine = prepare(cache_dir=cache, surroundings=surroundings(folder))
    assert engine == find(cache, manifest=surroundings(folder).manifest)
    assert lines(folder / "fetches") == ["tiny-office", "tiny-translator", "tiny-fonts"], "fetched once only"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals the death of a parent")
def test_step_dies_with_a_killed_parent_and_its_leftovers_are_swept(
    folder: Path, cache: Path, started: list[subprocess.Popen[str]]
) -> None:
    gate = Gate(folder)
    started.append(start(folder, cache))
    translator = gate.wait_reached()
    started[0].kill()
    started[0].communicate(timeout=_WAIT_S)
    _gone, alive = psutil.wait_procs([translator], timeout=_WAIT_S)
    assert not alive
    assert staging(cache) != []
    gate.take_away()
    prepare(cache_dir=cache, surroundings=surroundings(folder))
    assert staging(cache) == []


def test_raising_progress_gives_up_and_leaves_no_process(folder: Path, cache: Path) -> None:
    gate = Gate(folder)
    translators: list[psutil.Process] = []

    def give_up(moment: PrepareProgress) -> None:
        if moment.phase == TRANSLATE and moment.phase_percent > 0:
            translators.append(gate.wait_reached())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(give_up, cache_dir=cache, surroundings=surroundings(folder))
    assert not translators[0].is_running()
    assert staging(cache) == []


def test_interrupted_compile_does_not_translate_again(folder: Path, cache: Path) -> None:
    def give_up(moment: PrepareProgress) -> None:
        if moment.phase == "compile":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(give_up, cache_dir=cache, surroundings=surroundings(folder))
    moments: list[PrepareProgress] = []
    prepare(moments.append, cache_dir=cache, surroundings=surroundings(folder))
    assert list(dict.fromkeys(moment.phase for moment in moments)) == ["compile", "store", "done"]
    assert lines(folder / "translations") == ["once"]


def test_remove_waits_for_nobody(folder: Path, cache: Path, started: list[subprocess.Popen[str]]) -> None:
    gate = Gate(folder)
    started.append(start(folder, cache))
    gate.wait_reached()
    with pytest.raises(EngineError, match="Another process is preparing"):
        remove(cache)
    gate.release()
    started[0].communicate(timeout=_WAIT_S)
    assert started[0].returncode == 0
