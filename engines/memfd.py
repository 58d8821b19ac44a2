"""Bytes that two processes share by a descriptor, without a file and without a copy (Linux)."""

from __future__ import annotations

import fcntl
import mmap
import os

_EVERY_SEAL = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL


def sealed(name: str, data: bytes | memoryview) -> int:
    """A memfd that holds `data` and that nobody can change. The caller closes it."""
    descriptor = empty(name)
    try:
        write(descriptor, data)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _EVERY_SEAL)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def empty(name: str) -> int:
    """An empty memfd. The caller closes it."""
    return os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def write(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of `data` at the start of the file."""
    rest = memoryview(data)
    position = 0
    while rest:
        written = os.pwrite(descriptor, rest, position)
        position += written
        rest = rest[written:]


def view(descriptor: int) -> memoryview:
    """A read-only map of the whole file; empty for an empty one. It stays valid after the descriptor is closed."""
    size = os.fstat(descriptor).st_size
    if not size:
        return memoryview(b"")
    return memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ))


def read(descriptor: int, length: int) -> bytes:
    """The first `length` bytes; raises `OSError` when there are fewer."""
    data = os.pread(descriptor, length, 0)
    if len(data) < length:
        raise OSError(f"{length} bytes expected, {len(data)} found")
    return data
