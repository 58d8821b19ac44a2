"""A stream of frames over a Unix socket, with descriptors beside them."""

from __future__ import annotations

import select
import socket
import time
from collections import deque

from engines.protocol import ANSWER_BYTES_MAX, FRAME_BYTES_MAX, Decoder, Frame, encode

_CHUNK_BYTES = 1 << 16
_DESCRIPTORS_MAX = 8


class Channel:
    """Frames and descriptors, one end. Owns its socket; not for several threads at once.

    With `trusting`, the other side may send descriptors and long frames; else the kernel drops the descriptors.
    """

    def __init__(self, sock: socket.socket, *, trusting: bool) -> None:
        self._socket = sock
        self._trusting = trusting
        self._decoder = Decoder(FRAME_BYTES_MAX if trusting else ANSWER_BYTES_MAX)
        self._frames: deque[Frame] = deque()
        self._descriptors: deque[int] = deque()

    def fileno(self) -> int:
        """The descriptor of the socket, for poll."""
        return self._socket.fileno()

    def send(self, frame: Frame, descriptors: tuple[int, ...] = (), *, timeout_s: float | None = None) -> None:
        """Send one frame; raises `OSError` when the other side is gone, or does not read it in time."""
        data = encode(frame)
        sent = socket.send_fds(self._socket, [data], descriptors) if descriptors else 0
        # Nothing is no message: sending it fails where the other side has answered and gone in the meantime.
        if rest := data[sent:]:
            self._socket.settimeout(timeout_s)
            self._socket.sendall(rest)
            self._socket.settimeout(None)

    def receive(self, timeout_s: float | None = None) -> Frame | None:
        """The next frame; `None` at the end of the stream. Raises `TimeoutError`, `ProtocolError`."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._frames:
            self._wait(deadline)
            if not self._read():
                return None
        return self._frames.popleft()

    def take_descriptors(self, count: int) -> list[int]:
        """The next `count` descriptors that came with frames. The caller owns them."""
        if len(self._descriptors) < count:
            raise OSError(f"{count} descriptors expected, {len(self._descriptors)} came")
        return [self._descriptors.popleft() for _ in range(count)]

    def shut(self) -> None:
        """Tell the other side that nothing more will be sent, and go on reading."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it is gone already

    def close(self) -> None:
        """Close the socket and every descriptor that nobody took. Idempotent."""
        self._socket.close()
        while self._descriptors:
            socket.close(self._descriptors.popleft())

    def _wait(self, deadline: float | None) -> None:
        if deadline is None:
            return
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError

    def _read(self) -> bool:
        try:
            data = self._chunk()
        except ConnectionResetError:
            return False
        self._frames.extend(self._decoder.feed(data))
        return bool(data)

    def _chunk(self) -> bytes:
        if not self._trusting:
            return self._socket.recv(_CHUNK_BYTES)
        data, descriptors, _flags, _address = socket.recv_fds(self._socket, _CHUNK_BYTES, _DESCRIPTORS_MAX)
        self._descriptors.extend(descriptors)
        return data


def pair() -> tuple[Channel, socket.socket]:
    """A new stream: our end as a channel, the other as a socket to hand over to a process that we start."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return Channel(ours, trusting=False), theirs


def adopt(descriptor: int) -> Channel:
    """The channel over a socket that this process was given by the one that started it."""
    return Channel(socket.socket(fileno=descriptor), trusting=True)
