"""The PDFs that LibreOffice writes, taken apart and put together with fewer pages. Only the standard library.

Not a reader for PDFs of the world: one cross-reference table, no object streams, pages with attributes of their own.
What looks otherwise raises `UnexpectedPdfError`. What a removed page alone had (text, pictures, fonts) is not in the
new file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise

_TAIL_BYTES = 64
_OBJECTS_MAX = 4_000_000
_STREAM_BYTES_MAX = 256 << 20
_START = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF\s*$")
_TABLE = re.compile(rb"xref\s+0 (\d{1,8})\s*?\r?\n")
_ENTRY_BYTES = 20
_REFERENCE = re.compile(rb"(\d{1,8}) 0 R\b")
_OBJECT = re.compile(rb"(\d{1,8}) 0 obj\b\s*")
_PAGES = re.compile(rb"/Pages (\d{1,8}) 0 R\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_COUNT = re.compile(rb"/Count \d+")
_TRAILER_KEPT = re.compile(rb"/(?:Root|Info) \d{1,8} 0 R|/ID\s*\[[^\]]*\]")
_MEDIA_BOX = re.compile(rb"/MediaBox\s*\[([^\]]*)\]")
_USER_UNIT = re.compile(rb"/UserUnit (\d{1,9}(?:\.\d{1,9})?)")
_CONTENTS = re.compile(rb"/Contents (\d{1,8}) 0 R\b")


class UnexpectedPdfError(Exception):
    """The PDF is not laid out as LibreOffice does it."""


class PdfObjects:
    """The objects of one PDF, and its pages in order (as object numbers)."""

    def __init__(self, data: bytes | memoryview) -> None:
        """Read the tables; raises `UnexpectedPdfError`."""
        self._data = bytes(data)
        try:
            self._read()
        except (ValueError, IndexError, AttributeError, TypeError) as error:
            raise UnexpectedPdfError(str(error)) from error

    def _read(self) -> None:
        data = self._data
        start = int(_found(_START.search(data[-_TAIL_BYTES:]))[1])
        table = _found(_TABLE.match(data, start))
        count = int(table[1])
        if count > _OBJECTS_MAX or b"/ObjStm" in data[start:]:
            raise UnexpectedPdfError("too many objects")
        lines = [data[table.end() + _ENTRY_BYTES * i :][:_ENTRY_BYTES] for i in range(count)]
        offsets = {number: int(line[:10]) for number, line in enumerate(lines) if line[17:18] == b"n"}
        self._trailer = data[table.end() + _ENTRY_BYTES * count : start + len(data)]
        if b"/Prev" in self._trailer or b"/Encrypt" in self._trailer:
            raise UnexpectedPdfError("more than one table")
        ends = sorted([*offsets.values(), start])
        following = dict(pairwise(ends))
        self._spans = {number: (offset, following[offset]) for number, offset in offsets.items()}
        self._tree = self._number(_PAGES, int(_found(re.search(rb"/Root (\d{1,8}) 0 R\b", self._trailer))[1]))
        self.pages = [int(number) for number in _REFERENCE.findall(_found(_KIDS.search(self.head(self._tree)))[1])]
        if any(b"/Kids" in self.head(page) for page in self.pages):
            raise UnexpectedPdfError("a tree of pages")

    def raw(self, number: int) -> bytes:
        """All of an object between `obj` and `endobj`, whitespace included; empty if there is none."""
        start, end = self._spans.get(number, (0, 0))
        if not end:
            return b""
        body = self._data[start:end]
        header = _OBJECT.match(body)
        if header is None or int(header[1]) != number:
            raise UnexpectedPdfError(f"object {number} is not where the table says")
        return body[header.end() :].rpartition(b"endobj")[0]

    def head(self, number: int) -> bytes:
        """An object without its stream."""
        return self.raw(number).partition(b"stream")[0]

    def stream(self, number: int) -> bytes:
        """The stream of an object, decompressed."""
        head, mark, rest = self.raw(number).partition(b"stream")
        packed = rest.removeprefix(b"\r").removeprefix(b"\n")
        if not mark or b"/FlateDecode" not in head or b"/DecodeParms" in head:
            raise UnexpectedPdfError(f"object {number} is no deflated stream")
        try:
            data = zlib.decompressobj().decompress(packed, _STREAM_BYTES_MAX)
        except zlib.error as error:
            raise UnexpectedPdfError(f"the stream of object {number} is damaged") from error
        return data

    def media_box(self, page: int) -> tuple[float, float, float, float]:
        """The box of a page, in its user units."""
        try:
            x0, y0, x1, y1 = map(float, _found(_MEDIA_BOX.search(self.head(page)))[1].split())
        except (ValueError, TypeError, AttributeError) as error:
            raise UnexpectedPdfError("a page without a box") from error
        return x0, y0, x1, y1

    def user_unit(self, page: int) -> float:
        """How many points the unit of a page is: 1, or more on a page of more than 200 inches."""
        found = _USER_UNIT.search(self.head(page))
        return float(found[1]) if found else 1.0

    def with_box(self, page: int, width: float, height: float) -> bytes:
        """The object of a page, given another box that begins at its origin."""
        return _MEDIA_BOX.sub(b"/MediaBox[0 0 %.4f %.4f]" % (width, height), self.raw(page), count=1)

    def contents(self, page: int) -> int:
        """The number of the object that has the content of a page."""
        return self._number(_CONTENTS, page)

    def _number(self, pattern: re.Pattern[bytes], owner: int) -> int:
        found = pattern.search(self.head(owner))
        if found is None:
            raise UnexpectedPdfError(f"object {owner} lacks {pattern.pattern!r}")
        return int(found[1])

    def with_pages(self, pages: Sequence[int], changed: Mapping[int, bytes] | None = None) -> bytes:
        """A PDF of these pages; `changed` objects (as `raw` gives them) take the place of those of that number."""
        bodies = dict(changed or {})
        kids = b"".join(b"%d 0 R " % page for page in pages)
        tree = bodies.get(self._tree, self.raw(self._tree))
        tree = _KIDS.sub(b"/Kids[" + kids + b"]", tree, count=1)
        bodies[self._tree] = _COUNT.sub(b"/Count %d" % len(pages), tree, count=1)
        removed = set(self.pages) - set(pages)
        kept_trailer = b" ".join(found.group() for found in _TRAILER_KEPT.finditer(self._trailer))
        return self._written(self._reachable(kept_trailer, removed, bodies), bodies, kept_trailer)

    def _reachable(self, trailer: bytes, removed: set[int], bodies: Mapping[int, bytes]) -> list[int]:
        """Every object that something in the new file refers to. References to what is not there mean `null`."""
        waiting, seen = [trailer], set(removed)
        while waiting:
            for number in map(int, _REFERENCE.findall(waiting.pop())):
                if number not in seen and (number in self._spans or number in bodies):
                    seen.add(number)
                    waiting.append(bodies[number].partition(b"stream")[0] if number in bodies else self.head(number))
        return sorted(seen - removed)

    def _written(self, numbers: Sequence[int], bodies: Mapping[int, bytes], trailer: bytes) -> bytes:
        size = max(numbers) + 1
        entries = [b"0000000000 65535 f \n"] * size
        parts = [self._data[: min(start for start, _end in self._spans.values())]]
        position = len(parts[0])
        for number in numbers:
            body = bodies[number] if number in bodies else self.raw(number)
            part = b"%d 0 obj\n%b\nendobj\n" % (number, body.rstrip(b"\r\n"))
            entries[number] = b"%010d 00000 n \n" % position
            parts.append(part)
            position += len(part)
        end = b"trailer\n<</Size %d %b>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, position)
        return b"".join((*parts, b"xref\n0 %d\n" % size, *entries, end))


def deflated(data: bytes) -> bytes:
    """The body of an object that is a stream of `data`."""
    packed = zlib.compress(data)
    return b"<</Length %d/Filter/FlateDecode>>\nstream\n%b\nendstream\n" % (len(packed), packed)


def _found(match: re.Match[bytes] | None) -> re.Match[bytes]:
    if match is None:
        raise UnexpectedPdfError("something is missing")
    return match
