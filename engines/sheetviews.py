"""Workbooks that were saved scrolled down, put back to their beginning. Only the standard library.

LibreOffice takes the first cell that was visible for the beginning of the sheet when it makes one page of it
(tdf#155351, tdf#164683): the page has the size of the whole sheet, and the rows above are not on it.
"""

from __future__ import annotations

import re

from engines.archive import Archive
from engines.errors import EngineError
from engines.repacking import with_parts

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


def unscrolled(source: memoryview, suffix: str) -> bytes | memoryview:
    """The document with every sheet at its first cell; `source` itself where nothing is to be done."""
    if suffix not in _SUFFIXES:
        return source
    try:
        package = Archive.open(source)
        changed = {name: _unscrolled(package, name) for name in package.entries if _is_scrolled(package, name)}
        return with_parts(source, package, changed) if changed else source
    except EngineError:
        return source  # LibreOffice decides what becomes of it


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
