"""Which pages belong together. Pure.

Theory. Pages that are equal anchor the alignment (difflib); between two anchors, pages are paired so that the sum of
their likenesses is greatest, which leaves a page that was put in or taken out without a partner. What then is left on
both sides of one gap is paired in order: a page that was written anew is a changed page. Where a gap is too large for
that, its pages are paired in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_GAP_PRODUCT_MAX = 10_000
_LIKE = 0.3
"""Pages with less in common are no pair by themselves."""
WORDS_MAX = 4000
"""Of a page; more are not compared."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The words of a page, and a sign of its look where it has hardly any."""

    words: tuple[str, ...]
    look: Hashable = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pages, counted from 0; one of them is missing where a page was added or removed."""

    before: int | None
    after: int | None


def align(before: Sequence[PageText], after: Sequence[PageText]) -> list[Pair]:
    """Pairs in the order of the pages; each page is in one of them."""
    pairs: list[Pair] = []
    start, end = _common_ends(before, after)
    pairs += [Pair(number, number) for number in range(start)]
    middle = before[start : len(before) - end], after[start : len(after) - end]
    matcher = SequenceMatcher(None, *middle, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pairs += [Pair(start + i1 + step, start + j1 + step) for step in range(i2 - i1)]
        else:
            pairs += _of_gap(before, after, range(start + i1, start + i2), range(start + j1, start + j2))
    pairs += [Pair(len(before) - end + step, len(after) - end + step) for step in range(end)]
    return pairs


def _common_ends(before: Sequence[PageText], after: Sequence[PageText]) -> tuple[int, int]:
    """How many pages are equal from the start, and how many of the rest from the end."""
    most = min(len(before), len(after))
    start = next((number for number in range(most) if before[number] != after[number]), most)
    rest = most - start
    end = next((number for number in range(rest) if before[-1 - number] != after[-1 - number]), rest)
    return start, end


def _of_gap(before: Sequence[PageText], after: Sequence[PageText], left: range, right: range) -> Iterator[Pair]:
    small = 0 < len(left) * len(right) <= _GAP_PRODUCT_MAX
    alike = _most_alike([before[i] for i in left], [after[j] for j in right]) if small else []
    i, j = left.start, right.start
    for one, other in [*alike, (len(left), len(right))]:
        yield from _in_order(range(i, left.start + one), range(j, right.start + other))
        if (one, other) != (len(left), len(right)):
            yield Pair(left.start + one, right.start + other)
        i, j = left.start + one + 1, right.start + other + 1


def _in_order(left: range, right: range) -> Iterator[Pair]:
    both = min(len(left), len(right))
    for step in range(both):
        yield Pair(left[step], right[step])
    yield from (Pair(i, None) for i in left[both:])
    yield from (Pair(None, j) for j in right[both:])


def _most_alike(left: Sequence[PageText], right: Sequence[PageText]) -> list[tuple[int, int]]:
    """Pairs, ascending on both sides, whose likenesses sum up to the most."""
    counts = [Counter(page.words) for page in left], [Counter(page.words) for page in right]
    likes = [[_likeness(one, other) for other in counts[1]] for one in counts[0]]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            paired = likes[i][j] + best[i + 1][j + 1] if likes[i][j] >= _LIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    return list(_path(best, likes))


def _path(best: list[list[float]], likes: list[list[float]]) -> Iterator[tuple[int, int]]:
    i = j = 0
    while i < len(likes) and j < len(likes[0]):
        if likes[i][j] >= _LIKE and best[i][j] == likes[i][j] + best[i + 1][j + 1]:
            yield i, j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of words that both have, from 0 to 1; 0 without words."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
