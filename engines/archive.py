"""ZIP packages of untrusted origin: the central directory screened before anything is inflated, bounded reads.

The sizes that an archive quotes are checked against each other and against the file, since most archive bombs
show there: too many entries, absurd ratios, entries that overlap ("A better zip bomb", D. Fifield, 2019). What is
inflated is inflated up to a bound, whatever the directory says. Layout after PKWARE's APPNOTE.TXT.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engines.errors import EngineError, ErrorKind

_END = struct.Struct("<4s4H2IH")
_END64_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQ2H2I4Q")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_LOCAL = struct.Struct("<4s5H3I2H")
_STORED, _DEFLATED = 0, 8
_FLAG_ENCRYPTED, _FLAG_UTF8 = 0x1, 0x800
_UINT16_MAX, _UINT32_MAX = 0xFFFF, 0xFFFFFFFF
_COMMENT_BYTES_MAX = 0xFFFF


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may declare.

    `ratio_max` is the inflated size over the deflated one, for each entry and for all together; it counts only from
    `ratio_exempt_bytes` of inflated size, since small XML parts of harmless documents shrink a lot.
    """

    entries_max: int = 20_000
    inflated_bytes_max: int = 512 << 20
    ratio_max: int = 200
    ratio_exempt_bytes: int = 16 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive; `start` is where its data begin, sizes in bytes."""

    name: str
    method: int
    deflated_bytes: int
    inflated_bytes: int
    start: int


def _corrupt(message: str) -> EngineError:
    return EngineError(ErrorKind.CORRUPT, message)


def _limit(message: str) -> EngineError:
    return EngineError(ErrorKind.LIMIT, message)


class Archive:
    """The directory of a ZIP package and bounded access to its files."""

    def __init__(self, data: memoryview, entries: Mapping[str, Entry]) -> None:
        self._data = data
        self.entries = MappingProxyType(dict(entries))

    @classmethod
    def open(cls, data: memoryview, limits: ArchiveLimits | None = None) -> Archive:
        """Read and screen the central directory; raises `EngineError` (corrupt, limit)."""
        limits = limits or ArchiveLimits()
        entries = _read_directory(data, limits)
        _check_overlap(entries)
        _check_sizes(entries, limits)
        return cls(data, {entry.name: entry for entry in entries})

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def head(self, name: str, bytes_max: int) -> bytes:
        """The first `bytes_max` bytes of a file; raises `EngineError` (corrupt) if absent or damaged."""
        entry = self.entries.get(name)
        if entry is None:
            raise _corrupt(f"The package has no part {printable(name)}.")
        raw = self._data[entry.start : entry.start + entry.deflated_bytes]
        if entry.method == _STORED:
            return bytes(raw[:bytes_max])
        try:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, bytes_max)
        except zlib.error as error:
            raise _corrupt(f"The part {printable(name)} of the package is damaged.") from error

    def read(self, name: str, bytes_max: int) -> bytes:
        """A whole file; raises `EngineError`: limit if it is larger than `bytes_max`, corrupt if absent or damaged."""
        data = self.head(name, bytes_max + 1)
        if len(data) > bytes_max:
            raise _limit(f"The part {printable(name)} of the package is too large.")
        if len(data) != self.entries[name].inflated_bytes:
            raise _corrupt(f"The part {printable(name)} of the package is damaged: its size is not the one declared.")
        return data


def printable(name: str) -> str:
    """A name from a document, short and without control characters, for a message."""
    text = "".join(char if char.isprintable() else "?" for char in name[:80])
    return f"“{text}”"


def _read_directory(data: memoryview, limits: ArchiveLimits) -> list[Entry]:
    count, size, offset, end = _find_directory(data)
    if count > limits.entries_max:
        raise _limit(f"The package has {count:,} entries; {limits.entries_max:,} is the limit.")
    shift = end - size - offset  # bytes put in front of the archive
    if shift < 0 or size < count * _CENTRAL.size:
        raise _corrupt("The package is incomplete: its directory does not fit into the file.")
    entries, position = [], offset + shift
    for _ in range(count):
        entry, position = _read_entry(data, position, end, shift)
        if not entry.name.endswith("/"):
            entries.append(entry)
    return entries


def _find_directory(data: memoryview) -> tuple[int, int, int, int]:
    """Number of entries, size and quoted offset of the central directory, and where it really ends."""
    tail_start = max(0, len(data) - _COMMENT_BYTES_MAX - _END.size)
    tail = bytes(data[tail_start:])
    found = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END.size + 4))
    if found < 0:
        raise _corrupt("The package is incomplete: its directory, which stands at the end, is missing.")
    end = tail_start + found
    _, disk, directory_disk, _, count, size, offset, _ = _END.unpack_from(data, end)
    if _UINT16_MAX in {disk, count} or _UINT32_MAX in {size, offset}:
        return _find_directory64(data, end) or (count, size, offset, end)
    if disk or directory_disk:
        raise _corrupt("The package is one part of an archive that was split.")
    return count, size, offset, end


def _find_directory64(data: memoryview, end: int) -> tuple[int, int, int, int] | None:
    locator = end - _END64_LOCATOR.size
    if locator < 0:
        return None
    mark, _, offset, _ = _END64_LOCATOR.unpack_from(data, locator)
    if mark != b"PK\6\7":
        return None
    # The record stands right before its locator, or where that says: whichever carries the signature.
    for position in (locator - _END64.size, offset):
        if 0 <= position <= locator - _END64.size and _has_mark(data, position, b"PK\6\6"):
            *_, count, size, directory = _END64.unpack_from(data, position)
            return count, size, directory, position
    raise _corrupt("The package is damaged: its ZIP64 directory is missing.")


def _has_mark(data: memoryview, position: int, mark: bytes) -> bool:
    return bytes(data[position : position + 4]) == mark


def _read_entry(data: memoryview, position: int, end: int, shift: int) -> tuple[Entry, int]:
    if position + _CENTRAL.size > end or not _has_mark(data, position, b"PK\1\2"):
        raise _corrupt("The package is damaged: its directory is broken.")
    fields = _CENTRAL.unpack_from(data, position)
    _, _, _, flags, method, _, _, _, deflated, inflated, name_size, extra_size, comment_size, *_, offset = fields
    name_start = position + _CENTRAL.size
    following = name_start + name_size + extra_size + comment_size
    if following > end:
        raise _corrupt("The package is damaged: its directory is broken.")
    name = _decode_name(bytes(data[name_start : name_start + name_size]), flags)
    if _UINT32_MAX in {deflated, inflated, offset}:
        extra = bytes(data[name_start + name_size : name_start + name_size + extra_size])
        inflated, deflated, offset = _zip64_sizes(extra, inflated, deflated, offset)
    _check_entry(name, flags, method, deflated, inflated)
    start = _data_start(data, offset + shift, name)
    if start + deflated > end:
        raise _corrupt(f"The package is damaged: {printable(name)} reaches beyond its end.")
    return Entry(name, method, deflated, inflated, start), following


def _decode_name(raw: bytes, flags: int) -> str:
    name = raw.decode("utf-8" if flags & _FLAG_UTF8 else "cp437", "replace")
    if "\0" in name or ".." in name.replace("\\", "/").split("/"):
        raise _corrupt(f"The package holds a part with a forbidden name, {printable(name)}.")
    return name


def _zip64_sizes(extra: bytes, inflated: int, deflated: int, offset: int) -> tuple[int, int, int]:
    """Sizes and offset from the ZIP64 extra field, which holds only those that are saturated, in this order."""
    position = 0
    while position + 4 <= len(extra):
        field, size = struct.unpack_from("<2H", extra, position)
        if field == 1:
            numbers = iter(struct.unpack(f"<{min(size, 24) // 8}Q", extra[position + 4 :][: min(size, 24) // 8 * 8]))
            values = [next(numbers, -1) if value == _UINT32_MAX else value for value in (inflated, deflated, offset)]
            if min(values) >= 0:
                return values[0], values[1], values[2]
            break
        position += 4 + size
    raise _corrupt("The package is damaged: a ZIP64 size is missing.")


def _check_entry(name: str, flags: int, method: int, deflated: int, inflated: int) -> None:
    if flags & _FLAG_ENCRYPTED:
        raise _corrupt("The package is a ZIP archive with a password, which no document format allows.")
    if method not in {_STORED, _DEFLATED}:
        raise _corrupt(f"The part {printable(name)} is compressed in a way that documents do not use.")
    if method == _STORED and deflated != inflated:
        raise _corrupt(f"The package is damaged: two sizes are given for {printable(name)}.")
    # Deflate adds at most 5 bytes to each block that it cannot shrink, so more input than this hides something.
    if deflated > inflated + inflated // 128 + 1024:
        raise _corrupt(f"The package is damaged: the size given for {printable(name)} cannot be true.")


def _data_start(data: memoryview, offset: int, name: str) -> int:
    if offset + _LOCAL.size > len(data) or not _has_mark(data, offset, b"PK\3\4"):
        raise _corrupt(f"The package is damaged: {printable(name)} is not where the directory says.")
    *_, name_size, extra_size = _LOCAL.unpack_from(data, offset)
    return int(offset + _LOCAL.size + name_size + extra_size)


def _check_overlap(entries: list[Entry]) -> None:
    end = 0
    for entry in sorted(entries, key=lambda each: each.start):
        if entry.start - _LOCAL.size < end:
            raise _limit("The package is an archive bomb: its entries overlap.")
        end = entry.start + entry.deflated_bytes


def _check_sizes(entries: list[Entry], limits: ArchiveLimits) -> None:
    inflated = sum(entry.inflated_bytes for entry in entries)
    if inflated > limits.inflated_bytes_max:
        raise _limit(
            f"The package unpacks to {inflated >> 20:,} MiB; {limits.inflated_bytes_max >> 20:,} MiB is the limit."
        )
    totals = [(inflated, sum(entry.deflated_bytes for entry in entries))]
    for size, packed in [*totals, *((entry.inflated_bytes, entry.deflated_bytes) for entry in entries)]:
        if size > limits.ratio_exempt_bytes and size > packed * limits.ratio_max:
            raise _limit(f"The package is an archive bomb: {packed:,} bytes unpack to {size:,}.")
