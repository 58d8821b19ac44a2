"""`mmap` of files, which Emscripten emulates by a copy: into fresh memory when mapped, back to the file when synced."""

from __future__ import annotations

from engines.wasm.host.binding import Bindings, Failure, HostFunction
from engines.wasm.host.context import Current
from engines.wasm.host.descriptors import O_ACCMODE, O_RDWR, FileDescriptors
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.memory import PAGE_BYTES, GuestMemory
from engines.wasm.host.nodes import RegularFile
from engines.wasm.host.vfs import FileTree

_PROT_WRITE = 2
_MAP_PRIVATE = 2


class FileMappings:
    """`_mmap_js` and `_munmap_js`. The lock is not held while the guest's allocator runs, which has its own."""

    def __init__(self, memory: GuestMemory, tree: FileTree, descriptors: FileDescriptors, current: Current) -> None:
        self._memory = memory
        self._tree = tree
        self._descriptors = descriptors
        self._current = current

    def bindings(self) -> Bindings:
        """The imports, by name."""
        return {
            "_mmap_js": HostFunction("iiiijii:i", self.mmap, Failure.NEGATED),
            "_munmap_js": HostFunction("iiiiij:i", self.munmap, Failure.NEGATED),
        }

    def _file(self, descriptor: int, protection: int, flags: int) -> RegularFile:
        file = self._descriptors.get(descriptor)
        shared_write = protection & _PROT_WRITE and not flags & _MAP_PRIVATE
        if not file.readable or (shared_write and file.flags & O_ACCMODE != O_RDWR):
            raise ErrnoError(Errno.EACCES)
        if not isinstance(file.node, RegularFile):
            raise ErrnoError(Errno.ENODEV)
        return file.node

    def mmap(
        self, length: int, protection: int, flags: int, descriptor: int, offset: int, allocated_out: int, out: int
    ) -> int:
        """Allocate, copy, fill up with zeros; the guest frees it when unmapped."""
        if not length or offset < 0:
            raise ErrnoError(Errno.EINVAL)
        self._memory.check(allocated_out, 4)
        self._memory.check(out, 4)
        with self._tree.lock:
            content = self._file(descriptor, protection, flags).read(offset, length)
        span = -(-length // PAGE_BYTES) * PAGE_BYTES
        address = self._allocate(span) if span < self._memory.bytes_max else 0
        if not address:
            raise ErrnoError(Errno.ENOMEM)
        self._memory.write(address, content)
        self._memory.clear(address + len(content), span - len(content))
        self._memory.put_u32(allocated_out, 1)
        self._memory.put_u32(out, address)
        return 0

    def _allocate(self, span: int) -> int:
        return self._current.function("emscripten_builtin_memalign")(PAGE_BYTES, span)

    def munmap(self, address: int, length: int, protection: int, flags: int, descriptor: int, offset: int) -> int:
        """Copy a shared, writable mapping back to its file; the file does not grow by it."""
        if not protection & _PROT_WRITE or flags & _MAP_PRIVATE:
            return 0
        with self._tree.lock:
            node = self._file(descriptor, protection, flags)
            count = max(0, min(length, node.size - offset))
            if offset >= 0 and count:
                node.write(offset, self._memory.read(address, count))
        return 0
