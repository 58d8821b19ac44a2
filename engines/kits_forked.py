"""Kits forked from a zygote: bytes by memfd, frames by socket (Linux)."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines import memfd
from engines.channel import Channel, pair
from engines.errors import EngineError, ErrorKind
from engines.kits import Ending, Job
from engines.protocol import Exited, Failed, Frame, Init, Phase, ProtocolError, Ready, Result

_REAP_S = 5.0
"""How long a kit that was told to go, or has answered, may take to be gone before the zygote counts as stuck."""
_LOOK_S = 0.5
"""How often to look whether the document was given up, while nothing comes."""


@dataclass(frozen=True, slots=True)
class Program:
    """How a zygote is started: its command but for the descriptor, its environment (ours if `None`), its folder."""

    command: tuple[str, ...] = (sys.executable, "-I", "-m", "engines.zygote")
    environment: dict[str, str] | None = None
    directory: Path | None = None


class ForkedKits:
    """One zygote process and the kits that it forks."""

    def __init__(self, init: Init, *, start_deadline_s: float = 60.0, program: Program | None = None) -> None:
        self._init = init
        self._start_deadline_s = start_deadline_s
        self._program = program or Program()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Channel | None = None
        self._killed = False

    @property
    def pid(self) -> int | None:
        """The zygote's process, if there is one."""
        return self._process.pid if self._process else None

    def start(self) -> Ready:
        """Start the zygote and wait until its office is initialised."""
        deadline = time.monotonic() + self._start_deadline_s
        try:
            process, control = self._spawn()
            control.send(self._init, timeout_s=self._start_deadline_s)
            return self._ready(process, control.receive(deadline - time.monotonic()))
        except (OSError, ProtocolError) as error:
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine's process did not start.", repr(error)) from error
        finally:
            if not self.alive():
                self.stop(0.0)

    def _spawn(self) -> tuple[subprocess.Popen[bytes], Channel]:
        control, theirs = pair()
        try:
            with theirs:
                process = subprocess.Popen(
                    [*self._program.command, str(theirs.fileno())],
                    env=self._program.environment,
                    cwd=self._program.directory,
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=None if os.environ.get("DOCPEEK_DEBUG") else subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl+C on the terminal is for us alone
                )
        except OSError:
            control.close()
            raise
        self._process, self._control = process, control
        if self._killed:  # `kill` came before there was anything to kill
            process.kill()
        return process, control

    @staticmethod
    def _ready(process: subprocess.Popen[bytes], frame: Frame | None) -> Ready:
        if isinstance(frame, Ready):
            return frame
        process.kill()
        status = process.wait()
        if isinstance(frame, Failed):
            raise EngineError(ErrorKind.UNAVAILABLE, frame.message, frame.diagnostics)
        raise EngineError(ErrorKind.UNAVAILABLE, f"The engine's process ended while starting (status {status}).")

    def alive(self) -> bool:
        """Whether the zygote runs."""
        return self._process is not None and self._process.poll() is None

    def run(self, job: Job) -> Ending:
        """Hand the document to the zygote and follow its kit to the end. Raises `OSError`, `ProtocolError`."""
        with contextlib.ExitStack() as held:
            source = memfd.sealed("docpeek-source", job.data)
            held.callback(os.close, source)
            result = memfd.empty("docpeek-pdf")
            held.callback(os.close, result)
            channel, theirs = pair()
            held.callback(channel.close)
            with theirs:
                self._send(job, (theirs.fileno(), source, result))
            return _Run(job, channel, self._process).follow(result)

    def _send(self, job: Job, descriptors: tuple[int, int, int]) -> None:
        with self._lock, contextlib.suppress(OSError):  # a dead zygote shows as the end of the job socket
            if self._control is not None:
                self._control.send(job.request, descriptors)

    def kill(self) -> None:
        """Kill the zygote, also one that is about to be started; its kits die with it."""
        self._killed = True
        process = self._process
        if process is not None:
            process.kill()

    def stop(self, grace_s: float) -> None:
        """Close the zygote's socket, at which it kills its kits and ends; kill it when it does not."""
        with self._lock:
            process, self._process = self._process, None
            control, self._control = self._control, None
        if control is not None:
            control.close()
        if process is None:
            return
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class _Run:
    """One kit, followed from the request to its end."""

    def __init__(self, job: Job, channel: Channel, zygote: subprocess.Popen[Any] | None) -> None:
        self._job = job
        self._channel = channel
        self._zygote = zygote
        self._answer: dict[str, Any] = {}
        self._gone_by = math.inf

    def follow(self, result: int) -> Ending:
        revoke = self._job.cancel.on_cancel(self._give_up)
        try:
            self._until(time.monotonic() + self._job.deadline_s)
        except TimeoutError:
            self._answer["overdue"] = self._answer.keys().isdisjoint(("result", "failed"))
            self._channel.shut()
            self._until_gone()
        finally:
            revoke()
        if "exited" not in self._answer:
            self._bury_zygote()
        return self._ending(result)

    def _give_up(self) -> None:
        """Shutting our side makes the zygote kill the kit; its end then comes to us as for any other kit."""
        self._gone_by = time.monotonic() + _REAP_S
        self._channel.shut()

    def _until(self, deadline: float) -> None:
        while (frame := self._next(deadline)) is not None:
            if isinstance(frame, Result | Failed):
                self._answered_once()
                deadline = time.monotonic() + _REAP_S
            self._on_frame(frame)
            if isinstance(frame, Exited):
                return

    def _answered_once(self) -> None:
        """Each answer gives the kit time to go: with a second one it would live for as long as it likes."""
        if not self._answer.keys().isdisjoint(("result", "failed")):
            raise ProtocolError("a kit answered twice")

    def _next(self, deadline: float) -> Frame | None:
        """The next frame. The deadline may be far off when the document is given up, and the zygote be stuck."""
        while True:
            left_s = min(deadline, self._gone_by) - time.monotonic()
            try:
                return self._channel.receive(min(left_s, _LOOK_S))
            except TimeoutError:
                if left_s <= _LOOK_S:
                    raise

    def _until_gone(self) -> None:
        try:
            self._until(time.monotonic() + _REAP_S)
        except TimeoutError:
            if self._zygote is not None:
                self._zygote.kill()  # it is stuck; its kits die with it

    def _bury_zygote(self) -> None:
        """It could not say how the kit ended, so it is dying: whoever asks next must not be told that it lives."""
        if self._zygote is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._zygote.wait(_REAP_S)

    def _on_frame(self, frame: Frame) -> None:
        if isinstance(frame, Phase):
            self._answer["document_read"] = True
            self._job.phase(frame.phase)
        elif isinstance(frame, Result):
            self._answer["result"] = frame
        elif isinstance(frame, Failed):
            self._answer["failed"] = frame
        elif isinstance(frame, Exited):
            self._answer["exited"] = frame

    def _ending(self, result: int) -> Ending:
        answer: Result | None = self._answer.get("result")
        if answer is not None and not 0 <= answer.pdf_bytes <= self._job.request.result_bytes_max:
            raise ProtocolError(f"a PDF of {answer.pdf_bytes} bytes")
        pdf = memfd.read(result, answer.pdf_bytes) if answer else b""
        return Ending(pdf=pdf, **self._answer)
