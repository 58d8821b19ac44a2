"""How words look on two pictures of a page: size, colour, and how their ink is spread. Small shifts do not matter.

Theory. A word that both pages have is cut out of both pictures, at its exact place, and averaged over its height into
a strip of a few cells a colour. A different antialiasing, or half a pixel of displacement, changes these averages
little; another font, weight or colour changes them much. Boxes of words differ in height from one LibreOffice to
another, whatever is drawn; so the strips are as high as the lower box, and lie around the middle of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from PIL import Image

from preview_app.raster.api import Box, Word

_WIDTH_RATIO = 1.045
_WIDTH_PT = 1.2
"""How much wider a word may be, both in relation and in points."""
_SIGN_WIDTH_PT = 3.0
"""A single sign, as a bullet is, may come from another font of signs."""
_HUE = 10.0
_LIGHT = 45.0
"""How far a word's average colour may be off, of 255: its hue, which no antialiasing changes, and its lightness."""
_LINE_LIGHT = 14.0
_LINE_INK = 0.14
"""The same for all words of a line together, and which share of their ink may lie elsewhere along them."""
_LINE_CHARACTERS_MIN = 8
"""Less of a line is judged word by word only."""
_HEIGHT_PX_MIN = 7.0
"""Smaller words, of a page that is drawn small, are grey dust."""
_CELL_PT = 2.5
_CELLS_MAX = 48
_FAINT = 6.0
"""Less ink than this, of 255 on average, is not judged by its spread."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A word averaged over its height: colours along it, and how far each is from the paper, of 255."""

    colours: tuple[tuple[float, float, float], ...]
    ink: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PageImage:
    """A picture of a page, at `scale` pixels a point."""

    image: Image.Image
    scale: float

    def strip(self, box: Box, height: float, cells: int) -> Strip | None:
        """A box, of which the middle `height` points count; nothing if it is not on the page."""
        middle = (box.y0 + box.y1) / 2
        left, right = (max(0.0, min(edge * self.scale, self.image.width)) for edge in (box.x0, box.x1))
        top, bottom = (
            max(0.0, min(edge * self.scale, self.image.height)) for edge in (middle - height / 2, middle + height / 2)
        )
        if right - left < 1 or bottom - top < 1:
            return None
        place = (left, top, right, bottom)
        raw = self.image.resize((cells, 1), Image.Resampling.BOX, box=place).tobytes()
        colours = tuple((raw[at], raw[at + 1], raw[at + 2]) for at in range(0, len(raw), 3))
        levels = [sum(colour) / 3 for colour in colours]
        darkest, lightest = self.image.crop((int(left), int(top), ceil(right), ceil(bottom))).convert("L").getextrema()
        paper = float(lightest if _mean(levels) > (darkest + lightest) / 2 else darkest)  # type: ignore[operator,arg-type]
        return Strip(colours, tuple(abs(level - paper) for level in levels))


@dataclass(frozen=True, slots=True)
class LookChange:
    """Words, by their numbers among those of the page after, that look different: `size`, `colour` or `font`."""

    kind: str
    words: tuple[int, ...]


def look_changes(
    before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]], one: PageImage, other: PageImage
) -> list[LookChange]:
    """What of the words that both pages have looks different, in the order of the page; neighbours are one change.

    `pairs` are numbers of words before and after, ascending in the latter.
    """
    kinds: dict[int, str] = {}
    for _line, group in groupby(pairs, key=lambda pair: (after[pair[1]].block, after[pair[1]].line)):
        members = list(group)
        seen = {j: _Seen.of(before[i], after[j], one, other) for i, j in members}
        kinds |= {j: kind for j, each in seen.items() if (kind := each.kind)}
        if whole := _of_line([(len(after[j].text), each) for j, each in seen.items() if not each.kind]):
            kinds |= {j: whole for j, each in seen.items() if not each.kind}
    return _runs(kinds)


def look_alike(before: Box, after: Box, one: PageImage, other: PageImage) -> bool:
    """Whether two places look the same, whatever is said to be written there."""
    width, wider = sorted((before.x1 - before.x0, after.x1 - after.x0))
    if wider > width * _WIDTH_RATIO and wider - width > _WIDTH_PT:
        return False
    height = min(before.y1 - before.y0, after.y1 - after.y0)
    cells = max(1, min(_CELLS_MAX, round(width / _CELL_PT)))
    strips = one.strip(before, height, cells), other.strip(after, height, cells)
    if strips[0] is None or strips[1] is None:
        return False
    hue, light = colours_apart(strips[0], strips[1])
    return hue <= _HUE and light <= _LINE_LIGHT and ink_apart(strips[0], strips[1]) <= _LINE_INK


def _runs(kinds: dict[int, str]) -> list[LookChange]:
    changes: list[LookChange] = []
    for number, kind in sorted(kinds.items()):
        last = changes[-1] if changes else None
        if last and last.kind == kind and last.words[-1] == number - 1:
            changes[-1] = LookChange(kind, (*last.words, number))
        else:
            changes.append(LookChange(kind, (number,)))
    return changes


@dataclass(frozen=True, slots=True)
class _Seen:
    """How a word differs by itself, and the measures for its line."""

    kind: str
    light: float = 0.0
    ink: float = 0.0

    @classmethod
    def of(cls, before: Word, after: Word, one: PageImage, other: PageImage) -> _Seen:
        width, wider = sorted((before.box.x1 - before.box.x0, after.box.x1 - after.box.x0))
        if wider > width * _WIDTH_RATIO and wider - width > (_WIDTH_PT if len(after.text) > 1 else _SIGN_WIDTH_PT):
            return cls("size")
        height = min(before.box.y1 - before.box.y0, after.box.y1 - after.box.y0)
        cells = max(1, min(_CELLS_MAX, round(width / _CELL_PT)))
        strips = one.strip(before.box, height, cells), other.strip(after.box, height, cells)
        if strips[0] is None or strips[1] is None or height * min(one.scale, other.scale) < _HEIGHT_PX_MIN:
            return cls("")
        hue, light = colours_apart(strips[0], strips[1])
        return cls("colour" if hue > _HUE or light > _LIGHT else "", light, ink_apart(strips[0], strips[1]))


def _of_line(words: Sequence[tuple[int, _Seen]]) -> str:
    """How all words of a line together differ: each by itself may be off by chance."""
    characters = sum(count for count, _seen in words)
    if characters < _LINE_CHARACTERS_MIN:
        return ""
    ink = sum(count * seen.ink for count, seen in words) / characters
    light = sum(count * seen.light for count, seen in words) / characters
    return "font" if ink > _LINE_INK or light > _LINE_LIGHT else ""


def colours_apart(one: Strip, other: Strip) -> tuple[float, float]:
    """How far the average colours are apart, of 255: in hue, and in lightness."""
    means = [[_mean([cell[band] for cell in strip.colours]) for band in range(3)] for strip in (one, other)]
    lights = [_mean(bands) for bands in means]
    tints = [[band - light for band in bands] for bands, light in zip(means, lights, strict=True)]
    return max(abs(left - right) for left, right in zip(*tints, strict=True)), abs(lights[0] - lights[1])


def ink_apart(one: Strip, other: Strip) -> float:
    """Which share of the ink lies elsewhere along the word, or is there once only: 0 to 1."""
    total = sum(one.ink) + sum(other.ink)
    if total / (2 * len(one.ink)) < _FAINT:
        return 0.0
    return sum(abs(left - right) for left, right in zip(_smooth(one.ink), _smooth(other.ink), strict=True)) / total


def _smooth(values: Sequence[float]) -> list[float]:
    """Each with half of its neighbours: what lies at the edge of two cells falls into one or the other."""
    padded = [values[0], *values, values[-1]]
    return [(padded[at - 1] + 2 * padded[at] + padded[at + 1]) / 4 for at in range(1, len(padded) - 1)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
