"""Run one command to its end: watched, bounded in time, and never outliving the caller."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

_TICK_S = 0.2
_OUTPUT_BYTES_MAX = 64 * 1024
_LEASH = Path(__file__).with_name("leash.py")


class ChildTimeoutError(Exception):
    """The command did not end within its time and was killed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `status` is negative for a signal; the outputs are at most their last 64 KiB."""

    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Effort:
    """What a running command has taken so far: seconds by the clock, and of processor time on all cores."""

    elapsed_s: float
    processor_s: float


def run_child(
    command: Sequence[str],
    *,
    cwd: Path,
    deadline_s: float,
    on_tick: Callable[[Effort], None],
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run `command`, calling `on_tick` about five times a second.

    Whatever is raised meanwhile (by `on_tick`, an interrupt, or `ChildTimeoutError`) leaves no process behind: the
    whole process group is killed first. Call it from a thread that stays until the end; the command dies with it.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [*_leash(), *command],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=cwd,
            env=environment,
            start_new_session=True,  # a terminal's interrupt reaches us alone, and we end the group
        )
        try:
            status = _watch(process, deadline_s, on_tick)
        finally:
            _kill_group(process)
        return Finished(status, _tail(stdout), _tail(stderr))


def _leash() -> tuple[str, ...]:
    if os.name != "posix":
        return ()
    return (sys.executable, "-I", "-S", str(_LEASH), str(os.getpid()))


def _watch(process: subprocess.Popen[bytes], deadline_s: float, on_tick: Callable[[Effort], None]) -> int:
    start = time.monotonic()
    while True:
        try:
            return process.wait(_TICK_S)
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - start
        on_tick(Effort(elapsed, _processor_s(process.pid)))
        if elapsed > deadline_s:
            raise ChildTimeoutError(f"did not end within {deadline_s:.0f} s")


def _processor_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:  # ended this very moment
        return 0.0
    return float(times.user + times.system)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _OUTPUT_BYTES_MAX))
    return file.read().decode("utf-8", errors="replace").strip()
