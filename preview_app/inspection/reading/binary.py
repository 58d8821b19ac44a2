"""The binary formats of Office 97 to 2003: [MS-CFB] containers with [MS-DOC], [MS-XLS], [MS-PPT] inside."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from engines.compound import SIGNATURE, CompoundFile
from preview_app.inspection.reading import binaryslides, binaryword, binaryworkbook, fields
from preview_app.inspection.reading.collector import Collector, decoded

_STREAM_BYTES_MAX = 64 << 20
_PROPERTIES_BYTES_MAX = 1 << 20
_SUMMARY = {2: "title", 3: "subject", 4: "author", 5: "keywords", 7: "template", 8: "last_author", 12: "created",
            13: "modified", 18: "application"}  # fmt: skip
_DOCUMENT_SUMMARY = {15: "company"}
_STRING, _WIDE_STRING, _TIME = 30, 31, 64
_CODEPAGE = 1
_VBA_IN_SLIDES = re.compile(rb"\x1f\x00\xff\x03\x14\x00{3}\x02\x00\x00\x04\x0c\x00{3}.{4}[^\x00]", re.DOTALL)
"""[MS-PPT] VBAInfoContainer with its atom, whose `fHasMacros` is set."""
_FIELD_COMMAND = re.compile(r"\x13([^\x13\x14\x15]{1,2000})[\x14\x15]")
_NOT_READ = {
    "doc": "Text that a style hides, moved text and embedded objects of this binary document were not looked at.",
    "ppt": "Hidden shapes of this binary presentation were not looked at.",
    "xls": "Tracked changes and embedded objects of this binary workbook were not looked at.",
}
_NOT_READ_AT_ALL = {
    "doc": "Hidden text, tracked changes and comments of this binary document were not looked at: it is of an older "
    "Word, or damaged.",
    "ppt": "Hidden slides and comments of this binary presentation were not looked at: it is of an older PowerPoint, "
    "or damaged.",
}


def read(data: memoryview, type_id: str, collector: Collector) -> None:
    """Look at a `doc`, `xls` or `ppt`. Raises `EngineError` for a container that cannot be read."""
    if bytes(data[:8]) != SIGNATURE:
        binaryworkbook.read_xls(bytes(data), collector)
        collector.not_read("Comments and links of this workbook of an older Excel were not looked at.")
        return
    container = CompoundFile(data)
    for storage in ("Macros", "_VBA_PROJECT_CUR"):
        if storage in container:
            collector.macro(storage)
    _properties(container.head("\x05SummaryInformation", _PROPERTIES_BYTES_MAX), _SUMMARY, collector)
    _properties(container.head("\x05DocumentSummaryInformation", _PROPERTIES_BYTES_MAX), _DOCUMENT_SUMMARY, collector)
    collector.embedded += sum(name.startswith("MBD") for name in container.members)
    if type_id == "xls":
        stream = next((name for name in ("Workbook", "WORKBOOK", "Book", "BOOK") if name in container), "")
        binaryworkbook.read_xls(container.head(stream, _STREAM_BYTES_MAX), collector)
    elif type_id == "doc":
        _word(container, collector)
    else:
        _slides(container, data, collector)
    collector.not_read(_NOT_READ[type_id])


def _word(container: CompoundFile, collector: Collector) -> None:
    """What its tables tell; fields by their marks in the text, in either width of characters."""
    stream = container.head("WordDocument", _STREAM_BYTES_MAX)
    try:
        binaryword.read(container, stream, collector)
    except binaryword.WordError:
        collector.not_read(_NOT_READ_AT_ALL["doc"])
    for text in (stream.decode("latin-1"), stream[: len(stream) & ~1].decode("utf-16-le", "replace")):
        for match in _FIELD_COMMAND.finditer(text):
            command = match[1].strip()
            if command.isprintable():
                collector.hyperlinks += command.startswith("HYPERLINK")
                fields.judge(command, collector)


def _slides(container: CompoundFile, data: memoryview, collector: Collector) -> None:
    if _VBA_IN_SLIDES.search(data):
        collector.macro("VBA")
    stream = container.head("PowerPoint Document", _STREAM_BYTES_MAX)
    try:
        binaryslides.read(stream, container.head("Current User", _PROPERTIES_BYTES_MAX), collector)
    except binaryslides.SlidesError:
        collector.not_read(_NOT_READ_AT_ALL["ppt"])


def _properties(stream: bytes, names: dict[int, str], collector: Collector) -> None:
    """[MS-OLEPS] PropertySetStream: the first set of it."""
    try:
        codepage = "cp1252"
        for number, kind, value in sorted(_values(stream)):
            if number == _CODEPAGE:
                codepage = f"cp{int.from_bytes(value[:2], 'little')}"
            elif number in names and (text := _text(kind, value, codepage)):
                collector.tell(names[number], text)
    except (struct.error, IndexError):
        return


def _values(stream: bytes) -> Iterator[tuple[int, int, bytes]]:
    if len(stream) < 48:
        return
    (start,) = struct.unpack_from("<I", stream, 44)
    _size, count = struct.unpack_from("<2I", stream, start)
    for index in range(min(count, 1000)):
        number, offset = struct.unpack_from("<2I", stream, start + 8 + 8 * index)
        (kind,) = struct.unpack_from("<I", stream, start + offset)
        yield number, kind, stream[start + offset + 4 : start + offset + 4 + 4096]


def _text(kind: int, value: bytes, codepage: str) -> str:
    if kind in {_STRING, _WIDE_STRING}:
        (size,) = struct.unpack_from("<I", value)
        wide = kind == _WIDE_STRING
        return decoded(value[4 : 4 + (2 * size if wide else size)], "utf-16-le" if wide else codepage).split("\0")[0]
    if kind == _TIME:
        (ticks,) = struct.unpack_from("<Q", value)
        if 0 < ticks < 3 * 10**17:
            moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
            return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment.year > 1601 else ""
    return ""
