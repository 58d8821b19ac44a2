"""The guest's file tree: names, directories, links. It is in memory; no path of it reaches the host's files.

Paths are resolved as POSIX says: component by component, `..` from where a link led, links followed up to a bound. A
path is text in UTF-8 with surrogate escapes, so any bytes of the guest come back as they were. Methods in the first
part serve the guest and raise `ErrnoError`; those in the second serve the host, which prepares and reads the tree.

`lock` is held around each call of the guest (by the linker), by the methods for the host, and by `quiesce`.
"""

from __future__ import annotations

import json
import mmap
import threading
from contextlib import suppress
from pathlib import Path

from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.nodes import (
    Budget,
    Buffer,
    Device,
    DeviceKind,
    Directory,
    Node,
    RegularFile,
    Symlink,
)

PATH_BYTES_MAX = 4096
NAME_BYTES_MAX = 255
LINKS_MAX = 40

_DEVICES = {
    "null": DeviceKind.NULL,
    "random": DeviceKind.RANDOM,
    "urandom": DeviceKind.RANDOM,
    "stdin": DeviceKind.CONSOLE,
    "stdout": DeviceKind.CONSOLE,
    "stderr": DeviceKind.CONSOLE,
    "tty": DeviceKind.CONSOLE,
}


class FileTree:
    """All files of one guest."""

    def __init__(self, bytes_max: int, nodes_max: int = 100_000) -> None:
        self.budget = Budget(bytes_max, nodes_max)
        self.lock = threading.RLock()
        self.root = Directory(None)
        for path in ("/dev", "/tmp", "/home"):  # noqa: S108 a path of the guest
            self.mkdirs(path)
        devices = self.lookup("/dev")
        assert isinstance(devices, Directory)
        devices.children.update((name, Device(kind)) for name, kind in _DEVICES.items())

    # -- for the guest

    def locate(self, path: str, start: Directory | None = None, *, follow: bool) -> tuple[Directory, str, Node | None]:
        """The directory, the name in it, and what it stands for (None where nothing is there).

        The name is empty where the path ends in `.`, `..` or the root, which no name can be made or removed by.
        """
        if not path:
            raise ErrnoError(Errno.ENOENT)
        if len(path) >= PATH_BYTES_MAX:
            raise ErrnoError(Errno.ENAMETOOLONG)
        parent = self.root if path[0] == "/" or start is None else start
        node: Node | None = parent
        name = ""
        links = 0
        pending = path.split("/")[::-1]
        while pending:
            part = pending.pop()
            if not isinstance(node, Directory):
                raise ErrnoError(Errno.ENOENT if node is None else Errno.ENOTDIR)
            if not part:
                continue
            if part in {".", ".."}:
                node = parent = node if part == "." else node.parent
                name = ""
                continue
            parent, name = node, part
            node = parent.children.get(part)
            if node is None:
                _check_name(part)
            elif isinstance(node, Symlink) and (follow or pending):
                links += 1
                if links > LINKS_MAX:
                    raise ErrnoError(Errno.ELOOP)
                pending.extend(node.target.split("/")[::-1])
                node = self.root if node.target.startswith("/") else parent
        return parent, name, node

    def lookup(self, path: str, start: Directory | None = None, *, follow: bool = True) -> Node:
        """What is there. Raises ENOENT, ENOTDIR, ELOOP or ENAMETOOLONG."""
        node = self.locate(path, start, follow=follow)[2]
        if node is None:
            raise ErrnoError(Errno.ENOENT)
        return node

    def directory(self, path: str, start: Directory | None = None) -> Directory:
        """The directory that is there. Raises ENOTDIR where it is something else."""
        node = self.lookup(path, start)
        if not isinstance(node, Directory):
            raise ErrnoError(Errno.ENOTDIR)
        return node

    def add(self, parent: Directory, name: str, node: Node) -> None:
        """Give a new node its name."""
        if parent.removed:
            raise ErrnoError(Errno.ENOENT)
        self.budget.take_node()
        parent.children[name] = node
        parent.modified_ns = node.modified_ns

    def mkdir(self, path: str, start: Directory | None = None, permissions: int = 0o777) -> None:
        """Make a directory. Raises EEXIST where anything is there."""
        parent, name, node = self.locate(path.rstrip("/") or path, start, follow=False)
        if node is not None:
            raise ErrnoError(Errno.EEXIST)
        self.add(parent, name, Directory(parent, permissions))

    def symlink(self, target: str, path: str, start: Directory | None = None) -> None:
        """Make `path` stand for `target`, which need not exist."""
        if not target:
            raise ErrnoError(Errno.ENOENT)
        if len(target) >= PATH_BYTES_MAX:
            raise ErrnoError(Errno.ENAMETOOLONG)
        parent, name, node = self.locate(path, start, follow=False)
        if node is not None:
            raise ErrnoError(Errno.EEXIST)
        self.add(parent, name, Symlink(target))

    def unlink(self, path: str, start: Directory | None = None) -> None:
        """Remove a name that is no directory's. Open descriptors keep the content."""
        parent, name, node = self.locate(path, start, follow=False)
        if node is None:
            raise ErrnoError(Errno.ENOENT)
        if isinstance(node, Directory):
            raise ErrnoError(Errno.EISDIR)
        self._drop(parent, name, node)

    def rmdir(self, path: str, start: Directory | None = None) -> None:
        """Remove an empty directory."""
        parent, name, node = self.locate(path, start, follow=False)
        if node is None:
            raise ErrnoError(Errno.ENOENT)
        if not isinstance(node, Directory):
            raise ErrnoError(Errno.ENOTDIR)
        if not name:
            raise ErrnoError(Errno.EINVAL)
        self._drop(parent, name, node)

    def rename(self, old: str, old_start: Directory | None, new: str, new_start: Directory | None) -> None:
        """Move a name, replacing what the new one stands for as POSIX allows."""
        source, old_name, moved = self.locate(old, old_start, follow=False)
        if moved is None:
            raise ErrnoError(Errno.ENOENT)
        new = (new.rstrip("/") or new) if isinstance(moved, Directory) else new
        target, new_name, replaced = self.locate(new, new_start, follow=False)
        if not old_name or not new_name:
            raise ErrnoError(Errno.EBUSY)
        if moved is replaced:
            return
        if isinstance(moved, Directory) and _is_inside(target, moved):
            raise ErrnoError(Errno.EINVAL)
        if target.removed:
            raise ErrnoError(Errno.ENOENT)
        if replaced is not None:
            self._replace(target, new_name, replaced, moved)
        target.children[new_name] = source.children.pop(old_name)
        if isinstance(moved, Directory):
            moved.parent = target

    def readlink(self, path: str, start: Directory | None = None) -> bytes:
        """The target of a link."""
        node = self.lookup(path, start, follow=False)
        if not isinstance(node, Symlink):
            raise ErrnoError(Errno.EINVAL)
        return node.target.encode("utf-8", "surrogateescape")

    def _replace(self, target: Directory, name: str, replaced: Node, moved: Node) -> None:
        if isinstance(moved, Directory) and not isinstance(replaced, Directory):
            raise ErrnoError(Errno.ENOTDIR)
        if isinstance(replaced, Directory) and not isinstance(moved, Directory):
            raise ErrnoError(Errno.EISDIR)
        self._drop(target, name, replaced)

    def _drop(self, parent: Directory, name: str, node: Node) -> None:
        if isinstance(node, Directory):
            if node.children:
                raise ErrnoError(Errno.ENOTEMPTY)
            node.removed = True
        del parent.children[name]
        if isinstance(node, RegularFile):
            node.linked = False
            node.release()
        else:
            self.budget.give_node()

    # -- for the host

    def mkdirs(self, path: str) -> Directory:
        """Make a directory and those above it, where they are missing."""
        directory = self.root
        with self.lock:
            for part in filter(None, path.split("/")):
                child = directory.children.get(part)
                if child is None:
                    child = Directory(directory)
                    self.add(directory, part, child)
                if not isinstance(child, Directory):
                    child = self.directory(part, directory)
                directory = child
        return directory

    def provide(self, path: str, data: Buffer) -> None:
        """Let `path` show the host's `data`, which is not copied and costs the guest nothing until it writes there.

        The caller does not change `data` afterwards. What was at `path` is replaced.
        """
        above, _, name = path.rpartition("/")
        with self.lock:
            parent = self.mkdirs(above)
            old = parent.children.get(name)
            if isinstance(old, Directory):
                raise ErrnoError(Errno.EISDIR)
            if old is not None:
                self._drop(parent, name, old)
            self.add(parent, name, RegularFile(self.budget, data=data))

    def write(self, path: str, data: Buffer) -> None:
        """As `provide`, for bytes or a read-only view of the caller's."""
        self.provide(path, data)

    def read(self, path: str) -> memoryview:
        """The content of a file, as it is now, without a copy."""
        with self.lock:
            node = self.lookup(path)
            if not isinstance(node, RegularFile):
                raise ErrnoError(Errno.EISDIR if isinstance(node, Directory) else Errno.EINVAL)
            return memoryview(node.data).toreadonly()

    def exists(self, path: str) -> bool:
        """Whether something is there, through links."""
        with self.lock, suppress(ErrnoError):
            self.lookup(path)
            return True
        return False

    def listing(self, path: str) -> tuple[str, ...]:
        """The names in a directory."""
        with self.lock:
            return tuple(self.directory(path).children)

    def remove(self, path: str) -> None:
        """Remove a file, a link, or a directory with all that is in it."""
        with self.lock:
            node = self.lookup(path, follow=False)
            if not isinstance(node, Directory):
                self.unlink(path)
                return
            for name in tuple(node.children):
                self.remove(f"{path.rstrip('/')}/{name}")
            self.rmdir(path)

    def map_host_file(self, path: str, source: Path) -> None:
        """Let `path` show a file of the host, read-only and mapped, not copied."""
        with source.open("rb") as file:
            if source.stat().st_size == 0:
                self.provide(path, b"")
                return
            self.provide(path, memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))

    def load_image(self, image: Path, index: Path) -> None:
        """Let the tree show Emscripten's file-system image: `index` says which bytes of `image` are which file.

        Raises `ValueError` where the two do not fit.
        """
        entries = json.loads(index.read_text(encoding="utf-8"))["files"]
        with image.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        for entry in entries:
            name, start, end = str(entry["filename"]), int(entry["start"]), int(entry["end"])
            if not 0 <= start <= end <= len(content) or not name.startswith("/"):
                raise ValueError(f"the image's index is wrong about {name}")
            self.provide(name, content[start:end])


def _check_name(name: str) -> None:
    if len(name) > NAME_BYTES_MAX or len(name.encode("utf-8", "surrogateescape")) > NAME_BYTES_MAX:
        raise ErrnoError(Errno.ENAMETOOLONG)


def _is_inside(directory: Directory, ancestor: Directory) -> bool:
    while directory is not ancestor:
        if directory.parent is directory:
            return False
        directory = directory.parent
    return True
