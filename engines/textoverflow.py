"""Text that runs past the last column of a sheet that is one page, made visible. Only the standard library.

With `SinglePageSheets` LibreOffice makes the page as wide as the cells that hold something, draws the whole text of a
cell that runs on over its empty neighbours, and clips it at the edge of the page. So all is there: the page and the
clip are made wider by what is hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf

from engines.pdfobjects import PdfObjects, UnexpectedPdfError, deflated

GROWTH_PT_MAX = 2_880.0
"""How much wider a page may become for the sake of one long text: 40 inches."""
_MARGIN_PT = 2.0
_EDGE_PT = 1.5
_CONTENT_BYTES_MAX = 64 << 20
_NUMBER = rb"(-?[\d.]+)"
_WORD = rb"(?<!\S)"
"""No pattern begins within a word: a long row of digits would be tried from each of them."""
_CLIP = re.compile(_WORD + _NUMBER + rb" " + _NUMBER + rb" " + _NUMBER + rb" " + _NUMBER + rb" re\r?\nW\*? n")
_CLIP_END = re.compile(rb" re\r?\nW\*? n")
_CLIP_BYTES_MAX = 128
"""More than a clip takes: looking for its end first is many times as fast."""
_TEXT = re.compile(
    rb"\nBT\r?\n(?:" + _NUMBER + rb" -?[\d.]+ Td /(F\d+) ([\d.]+) Tf ?\[([^\]]*)\]\s*TJ\r?\nET\b|(.*?)\r?\nET\b)",
    re.DOTALL,
)
"""A text object: one of the most frequent kind (where it begins, font, size, pieces), or the whole of another."""
_SHOWN = re.compile(
    _WORD + _NUMBER + rb" " + _NUMBER + rb" Td|" + _WORD + rb" ".join([_NUMBER] * 6) + rb" Tm|"
    rb"/(F\d+) ([\d.]+) Tf|" + _WORD + rb"([\d.]+) Tz|"
    rb"\[([^\]]*)\]\s*TJ|<([0-9A-Fa-f]*)>\s*Tj"
)
_DISTANCE_MAX = 99
_LONG_DISTANCE = re.compile(rb"(?:>|^|\s)-?\d{3}")
_EM = 1000
"""Widths and distances are told in this part of the size."""
_STRING = re.compile(rb"<([0-9A-Fa-f]*)>")
_DISTANCE = re.compile(rb"(?:>|^|\s)" + _NUMBER)
_RESOURCES = re.compile(rb"/Resources (\d{1,8}) 0 R")
_FONTS = re.compile(rb"/Font (\d{1,8}) 0 R|/Font\s*<<(.*?)>>", re.DOTALL)
_FONT = re.compile(rb"/(F\d+) (\d{1,8}) 0 R")
_WIDTHS = re.compile(rb"/FirstChar (\d+).*?/Widths\s*\[([^\]]*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Face:
    """A font: the width of each of its 256 characters, and of the widest."""

    characters: tuple[float, ...]
    widest: float


_Faces = dict[bytes, _Face]
_NO_FACE = _Face((0.0,) * 256, 0.0)


@dataclass(frozen=True, slots=True)
class Widened:
    """The objects of a page that was made wider. `cut` says that a text is longer still."""

    objects: dict[int, bytes]
    cut: bool


def widen(pdf: PdfObjects, page: int) -> Widened | None:
    """The page with room for what runs past its right edge; `None` if nothing does. Raises `UnexpectedPdfError`."""
    try:
        return _widen(pdf, page)
    except ValueError as error:
        raise UnexpectedPdfError(str(error)) from error


def _widen(pdf: PdfObjects, page: int) -> Widened | None:
    _x0, _y0, x1, y1 = pdf.media_box(page)
    number = pdf.contents(page)
    content = pdf.stream(number)
    if len(content) > _CONTENT_BYTES_MAX or not _CLIP_END.search(content):
        return None
    faces = _faces(pdf, page)
    if _end(content, 0, len(content), faces, x1) <= x1 + _EDGE_PT:
        return None  # whatever the clips are: nearly every page
    every = _clips(content)
    until = [*(clip.start() for clip in every[1:]), len(content)]
    areas = [each for each in zip(every, until, strict=False) if abs(_right(each[0]) - x1) < _EDGE_PT]
    if not areas:
        return None
    clips = [clip for clip, _until in areas]
    ends = [_end(content, clip.end(), until, faces, x1) for clip, until in areas]
    hidden = max(ends) - x1
    if hidden <= _EDGE_PT:
        return None
    growth = min(hidden, GROWTH_PT_MAX) + _MARGIN_PT
    parts, position = [], 0
    for clip, end in zip(clips, ends, strict=True):
        if end > x1:
            parts += [content[position : clip.start(3)], b"%.3f" % (float(clip[3]) + growth)]
            position = clip.end(3)
    parts.append(content[position:])
    objects = {page: pdf.with_box(page, x1 + growth, y1), number: deflated(b"".join(parts))}
    return Widened(objects, hidden > GROWTH_PT_MAX)


def _clips(content: bytes) -> list[re.Match[bytes]]:
    found, before = [], 0
    for end in _CLIP_END.finditer(content):
        if clip := _CLIP.search(content, max(before, end.start() - _CLIP_BYTES_MAX), end.end()):
            found.append(clip)
        before = end.end()
    return found


def _right(clip: re.Match[bytes]) -> float:
    return float(clip[1]) + float(clip[3])


def _end(content: bytes, start: int, until: int, faces: _Faces, edge: float) -> float:
    """How far to the right the text reaches that is drawn there; what surely ends before `edge` is not measured."""
    end = 0.0
    # Each but once: in a table, the same numbers and words stand in the same column again and again.
    for x, name, size, pieces, other in set(_TEXT.findall(content, start, until)):
        if not name:
            end = max(end, _text_end(other, faces))
            continue
        begin, em, face = float(x), float(size) / _EM, faces.get(name, _NO_FACE)
        if begin + em * _advance_max(pieces, face) > edge:
            end = max(end, begin + em * _advance(pieces, face))
    return end


def _advance_max(pieces: bytes, face: _Face) -> float:
    """More than `_advance`, at a fraction of its cost: as if all that is there were the widest character."""
    if _LONG_DISTANCE.search(pieces):
        return inf
    strings = pieces.count(b"<")
    return (len(pieces) - 2 * strings) / 2 * face.widest + _DISTANCE_MAX * (strings + 1)


def _text_end(text: bytes, faces: _Faces) -> float:
    """Where a text object ends; 0 for text that does not run to the right."""
    x = end = size = 0.0
    scale = stretch = 1.0
    face = _NO_FACE
    for shown in _SHOWN.finditer(text):
        if shown[1]:
            x += scale * float(shown[1])
        elif shown[3]:
            if float(shown[4]) or float(shown[3]) <= 0:
                return 0.0
            scale, x = float(shown[3]), float(shown[7])
        elif shown[9]:
            face, size = faces.get(shown[9], _NO_FACE), float(shown[10])
        elif shown[11]:
            stretch = float(shown[11]) / 100
        else:
            pieces = shown[12] if shown[12] is not None else b"<" + shown[13] + b">"
            end = max(end, x + scale * stretch * size / _EM * _advance(pieces, face))
    return end


def _advance(pieces: bytes, face: _Face) -> float:
    codes = bytes.fromhex(b"".join(_STRING.findall(pieces)).decode())
    return sum(map(face.characters.__getitem__, codes)) - sum(map(float, _DISTANCE.findall(pieces)))


def _faces(pdf: PdfObjects, page: int) -> _Faces:
    resources = _RESOURCES.search(pdf.head(page))
    if resources is None:
        raise UnexpectedPdfError("a page without resources")
    found = _FONTS.search(pdf.head(int(resources[1])))
    if found is None:
        return {}
    listed = pdf.head(int(found[1])) if found[1] else found[2]
    return {name: _face(pdf.head(int(number))) for name, number in _FONT.findall(listed)}


def _face(description: bytes) -> _Face:
    found = _WIDTHS.search(description)
    if found is None:
        return _NO_FACE
    before = [0.0] * min(256, int(found[1]))
    widths = [*before, *map(float, found[2].split()), *_NO_FACE.characters][:256]
    return _Face(tuple(widths), max(widths))
