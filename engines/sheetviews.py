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

_SUFFIXES = frozenset({"xlsx", "xlsm", "xltx", "xltm"})
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_HEAD_BYTES = 16_384
"""The views stand before the cells."""
_SHEET_BYTES_MAX = 256 << 20
_SCROLLED = re.compile(
    rb"(<(?:\w+:)?(?:sheetView|pane)\b[^<>]*?)\s+topLeftCell\s*=\s*(?:\"(?!A1\")[^\"<>]*\"|'(?!A1')[^'<>]*')"
)
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
    return _SHEET.fullmatch(name) is not None and _SCROLLED.search(package.head(name, _HEAD_BYTES)) is not None


def _unscrolled(package: Archive, name: str) -> bytes:
    data = package.read(name, _SHEET_BYTES_MAX)
    return _SCROLLED.sub(rb"\1", data[:_HEAD_BYTES]) + data[_HEAD_BYTES:]


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
