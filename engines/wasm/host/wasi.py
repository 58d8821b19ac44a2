"""The WASI calls that Emscripten's libc makes: reading and writing descriptors, the environment, random numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import urandom
from struct import Struct

from engines.wasm.host.binding import Bindings, HostFunction, wasi_call
from engines.wasm.host.descriptors import O_APPEND, FileDescriptors, OpenFile
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.errors import GuestExit, GuestFault
from engines.wasm.host.memory import GuestMemory
from engines.wasm.host.nodes import Device, Directory, Pipe, RegularFile

_IOVEC = Struct("<II")
_U64 = Struct("<Q")
_VECTORS_MAX = 1024
_RANDOM_CHUNK_BYTES = 65536
_FILETYPE_UNKNOWN, _FILETYPE_CHARACTER, _FILETYPE_DIRECTORY, _FILETYPE_REGULAR = 0, 2, 3, 4


class WasiCalls:
    """The `wasi_snapshot_preview1` imports, but for the clock."""

    def __init__(self, memory: GuestMemory, descriptors: FileDescriptors, environment: Mapping[str, str]) -> None:
        self._memory = memory
        self._descriptors = descriptors
        self._environment = [f"{name}={value}".encode() + b"\0" for name, value in environment.items()]

    def bindings(self) -> Bindings:
        """The imports, by name."""
        return {
            "fd_read": wasi_call("iiii:i", self.fd_read),
            "fd_pread": wasi_call("iiiji:i", self.fd_pread),
            "fd_write": wasi_call("iiii:i", self.fd_write),
            "fd_pwrite": wasi_call("iiiji:i", self.fd_pwrite),
            "fd_seek": wasi_call("ijii:i", self.fd_seek),
            "fd_close": wasi_call("i:i", self.fd_close),
            "fd_sync": wasi_call("i:i", self.fd_sync),
            "fd_fdstat_get": wasi_call("ii:i", self.fd_fdstat_get),
            "environ_sizes_get": wasi_call("ii:i", self.environ_sizes_get),
            "environ_get": wasi_call("ii:i", self.environ_get),
            "random_get": wasi_call("ii:i", self.random_get),
            "proc_exit": HostFunction("i:", self.proc_exit),
        }

    def _vectors(self, array: int, count: int) -> Iterator[tuple[int, int]]:
        if count > _VECTORS_MAX:
            raise ErrnoError(Errno.EINVAL)
        for address in range(array, array + count * _IOVEC.size, _IOVEC.size):
            yield self._memory.unpack(_IOVEC, address)

    def _read(self, file: OpenFile, array: int, count: int, offset: int) -> int:
        """Fill the buffers in turn; what was read before one went wrong counts."""
        total = 0
        try:
            for address, length in self._vectors(array, count):
                chunk = self._descriptors.read(file, length, offset + total)
                self._memory.write(address, chunk)
                total += len(chunk)
                if len(chunk) < length:
                    break
        except (ErrnoError, GuestFault):
            if not total:
                raise
        return total

    def fd_read(self, descriptor: int, array: int, count: int, out: int) -> int:
        """`readv` at the offset, which moves."""
        file = self._descriptors.get(descriptor)
        self._memory.check(out, 4)
        total = self._read(file, array, count, file.offset)
        file.offset += total
        self._memory.put_u32(out, total)
        return 0

    def fd_pread(self, descriptor: int, array: int, count: int, offset: int, out: int) -> int:
        """`preadv`: at another offset, which does not move the file's."""
        self._memory.check(out, 4)
        self._memory.put_u32(out, self._read(self._positioned(descriptor, offset), array, count, offset))
        return 0

    def _write(self, file: OpenFile, array: int, count: int, offset: int) -> int:
        total = 0
        try:
            for address, length in self._vectors(array, count):
                taken = self._descriptors.write(file, self._memory.read(address, length), offset + total)
                total += taken
                if taken < length:
                    break
        except (ErrnoError, GuestFault):
            if not total:
                raise
        return total

    def fd_write(self, descriptor: int, array: int, count: int, out: int) -> int:
        """`writev` at the offset, which moves; at the end in append mode."""
        file = self._descriptors.get(descriptor)
        self._memory.check(out, 4)
        start = file.node.size if file.flags & O_APPEND and isinstance(file.node, RegularFile) else file.offset
        total = self._write(file, array, count, start)
        file.offset = start + total
        self._memory.put_u32(out, total)
        return 0

    def fd_pwrite(self, descriptor: int, array: int, count: int, offset: int, out: int) -> int:
        """`pwritev`."""
        self._memory.check(out, 4)
        self._memory.put_u32(out, self._write(self._positioned(descriptor, offset), array, count, offset))
        return 0

    def _positioned(self, descriptor: int, offset: int) -> OpenFile:
        file = self._descriptors.get(descriptor)
        if offset < 0:
            raise ErrnoError(Errno.EINVAL)
        if isinstance(file.node, Pipe | Device):
            raise ErrnoError(Errno.ESPIPE)
        return file

    def fd_seek(self, descriptor: int, offset: int, whence: int, out: int) -> int:
        """`lseek`."""
        self._memory.check(out, 8)
        self._memory.pack(_U64, out, self._descriptors.seek(descriptor, offset, whence))
        return 0

    def fd_close(self, descriptor: int) -> int:
        """`close`."""
        self._descriptors.close(descriptor)
        return 0

    def fd_sync(self, descriptor: int) -> int:
        """`fsync`: there is no disk."""
        self._descriptors.get(descriptor)
        return 0

    def fd_fdstat_get(self, descriptor: int, out: int) -> int:
        """The type of file, and no rights."""
        node = self._descriptors.get(descriptor).node
        kinds = {Device: _FILETYPE_CHARACTER, Directory: _FILETYPE_DIRECTORY, RegularFile: _FILETYPE_REGULAR}
        self._memory.write(out, bytes([kinds.get(type(node), _FILETYPE_UNKNOWN)]) + bytes(23))
        return 0

    def environ_sizes_get(self, count_out: int, bytes_out: int) -> int:
        """How many variables, and how many bytes they take."""
        self._memory.put_u32(count_out, len(self._environment))
        self._memory.put_u32(bytes_out, sum(map(len, self._environment)))
        return 0

    def environ_get(self, pointers_out: int, text_out: int) -> int:
        """The variables: only those that the host was given for the guest."""
        for index, text in enumerate(self._environment):
            self._memory.put_u32(pointers_out + 4 * index, text_out)
            self._memory.write(text_out, text)
            text_out += len(text)
        return 0

    def random_get(self, out: int, count: int) -> int:
        """Random bytes."""
        self._memory.check(out, count)
        for start in range(0, count, _RANDOM_CHUNK_BYTES):
            self._memory.write(out + start, urandom(min(_RANDOM_CHUNK_BYTES, count - start)))
        return 0

    def proc_exit(self, status: int) -> None:
        """The guest ends itself."""
        raise GuestExit(status)
