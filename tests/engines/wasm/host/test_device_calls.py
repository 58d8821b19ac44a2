"""The calls on what is no regular file: pipes, devices, the environment."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

import pytest

from engines.wasm.host.descriptors import O_RDWR
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.errors import GuestFault
from tests.engines.wasm.host.tiny_calls import BUFFER, OUT, Calls


@pytest.fixture
def calls() -> Calls:
    calls = Calls()
    calls.tree.mkdirs("/d/sub")
    calls.tree.write("/d/file", b"0123456789")
    calls.tree.symlink("/d/file", "/link")
    calls.tree.symlink("loop", "/loop")
    calls.tree.symlink("nowhere", "/dangling")
    return calls


def fails(number: Errno, call: Callable[[], object]) -> None:
    with pytest.raises(ErrnoError) as raised:
        call()
    assert raised.value.errno is number


def test_pipes(calls: Calls) -> None:
    calls.files.pipe(OUT)
    reader, writer = calls.memory.u32(OUT), calls.memory.u32(OUT + 4)
    fails(Errno.EAGAIN, lambda: calls.read(reader))
    assert calls.write(writer, b"hello") == 5
    assert calls.read(reader, 2) == b"he"
    fails(Errno.ESPIPE, lambda: calls.seek(reader, 0))
    assert calls.write(writer, b"x" * 16000) == 16000
    assert sum(calls.write(writer, b"x" * 16000) for _ in range(4)) == 65536 - 3 - 16000
    fails(Errno.EAGAIN, lambda: calls.write(writer, b"x"))
    calls.wasi.fd_close(writer)
    while calls.read(reader):
        pass
    calls.files.pipe(OUT)
    reader, writer = calls.memory.u32(OUT), calls.memory.u32(OUT + 4)
    calls.wasi.fd_close(reader)
    fails(Errno.EPIPE, lambda: calls.write(writer, b"x"))


def test_poll_never_waits(calls: Calls) -> None:
    calls.files.pipe(OUT)
    reader = calls.memory.u32(OUT)
    poll = Struct("<iHHiHHiHH")
    calls.memory.pack(poll, 64, reader, 1, 0, 55, 1, 0, -1, 1, 9)
    assert calls.files.poll(64, 3, 0xFFFFFFFF) == 1
    assert calls.memory.unpack(poll, 64) == (reader, 1, 0, 55, 1, 32, -1, 1, 0)
    fails(Errno.EINVAL, lambda: calls.files.poll(64, 0xFFFFFFFF, 0))


def test_devices(calls: Calls) -> None:
    random = calls.open("/dev/urandom")
    assert len(calls.read(random, 100)) == 100
    assert calls.read(random, 32) != calls.read(random, 32)
    null = calls.open("/dev/null", O_RDWR)
    assert calls.write(null, b"gone") == 4
    assert calls.read(null) == b""
    assert calls.write(2, b"error text") == 10
    assert calls.log == [b"error text"]
    fails(Errno.EBADF, lambda: calls.read(1))
    fails(Errno.EBADF, lambda: calls.write(0, b"x"))
    fails(Errno.EISDIR, lambda: calls.read(calls.open("/d")))


def test_environment_and_random_numbers(calls: Calls) -> None:
    calls.wasi.environ_sizes_get(OUT, OUT + 4)
    assert (calls.memory.u32(OUT), calls.memory.u32(OUT + 4)) == (2, 10)
    calls.wasi.environ_get(OUT, OUT + 100)
    assert [calls.memory.c_string(calls.memory.u32(OUT + at)) for at in (0, 4)] == [b"A=1", b"B=two"]
    calls.wasi.random_get(BUFFER, 70_000)
    assert any(calls.memory.read(BUFFER + 69_900, 100))
    with pytest.raises(GuestFault):
        calls.wasi.random_get(BUFFER, 0xFFFFFFFF)


def test_fdstat_tells_the_type(calls: Calls) -> None:
    kinds = []
    for descriptor in (1, calls.open("/d"), calls.open("/d/file")):
        calls.wasi.fd_fdstat_get(descriptor, OUT)
        kinds.append(calls.memory.view[OUT])
    assert kinds == [2, 3, 4]
    calls.wasi.fd_sync(1)
    fails(Errno.EBADF, lambda: calls.wasi.fd_sync(40))
