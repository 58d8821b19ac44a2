"""The guest's linear memory, seen from the host: every access is checked against the memory's current size.

The memory is shared between the guest's threads and never moves; it only grows, and never past the limit that it
was made with, whoever asks (the host below, or a `memory.grow` of the guest itself). `view` covers the size at the
last look. An access outside it looks again, since another thread may have grown the memory, and then raises
`GuestFault`. Addresses are unsigned.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from struct import Struct
from typing import Any

from engines.wasm.host.capi import SharedMemory
from engines.wasm.host.errors import GuestFault

PAGE_BYTES = 65536

_U32 = Struct("<I")
_CHUNK_BYTES = 256
_TEXT_BYTES_MAX = 1 << 20

# Emscripten grows by a fifth, but by no more than this beyond what was asked, so that growing is rare and cheap.
_HEADROOM_BYTES = 96 << 20


class GuestMemory:
    """Typed reads and writes of the guest's memory."""

    __slots__ = ("_base", "_memory", "bytes_max", "limit_reached", "lock", "view")

    def __init__(self, memory: SharedMemory, bytes_max: int) -> None:
        self._memory = memory
        self._base = memory.address
        self.bytes_max = bytes_max
        self.lock = threading.Lock()
        self.limit_reached = False
        """Whether the guest was ever refused memory."""
        self.view = memoryview(b"")
        self.refresh()

    @property
    def size(self) -> int:
        """Current size in bytes."""
        return self._memory.size

    def refresh(self) -> memoryview:
        """Look at the current size again; returns the writable view of the whole memory."""
        size = self._memory.size
        if size != len(self.view):
            array = (ctypes.c_ubyte * size).from_address(self._base)
            self.view = memoryview(array).cast("B")
        return self.view

    def check(self, address: int, length: int) -> None:
        """Raise `GuestFault` unless `length` bytes at `address` exist."""
        if length < 0 or address < 0 or address + length > len(self.view):
            view = self.refresh()
            if length < 0 or address < 0 or address + length > len(view):
                raise GuestFault(address, length)

    def read(self, address: int, length: int) -> memoryview:
        """The bytes themselves, not a copy: the guest can change them at any time."""
        self.check(address, length)
        return self.view[address : address + length]

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Copy `data` to `address`."""
        length = len(data)
        self.check(address, length)
        self.view[address : address + length] = data

    def clear(self, address: int, length: int) -> None:
        """Fill with zeros."""
        self.check(address, length)
        ctypes.memset(self._base + address, 0, length)

    def unpack(self, layout: Struct, address: int) -> tuple[Any, ...]:
        """Read `layout` at `address`."""
        try:
            return layout.unpack_from(self.view, address)
        except struct.error:
            self.check(address, layout.size)
            return layout.unpack_from(self.view, address)

    def pack(self, layout: Struct, address: int, *values: Any) -> None:
        """Write `values` as `layout` at `address`."""
        try:
            layout.pack_into(self.view, address, *values)
        except struct.error:
            self.check(address, layout.size)
            layout.pack_into(self.view, address, *values)

    def u32(self, address: int) -> int:
        """Read an unsigned 32-bit number."""
        value: int = self.unpack(_U32, address)[0]
        return value

    def put_u32(self, address: int, value: int) -> None:
        """Write the low 32 bits of `value`."""
        self.pack(_U32, address, value & 0xFFFFFFFF)

    def c_string(self, address: int, bytes_max: int = _TEXT_BYTES_MAX) -> bytes:
        """The bytes up to, not including, the next zero byte.

        Raises `GuestFault` if there is none before the end of the memory, or within `bytes_max` bytes.
        """
        start, end = address, address + bytes_max
        while address < end:
            self.check(address, 1)
            chunk = bytes(self.view[address : address + _CHUNK_BYTES])
            at = chunk.find(0)
            if at >= 0:
                return bytes(self.view[start : address + at]) if address > start else chunk[:at]
            address += len(chunk)
        raise GuestFault(start, bytes_max)

    def utf16_string(self, address: int, bytes_max: int = _TEXT_BYTES_MAX) -> bytes:
        """The UTF-16 (little endian) code units up to, not including, the next zero unit, as bytes."""
        start, end = address, address + bytes_max
        while address < end:
            self.check(address, 2)
            chunk = bytes(self.view[address : address + _CHUNK_BYTES])
            at = _zero_unit(chunk)
            if at >= 0:
                return bytes(self.view[start : address + at]) if address > start else chunk[:at]
            address += len(chunk) & ~1
        raise GuestFault(start, bytes_max)

    def grow_to(self, requested: int) -> bool:
        """Make the memory at least `requested` bytes, with headroom. False where the limit stands against it."""
        with self.lock:
            size = self._memory.size
            if requested <= size:
                return False
            if requested > self.bytes_max:
                self.limit_reached = True
                return False
            generous = min(size + size // 5, requested + _HEADROOM_BYTES)
            wanted = min(self.bytes_max, max(requested, generous))
            grown = self._memory.grow(-(-(wanted - size) // PAGE_BYTES))
            self.limit_reached |= not grown
            self.refresh()
            return grown


def _zero_unit(chunk: bytes) -> int:
    """Where the first aligned pair of zero bytes stands, or -1."""
    at = chunk.find(b"\0\0")
    while at >= 0 and at & 1:
        at = chunk.find(b"\0\0", at + 1)
    return at
