"""Selecting text: carets between characters, what lies between two of them, and how a caret moves. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from preview_app.raster.api import Box, TextLine

Lines = Sequence[TextLine]


@dataclass(frozen=True, slots=True, order=True)
class Caret:
    """A place between two characters: before character `index` of a line of a page."""

    page: int
    line: int
    index: int


class Unit(Enum):
    """How far a caret goes."""

    CHARACTER = "character"
    WORD = "word"
    LINE = "line"
    LINE_END = "end of the line"


class Text(Protocol):
    """Where lines come from."""

    @property
    def page_count(self) -> int:
        """Pages of the document."""

    def lines(self, page: int) -> tuple[TextLine, ...]:
        """The lines of a page, none where they are not known."""


def caret_at(page: int, lines: Lines, x: float, y: float) -> Caret | None:
    """The caret nearest to a point of a page; `None` where there is no text."""
    if not lines:
        return None

    def distance(number: int) -> tuple[float, float]:
        box = lines[number].box
        return max(box.y0 - y, 0, y - box.y1), max(box.x0 - x, 0, x - box.x1)

    nearest = min(range(len(lines)), key=distance)
    return Caret(page, nearest, _index_at(lines[nearest], x, y))


def is_over_text(lines: Lines, x: float, y: float) -> bool:
    """Whether a point lies on a line of text."""
    return any(line.box.x0 <= x <= line.box.x1 and line.box.y0 <= y <= line.box.y1 for line in lines)


def word_around(lines: Lines, caret: Caret) -> tuple[Caret, Caret]:
    """The word at a caret, or the gap between words."""
    text = lines[caret.line].text
    index = min(caret.index, max(0, len(text) - 1))
    start, end = index, index
    kind = _kind(text[index : index + 1])
    while start > 0 and _kind(text[start - 1]) == kind:
        start -= 1
    while end < len(text) and _kind(text[end]) == kind:
        end += 1
    return Caret(caret.page, caret.line, start), Caret(caret.page, caret.line, end)


def line_around(lines: Lines, caret: Caret) -> tuple[Caret, Caret]:
    """The line of a caret."""
    return Caret(caret.page, caret.line, 0), Caret(caret.page, caret.line, len(lines[caret.line].text))


def page_ends(page: int, lines: Lines) -> tuple[Caret, Caret] | None:
    """The first and the last caret of a page."""
    if not lines:
        return None
    return Caret(page, 0, 0), Caret(page, len(lines) - 1, len(lines[-1].text))


def boxes_between(page: int, lines: Lines, start: Caret, end: Caret) -> list[Box]:
    """The selected rectangles of one page, `start` before `end`."""
    return [span_box(line, first, last) for line, first, last in _spans(page, lines, start, end)]


def span_box(line: TextLine, first: int, last: int) -> Box:
    """Where the characters from `first` up to `last` of a line stand."""
    edges = line.edges[first : last + 1]
    low, high = min(edges), max(edges)
    if line.vertical:
        return Box(line.box.x0, low, line.box.x1, high)
    return Box(low, line.box.y0, high, line.box.y1)


def text_between(text: Text, start: Caret, end: Caret) -> str:
    """The selected text: a tab between cells of a row, a new line between lines."""
    parts: list[str] = []
    for page in range(start.page, end.page + 1):
        former: TextLine | None = None
        for line, first, last in _spans(page, text.lines(page), start, end):
            if parts:
                parts.append("\t" if former is not None and _same_row(former, line) else "\n")
            piece = line.text[first:last]
            parts.append(piece.rstrip() if last == len(line.text) and line.text.strip() else piece)
            former = line
    return "".join(parts)


def moved(text: Text, caret: Caret, unit: Unit, direction: int) -> Caret:
    """Where a caret goes; it stays where there is nothing further, or where the next page is not known."""
    lines = text.lines(caret.page)
    if caret.line >= len(lines):
        return caret
    if unit is Unit.LINE_END:
        return Caret(caret.page, caret.line, len(lines[caret.line].text) if direction > 0 else 0)
    if unit is Unit.LINE:
        return _line_moved(text, caret, direction)
    length = len(lines[caret.line].text)
    if not 0 <= caret.index + direction <= length:
        other = _other_line(text, caret, direction)
        if other is None:
            return caret
        page, line = other
        return Caret(page, line, 0 if direction > 0 else len(text.lines(page)[line].text))
    if unit is Unit.CHARACTER:
        return Caret(caret.page, caret.line, caret.index + direction)
    return Caret(caret.page, caret.line, _word_step(lines[caret.line].text, caret.index, direction))


def _index_at(line: TextLine, x: float, y: float) -> int:
    place = y if line.vertical else x
    return min(range(len(line.edges)), key=lambda index: abs(line.edges[index] - place))


def _spans(page: int, lines: Lines, start: Caret, end: Caret) -> list[tuple[TextLine, int, int]]:
    """The lines of a page that a selection touches, each with its first character and the one after its last."""
    found = []
    for number, line in enumerate(lines):
        here = (page, number)
        if not (start.page, start.line) <= here <= (end.page, end.line):
            continue
        first = start.index if here == (start.page, start.line) else 0
        last = end.index if here == (end.page, end.line) else len(line.text)
        if first < last:
            found.append((line, first, last))
    return found


def _same_row(former: TextLine, line: TextLine) -> bool:
    if former.vertical or line.vertical:
        return False
    shared = min(former.box.y1, line.box.y1) - max(former.box.y0, line.box.y0)
    height = min(former.box.y1 - former.box.y0, line.box.y1 - line.box.y0)
    return shared > height / 2 and line.box.x0 >= former.box.x1 - height


def _kind(character: str) -> int:
    return 0 if character.isspace() else 1 if character.isalnum() or character in "_-’'" else 2


def _word_step(text: str, index: int, direction: int) -> int:
    """To the start of the next word, or of this one or the one before."""
    if direction > 0:
        kind = _kind(text[index])
        while index < len(text) and _kind(text[index]) == kind:
            index += 1
        while index < len(text) and text[index].isspace():
            index += 1
        return index
    while index > 0 and text[index - 1].isspace():
        index -= 1
    kind = _kind(text[index - 1]) if index else 0
    while index > 0 and _kind(text[index - 1]) == kind:
        index -= 1
    return index


def _other_line(text: Text, caret: Caret, direction: int) -> tuple[int, int] | None:
    page, line = caret.page, caret.line + direction
    if 0 <= line < len(text.lines(page)):
        return page, line
    page += direction
    if not 0 <= page < text.page_count or not text.lines(page):
        return None
    return page, 0 if direction > 0 else len(text.lines(page)) - 1


def _line_moved(text: Text, caret: Caret, direction: int) -> Caret:
    other = _other_line(text, caret, direction)
    if other is None:
        return caret
    page, number = other
    line, here = text.lines(page)[number], text.lines(caret.page)[caret.line]
    place = here.edges[min(caret.index, len(here.edges) - 1)]
    return Caret(page, number, _index_at(line, place, place))
