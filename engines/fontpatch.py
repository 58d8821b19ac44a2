"""A font file changed in memory: another family name, other characters for its glyphs.

A guest looks a font up by the name in its file. One that gets Carlito for Calibri asks again for each portion of
text; a copy of Carlito that calls itself Calibri is asked for once. The PostScript name stays, so a PDF tells the
truth about what it embeds. New tables go to the end of the file and the directory points to them; all else stays.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from engines.sfnt import SfntError, glyph_ids

_FLAVOURS = (b"\0\1\0\0", b"OTTO", b"true")
_FAMILY, _FULL_NAME, _TYPOGRAPHIC_FAMILY, _TYPOGRAPHIC_STYLE, _WWS_FAMILY, _WWS_STYLE = 1, 4, 16, 17, 21, 22
_VARIATIONS_PREFIX = 25
_DROPPED = frozenset({_FULL_NAME, _TYPOGRAPHIC_FAMILY, _TYPOGRAPHIC_STYLE, _WWS_FAMILY, _WWS_STYLE, _VARIATIONS_PREFIX})
_MAC = 1
_TABLES_MAX = 256
_RECORD = struct.Struct(">6H")


def with_family(data: bytes, family: str) -> bytes | None:
    """The same font named `family`; `None` for collections and files that are no fonts."""
    try:
        return _with_tables(data, {b"name": _renamed(_table(data, b"name"), family)})
    except (struct.error, SfntError):
        return None


def with_characters(data: bytes, family: str, characters: Mapping[int, int]) -> bytes | None:
    """The same glyphs under the name `family`, with `characters` (new code point -> code point of the font) only.

    Code points that the font does not have are left out; `None` for collections and files that are no fonts. All
    new code points lie in the basic plane.
    """
    try:
        glyphs = glyph_ids(data, characters.values())
        mapping = {new: glyphs[old] for new, old in characters.items() if old in glyphs}
        return _with_tables(data, {b"name": _renamed(_table(data, b"name"), family), b"cmap": _cmap(mapping)})
    except (struct.error, SfntError):
        return None


def _directory(data: bytes) -> dict[bytes, tuple[int, int, int]]:
    """Tag -> where its record is, and start and size of the table; raises `SfntError` if this is no single font."""
    if not data.startswith(_FLAVOURS):
        raise SfntError("not a single font")
    (count,) = struct.unpack_from(">H", data, 4)
    records = range(12, 12 + 16 * min(count, _TABLES_MAX), 16)
    entries = ((position, struct.unpack_from(">4s3I", data, position)) for position in records)
    return {tag: (position, start, size) for position, (tag, _, start, size) in entries}


def _table(data: bytes, tag: bytes) -> bytes:
    _, start, size = _directory(data).get(tag, (0, 0, 0))
    return data[start : start + size]


def _with_tables(data: bytes, tables: Mapping[bytes, bytes]) -> bytes:
    directory = _directory(data)
    head, tail = bytearray(data), b""
    start = _aligned(len(data))
    for tag, table in tables.items():
        if tag not in directory:
            raise SfntError(f"no table {tag!r}")
        struct.pack_into(">4s3I", head, directory[tag][0], tag, _checksum(table), start + len(tail), len(table))
        tail += _padded(table)
    return _padded(bytes(head)) + tail


def _renamed(table: bytes, family: str) -> bytes:
    """Every family name replaced, names that would contradict it left out."""
    _, count, strings_at = struct.unpack_from(">3H", table)
    records, strings = [], b""
    for each in range(count):
        platform, encoding, language, name_id, size, start = _RECORD.unpack_from(table, 6 + 12 * each)
        if name_id in _DROPPED:
            continue
        text = table[strings_at + start : strings_at + start + size]
        if name_id == _FAMILY:
            text = family.encode("mac_roman" if platform == _MAC else "utf-16-be", "replace")
        records.append(_RECORD.pack(platform, encoding, language, name_id, len(text), len(strings)))
        strings += text
    return struct.pack(">3H", 0, len(records), 6 + 12 * len(records)) + b"".join(records) + strings


def _cmap(mapping: Mapping[int, int]) -> bytes:
    """A table of format 4 with one segment for each code point: simple, and they are few."""
    points = [*sorted(mapping), 0xFFFF]
    deltas = [(mapping.get(point, 0) - point) & 0xFFFF for point in points[:-1]] + [1]
    columns = [points, [0], points, deltas, [0] * len(points)]
    body = b"".join(struct.pack(f">{len(column)}H", *column) for column in columns)
    power = 1 << (len(points).bit_length() - 1)
    search = (2 * power, power.bit_length() - 1, 2 * (len(points) - power))
    subtable = struct.pack(">7H", 4, 14 + len(body), 0, 2 * len(points), *search) + body
    return struct.pack(">4HI", 0, 1, 3, 1, 12) + subtable


def _aligned(size: int) -> int:
    return (size + 3) & ~3


def _padded(table: bytes) -> bytes:
    return table.ljust(_aligned(len(table)), b"\0")


def _checksum(table: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{_aligned(len(table)) // 4}I", _padded(table))
    return sum(words) & 0xFFFFFFFF
