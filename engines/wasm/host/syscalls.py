"""Emscripten's system calls on files: from the guest's pointers to the tree and the descriptors, and back.

Layouts are those of Emscripten's musl for wasm32. Permissions of nodes are kept and shown, not enforced, as in
Emscripten's own file system; access modes of descriptors are enforced.
"""

from __future__ import annotations

import time
from struct import Struct

from engines.wasm.host.binding import Bindings, system_call
from engines.wasm.host.descriptors import O_APPEND, O_NONBLOCK, FileDescriptors, OpenFile
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.memory import GuestMemory
from engines.wasm.host.nodes import Directory, Node, Pipe, RegularFile
from engines.wasm.host.vfs import PATH_BYTES_MAX, FileTree

AT_FDCWD = 0xFFFFFF9C
AT_SYMLINK_NOFOLLOW = 0x100
AT_REMOVEDIR = 0x200
AT_EMPTY_PATH = 0x1000

# st_dev, mode, nlink, uid, gid, rdev, size, blksize, blocks; seconds, nanoseconds, padding of each of three times; ino
_STAT = Struct("<6IqiiqiIqiIqiIq")
_DIRENT = Struct("<qqHB")
_DIRENT_BYTES = 280
_TIMESPEC = Struct("<qi")
_POLLFD = Struct("<iHH")
_UTIME_NOW, _UTIME_OMIT = 0x3FFFFFFF, 0x3FFFFFFE
_POLLIN, _POLLOUT, _POLLNVAL = 1, 4, 32

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = 0, 1, 2, 3, 4, 12, 13, 14
F_DUPFD_CLOEXEC = 1030
_F_UNLCK = 2


class FileSystemCalls:
    """The `__syscall_*` imports that have to do with files."""

    def __init__(self, memory: GuestMemory, tree: FileTree, descriptors: FileDescriptors) -> None:
        self._memory = memory
        self._tree = tree
        self._descriptors = descriptors

    def bindings(self) -> Bindings:
        """The imports, by name."""
        return {
            "__syscall_openat": system_call("iiii:i", self.openat),
            "__syscall_stat64": system_call("ii:i", self.stat),
            "__syscall_lstat64": system_call("ii:i", self.lstat),
            "__syscall_fstat64": system_call("ii:i", self.fstat),
            "__syscall_newfstatat": system_call("iiii:i", self.fstatat),
            "__syscall_faccessat": system_call("iiii:i", self.faccessat),
            "__syscall_mkdirat": system_call("iii:i", self.mkdirat),
            "__syscall_unlinkat": system_call("iii:i", self.unlinkat),
            "__syscall_rmdir": system_call("i:i", self.rmdir),
            "__syscall_renameat": system_call("iiii:i", self.renameat),
            "__syscall_symlinkat": system_call("iii:i", self.symlinkat),
            "__syscall_readlinkat": system_call("iiii:i", self.readlinkat),
            "__syscall_getdents64": system_call("iii:i", self.getdents),
            "__syscall_getcwd": system_call("ii:i", self.getcwd),
            "__syscall_chmod": system_call("ii:i", self.chmod),
            "__syscall_fchmodat2": system_call("iiii:i", self.fchmodat),
            "__syscall_fchownat": system_call("iiiii:i", self.fchownat),
            "__syscall_utimensat": system_call("iiii:i", self.utimensat),
            "__syscall_ftruncate64": system_call("ij:i", self.ftruncate),
            "__syscall_fcntl64": system_call("iii:i", self.fcntl),
            "__syscall_ioctl": system_call("iii:i", self.ioctl),
            "__syscall_dup": system_call("i:i", self._descriptors.duplicate),
            "__syscall_pipe": system_call("i:i", self.pipe),
            "__syscall_poll": system_call("iii:i", self.poll),
        }

    def _path(self, address: int) -> str:
        text = self._memory.c_string(address, 2 * PATH_BYTES_MAX)
        if len(text) >= PATH_BYTES_MAX:
            raise ErrnoError(Errno.ENAMETOOLONG)
        return text.decode("utf-8", "surrogateescape")

    def _at(self, descriptor: int, path: str) -> Directory | None:
        """Where a relative path starts."""
        if descriptor == AT_FDCWD or path.startswith("/"):
            return None
        node = self._descriptors.get(descriptor).node
        if not isinstance(node, Directory):
            raise ErrnoError(Errno.ENOTDIR)
        return node

    def _node(self, descriptor: int, address: int, *, follow: bool = True, empty: bool = False) -> Node:
        path = self._path(address)
        if not path and empty:
            return self._tree.root if descriptor == AT_FDCWD else self._descriptors.get(descriptor).node
        return self._tree.lookup(path, self._at(descriptor, path), follow=follow)

    def openat(self, directory: int, path_address: int, flags: int, varargs: int) -> int:
        """`open` and `openat`; the permissions are the first variable argument."""
        path = self._path(path_address)
        permissions = self._memory.u32(varargs) & 0o7777 if varargs else 0
        return self._descriptors.open(path, flags, permissions, self._at(directory, path))

    def _put_stat(self, address: int, node: Node) -> int:
        seconds, nanoseconds = divmod(node.modified_ns, 1_000_000_000)
        size = node.size
        times = (seconds, nanoseconds, 0) * 3
        links = 2 if isinstance(node, Directory) else 1
        blocks = min(-(-size // 512), 0x7FFFFFFF)
        self._memory.pack(_STAT, address, 1, node.mode, links, 0, 0, 0, size, 4096, blocks, *times, node.inode)
        return 0

    def stat(self, path: int, out: int) -> int:
        """`stat`."""
        return self._put_stat(out, self._node(AT_FDCWD, path))

    def lstat(self, path: int, out: int) -> int:
        """`lstat`."""
        return self._put_stat(out, self._node(AT_FDCWD, path, follow=False))

    def fstat(self, descriptor: int, out: int) -> int:
        """`fstat`."""
        return self._put_stat(out, self._descriptors.get(descriptor).node)

    def fstatat(self, directory: int, path: int, out: int, flags: int) -> int:
        """`fstatat`."""
        follow = not flags & AT_SYMLINK_NOFOLLOW
        return self._put_stat(out, self._node(directory, path, follow=follow, empty=bool(flags & AT_EMPTY_PATH)))

    def faccessat(self, directory: int, path: int, mode: int, _flags: int) -> int:
        """`access`: what exists may be read, written and searched."""
        if mode & ~7:
            raise ErrnoError(Errno.EINVAL)
        self._node(directory, path)
        return 0

    def mkdirat(self, directory: int, path_address: int, permissions: int) -> int:
        """`mkdir`."""
        path = self._path(path_address)
        self._tree.mkdir(path, self._at(directory, path), permissions)
        return 0

    def unlinkat(self, directory: int, path_address: int, flags: int) -> int:
        """`unlink` and `rmdir`."""
        path = self._path(path_address)
        if flags & ~AT_REMOVEDIR:
            raise ErrnoError(Errno.EINVAL)
        remove = self._tree.rmdir if flags else self._tree.unlink
        remove(path, self._at(directory, path))
        return 0

    def rmdir(self, path: int) -> int:
        """`rmdir`."""
        return self.unlinkat(AT_FDCWD, path, AT_REMOVEDIR)

    def renameat(self, old_directory: int, old: int, new_directory: int, new: int) -> int:
        """`rename`."""
        old_path, new_path = self._path(old), self._path(new)
        self._tree.rename(old_path, self._at(old_directory, old_path), new_path, self._at(new_directory, new_path))
        return 0

    def symlinkat(self, target: int, directory: int, path_address: int) -> int:
        """`symlink`."""
        path = self._path(path_address)
        self._tree.symlink(self._path(target), path, self._at(directory, path))
        return 0

    def readlinkat(self, directory: int, path_address: int, out: int, out_bytes: int) -> int:
        """`readlink`: cut off, without a closing zero."""
        path = self._path(path_address)
        if not out_bytes or out_bytes >= 1 << 31:
            raise ErrnoError(Errno.EINVAL)
        target = self._tree.readlink(path, self._at(directory, path))[:out_bytes]
        self._memory.write(out, target)
        return len(target)

    def getdents(self, descriptor: int, out: int, out_bytes: int) -> int:
        """`getdents64`, in records of one size, so that an offset is a record's number."""
        file = self._descriptors.get(descriptor)
        names = self._descriptors.names(file)
        first = file.offset // _DIRENT_BYTES
        room = out_bytes // _DIRENT_BYTES
        if not room:
            raise ErrnoError(Errno.EINVAL)
        written = 0
        for index in range(first, len(names)):
            if written == room:
                break
            written += self._put_dirent(out + written * _DIRENT_BYTES, file, index)
            file.offset = (index + 1) * _DIRENT_BYTES
        return written * _DIRENT_BYTES

    def _put_dirent(self, out: int, file: OpenFile, index: int) -> int:
        """Write one record; 0 where the name has gone since the listing began."""
        directory = file.node
        assert isinstance(directory, Directory)
        name = self._descriptors.names(file)[index]
        node = {".": directory, "..": directory.parent}.get(name) or directory.children.get(name)
        if node is None:
            return 0
        kind = (node.mode & 0o170000) >> 12  # DT_* are the mode's own numbers
        self._memory.check(out, _DIRENT_BYTES)
        self._memory.pack(_DIRENT, out, node.inode, (index + 1) * _DIRENT_BYTES, _DIRENT_BYTES, kind)
        self._memory.write(out + 19, name.encode("utf-8", "surrogateescape") + b"\0")
        return 1

    def getcwd(self, out: int, out_bytes: int) -> int:
        """`getcwd`: always the root."""
        if not out_bytes:
            raise ErrnoError(Errno.EINVAL)
        if out_bytes < 2:
            raise ErrnoError(Errno.ERANGE)
        self._memory.write(out, b"/\0")
        return 2

    def chmod(self, path: int, permissions: int) -> int:
        """`chmod`: kept, not enforced."""
        return self.fchmodat(AT_FDCWD, path, permissions, 0)

    def fchmodat(self, directory: int, path: int, permissions: int, flags: int) -> int:
        """`fchmodat`."""
        node = self._node(directory, path, follow=not flags & AT_SYMLINK_NOFOLLOW, empty=bool(flags & AT_EMPTY_PATH))
        node.mode = (node.mode & ~0o7777) | (permissions & 0o7777)
        return 0

    def fchownat(self, directory: int, path: int, _user: int, _group: int, flags: int) -> int:
        """`fchownat`: there is one user."""
        self._node(directory, path, follow=not flags & AT_SYMLINK_NOFOLLOW, empty=bool(flags & AT_EMPTY_PATH))
        return 0

    def utimensat(self, directory: int, path: int, times: int, _flags: int) -> int:
        """`utimensat`; the time of access is not kept."""
        node = self._node(directory, path, empty=True)
        seconds, nanoseconds = self._memory.unpack(_TIMESPEC, times + 16) if times else (0, _UTIME_NOW)
        if nanoseconds == _UTIME_NOW:
            node.modified_ns = time.time_ns()
        elif nanoseconds != _UTIME_OMIT:
            if not 0 <= nanoseconds < 1_000_000_000 or abs(seconds) > 1 << 40:
                raise ErrnoError(Errno.EINVAL)
            node.modified_ns = seconds * 1_000_000_000 + nanoseconds
        return 0

    def ftruncate(self, descriptor: int, size: int) -> int:
        """`ftruncate`."""
        file = self._descriptors.get(descriptor)
        if size < 0 or not file.writable or not isinstance(file.node, RegularFile):
            raise ErrnoError(Errno.EINVAL)
        file.node.truncate(size)
        return 0

    def fcntl(self, descriptor: int, command: int, varargs: int) -> int:
        """`fcntl`; locks are granted, since nobody else is there."""
        file = self._descriptors.get(descriptor)
        match command:
            case 0 | 1030:  # F_DUPFD, F_DUPFD_CLOEXEC
                return self._descriptors.duplicate(descriptor, self._memory.u32(varargs))
            case 3:  # F_GETFL
                return file.flags
            case 4:  # F_SETFL
                changeable = O_APPEND | O_NONBLOCK
                file.flags = (file.flags & ~changeable) | (self._memory.u32(varargs) & changeable)
            case 12:  # F_GETLK
                self._memory.write(self._memory.u32(varargs), _F_UNLCK.to_bytes(2, "little"))
            case 1 | 2 | 13 | 14:  # F_GETFD, F_SETFD, F_SETLK, F_SETLKW
                pass
            case _:
                raise ErrnoError(Errno.EINVAL)
        return 0

    def ioctl(self, descriptor: int, _operation: int, _varargs: int) -> int:
        """`ioctl`: nothing here is a terminal."""
        self._descriptors.get(descriptor)
        raise ErrnoError(Errno.ENOTTY)

    def pipe(self, out: int) -> int:
        """`pipe`."""
        self._memory.check(out, 8)
        reader, writer = self._descriptors.pipe()
        self._memory.put_u32(out, reader)
        self._memory.put_u32(out + 4, writer)
        return 0

    def poll(self, array: int, count: int, _timeout_ms: int) -> int:
        """`poll`, without waiting: nothing outside the guest could make anything ready."""
        if count > 1024:
            raise ErrnoError(Errno.EINVAL)
        ready = 0
        for address in range(array, array + 8 * count, _POLLFD.size):
            descriptor, events, _ = self._memory.unpack(_POLLFD, address)
            happened = self._readiness(descriptor, events) if descriptor >= 0 else 0
            self._memory.pack(_POLLFD, address, descriptor, events, happened)
            ready += bool(happened)
        return ready

    def _readiness(self, descriptor: int, events: int) -> int:
        try:
            node = self._descriptors.get(descriptor).node
        except ErrnoError:
            return _POLLNVAL
        possible = _POLLIN | _POLLOUT
        if isinstance(node, Pipe) and not node.queue:
            possible = _POLLOUT
        return int(events) & possible
