"""Binary workbooks: the records of xls ([MS-XLS]) and of xlsb ([MS-XLSB]) that tell of sheets, comments and links."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from preview_app.inspection.reading.collector import Collector

_BOUNDSHEET, _SUPBOOK, _NOTE, _EOF_OF_FILE = 0x0085, 0x01AE, 0x001C, 0x0000
_ROW, _COLUMNS = 0x0208, 0x007D
_HIDDEN_ROW, _HIDDEN_COLUMNS = 0x20, 0x01
_COLUMNS_IN_ALL = 256
_MACRO_SHEET = 1
_BUNDLE_SHEET = 156
_EXTERNAL_SELF, _EXTERNAL_ADDIN = 0x0401, 0x3A01
_RECORDS_MAX = 5_000_000


def read_xls(stream: bytes, collector: Collector) -> None:
    """Look at the stream of a workbook."""
    for record, body in _records(stream):
        if record == _BOUNDSHEET and len(body) >= 8:
            _bound_sheet(body, collector)
        elif record == _SUPBOOK and len(body) >= 5:
            _external_book(body, collector)
        elif record == _NOTE and len(body) >= 11:
            collector.comment(_string(body, 8, wide_length=True))
        elif record == _ROW and len(body) >= 13:
            collector.hidden_cells += bool(body[12] & _HIDDEN_ROW)
        elif record == _COLUMNS and len(body) >= 9 and body[8] & _HIDDEN_COLUMNS:
            first, last = struct.unpack_from("<2H", body)
            collector.hidden_cells += max(0, min(last, _COLUMNS_IN_ALL - 1) - first + 1)


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    for _ in range(_RECORDS_MAX):
        if position + 4 > len(stream):
            return
        record, size = struct.unpack_from("<2H", stream, position)
        if record == _EOF_OF_FILE and size == 0:
            return
        yield record, stream[position + 4 : position + 4 + size]
        position += 4 + size


def _bound_sheet(body: bytes, collector: Collector) -> None:
    name = _string(body, 6, wide_length=False)
    if body[4] & 3:
        collector.hidden_sheet(name)
    if body[5] == _MACRO_SHEET:
        collector.macro(f"macro sheet {name}")


def _external_book(body: bytes, collector: Collector) -> None:
    """A name that begins with \\x01 is a file; one that holds \\x03 is a command for another program (DDE or OLE)."""
    (length,) = struct.unpack_from("<H", body, 2)
    if length in {_EXTERNAL_SELF, _EXTERNAL_ADDIN} or not 0 < length < 0x100:
        return
    name = _string(body, 2, wide_length=True)
    if "\x03" in name:
        collector.dde(name.lstrip("\x01").replace("\x03", "|"))
    elif len(name) > 1:
        collector.external("workbook", _path(name))


def _path(virtual: str) -> str:
    """[MS-XLS] 2.5.277 VirtualPath: control characters stand for drives and separators."""
    text = virtual.lstrip("\x01\x02")
    for mark, meaning in (
        ("\x05", ""),
        ("\x01@", "\\\\"),
        ("\x01", ""),
        ("\x02", "\\"),
        ("\x03", "\\"),
        ("\x04", "..\\"),
    ):
        text = text.replace(mark, meaning)
    return "".join(char for char in text if char.isprintable())


def _string(body: bytes, at: int, *, wide_length: bool) -> str:
    """A string with its length (one byte or two) and its flag: one byte a character, or two."""
    head = 3 if wide_length else 2
    if at + head > len(body):
        return ""
    count = struct.unpack_from("<H", body, at)[0] if wide_length else body[at]
    wide = body[at + head - 1] & 1
    raw = body[at + head : at + head + count * (2 if wide else 1)]
    return raw.decode("utf-16-le" if wide else "latin-1", "replace")


def read_xlsb(part: bytes, collector: Collector) -> None:
    """Look at `xl/workbook.bin`."""
    position = 0
    for _ in range(_RECORDS_MAX):
        if position >= len(part):
            return
        record, position = _number(part, position, 2)
        size, position = _number(part, position, 4)
        if record == _BUNDLE_SHEET and size >= 12:
            body = part[position : position + size]
            if int.from_bytes(body[:4], "little") & 3:
                collector.hidden_sheet(_wide(body, _after_wide(body, 8)))
        position += size


def _number(part: bytes, position: int, bytes_max: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first ([MS-XLSB] 2.1.4); of a record's type all bits count."""
    value = 0
    for index in range(bytes_max):
        if position >= len(part):
            break
        byte = part[position]
        position += 1
        value |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            break
    return value, position


def _after_wide(body: bytes, at: int) -> int:
    count = int.from_bytes(body[at : at + 4], "little")
    return at + 4 + (0 if count == 0xFFFFFFFF else 2 * count)


def _wide(body: bytes, at: int) -> str:
    count = int.from_bytes(body[at : at + 4], "little")
    return body[at + 4 : at + 4 + 2 * min(count, 1000)].decode("utf-16-le", "replace")
