"""Compound File Binary ("OLE") containers of untrusted origin, read only as far as needed: [MS-CFB].

Every chain of sectors is bounded by the size of the file, so no loop in a damaged allocation table can hang,
and nothing is copied but the sectors asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from engines.errors import EngineError, ErrorKind

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_DIRECTORY_ENTRY = struct.Struct("<64sHBB3I16sI2QIQ")
_SECTOR_MAX = 0xFFFFFFFA
_NO_ENTRY = 0xFFFFFFFF
_DIRECTORY_ENTRIES_MAX = 65_536
_HEADER_DIFAT = 109


@dataclass(frozen=True, slots=True)
class Member:
    """A stream or storage directly under the root; `size` in bytes."""

    name: str
    is_storage: bool
    sector: int
    size: int


class CompoundFile:
    """The members under the root of a compound file."""

    def __init__(self, data: memoryview) -> None:
        """Read the directory; raises `EngineError` (corrupt)."""
        try:
            self._open(data)
        except (struct.error, IndexError) as error:
            raise _damaged() from error

    def _open(self, data: memoryview) -> None:
        self._data = data
        major, _, shift, mini_shift = struct.unpack_from("<4H", data, 26)
        if (major, shift) not in {(3, 9), (4, 12)} or mini_shift != 6:
            raise _damaged()
        self._sector_size = 1 << int(shift)
        self._sectors_max = len(data) // self._sector_size + 1
        directory, mini_cutoff, mini_fat = struct.unpack_from("<I4xII", data, 48)
        self._mini_cutoff = mini_cutoff
        self._fat_sectors = self._read_difat()
        self._mini_fat_start = mini_fat
        entries = self._read_directory(directory)
        self._root_start, self._root_size = entries[0][1].sector, entries[0][1].size
        self.members = {member.name: member for member in _children(entries)}

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def head(self, name: str, bytes_max: int) -> bytes:
        """The first bytes of a stream, fewer if it is shorter or its chain is broken; empty if there is none."""
        member = self.members.get(name)
        if member is None or member.is_storage:
            return b""
        size = min(member.size, bytes_max)
        try:
            return (
                self._mini_head(member.sector, size)
                if member.size < self._mini_cutoff
                else self._head(member.sector, size)
            )
        except (struct.error, IndexError):
            return b""

    def _read_difat(self) -> list[int]:
        """The sectors that hold the allocation table."""
        sectors = list(struct.unpack_from(f"<{_HEADER_DIFAT}I", self._data, 76))
        following, count = struct.unpack_from("<2I", self._data, 68)
        per_sector = self._sector_size // 4
        for _ in range(min(count, self._sectors_max)):
            if following >= _SECTOR_MAX:
                break
            *more, following = struct.unpack_from(f"<{per_sector}I", self._data, self._offset(following))
            sectors += more
        return [sector for sector in sectors if sector < _SECTOR_MAX][: self._sectors_max]

    def _offset(self, sector: int) -> int:
        return (sector + 1) * self._sector_size

    def _next(self, sector: int) -> int:
        table, index = divmod(sector, self._sector_size // 4)
        (following,) = struct.unpack_from("<I", self._data, self._offset(self._fat_sectors[table]) + 4 * index)
        return int(following)

    def _chain(self, sector: int) -> Iterator[int]:
        for _ in range(self._sectors_max):
            if sector >= _SECTOR_MAX:
                return
            yield sector
            sector = self._next(sector)

    def _head(self, sector: int, size: int) -> bytes:
        parts: list[bytes] = []
        have = 0
        for each in self._chain(sector) if size else ():
            start = self._offset(each)
            part = bytes(self._data[start : start + self._sector_size])
            parts.append(part)
            have += len(part)
            if have >= size or not part:
                break
        return b"".join(parts)[:size]

    def _mini_head(self, sector: int, size: int) -> bytes:
        """Small streams live in sectors of 64 bytes inside of the root's own stream."""
        stream = self._head(self._root_start, min(self._root_size, len(self._data)))
        table = self._head(self._mini_fat_start, len(self._data))
        parts: list[bytes] = []
        while sector < _SECTOR_MAX and len(parts) * 64 < size:
            parts.append(stream[sector * 64 : sector * 64 + 64])
            (sector,) = struct.unpack_from("<I", table, 4 * sector)
        return b"".join(parts)[:size]

    def _read_directory(self, sector: int) -> list[tuple[tuple[int, int, int], Member]]:
        raw = self._head(sector, _DIRECTORY_ENTRIES_MAX * _DIRECTORY_ENTRY.size)
        entries = []
        for fields in _DIRECTORY_ENTRY.iter_unpack(raw[: len(raw) // 128 * 128]):
            name, name_size, kind, _, left, right, child, *_, start, size = fields
            text = name[: max(0, min(name_size, 64) - 2)].decode("utf-16-le", "replace")
            # Version 3 files may carry rubbish in the upper half of the size.
            size = size & 0xFFFFFFFF if self._sector_size == 512 else size
            entries.append(((left, right, child), Member(text, kind == 1, start, size)))
        if not entries:
            raise _damaged()
        return entries


def _children(entries: list[tuple[tuple[int, int, int], Member]]) -> Iterator[Member]:
    """The members of the root: a binary tree of siblings, walked without recursion and each node once."""
    waiting, seen = [entries[0][0][2]], {_NO_ENTRY}
    while waiting:
        index = waiting.pop()
        if index in seen or index >= len(entries):
            continue
        seen.add(index)
        (left, right, _), member = entries[index]
        waiting += [left, right]
        yield member


def _damaged() -> EngineError:
    return EngineError(ErrorKind.CORRUPT, "The file is damaged: its container (OLE) cannot be read.")
