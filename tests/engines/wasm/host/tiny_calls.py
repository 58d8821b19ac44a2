"""The file calls over a plain memory, without a guest: arguments are put into the memory, answers are read from it."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

import pytest

from engines.wasm.host import capi
from engines.wasm.host.descriptors import FileDescriptors
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.memory import PAGE_BYTES, GuestMemory
from engines.wasm.host.syscalls import AT_FDCWD, FileSystemCalls
from engines.wasm.host.vfs import FileTree
from engines.wasm.host.wasi import WasiCalls

IOVEC = Struct("<II")
OUT = 1024
BUFFER = 8192
BUFFER_BYTES = 16384


class Calls:
    """One tree, its descriptors and the calls on them. Files may hold 64 KiB together, 12 descriptors may be open."""

    def __init__(self) -> None:
        self._shared = capi.SharedMemory(capi.new_engine(1 << 20), 2, 4)
        self.memory = GuestMemory(self._shared, 4 * PAGE_BYTES)
        self.tree = FileTree(1 << 16, nodes_max=64)
        self.log: list[bytes] = []
        self.descriptors = FileDescriptors(self.tree, self.log.append, descriptors_max=12)
        self.files = FileSystemCalls(self.memory, self.tree, self.descriptors)
        self.wasi = WasiCalls(self.memory, self.descriptors, {"A": "1", "B": "two"})

    def text(self, text: str, address: int = 2048) -> int:
        """The address of a string."""
        self.memory.write(address, text.encode("utf-8", "surrogateescape") + b"\0")
        return address

    def open(self, path: str, flags: int = 0, permissions: int = 0o644, directory: int = AT_FDCWD) -> int:
        """`openat`."""
        self.memory.put_u32(64, permissions)
        return self.files.openat(directory, self.text(path), flags, 64)

    def vectors(self, *ranges: tuple[int, int]) -> tuple[int, int]:
        """Address and number of an array of buffers."""
        for index, pair in enumerate(ranges):
            self.memory.pack(IOVEC, 128 + 8 * index, *pair)
        return 128, len(ranges)

    def write(self, descriptor: int, data: bytes) -> int:
        """`write`; returns how much was taken."""
        self.memory.write(BUFFER, data)
        self.wasi.fd_write(descriptor, *self.vectors((BUFFER, len(data))), OUT)
        return self.memory.u32(OUT)

    def read(self, descriptor: int, count: int = BUFFER_BYTES) -> bytes:
        """`read`."""
        self.wasi.fd_read(descriptor, *self.vectors((BUFFER, count)), OUT)
        return bytes(self.memory.read(BUFFER, self.memory.u32(OUT)))

    def seek(self, descriptor: int, offset: int, whence: int = 0) -> int:
        """`lseek`."""
        self.wasi.fd_seek(descriptor, offset, whence, OUT)
        return self.memory.u32(OUT)

    def size(self, path: str) -> int:
        """`st_size`."""
        self.files.stat(self.text(path), OUT)
        return self.memory.u32(OUT + 24)


def fails(number: Errno, call: Callable[[], object]) -> None:
    """Assert that `call` fails with `number`."""
    with pytest.raises(ErrnoError) as raised:
        call()
    assert raised.value.errno is number
