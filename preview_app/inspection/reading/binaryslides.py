"""PowerPoint 97 to 2003 ([MS-PPT]): hidden slides, comments, what is linked and what is embedded.

A presentation was saved in turns, each of which lies behind the one before: the last one's directory, then those
before it, say where each part is. Slides count in the order in which they are shown.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from preview_app.inspection.reading.collector import Collector, decoded

_USER_EDIT, _DIRECTORY = 0x0FF5, 0x1772
_DOCUMENT, _SLIDE, _SLIDE_LIST, _SLIDE_PLACE, _SLIDE_SHOW = 0x03E8, 0x03EE, 0x0FF0, 0x03F3, 0x03F9
_OBJECTS, _HYPERLINK, _OLE_LINK, _OLE_EMBEDDED = 0x0409, 0x0FD7, 0x0FCE, 0x0FCC
_MEDIA = frozenset({0x1006, 0x1007, 0x100D, 0x100E, 0x1010})
_TEXT = 0x0FBA
_COMMENT = 0x2EE0
_AROUND_COMMENTS = frozenset({0x1388, 0x138A, 0x138B})
"""Tags of programs, and the data in them."""
_HIDDEN = 0x0004
_EDITS_MAX = 1000
_RECORDS_MAX = 200_000
_DEPTH_MAX = 8


class SlidesError(Exception):
    """The presentation is of an older PowerPoint, or its directory is damaged."""


Record = tuple[int, int, int, int]
"""Its number, its instance, and where its content begins and ends."""


def read(stream: bytes, current_user: bytes, collector: Collector) -> None:
    """Look at a presentation. Raises `SlidesError` for what cannot be read; what was found until then stays."""
    try:
        slides = _Slides(stream, current_user)
        for number, slide in enumerate(slides.shown(), 1):
            slides.look(number, slide, collector)
        slides.look_at_objects(collector)
    except (struct.error, IndexError) as error:
        raise SlidesError from error


class _Slides:
    """The records of a presentation."""

    def __init__(self, stream: bytes, current_user: bytes) -> None:
        self._stream = stream
        self._left = _RECORDS_MAX
        (edit,) = struct.unpack_from("<I", current_user, 16)
        self._places, document = self._directory(edit)
        self._document = self._at(self._places.get(document, len(stream)), _DOCUMENT)

    def shown(self) -> Iterator[Record]:
        """The slides, in their order."""
        for record in self._children(self._document):
            if record[:2] == (_SLIDE_LIST, 0):
                for kind, _instance, start, _end in self._children(record):
                    if kind == _SLIDE_PLACE:
                        (number,) = struct.unpack_from("<I", self._stream, start)
                        yield self._at(self._places.get(number, len(self._stream)), _SLIDE)

    def look(self, number: int, slide: Record, collector: Collector) -> None:
        """Whether a slide is hidden, and its comments."""
        for record in self._children(slide):
            kind, _instance, start, end = record
            if kind == _SLIDE_SHOW and end - start >= 12:
                (flags,) = struct.unpack_from("<H", self._stream, start + 10)
                if flags & _HIDDEN:
                    collector.hidden_slide(number)
            elif kind in _AROUND_COMMENTS:
                self._comments(record, collector, _DEPTH_MAX)

    def look_at_objects(self, collector: Collector) -> None:
        """What is linked and what is embedded."""
        for record in self._children(self._document):
            if record[0] != _OBJECTS:
                continue
            for each in self._children(record):
                collector.hyperlinks += each[0] == _HYPERLINK
                collector.embedded += each[0] == _OLE_EMBEDDED
                if each[0] == _OLE_LINK:
                    collector.external("object", self._first_text(each, 3) or "?")
                elif each[0] in _MEDIA and (place := self._first_text(each, 3)):
                    collector.external("media", place)

    def _comments(self, around: Record, collector: Collector, depth: int) -> None:
        for record in self._children(around) if depth else ():
            if record[0] == _COMMENT:
                collector.comment(self._first_text(record, 1))
            elif record[0] in _AROUND_COMMENTS:
                self._comments(record, collector, depth - 1)

    def _first_text(self, around: Record, depth: int) -> str:
        for record in self._children(around) if depth else ():
            kind, _instance, start, end = record
            if kind == _TEXT:
                return decoded(self._stream[start:end], "utf-16-le")
            if kind not in _AROUND_COMMENTS and (text := self._first_text(record, depth - 1)):
                return text
        return ""

    def _directory(self, edit: int) -> tuple[dict[int, int], int]:
        """Where parts lie, by their numbers, and the number of the document itself."""
        places: dict[int, int] = {}
        document = -1
        seen: set[int] = set()
        while edit and edit not in seen and len(seen) < _EDITS_MAX:
            seen.add(edit)
            start = self._at(edit, _USER_EDIT)[2]
            edit, directory, number = struct.unpack_from("<3I", self._stream, start + 8)
            document = number if document < 0 else document
            for part, place in self._entries(self._at(directory, _DIRECTORY)):
                places.setdefault(part, place)
        return places, document

    def _entries(self, record: Record) -> Iterator[tuple[int, int]]:
        _kind, _instance, at, end = record
        while at + 4 <= end:
            (head,) = struct.unpack_from("<I", self._stream, at)
            first, count = head & 0xFFFFF, head >> 20
            for step in range(min(count, (end - at - 4) // 4)):
                yield first + step, struct.unpack_from("<I", self._stream, at + 4 + 4 * step)[0]
            at += 4 + 4 * count

    def _at(self, place: int, kind: int) -> Record:
        record = self._record(place, len(self._stream))
        if record[0] != kind:
            raise SlidesError
        return record

    def _record(self, place: int, limit: int) -> Record:
        head, kind, size = struct.unpack_from("<2HI", self._stream, place)
        return kind, head >> 4, place + 8, min(limit, place + 8 + size)

    def _children(self, record: Record) -> Iterator[Record]:
        _kind, _instance, at, end = record
        while at + 8 <= end and self._left:
            self._left -= 1
            child = self._record(at, end)
            yield child
            at = child[3]
