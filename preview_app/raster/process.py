"""The parent's end of one raster worker: its process, its socket, its slot of shared memory.

It blocks nowhere but in `reap`, which is bounded, and knows no event loop: the pool watches `fileno()`, the blocking
callers wait for it. The worker is not trusted: the slot is sealed against shrinking, so that reading it cannot
fault, and what leaves the slot is a copy that the worker cannot change any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from preview_app.raster.buffers import Buffers
from preview_app.raster.protocol import Decoder, Frame, ProtocolError, encode
from preview_app.raster.source import SEAL_SIZE, memory_files

_READ_BYTES = 1 << 20
_KEEP_BYTES = 32 << 20
"""Shared memory that a worker keeps between replies; what a larger image took beyond it is given back."""


class WorkerGoneError(Exception):
    """The worker has closed its end: it is dead or about to be."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Bounds of one worker: pixels of one image, resident memory before it forgets caches, address space."""

    pixels_max: int = 64 << 20
    rss_bytes_max: int = 256 << 20
    memory_bytes_max: int = 2 << 30
    shared_memory: bool = True
    """Whether to use shared memory where the system has it; without, pixels travel through the socket."""
    warm_bytes: int = 16 << 20
    """Shared memory to touch ahead of the first picture. PNG files and counts need none to speak of."""


class WorkerProcess:
    """A running worker. Lives until `reap`, which must be called. `program` is what the interpreter is told to run."""

    def __init__(self, limits: WorkerLimits, program: Sequence[str] = ("-m", "preview_app.raster.worker")) -> None:
        self.shared_memory = limits.shared_memory and memory_files()
        self._decoder = Decoder()
        self._unsent: deque[tuple[memoryview, int]] = deque()
        self._slot: mmap.mmap | None = None
        self._life = -1
        self._socket, theirs = socket.socketpair()
        try:
            self._process = self._started(limits, program, theirs)
        except BaseException:
            self._close()
            raise
        self._socket.setblocking(False)

    def _started(self, limits: WorkerLimits, program: Sequence[str], theirs: socket.socket) -> subprocess.Popen[bytes]:
        """The process; its ends of what it shares with us are closed here, whatever comes of it."""
        with theirs, contextlib.ExitStack() as handed_over:
            life, self._life = os.pipe()
            handed_over.callback(os.close, life)
            slot = -1
            if self.shared_memory:
                slot = _new_slot(limits.pixels_max * 4)
                handed_over.callback(os.close, slot)
                self._slot = mmap.mmap(slot, limits.pixels_max * 4)
            return _spawn(program, theirs.fileno(), life, slot, self._slot, limits)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def fileno(self) -> int:
        """The socket, to be watched."""
        return self._socket.fileno()

    def send(self, head: Mapping[str, object], *, pdf_fd: int = -1, blob: bytes | memoryview = b"") -> bool:
        """Send a request; `pdf_fd` stays the caller's. False: the rest waits for `flush` once the socket is writable.

        Raises `WorkerGoneError`, and `OSError` where there is no descriptor to be had.
        """
        if pdf_fd >= 0:
            head = {**head, "fd": True}
        fd = os.dup(pdf_fd) if pdf_fd >= 0 else -1
        self._unsent.append((memoryview(encode(head, blob)), fd))
        return self.flush()

    def flush(self) -> bool:
        """Send on; whether all is sent. Raises `WorkerGoneError`."""
        try:
            while self._unsent:
                data, fd = self._unsent[0]
                sent = socket.send_fds(self._socket, [data], [fd] if fd >= 0 else [])
                if fd >= 0:
                    os.close(fd)
                self._unsent[0] = (data[sent:], -1)
                if sent == data.nbytes:
                    self._unsent.popleft()
        except BlockingIOError:
            return False
        except OSError as error:
            raise WorkerGoneError(str(error)) from error
        return True

    def receive(self) -> list[Frame]:
        """What has come, without waiting. Raises `WorkerGoneError` at the end, `ProtocolError` for nonsense."""
        try:
            data = self._socket.recv(_READ_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise WorkerGoneError(str(error)) from error
        if not data:
            raise WorkerGoneError("the socket is closed")
        return self._decoder.feed(data)

    def payload(self, frame: Frame, buffers: Buffers) -> bytes | memoryview:
        """A copy of the bytes that came with `frame`, in memory of `buffers`. Raises `ProtocolError`."""
        size = frame.head.get("bytes")
        if not isinstance(size, int) or size < 0:
            raise ProtocolError("a reply does not say how long its payload is")
        if self._slot is None:
            if len(frame.blob) != size:
                raise ProtocolError("a payload has not the length that its head says")
            return frame.blob
        if size > len(self._slot):
            raise ProtocolError("a payload is larger than the shared memory")
        data = buffers.copy(self._slot, size)
        if size > _KEEP_BYTES and hasattr(mmap, "MADV_REMOVE"):
            self._slot.madvise(mmap.MADV_REMOVE, _KEEP_BYTES, len(self._slot) - _KEEP_BYTES)
        return data

    def kill(self) -> None:
        """End the process now; `reap` is still to be called. Idempotent."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def reap(self, timeout_s: float = 2.0) -> int | None:
        """Kill what still runs, wait until it is gone, release everything; the exit status. Idempotent."""
        self.kill()
        self._close()
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:  # stuck in the kernel; it dies when it comes out
            return None

    def _close(self) -> None:
        self._socket.close()
        if self._life >= 0:
            os.close(self._life)
            self._life = -1
        for _, fd in self._unsent:
            if fd >= 0:
                os.close(fd)
        self._unsent.clear()
        if self._slot is not None:
            self._slot.close()
            self._slot = None


def _new_slot(size: int) -> int:
    """A descriptor of shared memory of a fixed size. Pages are taken only when they are written."""
    fd = os.memfd_create("docpeek-pixels", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, size)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEAL_SIZE)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _spawn(
    program: Sequence[str], sock: int, life: int, slot: int, mapped: mmap.mmap | None, limits: WorkerLimits
) -> subprocess.Popen[bytes]:
    options = {
        "socket": sock,
        "slot": slot,
        "slot_bytes": 0 if mapped is None else len(mapped),
        "life": life,
        "pixels_max": limits.pixels_max,
        "rss_bytes_max": limits.rss_bytes_max,
        "warm_bytes": limits.warm_bytes,
        "memory_bytes_max": limits.memory_bytes_max,
    }
    return subprocess.Popen(
        [sys.executable, "-I", *program, json.dumps(options)],
        pass_fds=[fd for fd in (sock, life, slot) if fd >= 0],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name in ("LD_LIBRARY_PATH", "PATH", "TMPDIR")},
        cwd="/",
        start_new_session=True,
    )
