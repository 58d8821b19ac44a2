"""Word 97 to 2003 ([MS-DOC]): text that is hidden, tracked changes, comments and their authors.

Runs of equal properties lie in pages of 512 bytes (CHPX FKP); the piece table says which bytes are text, and how wide
its characters are. What lies outside of every piece was left over by a fast save, and counts for nothing. Each table
is read once, from its beginning to its end, so damage costs no more than the size of the file.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from engines.compound import CompoundFile
from preview_app.inspection.reading.collector import Collector, decoded

_MAGIC = b"\xec\xa5"
_TABLE_BYTES_MAX = 64 << 20
_SECOND_TABLE = 0x0200
_COMMENTS, _RUNS, _PIECES, _OWNERS, _AUTHORS = 4, 12, 33, 36, 51
"""Places in FibRgFcLcb97 ([MS-DOC] 2.5.6), counted in pairs of offset and size."""
_COMMENT_BYTES = 30
_PAGE_BYTES = 512
_HIDDEN, _INSERTED, _DELETED = 0x083C, 0x0801, 0x0800
_AUTHOR_OF_INSERTION, _AUTHOR_OF_DELETION = 0x4804, 0x4863
_FORMATTED = frozenset({0xCA57, 0xCA89})
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, None, 3)
"""By the upper three bits of a property's number; none: its first byte says it ([MS-DOC] 2.2.5.1)."""
_COMPRESSED = 0x40000000
_PIECES_MAX = 1_000_000
_NAMES_MAX = 1000
_SAMPLE_BYTES_MAX = 1 << 16


class WordError(Exception):
    """The document is of an older Word, or its tables are damaged."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes of the stream that are text, `width` of them a character."""

    start: int
    end: int
    width: int


@dataclass(slots=True)
class _Last:
    """What the run before was: runs that touch, and say the same, are one change."""

    end: int = -1
    what: object = None


def read(container: CompoundFile, stream: bytes, collector: Collector) -> None:
    """Look at a document. Raises `WordError` for what cannot be read; what was found until then stays."""
    if stream[:2] != _MAGIC:
        raise WordError
    try:
        word = _Word(container, stream)
        collector.comments += word.comments()
        for owner in word.owners():
            collector.commented_by(owner)
        _runs(word, collector)
    except (struct.error, IndexError) as error:
        raise WordError from error


def _runs(word: _Word, collector: Collector) -> None:
    authors = word.authors()
    marks = {"inserted": _Last(), "deleted": _Last(), "formatted": _Last()}
    for start, end, properties in word.runs():
        if properties.get(_HIDDEN) and (text := word.text(start, end)):
            collector.hidden_text(text)
        for name, number, by in (
            ("inserted", _INSERTED, _AUTHOR_OF_INSERTION), ("deleted", _DELETED, _AUTHOR_OF_DELETION),
        ):  # fmt: skip
            if properties.get(number) and word.is_text(start, end):
                author = properties.get(by, properties.get(_AUTHOR_OF_INSERTION, 0))
                new = _is_new(marks[name], start, end, author)
                collector.insertions += new and name == "inserted"
                collector.deletions += new and name == "deleted"
                if 0 <= author < len(authors):
                    collector.changed_by(authors[author])
        if _FORMATTED & properties.keys() and word.is_text(start, end):
            collector.formatting += _is_new(marks["formatted"], start, end, None)


def _is_new(last: _Last, start: int, end: int, what: object) -> bool:
    goes_on = last.end == start and last.what == what
    last.end, last.what = end, what
    return not goes_on


class _Word:
    """The tables of a document."""

    def __init__(self, container: CompoundFile, stream: bytes) -> None:
        self._stream = stream
        (flags,) = struct.unpack_from("<H", stream, 10)
        self._table = container.head("1Table" if flags & _SECOND_TABLE else "0Table", _TABLE_BYTES_MAX)
        (words,) = struct.unpack_from("<H", stream, 32)
        (longs,) = struct.unpack_from("<H", stream, 34 + 2 * words)
        self._pairs = 34 + 2 * words + 2 + 4 * longs + 2
        self._pieces = sorted(self._read_pieces(), key=lambda piece: piece.start)
        self._starts = [piece.start for piece in self._pieces]

    def comments(self) -> int:
        """How many there are: a position each and one more, and 30 bytes each."""
        _place, size = self._place(_COMMENTS)
        count, rest = divmod(size - 4, 4 + _COMMENT_BYTES)
        return count if rest == 0 and count > 0 and size <= len(self._table) else 0

    def owners(self) -> Iterator[str]:
        """Who made comments: names with their lengths before them, one behind the other."""
        part, at = self._part(_OWNERS), 0
        for _ in range(_NAMES_MAX):
            if at + 2 > len(part):
                return
            (count,) = struct.unpack_from("<H", part, at)
            yield decoded(part[at + 2 : at + 2 + 2 * count], "utf-16-le")
            at += 2 + 2 * count

    def authors(self) -> list[str]:
        """Who made changes: a table of strings ([MS-DOC] 2.2.4)."""
        part, at, names = self._part(_AUTHORS), 6, []
        if len(part) < at or part[:2] != b"\xff\xff":
            return []
        count, extra = struct.unpack_from("<2H", part, 2)
        for _ in range(min(count, _NAMES_MAX)):
            if at + 2 > len(part):
                break
            (length,) = struct.unpack_from("<H", part, at)
            names.append(decoded(part[at + 2 : at + 2 + 2 * length], "utf-16-le"))
            at += 2 + 2 * length + extra
        return names

    def runs(self) -> Iterator[tuple[int, int, dict[int, int]]]:
        """Ranges of bytes of the stream, and the properties that they have."""
        part = self._part(_RUNS)
        count = max(0, (len(part) - 4) // 8)
        for (number,) in struct.iter_unpack("<I", part[4 * (count + 1) : 4 * (2 * count + 1)]):
            page = self._stream[number * _PAGE_BYTES : (number + 1) * _PAGE_BYTES]
            if len(page) == _PAGE_BYTES:
                yield from _page_runs(page)

    def text(self, start: int, end: int) -> str:
        """The text in a range of bytes, without what is none; bounded."""
        parts = []
        for piece in self._within(start, min(end, start + _SAMPLE_BYTES_MAX)):
            raw = self._stream[piece.start : piece.end]
            parts.append(decoded(raw, "cp1252" if piece.width == 1 else "utf-16-le"))
        return "".join(char if char.isprintable() else " " for char in "".join(parts)).strip()

    def is_text(self, start: int, end: int) -> bool:
        """Whether any of these bytes are text."""
        return any(True for _ in self._within(start, end))

    def _within(self, start: int, end: int) -> Iterator[_Piece]:
        at = max(0, bisect_right(self._starts, start) - 1)
        while at < len(self._pieces) and self._pieces[at].start < end:
            piece = self._pieces[at]
            if piece.end > start:
                yield _Piece(max(piece.start, start), min(piece.end, end), piece.width)
            at += 1

    def _read_pieces(self) -> Iterator[_Piece]:
        part, at = self._part(_PIECES), 0
        while at < len(part) and part[at] == 1:  # properties of pieces, which say nothing here
            at += 3 + struct.unpack_from("<H", part, at + 1)[0]
        if at >= len(part) or part[at] != 2:
            raise WordError
        (size,) = struct.unpack_from("<I", part, at + 1)
        count = min((size - 4) // 12, _PIECES_MAX)
        positions = struct.unpack_from(f"<{count + 1}I", part, at + 5)
        for number in range(count):
            (place,) = struct.unpack_from("<I", part, at + 5 + 4 * (count + 1) + 8 * number + 2)
            length = positions[number + 1] - positions[number]
            narrow = bool(place & _COMPRESSED)
            start = (place & ~_COMPRESSED) // 2 if narrow else place
            if length > 0 and start < len(self._stream):
                yield _Piece(start, min(len(self._stream), start + length * (1 if narrow else 2)), 1 if narrow else 2)

    def _place(self, number: int) -> tuple[int, int]:
        place, size = struct.unpack_from("<2I", self._stream, self._pairs + 8 * number)
        return place, size

    def _part(self, number: int) -> bytes:
        place, size = self._place(number)
        return self._table[place : place + size]


def _page_runs(page: bytes) -> Iterator[tuple[int, int, dict[int, int]]]:
    count = page[511]
    if 4 * (count + 1) + count > 511:
        return
    edges = struct.unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        at = 2 * page[4 * (count + 1) + number]
        if at and edges[number] < edges[number + 1]:
            yield edges[number], edges[number + 1], _properties(page[at + 1 : at + 1 + page[at]])


def _properties(raw: bytes) -> dict[int, int]:
    """Properties by their numbers; of those that are longer than four bytes the first ones."""
    found: dict[int, int] = {}
    at = 0
    while at + 2 < len(raw):
        (number,) = struct.unpack_from("<H", raw, at)
        size = _OPERAND_BYTES[number >> 13]
        at += 2
        if size is None:
            size = raw[at] + 1
        found[number] = int.from_bytes(raw[at : at + min(size, 4)], "little")
        at += size
    return found
