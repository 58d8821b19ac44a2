"""What a TrueType or OpenType file says of itself: names, weight, width, slope, coverage (ISO/IEC 14496-22).

Bounded reads of the tables `name`, `OS/2`, `head`, `post`, `cmap` and of the list of tables; outlines are never read.
Used where there is no fontconfig to ask.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.fonts import Coverage, FontFace

_FLAVOURS = (b"\0\1\0\0", b"OTTO", b"true")
_COLLECTION = b"ttcf"
_TABLES_MAX, _FACES_MAX = 256, 64
_FAMILY, _SUBFAMILY, _FULL_NAME, _TYPOGRAPHIC_FAMILY, _WWS_FAMILY = 1, 2, 4, 16, 21
_WINDOWS, _MAC, _UNICODE = 3, 1, 0
_WINDOWS_ENGLISH = 0x0409
_WIDTHS = (100, 50, 63, 75, 87, 100, 113, 125, 150, 200)  # of OS/2 usWidthClass, as fontconfig has them
_RANGES_MAX = 65_536
_NOT_A_CHARACTER = 0xFFFF
_SYMBOL_CMAP = (3, 0)
# Platform and encoding of the subtables of `cmap`, those with most planes first.
_CMAPS = ((3, 10), (0, 6), (0, 4), (3, 1), (0, 3), (0, 2), (0, 1), (0, 0), _SYMBOL_CMAP)
# Code pages in which Windows names may be encoded, by platform encoding.
_WINDOWS_ENCODINGS = {2: "cp932", 3: "gbk", 4: "big5", 5: "cp949"}


class SfntError(ValueError):
    """The file is no font, or damaged."""


@dataclass(frozen=True, slots=True)
class _Name:
    name_id: int
    is_english: bool
    text: str


def read_faces(path: Path) -> tuple[FontFace, ...]:
    """The faces of a font file, several for a collection; raises `SfntError`, `OSError`."""
    data = path.read_bytes()
    status = path.stat()
    try:
        return tuple(
            _Sfnt(data, offset).face(path, index, status.st_size, status.st_mtime_ns)
            for index, offset in enumerate(_face_offsets(data))
        )
    except (struct.error, IndexError) as error:
        raise SfntError(f"{path.name} is damaged") from error


def _face_offsets(data: bytes) -> tuple[int, ...]:
    if data.startswith(_FLAVOURS):
        return (0,)
    if not data.startswith(_COLLECTION):
        raise SfntError("not a TrueType or OpenType font")
    count = min(struct.unpack_from(">I", data, 8)[0], _FACES_MAX)
    return struct.unpack_from(f">{count}I", data, 12)


class _Sfnt:
    def __init__(self, data: bytes, offset: int) -> None:
        self._data = data
        count = min(struct.unpack_from(">H", data, offset + 4)[0], _TABLES_MAX)
        records = (struct.unpack_from(">4s3I", data, offset + 12 + 16 * each) for each in range(count))
        self._tables = {tag: (start, size) for tag, _, start, size in records}

    def _table(self, tag: bytes) -> bytes:
        start, size = self._tables.get(tag, (0, 0))
        return self._data[start : start + size]

    def face(self, path: Path, index: int, size: int, mtime_ns: int) -> FontFace:
        names = list(self._names())
        family = _best(names, _FAMILY) or _best(names, _TYPOGRAPHIC_FAMILY)
        if not family:
            raise SfntError(f"{path.name} has no family name")
        weight, width, italic = self._style()
        symbol, coverage = self._coverage()
        kinds = {_FAMILY, _FULL_NAME, _TYPOGRAPHIC_FAMILY, _WWS_FAMILY}
        return FontFace(
            path=str(path),
            family=family,
            families=tuple(dict.fromkeys(name.text for name in names if name.name_id in kinds)),
            style=_best(names, _SUBFAMILY) or "Regular",
            index=index,
            weight=weight,
            italic=italic,
            width=width,
            monospace=self._is_monospace(),
            symbol=symbol,
            is_variable=b"fvar" in self._tables,
            coverage=coverage,
            bytes=size,
            mtime_ns=mtime_ns,
        )

    def _names(self) -> Iterator[_Name]:
        table = self._table(b"name")
        _, count, strings = struct.unpack_from(">3H", table)
        for each in range(count):
            platform, encoding, language, name_id, size, start = struct.unpack_from(">6H", table, 6 + 12 * each)
            raw = table[strings + start : strings + start + size]
            if platform in {_WINDOWS, _UNICODE}:
                text = raw.decode(
                    _WINDOWS_ENCODINGS.get(encoding, "utf-16-be") if platform == _WINDOWS else "utf-16-be", "ignore"
                )
                is_english = platform == _UNICODE or language == _WINDOWS_ENGLISH
            elif platform == _MAC and encoding == 0:
                text, is_english = raw.decode("mac_roman"), language == 0
            else:
                continue
            if text := text.replace("\0", "").strip():
                yield _Name(name_id, is_english, text)

    def _style(self) -> tuple[int, int, bool]:
        """Weight 100 to 900, width in per cent, italic."""
        table = self._table(b"OS/2")
        if len(table) < 64:
            (mac_style,) = struct.unpack_from(">H", self._table(b"head"), 44)
            return 700 if mac_style & 1 else 400, 100, bool(mac_style & 2)
        weight, width = struct.unpack_from(">2H", table, 4)
        (selection,) = struct.unpack_from(">H", table, 62)
        weight = weight * 100 if weight < 10 else weight
        italic = bool(selection & 0x0201)
        return max(100, min(int(weight), 900)), _WIDTHS[width] if width < len(_WIDTHS) else 100, italic

    def _is_monospace(self) -> bool:
        table = self._table(b"post")
        return len(table) >= 16 and struct.unpack_from(">I", table, 12)[0] != 0

    def _coverage(self) -> tuple[bool, Coverage]:
        """Whether the face is encoded as a symbol font, and its code points."""
        key, offset = self._best_cmap()
        if key is None:
            return False, Coverage()
        return key == _SYMBOL_CMAP, Coverage.of_ranges(_cmap_ranges(self._table(b"cmap"), offset))

    def _best_cmap(self) -> tuple[tuple[int, int] | None, int]:
        """Platform and encoding of the widest subtable, and where it is."""
        table = self._table(b"cmap")
        (count,) = struct.unpack_from(">H", table, 2)
        records = (struct.unpack_from(">2HI", table, 4 + 8 * each) for each in range(min(count, 64)))
        offsets = {(platform, encoding): offset for platform, encoding, offset in records}
        return next(((key, offsets[key]) for key in _CMAPS if key in offsets), (None, 0))

    def glyph_ids(self, codepoints: Iterable[int]) -> dict[int, int]:
        """Code point -> glyph, of those that the face has."""
        key, offset = self._best_cmap()
        table = self._table(b"cmap")
        found = {each: _glyph(table, offset, each) for each in codepoints} if key else {}
        return {codepoint: glyph for codepoint, glyph in found.items() if glyph}


def _best(names: list[_Name], name_id: int) -> str:
    """The English name of a kind, else any."""
    found = [name for name in names if name.name_id == name_id]
    return next((name.text for name in found if name.is_english), found[0].text if found else "")


def _cmap_ranges(table: bytes, offset: int) -> list[tuple[int, int]]:
    (kind,) = struct.unpack_from(">H", table, offset)
    match kind:
        case 4:
            return list(_segments(table, offset))
        case 12 | 13:
            count = min(struct.unpack_from(">I", table, offset + 12)[0], _RANGES_MAX)
            groups = (struct.unpack_from(">3I", table, offset + 16 + 12 * each) for each in range(count))
            return [
                (first, min(last, 0x10FFFF))
                for first, last, glyph in groups
                if first <= last and (glyph or first < last)
            ]
        case 6 | 10:
            layout, start = (">2H", offset + 6) if kind == 6 else (">2I", offset + 12)
            first, count = struct.unpack_from(layout, table, start)
            return [(first, first + count - 1)] if 0 < count < 0x110000 else []
        case _:
            return []


def _segments(table: bytes, offset: int) -> Iterator[tuple[int, int]]:
    """Format 4: segments of the basic plane; a code point counts if its glyph is not number 0."""
    segments = min(struct.unpack_from(">H", table, offset + 6)[0] // 2, _RANGES_MAX)
    numbers = offset + 14
    ends = struct.unpack_from(f">{segments}H", table, numbers)
    starts = struct.unpack_from(f">{segments}H", table, numbers + 2 * segments + 2)
    deltas = struct.unpack_from(f">{segments}H", table, numbers + 4 * segments + 2)
    offsets_at = numbers + 6 * segments + 2
    offsets = struct.unpack_from(f">{segments}H", table, offsets_at)
    for each, (first, end) in enumerate(zip(starts, ends, strict=True)):
        last = min(end, _NOT_A_CHARACTER - 1)
        if first > last:
            continue
        if not offsets[each]:
            hole = (-deltas[each]) & 0xFFFF
            yield from _without(first, last, hole)
            continue
        glyphs = offsets_at + 2 * each + offsets[each]
        row = table[glyphs : glyphs + 2 * (last - first + 1)]
        yield from _runs(first, struct.unpack(f">{len(row) // 2}H", row[: len(row) // 2 * 2]))


def _without(first: int, last: int, hole: int) -> Iterator[tuple[int, int]]:
    if not first <= hole <= last:
        yield first, last
        return
    if first < hole:
        yield first, hole - 1
    if hole < last:
        yield hole + 1, last


def _runs(first: int, glyphs: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    start = None
    for position, glyph in enumerate((*glyphs, 0)):
        if glyph and start is None:
            start = position
        elif not glyph and start is not None:
            yield first + start, first + position - 1
            start = None


def glyph_ids(data: bytes, codepoints: Iterable[int]) -> dict[int, int]:
    """Code point -> glyph, of those that a single font has; raises `SfntError`."""
    if not data.startswith(_FLAVOURS):
        raise SfntError("not a single font")
    try:
        return _Sfnt(data, 0).glyph_ids(codepoints)
    except (struct.error, IndexError) as error:
        raise SfntError("the font is damaged") from error


def _glyph(table: bytes, offset: int, codepoint: int) -> int:
    (kind,) = struct.unpack_from(">H", table, offset)
    if kind == 12:
        count = min(struct.unpack_from(">I", table, offset + 12)[0], _RANGES_MAX)
        for each in range(count):
            first, last, glyph = struct.unpack_from(">3I", table, offset + 16 + 12 * each)
            if first <= codepoint <= last:
                return int(glyph + codepoint - first)
        return 0
    if kind != 4:
        return 0
    return _glyph_of_segment(table, offset, codepoint)


def _glyph_of_segment(table: bytes, offset: int, codepoint: int) -> int:
    segments = struct.unpack_from(">H", table, offset + 6)[0] // 2
    ends_at, starts_at = offset + 14, offset + 16 + 2 * segments
    for each in range(min(segments, _RANGES_MAX)):
        (last,) = struct.unpack_from(">H", table, ends_at + 2 * each)
        if codepoint > last:
            continue
        (first,) = struct.unpack_from(">H", table, starts_at + 2 * each)
        (delta,) = struct.unpack_from(">H", table, starts_at + 2 * segments + 2 * each)
        place = starts_at + 4 * segments + 2 * each
        (glyphs,) = struct.unpack_from(">H", table, place)
        if codepoint < first:
            return 0
        if not glyphs:
            return int(codepoint + delta) & 0xFFFF
        (glyph,) = struct.unpack_from(">H", table, place + glyphs + 2 * (codepoint - first))
        return int(glyph + delta) & 0xFFFF if glyph else 0
    return 0
