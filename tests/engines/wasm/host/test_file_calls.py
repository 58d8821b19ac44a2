"""The edges of each file call: what it gives, and with which number it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.wasm.host.descriptors import (
    O_APPEND,
    O_CREAT,
    O_DIRECTORY,
    O_EXCL,
    O_NOFOLLOW,
    O_RDWR,
    O_TRUNC,
    O_WRONLY,
)
from engines.wasm.host.errno import Errno
from engines.wasm.host.errors import GuestFault
from engines.wasm.host.memory import PAGE_BYTES
from engines.wasm.host.syscalls import AT_FDCWD
from tests.engines.wasm.host.tiny_calls import BUFFER, OUT, Calls, fails


@pytest.mark.parametrize(
    ("path", "flags", "number"),
    [
        ("", 0, Errno.ENOENT),
        ("/none", 0, Errno.ENOENT),
        ("/none/x", O_CREAT, Errno.ENOENT),
        ("/none/", O_CREAT, Errno.EISDIR),
        ("/d/file/x", 0, Errno.ENOTDIR),
        ("/d/file/", 0, Errno.ENOTDIR),
        ("/d/file/.", 0, Errno.ENOTDIR),
        ("/d/file/..", 0, Errno.ENOTDIR),
        ("/d/none/..", 0, Errno.ENOENT),
        ("/d/file", O_DIRECTORY, Errno.ENOTDIR),
        ("/d", O_WRONLY, Errno.EISDIR),
        ("/d", O_RDWR | O_TRUNC, Errno.EISDIR),
        ("/d", O_CREAT, Errno.EISDIR),
        ("/d/file", O_CREAT | O_EXCL, Errno.EEXIST),
        ("/link", O_CREAT | O_EXCL, Errno.EEXIST),
        ("/dangling", O_CREAT | O_EXCL, Errno.EEXIST),
        ("/dangling", 0, Errno.ENOENT),
        ("/link", O_NOFOLLOW, Errno.ELOOP),
        ("/loop", 0, Errno.ELOOP),
        ("/loop/x", O_CREAT, Errno.ELOOP),
        ("/" + "x" * 256, O_CREAT, Errno.ENAMETOOLONG),
        ("/" + "ü" * 128, O_CREAT, Errno.ENAMETOOLONG),
        ("/" + "x/" * 2100, O_CREAT, Errno.ENAMETOOLONG),
    ],
)
def test_opening_fails_as_posix_says(calls: Calls, path: str, flags: int, number: Errno) -> None:
    fails(number, lambda: calls.open(path, flags))


@pytest.mark.parametrize("path", ["/d/file", "//d//./sub/../file", "/../../d/file", "/link", "d/file"])
def test_many_paths_lead_to_one_file(calls: Calls, path: str) -> None:
    assert calls.read(calls.open(path)) == b"0123456789"


def test_a_dangling_link_is_created_through(calls: Calls) -> None:
    calls.write(calls.open("/dangling", O_CREAT | O_WRONLY), b"x")
    assert bytes(calls.tree.read("/nowhere")) == b"x"


def test_relative_paths_start_at_the_directory(calls: Calls) -> None:
    directory = calls.open("/d", O_DIRECTORY)
    assert calls.read(calls.open("file", directory=directory)) == b"0123456789"
    assert calls.read(calls.open("/d/file", directory=directory)) == b"0123456789"
    fails(Errno.ENOTDIR, lambda: calls.open("x", directory=calls.open("/d/file")))
    fails(Errno.EBADF, lambda: calls.open("x", directory=99))


def test_the_access_mode_is_enforced(calls: Calls) -> None:
    reader, writer = calls.open("/d/file"), calls.open("/d/file", O_WRONLY)
    fails(Errno.EBADF, lambda: calls.write(reader, b"x"))
    fails(Errno.EBADF, lambda: calls.read(writer))
    fails(Errno.EINVAL, lambda: calls.files.ftruncate(reader, 0))
    assert calls.open("/d/file", O_TRUNC) > 2  # read-only: nothing is cut
    assert calls.size("/d/file") == 10


def test_truncating_and_appending(calls: Calls) -> None:
    descriptor = calls.open("/d/file", O_WRONLY | O_TRUNC)
    assert calls.size("/d/file") == 0
    calls.write(descriptor, b"abc")
    appender = calls.open("/d/file", O_WRONLY | O_APPEND)
    calls.write(descriptor, b"de")
    calls.write(appender, b"F")
    assert bytes(calls.tree.read("/d/file")) == b"abcdeF"


def test_dup_shares_the_offset_and_open_does_not(calls: Calls) -> None:
    first = calls.open("/d/file")
    second, other = calls.descriptors.duplicate(first), calls.open("/d/file")
    assert calls.read(first, 3) == b"012"
    assert calls.read(second, 3) == b"345"
    assert calls.read(other, 3) == b"012"
    calls.wasi.fd_close(first)
    assert calls.read(second, 3) == b"678"
    fails(Errno.EBADF, lambda: calls.read(first))
    fails(Errno.EBADF, lambda: calls.wasi.fd_close(first))


def test_the_lowest_free_descriptor_is_taken_and_their_number_is_bounded(calls: Calls) -> None:
    opened = [calls.open("/d/file") for _ in range(9)]
    assert opened == list(range(3, 12))
    fails(Errno.EMFILE, lambda: calls.open("/new", O_CREAT))
    assert not calls.tree.exists("/new")
    calls.wasi.fd_close(5)
    assert calls.open("/d/file") == 5
    fails(Errno.EMFILE, lambda: calls.files.pipe(OUT))
    calls.wasi.fd_close(7)
    fails(Errno.EMFILE, lambda: calls.files.pipe(OUT))
    assert calls.open("/d/file") == 7


def test_seeking(calls: Calls) -> None:
    descriptor = calls.open("/d/file", O_RDWR)
    assert calls.seek(descriptor, -2, 2) == 8
    assert calls.seek(descriptor, 1, 1) == 9
    fails(Errno.EINVAL, lambda: calls.seek(descriptor, -1))
    fails(Errno.EINVAL, lambda: calls.seek(descriptor, 0, 7))
    fails(Errno.ESPIPE, lambda: calls.seek(1, 0))
    assert calls.seek(descriptor, 12) == 12
    assert calls.read(descriptor) == b""
    calls.write(descriptor, b"x")
    assert bytes(calls.tree.read("/d/file")) == b"0123456789\0\0x"


def test_positioned_reads_and_writes_leave_the_offset(calls: Calls) -> None:
    descriptor = calls.open("/d/file", O_RDWR)
    calls.memory.write(BUFFER, b"XY")
    calls.wasi.fd_pwrite(descriptor, *calls.vectors((BUFFER, 2)), 4, OUT)
    calls.wasi.fd_pread(descriptor, *calls.vectors((BUFFER, 4)), 3, OUT)
    assert bytes(calls.memory.read(BUFFER, 4)) == b"3XY6"
    assert calls.read(descriptor, 2) == b"01"
    fails(Errno.EINVAL, lambda: calls.wasi.fd_pread(descriptor, *calls.vectors((BUFFER, 1)), -1, OUT))
    fails(Errno.ESPIPE, lambda: calls.wasi.fd_pread(0, *calls.vectors((BUFFER, 1)), 0, OUT))


def test_vectors_are_filled_in_turn(calls: Calls) -> None:
    descriptor = calls.open("/d/file")
    calls.wasi.fd_read(descriptor, *calls.vectors((BUFFER, 4), (BUFFER + 100, 0), (BUFFER + 200, 50)), OUT)
    assert calls.memory.u32(OUT) == 10
    assert bytes(calls.memory.read(BUFFER + 200, 6)) == b"456789"


def test_bad_vectors(calls: Calls) -> None:
    descriptor, end = calls.open("/d/file", O_RDWR), 2 * PAGE_BYTES
    fails(Errno.EINVAL, lambda: calls.wasi.fd_read(descriptor, 128, 0xFFFFFFFF, OUT))
    with pytest.raises(GuestFault):
        calls.wasi.fd_read(descriptor, *calls.vectors((end - 4, 10)), OUT)
    with pytest.raises(GuestFault):
        calls.wasi.fd_write(descriptor, *calls.vectors((end - 4, 0xFFFFFFFF)), OUT)
    with pytest.raises(GuestFault):
        calls.wasi.fd_read(descriptor, end - 4, 1, OUT)
    with pytest.raises(GuestFault):
        calls.wasi.fd_read(descriptor, *calls.vectors((BUFFER, 1)), end - 2)
    assert calls.read(descriptor) == b"0123456789"  # nothing moved
    # A huge buffer is fine where the file is short; what came before a bad one counts.
    calls.seek(descriptor, 0)
    calls.wasi.fd_read(descriptor, *calls.vectors((BUFFER, 5), (end, 10)), OUT)
    assert calls.memory.u32(OUT) == 5


def test_space_is_bounded_and_comes_back(calls: Calls) -> None:
    descriptor = calls.open("/big", O_CREAT | O_RDWR)
    calls.files.ftruncate(descriptor, 60_000)
    fails(Errno.ENOSPC, lambda: calls.files.ftruncate(descriptor, 1 << 40))
    calls.seek(descriptor, 1 << 62)
    fails(Errno.ENOSPC, lambda: calls.write(descriptor, b"x"))
    assert calls.size("/big") == 60_000
    other = calls.open("/d/file", O_WRONLY)
    calls.seek(other, 9000)
    fails(Errno.ENOSPC, lambda: calls.write(other, b"x"))
    assert bytes(calls.tree.read("/d/file")) == b"0123456789"
    calls.files.unlinkat(AT_FDCWD, calls.text("/big"), 0)
    fails(Errno.ENOSPC, lambda: calls.write(other, b"x"))  # still open
    calls.wasi.fd_close(descriptor)
    assert calls.write(other, b"x") == 1


def test_the_number_of_files_is_bounded(calls: Calls) -> None:
    room = calls.tree.budget.nodes_max - calls.tree.budget.nodes_used
    for n in range(room):
        calls.tree.mkdir(f"/many{n}")
    fails(Errno.ENOSPC, lambda: calls.tree.mkdir("/another"))
    calls.tree.rmdir("/many0")
    calls.tree.mkdir("/one-more")
    fails(Errno.ENOSPC, lambda: calls.open("/another", O_CREAT))


def test_unlinked_files_live_while_open(calls: Calls) -> None:
    descriptor = calls.open("/d/file", O_RDWR)
    calls.files.unlinkat(AT_FDCWD, calls.text("/d/file"), 0)
    assert not calls.tree.exists("/d/file")
    assert calls.read(descriptor) == b"0123456789"
    calls.write(descriptor, b"more")
    calls.files.fstat(descriptor, OUT)
    assert calls.memory.u32(OUT + 24) == 14


def test_the_image_is_shared_until_it_is_written(calls: Calls, tmp_path: Path) -> None:
    image, index = tmp_path / "image", tmp_path / "index"
    image.write_bytes(b"helloworld")
    index.write_text(
        '{"files": [{"filename": "/i/a", "start": 0, "end": 5}, {"filename": "/i/b", "start": 5, "end": 10}]}'
    )
    calls.tree.load_image(image, index)
    assert calls.tree.budget.bytes_used == 0
    calls.write(calls.open("/i/a", O_WRONLY), b"J")
    assert bytes(calls.tree.read("/i/a")) == b"Jello"
    assert bytes(calls.tree.read("/i/b")) == b"world"
    assert calls.tree.budget.bytes_used == 5
    assert image.read_bytes() == b"helloworld"


@pytest.mark.parametrize(("start", "end", "name"), [(0, 99, "/a"), (5, 2, "/a"), (-1, 2, "/a"), (0, 1, "a")])
def test_a_wrong_index_is_refused(calls: Calls, tmp_path: Path, start: int, end: int, name: str) -> None:
    image, index = tmp_path / "image", tmp_path / "index"
    image.write_bytes(b"helloworld")
    index.write_text(f'{{"files": [{{"filename": "{name}", "start": {start}, "end": {end}}}]}}')
    with pytest.raises(ValueError, match="index is wrong"):
        calls.tree.load_image(image, index)


def test_a_view_of_the_host_does_not_stop_the_guest_from_writing(calls: Calls) -> None:
    descriptor = calls.open("/own", O_CREAT | O_RDWR)
    calls.write(descriptor, b"before")
    view = calls.tree.read("/own")
    calls.write(descriptor, b" and after")
    assert bytes(view) == b"before"
    assert bytes(calls.tree.read("/own")) == b"before and after"
    with pytest.raises(TypeError):
        view[0] = 1
