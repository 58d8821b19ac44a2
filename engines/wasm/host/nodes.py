"""What the guest's file tree is made of. Content that the host provides is shared until the guest writes to it.

Every byte and node that the guest causes to exist is taken from one `Budget`, so a guest can fill its tree but not the
host. Content that the host maps in (the image, fonts) costs nothing until a write copies it.
"""

from __future__ import annotations

import itertools
import time
from enum import Enum
from os import urandom

from engines.wasm.host.errno import Errno, ErrnoError

TYPE_MASK = 0o170000
TYPE_FIFO = 0o010000
TYPE_CHARACTER = 0o020000
TYPE_DIRECTORY = 0o040000
TYPE_REGULAR = 0o100000
TYPE_SYMLINK = 0o120000

PIPE_BYTES_MAX = 65536
_RANDOM_BYTES_MAX = 65536

Buffer = bytes | bytearray | memoryview


class Budget:
    """How much the guest may still add. Raises ENOSPC where it is not enough."""

    __slots__ = ("bytes_max", "bytes_used", "nodes_max", "nodes_used")

    def __init__(self, bytes_max: int, nodes_max: int) -> None:
        self.bytes_max = bytes_max
        self.bytes_used = 0
        self.nodes_max = nodes_max
        self.nodes_used = 0

    def take(self, count: int) -> None:
        """Take `count` bytes (or give them back, if negative)."""
        if self.bytes_used + count > self.bytes_max:
            raise ErrnoError(Errno.ENOSPC)
        self.bytes_used += count

    def take_node(self) -> None:
        """Take one node."""
        if self.nodes_used >= self.nodes_max:
            raise ErrnoError(Errno.ENOSPC)
        self.nodes_used += 1

    def give_node(self) -> None:
        """Give one node back."""
        self.nodes_used -= 1


class Node:
    """Something that a name stands for. `mode` holds type and permissions as `stat` shows them."""

    __slots__ = ("inode", "mode", "modified_ns")

    _inodes = itertools.count(2)

    def __init__(self, mode: int, modified_ns: int | None = None) -> None:
        self.mode = mode
        self.inode = next(Node._inodes)
        self.modified_ns = time.time_ns() if modified_ns is None else modified_ns

    @property
    def size(self) -> int:
        """`st_size`."""
        return 0


class Directory(Node):
    """Names and what they stand for. `removed` once no name stands for it any more."""

    __slots__ = ("children", "parent", "removed")

    def __init__(self, parent: Directory | None, permissions: int = 0o777) -> None:
        super().__init__(TYPE_DIRECTORY | (permissions & 0o7777))
        self.parent: Directory = parent or self
        self.children: dict[str, Node] = {}
        self.removed = False

    @property
    def size(self) -> int:
        """What a small directory takes on a usual disk."""
        return 4096


class Symlink(Node):
    """A name for another path."""

    __slots__ = ("target",)

    def __init__(self, target: str) -> None:
        super().__init__(TYPE_SYMLINK | 0o777)
        self.target = target

    @property
    def size(self) -> int:
        """Length of the target in bytes."""
        return len(self.target.encode("utf-8", "surrogateescape"))


class RegularFile(Node):
    """Bytes. `data` is the host's (shared, never changed) until the first write makes a copy of the guest's own."""

    __slots__ = ("_budget", "_owned", "data", "linked", "opens")

    def __init__(self, budget: Budget, permissions: int = 0o666, data: Buffer = b"") -> None:
        super().__init__(TYPE_REGULAR | (permissions & 0o7777))
        self._budget = budget
        self._owned = 0
        self.data = data
        self.linked = True
        self.opens = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data)

    def read(self, offset: int, count: int) -> memoryview:
        """Up to `count` bytes at `offset`, without a copy: release it before the file is written."""
        return memoryview(self.data)[offset : offset + count]

    def write(self, offset: int, chunk: memoryview) -> None:
        """Put `chunk` at `offset`, filling a gap before it with zeros."""
        end = offset + len(chunk)
        data = self._own(end)
        if end > len(data):
            self._resize(data, end)
        # The attribute, not the local: resizing may have replaced it.
        target = self.data
        assert isinstance(target, bytearray)
        target[offset:end] = chunk
        self.modified_ns = time.time_ns()

    def truncate(self, size: int) -> None:
        """Make the file `size` bytes long."""
        self._resize(self._own(size), size)
        self.modified_ns = time.time_ns()

    def release(self) -> None:
        """Give the bytes back once neither a name nor a descriptor leads here."""
        if not self.linked and not self.opens:
            self._budget.take(-self._owned)
            self._budget.give_node()
            self._owned = 0
            self.data = b""

    def _own(self, size_next: int) -> bytearray:
        if isinstance(self.data, bytearray):
            return self.data
        kept = len(self.data) if size_next else 0
        self._budget.take(kept)
        self._owned = kept
        self.data = bytearray(self.data[:kept])
        return self.data

    def _resize(self, data: bytearray, size: int) -> None:
        self._budget.take(size - len(data))
        self._owned = size
        try:
            _set_length(data, size)
        except BufferError:  # the host still looks at these bytes (`RegularFile.read`): leave them to it
            self.data = bytearray(data)
            _set_length(self.data, size)


def _set_length(data: bytearray, size: int) -> None:
    if size < len(data):
        del data[size:]
    else:
        data.extend(bytes(size - len(data)))


class DeviceKind(Enum):
    """What a character device does."""

    NULL = "null"
    RANDOM = "random"
    CONSOLE = "console"


class Device(Node):
    """A character device. Nothing of the host's is behind it but random numbers and the log."""

    __slots__ = ("kind",)

    def __init__(self, kind: DeviceKind) -> None:
        super().__init__(TYPE_CHARACTER | 0o666)
        self.kind = kind

    def read(self, count: int) -> bytes:
        """Random bytes, or nothing."""
        return urandom(min(count, _RANDOM_BYTES_MAX)) if self.kind is DeviceKind.RANDOM else b""


class Pipe(Node):
    """A bounded queue of bytes in the guest. Reading never waits: an empty pipe says EAGAIN while it has writers."""

    __slots__ = ("queue", "readers", "writers")

    def __init__(self) -> None:
        super().__init__(TYPE_FIFO | 0o600)
        self.queue = bytearray()
        self.readers = 0
        self.writers = 0

    def read(self, count: int) -> bytes:
        """Up to `count` bytes; none at the end."""
        if not self.queue and self.writers and count:
            raise ErrnoError(Errno.EAGAIN)
        chunk = bytes(self.queue[:count])
        del self.queue[:count]
        return chunk

    def write(self, chunk: memoryview) -> int:
        """Queue what there is room for; returns how much."""
        if not self.readers:
            raise ErrnoError(Errno.EPIPE)
        room = PIPE_BYTES_MAX - len(self.queue)
        if chunk and not room:
            raise ErrnoError(Errno.EAGAIN)
        self.queue += chunk[:room]
        return min(room, len(chunk))
