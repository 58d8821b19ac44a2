"""Which words of two pages are the same, which changed, and which merely stand elsewhere. Pure.

Theory. Words are matched in reading order, by what a reader sees of them: leaders of dots, soft hyphens and the forms
of letters do not count, nor where one extraction cuts a word in two. What is left over is matched by place: the order
in which a PDF draws its parts is nobody's business. Words that left a page for the one before or after it, whole, have
moved with the flow of the text; that is no change of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from statistics import median

from preview_app.inspection.comparison_text import WORDS_MAX
from preview_app.raster.api import Box, Word

_LEADER = re.compile(r"([._\-–—·…‥*=])\1{3,}")
_NOT_SEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_NEAR_PT = 6.0
"""How far from where it is expected a word is still the same one."""
_STAYS_PT = 6.0
"""How far things move without anybody seeing it."""
_TOGETHER_PT = 3.0
"""Lines that moved as far as that alike moved together."""
_ALONE_X_PT, _ALONE_Y_PT = 12.0, 36.0
"""How much farther than the lines around them lines moved that somebody has moved; less comes from other heights."""
_FEW = 3


@dataclass(frozen=True, slots=True)
class TextChange:
    """Words that became others: numbers of words before, and of words after."""

    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """Numbers of words before and after that are the same one, ascending in the latter; and the rest."""

    pairs: tuple[tuple[int, int], ...]
    changes: tuple[TextChange, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """Lines that stand elsewhere and not where the text around them would take them: their box after, how far."""

    box: Box
    right_pt: float
    down_pt: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words that are gone from pages, and words that are new there."""

    gone: tuple[str, ...] = ()
    came: tuple[str, ...] = ()

    def __add__(self, other: Exchange) -> Exchange:
        return Exchange(self.gone + other.gone, self.came + other.came)


def exchange(before: Sequence[str], after: Sequence[str]) -> Exchange:
    """What of the words of two pages differs, wherever it stands."""
    ones, others = before[:WORDS_MAX], after[:WORDS_MAX]
    gone: list[str] = []
    came: list[str] = []
    for i, j, same in _spans([*map(plain, ones)], [*map(plain, others)]):
        if not same:
            gone += ones[i.start : i.stop]
            came += others[j.start : j.stop]
    left, right = Counter(gone), Counter(came)
    return Exchange(tuple((left - right).elements()), tuple((right - left).elements()))


def plain(text: str) -> str:
    """A word as it counts: what hyphenation, leaders and forms of letters make of it does not."""
    return _LEADER.sub(r"\1\1\1", unicodedata.normalize("NFKC", _NOT_SEEN.sub("", text)))


def match(before: Sequence[Word], after: Sequence[Word]) -> Matched:
    """Match the words of two pages; of very long ones the first words."""
    ones, others = before[:WORDS_MAX], after[:WORDS_MAX]
    pairs: list[tuple[int, int]] = []
    gaps: list[tuple[range, range]] = []
    for i, j, same in _spans([plain(word.text) for word in ones], [plain(word.text) for word in others]):
        if same:
            pairs += zip(i, j, strict=True)
        elif _joined(ones, i) != _joined(others, j):
            gaps.append((i, j))
    found = _by_place(ones, others, gaps, _shift(ones, others, pairs))
    left, right = {i for i, _j in found}, {j for _i, j in found}
    changes = (TextChange(tuple(n for n in i if n not in left), tuple(n for n in j if n not in right)) for i, j in gaps)
    kept = tuple(change for change in changes if change.before or change.after)
    return Matched(tuple(sorted([*pairs, *found], key=lambda pair: pair[1])), kept)


def flowed(gone: Sequence[str], came: Sequence[str], around: Exchange) -> bool:
    """Whether words that are gone from a page and others that came are only the flow of text from page to page."""
    if came and gone and min(len(came), len(gone)) < _FEW:
        return False  # a figure that became another one may stand anywhere
    return not (_counted(gone) - _counted(around.came) or _counted(came) - _counted(around.gone))


def _counted(words: Sequence[str]) -> Counter[str]:
    return Counter(map(plain, words))


def is_complex(text: str) -> bool:
    """Whether its letters are joined or turned when they are drawn, so that a PDF may tell them in several ways."""
    return any(
        unicodedata.category(char)[0] == "M"
        or unicodedata.bidirectional(char) in {"R", "AL"}
        or unicodedata.category(char) == "Co"
        for char in text
    )


def shift_of(before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]]) -> float:
    """How far the farthest line that is whole on both pages moved, in points."""
    return max((abs(line.right) + abs(line.down) for line in _lines(before, after, pairs)), default=0.0)


def moved(before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]]) -> list[Moved]:
    """Lines that somebody has moved, apart from those before and after them."""
    groups: list[list[_Line]] = []
    for line in _lines(before, after, pairs):
        if groups and groups[-1][-1].goes_with(line):
            groups[-1].append(line)
        else:
            groups.append([line])
    told = []
    for at, group in enumerate(groups):
        around = [groups[other][-1 if other < at else 0] for other in (at - 1, at + 1) if 0 <= other < len(groups)]
        if group[0].is_elsewhere and around and all(group[0].leaves(other) for other in around):
            told.append(Moved(box_around([line.box for line in group]), group[0].right, group[0].down))
    return told


def line_shifts(
    before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[float, float]]:
    """Of each line after that has a word from before: its middle, and how far it moved down, in points."""
    for _key, group in groupby(pairs, key=lambda pair: (after[pair[1]].block, after[pair[1]].line)):
        members = list(group)
        downs = [_middle(after[j].box) - _middle(before[i].box) for i, j in members]
        yield median(_middle(after[j].box) for _i, j in members), median(downs)


def box_around(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    return Box(
        min(box.x0 for box in boxes), min(box.y0 for box in boxes),
        max(box.x1 for box in boxes), max(box.y1 for box in boxes),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that has the same words before and after, and how far it moved."""

    box: Box
    right: float
    down: float

    @property
    def is_elsewhere(self) -> bool:
        return abs(self.right) > _STAYS_PT or abs(self.down) > _STAYS_PT

    def goes_with(self, other: _Line) -> bool:
        return abs(self.right - other.right) < _TOGETHER_PT and abs(self.down - other.down) < _TOGETHER_PT

    def leaves(self, other: _Line) -> bool:
        return abs(self.right - other.right) > _ALONE_X_PT or abs(self.down - other.down) > _ALONE_Y_PT


def _lines(before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]]) -> Iterator[_Line]:
    """Lines of the page after of which each word was in one line before that had no other words."""
    sizes = [Counter((word.block, word.line) for word in words) for words in (before, after)]
    for key, group in groupby(pairs, key=lambda pair: (after[pair[1]].block, after[pair[1]].line)):
        members = list(group)
        ones, others = [before[i] for i, _j in members], [after[j] for _i, j in members]
        keys = {(word.block, word.line) for word in ones}
        if len(keys) == 1 and sizes[0][keys.pop()] == len(members) == sizes[1][key]:
            one, other = box_around([word.box for word in ones]), box_around([word.box for word in others])
            # Centred text that became wider has moved to both sides, which is to none.
            rights = sorted((other.x0 - one.x0, other.x1 - one.x1), key=abs)
            yield _Line(other, rights[0], _middle(other) - _middle(one))


def _spans(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[range, range, bool]]:
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) > 500)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        yield range(i1, i2), range(j1, j2), tag == "equal"


def _joined(words: Sequence[Word], numbers: range) -> str:
    return "".join(plain(words[number].text) for number in numbers)


def _shift(before: Sequence[Word], after: Sequence[Word], pairs: Sequence[tuple[int, int]]) -> tuple[float, float]:
    if not pairs:
        return 0.0, 0.0
    rights = [after[j].box.x0 - before[i].box.x0 for i, j in pairs]
    return median(rights), median(_middle(after[j].box) - _middle(before[i].box) for i, j in pairs)


def _by_place(
    before: Sequence[Word], after: Sequence[Word], gaps: Sequence[tuple[range, range]], shift: tuple[float, float]
) -> list[tuple[int, int]]:
    """Words of the gaps that are at the same place, or where the page's shift takes them."""
    waiting: dict[str, list[int]] = {}
    for number in (number for gone, _came in gaps for number in gone):
        waiting.setdefault(plain(before[number].text), []).append(number)
    found = []
    for number in (number for _gone, came in gaps for number in came):
        word = after[number]
        same = waiting.get(plain(word.text), [])
        near = [each for each in same if _is_near(before[each].box, word.box, shift)]
        if near:
            same.remove(near[0])
            found.append((near[0], number))
    return found


def _is_near(one: Box, other: Box, shift: tuple[float, float]) -> bool:
    right, down = other.x0 - one.x0, _middle(other) - _middle(one)
    return any(abs(right - x) < _NEAR_PT and abs(down - y) < _NEAR_PT for x, y in ((0.0, 0.0), shift))


def _middle(box: Box) -> float:
    return (box.y0 + box.y1) / 2
