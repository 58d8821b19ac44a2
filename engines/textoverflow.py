"""Text that runs past the last column of a sheet that is one page, made visible. Only the standard library.

With `SinglePageSheets` LibreOffice makes the page as wide as the cells that hold something, draws the whole text of a
cell that runs on over its empty neighbours, and clips it at the edge of the page. So all is there: the page and the
clip are made wider by what is hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_TEXT = re.compile(rb"\nBT\r?\n(.*?)\r?\nET\b", re.DOTALL)
_SHOWN = re.compile(
    _WORD + _NUMBER + rb" " + _NUMBER + rb" Td|" + _WORD + rb" ".join([_NUMBER] * 6) + rb" Tm|"
    rb"/(F\d+) ([\d.]+) Tf|" + _WORD + rb"([\d.]+) Tz|"
    rb"\[([^\]]*)\]\s*TJ|<([0-9A-Fa-f]*)>\s*Tj"
)
_PIECE = re.compile(rb"<([0-9A-Fa-f]*)>|" + _NUMBER)
_RESOURCES = re.compile(rb"/Resources (\d{1,8}) 0 R")
_FONTS = re.compile(rb"/Font (\d{1,8}) 0 R|/Font\s*<<(.*?)>>", re.DOTALL)
_FONT = re.compile(rb"/(F\d+) (\d{1,8}) 0 R")
_WIDTHS = re.compile(rb"/FirstChar (\d+).*?/Widths\s*\[([^\]]*)\]", re.DOTALL)

Widths = dict[bytes, dict[int, float]]
"""Of each font the width of its characters, in thousandths of the size."""


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
    clips = [clip for clip in _CLIP.finditer(content) if abs(float(clip[1]) + float(clip[3]) - x1) < _EDGE_PT]
    if not clips or len(content) > _CONTENT_BYTES_MAX:
        return None
    widths = _fonts(pdf, page)
    ends = [_end(content, clip, widths) for clip in clips]
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


def _end(content: bytes, clip: re.Match[bytes], widths: Widths) -> float:
    """How far to the right the text reaches that is drawn under a clip."""
    following = _CLIP.search(content, clip.end())
    until = following.start() if following else len(content)
    return max((_text_end(text[1], widths) for text in _TEXT.finditer(content, clip.end(), until)), default=0.0)


def _text_end(text: bytes, widths: Widths) -> float:
    """Where a text object ends; 0 for text that does not run to the right."""
    x = end = size = 0.0
    scale = stretch = 1.0
    characters: dict[int, float] = {}
    for shown in _SHOWN.finditer(text):
        if shown[1]:
            x += scale * float(shown[1])
        elif shown[3]:
            if float(shown[4]) or float(shown[3]) <= 0:
                return 0.0
            scale, x = float(shown[3]), float(shown[7])
        elif shown[9]:
            characters, size = widths.get(shown[9], {}), float(shown[10])
        elif shown[11]:
            stretch = float(shown[11]) / 100
        else:
            pieces = shown[12] if shown[12] is not None else b"<" + shown[13] + b">"
            end = max(end, x + scale * stretch * size / 1000 * _advance(pieces, characters))
    return end


def _advance(pieces: bytes, characters: dict[int, float]) -> float:
    total = 0.0
    for piece in _PIECE.finditer(pieces):
        if piece[2]:
            total -= float(piece[2])
        else:
            total += sum(characters.get(code, 0.0) for code in bytes.fromhex(piece[1].decode()))
    return total


def _fonts(pdf: PdfObjects, page: int) -> Widths:
    resources = _RESOURCES.search(pdf.head(page))
    if resources is None:
        raise UnexpectedPdfError("a page without resources")
    found = _FONTS.search(pdf.head(int(resources[1])))
    if found is None:
        return {}
    listed = pdf.head(int(found[1])) if found[1] else found[2]
    return {name: _widths(pdf.head(int(number))) for name, number in _FONT.findall(listed)}


def _widths(font: bytes) -> dict[int, float]:
    found = _WIDTHS.search(font)
    if found is None:
        return {}
    return {int(found[1]) + index: float(width) for index, width in enumerate(found[2].split())}
