"""Find a phrase in the characters of a page: ignoring case or not, whole words or not, across line ends.

Pure: standard library only, because it runs in the raster worker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """The characters of one line of text, in reading order, each with its box (x0, y0, x1, y1) in points."""

    text: str
    boxes: Sequence[Box]


def find(lines: Iterable[Line], needle: str, *, match_case: bool, whole_words: bool, hits_max: int) -> list[list[Box]]:
    """Where `needle` occurs; each hit is one box a line that it touches. White space in it matches any white space."""
    pattern = _pattern(needle, match_case=match_case, whole_words=whole_words)
    if pattern is None:
        return []
    text, places = _join(lines)
    hits: list[list[Box]] = []
    for match in pattern.finditer(text):
        hits.append(_boxes(places[match.start() : match.end()]))
        if len(hits) == hits_max:
            break
    return hits


def _pattern(needle: str, *, match_case: bool, whole_words: bool) -> re.Pattern[str] | None:
    words = needle.split()
    if not words:
        return None
    expression = r"\s+".join(re.escape(word) for word in words)
    if whole_words:
        expression = rf"(?<!\w){expression}(?!\w)"
    return re.compile(expression, 0 if match_case else re.IGNORECASE)


def _join(lines: Iterable[Line]) -> tuple[str, list[tuple[int, Box] | None]]:
    """One string, and for each of its characters the line and the box; a line's end counts as a space.

    A hyphen at the end of a line is taken as the printer's: the word goes on.
    """
    text: list[str] = []
    places: list[tuple[int, Box] | None] = []
    for number, line in enumerate(lines):
        body = line.text.rstrip()
        hyphenated = len(body) > 1 and body[-1] in "-\u00ad\u2010" and body[-2].isalpha()
        if hyphenated:
            body = body[:-1]
        text.append(body if hyphenated else body + "\n")
        places.extend((number, box) for box in line.boxes[: len(body)])
        if not hyphenated:
            places.append(None)
    return "".join(text), places


def _boxes(places: Iterable[tuple[int, Box] | None]) -> list[Box]:
    merged: dict[int, Box] = {}
    for place in places:
        if place is None:
            continue
        number, (x0, y0, x1, y1) = place
        if number in merged:
            a0, b0, a1, b1 = merged[number]
            x0, y0, x1, y1 = min(a0, x0), min(b0, y0), max(a1, x1), max(b1, y1)
        merged[number] = (x0, y0, x1, y1)
    return list(merged.values())
