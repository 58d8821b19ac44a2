"""A font file under another family name, in memory, for a guest that looks fonts up by the name in the file.

A guest that gets Carlito for Calibri asks again for each portion of text, since the name that it looks for is not
there; a copy of Carlito that calls itself Calibri is asked for once. The PostScript name stays, so the PDF
tells the truth about what it embeds.
"""

from __future__ import annotations

import struct

_FLAVOURS = (b"\0\1\0\0", b"OTTO", b"true")
_FAMILY, _FULL_NAME, _TYPOGRAPHIC_FAMILY, _TYPOGRAPHIC_STYLE, _WWS_FAMILY = 1, 4, 16, 17, 21
_DROPPED = frozenset({_FULL_NAME, _TYPOGRAPHIC_FAMILY, _TYPOGRAPHIC_STYLE, _WWS_FAMILY, 22, 25})
_TABLES_MAX = 256
_RECORD = struct.Struct(">6H")


def with_family(data: bytes, family: str) -> bytes | None:
    """The same font named `family`; `None` for collections and files that are no fonts.

    The new `name` table is put at the end and the directory pointed to it; everything else stays where it was.
    """
    if not data.startswith(_FLAVOURS):
        return None
    try:
        (count,) = struct.unpack_from(">H", data, 4)
        for position in range(12, 12 + 16 * min(count, _TABLES_MAX), 16):
            tag, _, start, size = struct.unpack_from(">4s3I", data, position)
            if tag == b"name":
                table = _renamed(data[start : start + size], family)
                entry = struct.pack(">4s3I", b"name", _checksum(table), _aligned(len(data)), len(table))
                padding = b"\0" * (_aligned(len(data)) - len(data))
                return b"".join((data[:position], entry, data[position + 16 :], padding, table))
    except struct.error:
        return None
    return None


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
            text = family.encode("utf-16-be" if platform != 1 else "mac_roman", "replace")
        records.append(_RECORD.pack(platform, encoding, language, name_id, len(text), len(strings)))
        strings += text
    return struct.pack(">3H", 0, len(records), 6 + 12 * len(records)) + b"".join(records) + strings


def _aligned(size: int) -> int:
    return (size + 3) & ~3


def _checksum(table: bytes) -> int:
    padded = table + b"\0" * (_aligned(len(table)) - len(table))
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
