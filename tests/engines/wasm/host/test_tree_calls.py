"""The edges of the calls on names and folders: stat, rename, links, listings, and what the host prepares."""

from __future__ import annotations

from pathlib import Path
from struct import Struct

import pytest

from engines.wasm.host.descriptors import (
    O_APPEND,
    O_CREAT,
    O_DIRECTORY,
    O_RDWR,
    O_WRONLY,
)
from engines.wasm.host.errno import Errno
from engines.wasm.host.errors import GuestFault
from engines.wasm.host.memory import PAGE_BYTES
from engines.wasm.host.syscalls import AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW
from tests.engines.wasm.host.tiny_calls import BUFFER, OUT, Calls, fails


def test_stat_has_the_layout_of_the_libc(calls: Calls) -> None:
    calls.files.stat(calls.text("/d/file"), OUT)
    device, mode, links, user, group, rdev, size, block_bytes, blocks = Struct("<6Iqii").unpack_from(
        calls.memory.view, OUT
    )
    assert (device, mode, links, user, group, rdev) == (1, 0o100666, 1, 0, 0, 0)
    assert (size, block_bytes, blocks) == (10, 4096, 1)
    seconds, nanoseconds = Struct("<qi").unpack_from(calls.memory.view, OUT + 56)
    node = calls.tree.lookup("/d/file")
    assert seconds * 1_000_000_000 + nanoseconds == node.modified_ns
    assert Struct("<Q").unpack_from(calls.memory.view, OUT + 88) == (node.inode,)
    with pytest.raises(GuestFault):
        calls.files.stat(calls.text("/d/file"), 2 * PAGE_BYTES - 90)


def test_stat_of_links_and_descriptors(calls: Calls) -> None:
    def mode() -> int:
        return calls.memory.u32(OUT + 4) & 0o170000

    calls.files.lstat(calls.text("/link"), OUT)
    assert mode() == 0o120000
    calls.files.lstat(calls.text("/d/"), OUT)
    assert mode() == 0o040000
    calls.files.fstatat(AT_FDCWD, calls.text("/link"), OUT, AT_SYMLINK_NOFOLLOW)
    assert mode() == 0o120000
    calls.files.fstatat(calls.open("/d"), calls.text("file"), OUT, 0)
    assert mode() == 0o100000
    calls.files.fstatat(calls.open("/d"), calls.text(""), OUT, AT_EMPTY_PATH)
    assert mode() == 0o040000
    calls.files.fstat(1, OUT)
    assert mode() == 0o020000
    fails(Errno.ENOENT, lambda: calls.files.fstatat(AT_FDCWD, calls.text(""), OUT, 0))


def test_making_and_removing(calls: Calls) -> None:
    files, text = calls.files, calls.text
    files.mkdirat(AT_FDCWD, text("/new/"), 0o700)
    fails(Errno.EEXIST, lambda: files.mkdirat(AT_FDCWD, text("/new"), 0))
    fails(Errno.EEXIST, lambda: files.mkdirat(AT_FDCWD, text("/"), 0))
    fails(Errno.EEXIST, lambda: files.mkdirat(AT_FDCWD, text("/link"), 0))
    fails(Errno.ENOTDIR, lambda: files.mkdirat(AT_FDCWD, text("/d/file/x"), 0))
    fails(Errno.ENOTDIR, lambda: files.rmdir(text("/d/file")))
    fails(Errno.ENOTEMPTY, lambda: files.rmdir(text("/d")))
    fails(Errno.EINVAL, lambda: files.rmdir(text("/new/.")))
    fails(Errno.EINVAL, lambda: files.rmdir(text("/")))
    fails(Errno.EISDIR, lambda: files.unlinkat(AT_FDCWD, text("/new"), 0))
    fails(Errno.ENOENT, lambda: files.unlinkat(AT_FDCWD, text("/none"), 0))
    fails(Errno.EINVAL, lambda: files.unlinkat(AT_FDCWD, text("/new"), 0x800))
    descriptor = calls.open("/new", O_DIRECTORY)
    files.unlinkat(AT_FDCWD, text("/new/"), AT_REMOVEDIR)
    fails(Errno.ENOENT, lambda: calls.open("inside", O_CREAT, directory=descriptor))
    files.unlinkat(AT_FDCWD, text("/loop"), 0)
    assert not calls.tree.exists("/loop")


def test_renaming(calls: Calls) -> None:
    def rename(old: str, new: str) -> None:
        calls.files.renameat(AT_FDCWD, calls.text(old, 2048), AT_FDCWD, calls.text(new, 8192))

    calls.tree.write("/other", b"other")
    calls.tree.mkdirs("/empty")
    calls.tree.mkdirs("/full/x")
    fails(Errno.ENOENT, lambda: rename("/none", "/x"))
    fails(Errno.ENOTDIR, lambda: rename("/d", "/other"))
    fails(Errno.EISDIR, lambda: rename("/other", "/empty"))
    fails(Errno.ENOTEMPTY, lambda: rename("/d", "/full"))
    fails(Errno.EINVAL, lambda: rename("/d", "/d/sub/deeper"))
    fails(Errno.EBUSY, lambda: rename("/", "/x"))
    fails(Errno.EBUSY, lambda: rename("/d/sub/..", "/x"))
    rename("/other", "/other")
    rename("/other", "/d/file")
    assert bytes(calls.tree.read("/link")) == b"other"
    rename("/d", "/empty/")
    assert bytes(calls.tree.read("/empty/sub/../file")) == b"other"
    rename("/dangling", "/moved")
    assert calls.tree.readlink("/moved") == b"nowhere"


def test_links(calls: Calls) -> None:
    files = calls.files
    assert files.readlinkat(AT_FDCWD, calls.text("/link"), OUT, 4) == 4
    assert bytes(calls.memory.read(OUT, 4)) == b"/d/f"
    fails(Errno.EINVAL, lambda: files.readlinkat(AT_FDCWD, calls.text("/d"), OUT, 10))
    fails(Errno.EINVAL, lambda: files.readlinkat(AT_FDCWD, calls.text("/link"), OUT, 0))
    fails(Errno.EEXIST, lambda: files.symlinkat(calls.text("t", 64), AT_FDCWD, calls.text("/link")))
    fails(Errno.ENOENT, lambda: files.symlinkat(calls.text("", 64), AT_FDCWD, calls.text("/x")))
    name = "/n\udcff"
    files.symlinkat(calls.text("raw\udcfe", 64), AT_FDCWD, calls.text(name))
    assert calls.tree.readlink(name) == b"raw\xfe"


def _names(calls: Calls, descriptor: int, room: int) -> list[str]:
    count = calls.files.getdents(descriptor, BUFFER, room)
    return [calls.memory.c_string(BUFFER + at + 19).decode() for at in range(0, count, 280)]


def test_a_listing_is_stable_while_files_come_and_go(calls: Calls) -> None:
    for n in range(6):
        calls.tree.write(f"/list/{n}", b"")
    descriptor = calls.open("/list", O_DIRECTORY)
    assert _names(calls, descriptor, 3 * 280 + 5) == [".", "..", "0"]
    calls.tree.remove("/list/0")
    calls.tree.remove("/list/2")
    calls.tree.write("/list/9", b"")
    assert _names(calls, descriptor, 10 * 280) == ["1", "3", "4", "5"]
    assert _names(calls, descriptor, 280) == []
    calls.seek(descriptor, 3 * 280)
    assert _names(calls, descriptor, 280) == ["1"]
    calls.seek(descriptor, 0)
    assert _names(calls, descriptor, 10 * 280) == [".", "..", "1", "3", "4", "5", "9"]
    fails(Errno.EINVAL, lambda: calls.files.getdents(descriptor, BUFFER, 279))
    fails(Errno.ENOTDIR, lambda: calls.files.getdents(calls.open("/d/file"), BUFFER, 280))
    calls.seek(descriptor, 0)
    with pytest.raises(GuestFault):
        calls.files.getdents(descriptor, 2 * PAGE_BYTES - 100, 280)


def test_listing_says_what_each_name_is(calls: Calls) -> None:
    calls.files.getdents(calls.open("/", O_DIRECTORY), BUFFER, 280 * 20)
    kinds = {}
    for at in range(BUFFER, BUFFER + 280 * 9, 280):
        _inode, _offset, length, kind = Struct("<qqHB").unpack_from(calls.memory.view, at)
        assert length == 280
        kinds[calls.memory.c_string(at + 19)] = kind
    assert kinds[b"d"] == 4
    assert kinds[b"link"] == 10


def test_fcntl(calls: Calls) -> None:
    descriptor = calls.open("/d/file", O_WRONLY)
    calls.memory.put_u32(64, O_APPEND | O_RDWR)
    assert calls.files.fcntl(descriptor, 4, 64) == 0
    assert calls.files.fcntl(descriptor, 3, 0) == O_WRONLY | O_APPEND
    calls.memory.put_u32(64, 7)
    assert calls.files.fcntl(descriptor, 0, 64) == 7
    calls.memory.put_u32(64, 99)
    fails(Errno.EINVAL, lambda: calls.files.fcntl(descriptor, 0, 64))
    calls.memory.put_u32(64, OUT)
    assert calls.files.fcntl(descriptor, 12, 64) == 0
    assert calls.memory.u32(OUT) & 0xFFFF == 2
    fails(Errno.EINVAL, lambda: calls.files.fcntl(descriptor, 77, 0))
    fails(Errno.EBADF, lambda: calls.files.fcntl(99, 1, 0))


def test_small_calls(calls: Calls) -> None:
    files = calls.files
    assert files.getcwd(OUT, 10) == 2
    fails(Errno.ERANGE, lambda: files.getcwd(OUT, 1))
    fails(Errno.EINVAL, lambda: files.getcwd(OUT, 0))
    assert files.faccessat(AT_FDCWD, calls.text("/link"), 4, 0) == 0
    fails(Errno.EINVAL, lambda: files.faccessat(AT_FDCWD, calls.text("/link"), 8, 0))
    fails(Errno.ENOENT, lambda: files.faccessat(AT_FDCWD, calls.text("/none"), 0, 0))
    files.chmod(calls.text("/d/file"), 0o4711)
    assert calls.tree.lookup("/d/file").mode == 0o104711
    fails(Errno.ENOTTY, lambda: files.ioctl(1, 0x5413, 0))
    fails(Errno.EBADF, lambda: files.ioctl(55, 0x5413, 0))
    assert files.fchownat(AT_FDCWD, calls.text("/d"), 1, 1, 0) == 0
    calls.memory.pack(Struct("<qiIqi"), 64, 0, 0, 0, 5, 6)
    files.utimensat(AT_FDCWD, calls.text("/d/file"), 64, 0)
    assert calls.tree.lookup("/d/file").modified_ns == 5_000_000_006
    calls.memory.pack(Struct("<qiIqi"), 64, 0, 0, 0, 5, -6)
    fails(Errno.EINVAL, lambda: files.utimensat(AT_FDCWD, calls.text("/d/file"), 64, 0))


def test_a_path_that_does_not_end_is_a_fault(calls: Calls) -> None:
    calls.memory.write(2 * PAGE_BYTES - 3, b"abc")
    with pytest.raises(GuestFault):
        calls.files.stat(2 * PAGE_BYTES - 3, OUT)
    with pytest.raises(GuestFault):
        calls.files.stat(0xFFFFFFF0, OUT)


def test_the_host_prepares_the_tree(calls: Calls, tmp_path: Path) -> None:
    source = tmp_path / "font.ttf"
    source.write_bytes(b"font")
    calls.tree.map_host_file("/fonts/0.ttf", source)
    (tmp_path / "empty").touch()
    calls.tree.map_host_file("/fonts/1.ttf", tmp_path / "empty")
    assert calls.tree.listing("/fonts") == ("0.ttf", "1.ttf")
    assert calls.read(calls.open("/fonts/0.ttf")) == b"font"
    calls.tree.write("/d/file", b"replaced")
    assert bytes(calls.tree.read("/link")) == b"replaced"
    calls.tree.remove("/d")
    assert not calls.tree.exists("/link")
    fails(Errno.ENOENT, lambda: calls.tree.remove("/d"))
    fails(Errno.EISDIR, lambda: calls.tree.read("/fonts"))
    fails(Errno.EISDIR, lambda: calls.tree.write("/fonts", b""))
    fails(Errno.ENOTDIR, lambda: calls.tree.mkdirs("/fonts/0.ttf/x"))
    calls.tree.symlink("/fonts", "/alias")
    calls.tree.write("/alias/sub/x", b"x")
    assert bytes(calls.tree.read("/fonts/sub/x")) == b"x"
