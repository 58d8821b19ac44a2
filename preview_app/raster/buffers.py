"""Memory for pictures that is used again once nobody looks at it any more.

Memory that is touched for the first time is slow: the system hands it out in small pages, each cleared first, and for
a page of a document that takes several times as long as copying it. The thread that waits for this is the one that
paints. So the memory of a picture that was let go is kept for the next one.

That nobody looks at it is known by its reference count: every view of it, an image that Qt draws from included, holds
a reference to it.
"""

from __future__ import annotations

import mmap
import sys

PICTURE_BYTES_MIN = 1 << 20
"""Less than this comes from the allocator, which keeps memory of its own."""
SPARE_BYTES_MAX = 32 << 20
_FITS = 1.5
"""How much larger than the picture the memory for it may be."""


class Buffers:
    """Gives copies of bytes. Not thread-safe: it belongs to the thread that the rasterizer lives on."""

    def __init__(self, spare_bytes_max: int = SPARE_BYTES_MAX) -> None:
        self._spare_bytes_max = spare_bytes_max
        self._rooms: list[mmap.mmap] = [_room(1)]
        # Measured, since it is a matter of the interpreter: the count of one that only this list refers to.
        (self._alone,) = self._counts()
        self._rooms.clear()

    def copy(self, source: mmap.mmap, size: int) -> bytes | memoryview:
        """The first `size` bytes of `source`, read-only, unchanged for as long as the result or a view of it lives."""
        if size < PICTURE_BYTES_MIN:
            return source[:size]
        room = self._take(size)
        with memoryview(source) as view:
            room[:size] = view[:size]
        return memoryview(room)[:size].toreadonly()

    def trim(self) -> None:
        """Give back what is to spare beyond the bound, the oldest first."""
        spare = self._spare()
        excess = sum(map(len, spare)) - self._spare_bytes_max
        while spare and excess > 0:
            excess -= len(spare[0])
            self._rooms.remove(spare.pop(0))

    def clear(self) -> None:
        """Give everything back; what is looked at lives on by itself."""
        self._rooms.clear()

    @property
    def spare_bytes(self) -> int:
        """What is kept for pictures to come."""
        return sum(map(len, self._spare()))

    def __repr__(self) -> str:
        return f"<Buffers rooms={len(self._rooms)} spare_bytes={self.spare_bytes}>"

    def _spare(self) -> list[mmap.mmap]:
        counts = zip(self._rooms, self._counts(), strict=True)
        return [room for room, count in counts if count <= self._alone]

    def _counts(self) -> list[int]:
        return [sys.getrefcount(room) for room in self._rooms]

    def _take(self, size: int) -> mmap.mmap:
        fitting = [room for room in self._spare() if size <= len(room) <= size * _FITS]
        if fitting:
            return min(fitting, key=len)
        self.trim()
        room = _room(size)
        self._rooms.append(room)
        return room


def _room(size: int) -> mmap.mmap:
    if hasattr(mmap, "MAP_PRIVATE"):  # what is shared between processes is slower to get
        return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)
