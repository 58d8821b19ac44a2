"""Workbooks that were saved scrolled down, put back to their beginning. Only the standard library.

LibreOffice takes the first cell that was visible for the beginning of the sheet when it makes one page of it
(tdf#155351, tdf#164683): the page has the size of the whole sheet, and the rows above are not on it.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib

from engines.archive import Archive
from engines.errors import EngineError

_SUFFIXES = frozenset({"xlsx", "xlsm", "xltx", "xltm", "xlsb"})
_SHEET = re.compile(r"xl/worksheets/[^/]+\.(?:xml|bin)", re.IGNORECASE)
_HEAD_BYTES = 16_384
"""The views stand before the cells."""
_SHEET_BYTES_MAX = 256 << 20
_SCROLLED = re.compile(
    rb"(<(?:\w+:)?(?:sheetView|pane)\b[^<>]*?)\s+topLeftCell\s*=\s*(?:\"(?!A1\")[^\"<>]*\"|'(?!A1')[^'<>]*')"
)
_FIRST_CELL = {137: 6, 151: 16}
"""[MS-XLSB] BrtBeginWsView and BrtPane: where the row and the column stand in them that are at the top left."""
_SHEET_DATA = 145
"""BrtBeginSheetData."""
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_UTF8 = 0x800
_DATE = 0x21
"""The first day of 1980."""


def unscrolled(source: memoryview, suffix: str) -> bytes | memoryview:
    """The document with every sheet at its first cell; `source` itself where nothing is to be done."""
    if suffix not in _SUFFIXES:
        return source
    try:
        package = Archive.open(source)
        changed = {name: _unscrolled(package, name) for name in package.entries if _is_scrolled(package, name)}
    except EngineError:
        return source  # LibreOffice decides what becomes of it
    return _with_parts(source, package, changed) if changed else source


def _is_scrolled(package: Archive, name: str) -> bool:
    if _SHEET.fullmatch(name) is None:
        return False
    head = package.head(name, _HEAD_BYTES)
    return _without_scrolling(head, name) != head


def _unscrolled(package: Archive, name: str) -> bytes:
    data = package.read(name, _SHEET_BYTES_MAX)
    return _without_scrolling(data[:_HEAD_BYTES], name) + data[_HEAD_BYTES:]


def _without_scrolling(head: bytes, name: str) -> bytes:
    return _SCROLLED.sub(rb"\1", head) if name.lower().endswith(".xml") else _binary_without_scrolling(head)


def _binary_without_scrolling(head: bytes) -> bytes:
    """The records of a binary sheet, its views at the first cell."""
    result = bytearray(head)
    position = 0
    while position + 6 < len(head):
        kind, position = _number(head, position, 2)
        size, position = _number(head, position, 4)
        if kind == _SHEET_DATA:
            break
        offset = _FIRST_CELL.get(kind)
        if offset is not None and offset + 8 <= size and position + size <= len(head):
            result[position + offset : position + offset + 8] = bytes(8)
        position += size
    return bytes(result)


def _number(data: bytes, position: int, bytes_max: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for index in range(min(bytes_max, len(data) - position)):
        byte = data[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    return value, position + bytes_max


def _with_parts(source: memoryview, package: Archive, parts: dict[str, bytes]) -> bytes:
    """The archive with these parts in place of those of that name. Without holes, which LibreOffice does not accept."""
    body, directory = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        checksums = {entry.filename: entry.CRC for entry in archive.infolist()}
    for name, entry in package.entries.items():
        if name in parts:
            data = parts[name]
            packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
            packed: bytes | memoryview = packer.compress(data) + packer.flush()
            method, checksum, size = zipfile.ZIP_DEFLATED, zlib.crc32(data), len(data)
        else:
            packed = source[entry.start : entry.start + entry.deflated_bytes]
            method, checksum, size = entry.method, checksums[name], entry.inflated_bytes
        encoded = name.encode()
        fields = (20, _UTF8, method, 0, _DATE, checksum, len(packed), size, len(encoded))
        directory.write(_CENTRAL.pack(b"PK\1\2", 20, *fields, 0, 0, 0, 0, 0, body.tell()) + encoded)
        body.write(_LOCAL.pack(b"PK\3\4", *fields, 0) + encoded)
        body.write(packed)
    start, count = body.tell(), len(package.entries)
    body.write(directory.getvalue())
    body.write(_END.pack(b"PK\5\6", 0, 0, count, count, directory.tell(), start, 0))
    return body.getvalue()
