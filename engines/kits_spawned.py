"""Kits started one by one, each initialised ahead of its document, for systems without fork or memfd.

Slower to refill than a fork and heavier, but the same contract: one document a process, bytes by shared memory, frames
by pipe.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from dataclasses import replace

from engines.errors import EngineError, ErrorKind
from engines.kits import Ending, Job
from engines.protocol import (
    ANSWER_BYTES_MAX,
    Decoder,
    Exited,
    Failed,
    Frame,
    Init,
    Phase,
    ProtocolError,
    Ready,
    Result,
    encode,
)
from engines.sharedmem import created

_REAP_S = 5.0
"""How long a kit may take to be gone that has closed its end."""


class _Spawned:
    """One process that will convert one document."""

    def __init__(self) -> None:
        self._decoder = Decoder(ANSWER_BYTES_MAX)
        self._frames: list[Frame] = []
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "engines.kit"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("DOCPEEK_DEBUG") else subprocess.DEVNULL,
            start_new_session=True,
        )

    def send(self, frame: Frame) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # its death shows as the end of its frames
            self.process.stdin.write(encode(frame))
            self.process.stdin.flush()

    def receive(self) -> Frame | None:
        assert self.process.stdout is not None
        while not self._frames:
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self._frames = self._decoder.feed(data)
        return self._frames.pop(0)

    def kill(self) -> None:
        """Kill it; its frames then end. It makes no process of its own, so there is no group to look for."""
        self.process.kill()

    def reap(self, patience_s: float = 0.0) -> int:
        """Its exit status. One that does not end in time, though it has said all that it will, is killed."""
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return status


class SpawnedKits:
    """Keeps one initialised kit waiting, and starts the next when it is taken."""

    def __init__(self, init: Init, *, start_deadline_s: float = 60.0) -> None:
        self._init = init
        self._start_deadline_s = start_deadline_s
        self._lock = threading.Lock()
        self._waiting: _Spawned | None = None
        self._busy: set[_Spawned] = set()
        self._refill: threading.Thread | None = None
        self._open = False
        self._killed = False

    def start(self) -> Ready:
        """Start a kit and wait until it is initialised."""
        self._open = True
        try:
            kit = self._spawn()
            ready = self._ready(kit)
        except OSError as error:
            self._open = False
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine's process did not start.", repr(error)) from error
        except EngineError:
            self._open = False
            raise
        with self._lock:
            self._busy.discard(kit)
            self._waiting = kit
        return ready

    def _ready(self, kit: _Spawned) -> Ready:
        timer = self._timer(kit)
        try:
            kit.send(self._init)  # under the timer too: a large one waits for its reader
            frame = kit.receive()
        except ProtocolError as error:
            frame = Failed(ErrorKind.UNAVAILABLE.value, "The engine's process did not start.", repr(error))
        finally:
            timer.cancel()
            timer.join()
        if isinstance(frame, Ready):
            return frame
        kit.kill()
        status = kit.reap()
        with self._lock:
            self._busy.discard(kit)
        if isinstance(frame, Failed):
            raise EngineError(ErrorKind.UNAVAILABLE, frame.message, frame.diagnostics)
        raise EngineError(ErrorKind.UNAVAILABLE, f"The engine's process ended while starting (status {status}).")

    def _timer(self, kit: _Spawned) -> threading.Timer:
        timer = threading.Timer(self._start_deadline_s, kit.kill)
        try:
            timer.start()
        except RuntimeError as error:
            kit.reap()
            raise EngineError(ErrorKind.UNAVAILABLE, "The system has no thread left to watch the engine.") from error
        return timer

    def alive(self) -> bool:
        """Whether a kit waits or can be started."""
        return self._open

    def run(self, job: Job) -> Ending:
        """Give the document to the waiting kit, and start the next one meanwhile. Raises `OSError`, `ProtocolError`."""
        kit = self._take()
        try:
            with created(len(job.data)) as source, created(job.request.result_bytes_max) as result:
                size = len(job.data)
                source.buffer[:size] = job.data
                kit.send(replace(job.request, source=source.name, source_bytes=size, result=result.name))
                return _follow(kit, job, result.buffer)
        finally:
            kit.reap()  # also where it was never told
            with self._lock:
                self._busy.discard(kit)

    def _take(self) -> _Spawned:
        with self._lock:
            kit, self._waiting = self._waiting, None
            self._busy |= {kit} if kit else set()
        if kit is None:
            kit = self._spawn()
            self._ready(kit)
        self._start_refill()
        return kit

    def _spawn(self) -> _Spawned:
        kit = _Spawned()
        with self._lock:
            self._busy.add(kit)
            if self._killed or not self._open:
                kit.kill()
        return kit

    def _start_refill(self) -> None:
        with self._lock:
            if not self._open or (self._refill is not None and self._refill.is_alive()):
                return
            refill = threading.Thread(target=self._start_next, name="docpeek-refill", daemon=True)
            with contextlib.suppress(RuntimeError):  # no thread is left: whoever needs the next kit starts it
                refill.start()
                self._refill = refill

    def _start_next(self) -> None:
        try:
            kit = self._spawn()
            self._ready(kit)
        except (EngineError, OSError):
            return  # whoever needs the next one meets the same error, and is told
        with self._lock:
            self._busy.discard(kit)
            if self._open and self._waiting is None:
                self._waiting = kit
                return
        kit.kill()
        kit.reap()

    def kill(self) -> None:
        """Kill what is starting, is about to, or is at work."""
        with self._lock:
            self._killed = True
            for kit in self._busy:
                kit.kill()

    def stop(self, grace_s: float) -> None:  # noqa: ARG002 - a kit has nothing to finish
        """Kill what waits, what starts and what runs."""
        with self._lock:
            self._open = False
            waiting, self._waiting = self._waiting, None
            busy = list(self._busy)
            refill, self._refill = self._refill, None
        for kit in busy:
            kit.kill()  # whoever follows it reaps it
        if waiting is not None:
            waiting.kill()
            waiting.reap()
        if refill is not None:
            refill.join()


def _follow(kit: _Spawned, job: Job, result: memoryview) -> Ending:
    ending = Ending()
    overdue = threading.Event()

    def on_deadline() -> None:
        overdue.set()
        kit.kill()

    timer = threading.Timer(job.deadline_s, on_deadline)
    timer.start()
    revoke = job.cancel.on_cancel(kit.kill)
    try:
        while (frame := kit.receive()) is not None:
            ending = _told(ending, frame, job)
        status = kit.reap(_REAP_S)
    except ProtocolError:
        kit.kill()  # it would be waited for
        raise
    finally:
        revoke()
        timer.cancel()
        timer.join()
    size = ending.result.pdf_bytes if ending.result else 0
    if not 0 <= size <= job.request.result_bytes_max:
        raise ProtocolError(f"a PDF of {size} bytes")
    pdf = bytes(result[:size])
    return replace(ending, pdf=pdf, overdue=overdue.is_set(), exited=Exited(status, 0.0, 0))


def _told(ending: Ending, frame: Frame, job: Job) -> Ending:
    if isinstance(frame, Phase):
        job.phase(frame.phase)
        return replace(ending, document_read=True)
    if isinstance(frame, Result):
        return replace(ending, result=frame)
    if isinstance(frame, Failed):
        return replace(ending, failed=frame)
    return ending
