"""Running one command: its outputs, its time, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engines.wasm import leash
from engines.wasm.child import ChildTimeoutError, Effort, run_child

_HANG = "import signal; signal.pause()"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


def no_tick(_effort: Effort) -> None: ...


def test_outputs_and_status(tmp_path: Path) -> None:
    script = "import os, sys; print(os.getcwd()); print('oops', file=sys.stderr); sys.exit(3)"
    finished = run_child([sys.executable, "-c", script], cwd=tmp_path, deadline_s=30, on_tick=no_tick)
    assert (finished.status, finished.stdout, finished.stderr) == (3, str(tmp_path), "oops")


def test_long_output_keeps_its_end(tmp_path: Path) -> None:
    script = "print('x' * 300_000 + 'end')"
    finished = run_child([sys.executable, "-c", script], cwd=tmp_path, deadline_s=30, on_tick=no_tick)
    assert len(finished.stdout) < 70_000
    assert finished.stdout.endswith("end")


def test_signal_is_a_negative_status(tmp_path: Path) -> None:
    script = "import os; os.kill(os.getpid(), 9)"
    finished = run_child([sys.executable, "-c", script], cwd=tmp_path, deadline_s=30, on_tick=no_tick)
    assert finished.status == -signal.SIGKILL


def test_deadline_kills(tmp_path: Path) -> None:
    with pytest.raises(ChildTimeoutError):
        run_child([sys.executable, "-c", _HANG], cwd=tmp_path, deadline_s=0.1, on_tick=no_tick)


def test_effort_is_told_while_it_runs(tmp_path: Path) -> None:
    told: list[Effort] = []
    script = "import sys, time\nwhile time.process_time() < 0.5: pass"
    run_child([sys.executable, "-c", script], cwd=tmp_path, deadline_s=60, on_tick=told.append)
    assert told
    assert [effort.elapsed_s for effort in told] == sorted(effort.elapsed_s for effort in told)
    assert max(effort.processor_s for effort in told) > 0


def test_command_that_is_not_there(tmp_path: Path) -> None:
    finished = run_child([str(tmp_path / "nothing")], cwd=tmp_path, deadline_s=30, on_tick=no_tick)
    assert finished.status != 0
    assert "FileNotFoundError" in finished.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals the death of a parent")
def test_leash_notices_a_parent_that_died_before(tmp_path: Path) -> None:
    command = [sys.executable, leash.__file__, "1", sys.executable, "-c", "print('ran')"]
    finished = subprocess.run(command, capture_output=True, check=False, timeout=30)
    assert finished.returncode == 1
    assert finished.stdout == b""
