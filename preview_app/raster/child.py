"""The raster worker's side of the seam, without PyMuPDF: its socket, its output, its limits. Standard library only."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from preview_app.raster.protocol import Decoder, Frame, ProtocolError, encode

_READ_BYTES = 1 << 18


class RefusedError(Exception):
    """A request that cannot be answered; `kind` is one of `preview_app.raster.api.RasterError`'s."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class Options:
    """What the parent decides, as JSON in the first argument. Descriptors are -1 where there are none."""

    socket: int
    slot: int
    slot_bytes: int
    life: int
    pixels_max: int
    rss_bytes_max: int
    warm_bytes: int
    memory_bytes_max: int


class CancelledError(Exception):
    """The parent gave the current request up."""


class ParentGoneError(Exception):
    """The socket is at its end."""


class Connection:
    """The socket to the parent: requests in, replies out, cancels seen in between."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._decoder = Decoder()
        self._requests: deque[Frame] = deque()
        self._descriptors: deque[int] = deque()
        self._cancelled: set[object] = set()
        self._current: object = None

    def next_request(self) -> Frame:
        """The next request; waits. Raises `ParentGoneError`."""
        while not self._requests:
            self._receive()
        request = self._requests.popleft()
        self._current = request.head.get("id")
        self._cancelled &= {frame.head.get("id") for frame in self._requests} | {self._current}
        return request

    def idle_for(self, seconds: float) -> bool:
        """Wait so long; whether nothing was asked meanwhile."""
        return not self._requests and not select.select([self._socket], [], [], seconds)[0]

    def raise_if_cancelled(self) -> None:
        """Look at the socket without waiting. Raises `CancelledError`, `ParentGoneError`."""
        while self.waiting():
            self._receive()
        if self._current in self._cancelled:
            raise CancelledError

    def waiting(self) -> bool:
        """Whether something has come that was not read yet."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def take_descriptor(self) -> int:
        """The descriptor that came with the current request; the caller closes it."""
        if not self._descriptors:
            raise ProtocolError("no descriptor came with the request")
        return self._descriptors.popleft()

    def send(self, head: Mapping[str, object], blob: bytes | memoryview = b"") -> None:
        """Send a reply."""
        self._socket.sendall(encode(head, blob))

    def _receive(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self._socket, _READ_BYTES, 4)
        self._descriptors.extend(descriptors)
        if not data:
            raise ParentGoneError
        for frame in self._decoder.feed(data):
            if frame.head.get("op") == "cancel":
                self._cancelled.add(frame.head.get("id"))
            else:
                self._requests.append(frame)


class Output:
    """Where the bytes of a reply go: the slot, or a buffer that is sent as the frame's blob where there is none."""

    def __init__(self, slot: int, slot_bytes: int) -> None:
        self._slot: memoryview | None = None
        if slot >= 0:
            self._slot = memoryview(mmap.mmap(slot, slot_bytes))
            os.close(slot)
        self._buffer = bytearray()

    def begin(self) -> None:
        """Forget the last reply."""
        self._buffer = bytearray()

    def write(self, offset: int, data: memoryview) -> None:
        """Put bytes at `offset`; in order, without holes."""
        if self._slot is not None:
            self._slot[offset : offset + data.nbytes] = data
        else:
            self._buffer += data

    @property
    def in_place(self) -> bool:
        """Whether there is `room`; else bytes must be written."""
        return self._slot is not None

    def room(self, offset: int, size: int) -> memoryview | None:
        """Where `size` bytes at `offset` can be put without writing them. Raises `RefusedError` if they do not fit."""
        if self._slot is None:
            return None
        if offset + size > self._slot.nbytes:
            raise RefusedError("limit", "The image is larger than the memory for it.")
        return self._slot[offset : offset + size]

    @property
    def blob(self) -> bytes:
        """What must travel in the frame."""
        return bytes(self._buffer)

    def warm(self, connection: Connection, count: int) -> None:
        """Touch the first `count` bytes of the slot while nothing else is asked: fresh shared memory is slow."""
        if self._slot is None:
            return
        for offset in range(0, min(count, self._slot.nbytes), 1 << 20):
            if connection.waiting():
                return
            self._slot[offset : offset + (1 << 20)] = bytes(min(1 << 20, self._slot.nbytes - offset))


class ResidentMemory:
    """The memory of this process; keeps the file open, because a confined process cannot open it any more."""

    def __init__(self) -> None:
        self._statm = -1
        with contextlib.suppress(OSError):
            self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def resident_bytes(self) -> int:
        """What is resident and not shared, 0 where the system does not say."""
        if self._statm < 0:
            return 0
        fields = os.pread(self._statm, 256, 0).split()
        return (int(fields[1]) - int(fields[2])) * mmap.PAGESIZE


def trim_heap() -> None:
    """Give the system what was freed; the allocator would keep it all below the last block in use."""
    with contextlib.suppress(AttributeError, OSError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)


def die_with_parent(life: int) -> None:
    """Have the kernel end this process when the last other end of the pipe `life` closes."""
    if life < 0 or not hasattr(os, "O_ASYNC"):
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(life, select.POLLIN)
    if poll.poll(0):  # it closed before the signal was armed
        raise SystemExit(0)


def limit_resources(memory_bytes_max: int) -> None:
    """No core file, no process, no written file, few descriptors, bounded address space, whatever the PDF does."""
    for what, bound in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_AS, memory_bytes_max),
    ):
        with contextlib.suppress(ValueError, OSError):
            hard = resource.getrlimit(what)[1]
            value = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(what, (value, value))


def map_pdf(descriptor: int) -> memoryview:
    """The bytes of the file `descriptor`, read-only; closes it."""
    try:
        size = os.fstat(descriptor).st_size
        if size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(descriptor, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ))
    finally:
        os.close(descriptor)
