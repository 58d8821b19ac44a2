"""Open files: descriptors, access modes, offsets, reading, writing, listing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.nodes import Device, DeviceKind, Directory, Node, Pipe, RegularFile, Symlink
from engines.wasm.host.vfs import FileTree

O_ACCMODE = 0o3
O_RDONLY, O_WRONLY, O_RDWR = 0, 1, 2
O_CREAT = 0o100
O_EXCL = 0o200
O_TRUNC = 0o1000
O_APPEND = 0o2000
O_NONBLOCK = 0o4000
O_DIRECTORY = 0o200000
O_NOFOLLOW = 0o400000

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
_OFFSET_MAX = (1 << 63) - 1
_LOG_BYTES_MAX = 65536


@dataclass(slots=True, eq=False)
class OpenFile:
    """What descriptors made by `dup` share: the node, the mode, the offset (and a directory's names)."""

    node: Node
    flags: int
    offset: int = 0
    names: tuple[str, ...] | None = None
    references: int = 0

    @property
    def readable(self) -> bool:
        """Whether the access mode allows reading."""
        return self.flags & O_ACCMODE != O_WRONLY

    @property
    def writable(self) -> bool:
        """Whether the access mode allows writing."""
        return self.flags & O_ACCMODE != O_RDONLY


class FileDescriptors:
    """The guest's descriptor table. 0, 1 and 2 are the console, whose output goes to `log`."""

    def __init__(self, tree: FileTree, log: Callable[[bytes], None], descriptors_max: int = 1024) -> None:
        self._tree = tree
        self._log = log
        self._max = descriptors_max
        self._files: dict[int, OpenFile] = {}
        for flags, name in ((O_RDONLY, "stdin"), (O_WRONLY, "stdout"), (O_WRONLY, "stderr")):
            self.install(OpenFile(tree.lookup(f"/dev/{name}"), flags))

    def __len__(self) -> int:
        return len(self._files)

    def get(self, descriptor: int) -> OpenFile:
        """The open file. Raises EBADF."""
        try:
            return self._files[descriptor]
        except KeyError:
            raise ErrnoError(Errno.EBADF) from None

    def install(self, file: OpenFile, minimum: int = 0) -> int:
        """The lowest free descriptor from `minimum` on, now standing for `file`. Raises EMFILE."""
        if minimum >= self._max:
            raise ErrnoError(Errno.EINVAL)
        descriptor = next((n for n in range(minimum, self._max) if n not in self._files), None)
        if descriptor is None:
            raise ErrnoError(Errno.EMFILE)
        self._files[descriptor] = file
        file.references += 1
        if file.references == 1:
            _count(file, 1)
        return descriptor

    def close(self, descriptor: int) -> None:
        """Close a descriptor; the last one of an open file lets go of the node."""
        file = self.get(descriptor)
        del self._files[descriptor]
        file.references -= 1
        if not file.references:
            _count(file, -1)

    def open(self, path: str, flags: int, permissions: int = 0o666, start: Directory | None = None) -> int:
        """`openat`. Raises what POSIX says."""
        if len(self._files) >= self._max:
            raise ErrnoError(Errno.EMFILE)
        node = self._find_or_create(path, flags, permissions, start)
        wants_write = flags & O_ACCMODE != O_RDONLY
        if isinstance(node, Symlink):  # only with O_NOFOLLOW
            raise ErrnoError(Errno.ELOOP)
        if isinstance(node, Directory):
            if wants_write or flags & O_CREAT:
                raise ErrnoError(Errno.EISDIR)
        elif flags & O_DIRECTORY:
            raise ErrnoError(Errno.ENOTDIR)
        if flags & O_TRUNC and wants_write and isinstance(node, RegularFile):
            node.truncate(0)
        return self.install(OpenFile(node, flags & ~(O_CREAT | O_EXCL | O_TRUNC)))

    def _find_or_create(self, path: str, flags: int, permissions: int, start: Directory | None) -> Node:
        exclusive = flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL
        if flags & O_CREAT and path.endswith("/"):
            raise ErrnoError(Errno.EISDIR)
        parent, name, node = self._tree.locate(path, start, follow=not exclusive and not flags & O_NOFOLLOW)
        if node is not None and not exclusive:
            return node
        if node is not None:
            raise ErrnoError(Errno.EEXIST)
        if not flags & O_CREAT:
            raise ErrnoError(Errno.ENOENT)
        node = RegularFile(self._tree.budget, permissions)
        self._tree.add(parent, name, node)
        return node

    def duplicate(self, descriptor: int, minimum: int = 0) -> int:
        """Another descriptor of the same open file."""
        return self.install(self.get(descriptor), minimum)

    def pipe(self) -> tuple[int, int]:
        """A new pipe's reading and writing ends."""
        node = Pipe()
        reader = self.install(OpenFile(node, O_RDONLY))
        try:
            return reader, self.install(OpenFile(node, O_WRONLY))
        except ErrnoError:
            self.close(reader)
            raise

    def read(self, file: OpenFile, count: int, offset: int) -> bytes | memoryview:
        """Up to `count` bytes at `offset` (which only a regular file heeds)."""
        node = file.node
        if not file.readable:
            raise ErrnoError(Errno.EBADF)
        if isinstance(node, RegularFile):
            return node.read(offset, count)
        if isinstance(node, Device | Pipe):
            return node.read(count)
        raise ErrnoError(Errno.EISDIR)

    def write(self, file: OpenFile, chunk: memoryview, offset: int) -> int:
        """Write at `offset` (which only a regular file heeds); returns how many bytes were taken."""
        node = file.node
        if not file.writable:
            raise ErrnoError(Errno.EBADF)
        if isinstance(node, RegularFile):
            if chunk:
                node.write(offset, chunk)
            return len(chunk)
        if isinstance(node, Pipe):
            return node.write(chunk)
        if isinstance(node, Device) and node.kind is DeviceKind.CONSOLE:
            self._log(bytes(chunk[:_LOG_BYTES_MAX]))
        return len(chunk)

    def seek(self, descriptor: int, offset: int, whence: int) -> int:
        """Move the offset; returns the new one. Raises EINVAL below zero, ESPIPE where there is no offset."""
        file = self.get(descriptor)
        node = file.node
        if isinstance(node, Pipe) or (isinstance(node, Device) and node.kind is DeviceKind.CONSOLE):
            raise ErrnoError(Errno.ESPIPE)
        if whence == SEEK_CUR:
            offset += file.offset
        elif whence == SEEK_END:
            offset += file.node.size
        if not SEEK_SET <= whence <= SEEK_END or not 0 <= offset <= _OFFSET_MAX:
            raise ErrnoError(Errno.EINVAL)
        file.offset = offset
        if file.offset == 0:
            file.names = None  # rewinddir: look again
        return file.offset

    def names(self, file: OpenFile) -> tuple[str, ...]:
        """A directory's names as they were when the listing began, so offsets stay stable while files come and go."""
        if not isinstance(file.node, Directory):
            raise ErrnoError(Errno.ENOTDIR)
        if file.names is None:
            file.names = (".", "..", *file.node.children)
        return file.names


def _count(file: OpenFile, change: int) -> None:
    """Tell the node that an open file came or went."""
    node = file.node
    if isinstance(node, RegularFile):
        node.opens += change
        node.release()
    elif isinstance(node, Pipe):
        if file.writable:
            node.writers += change
        else:
            node.readers += change
