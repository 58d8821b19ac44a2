"""How long files took, as SVG: the times in order, and how often each came. Pure; no text of a document is in it."""

from __future__ import annotations

import math
from collections.abc import Sequence

_WIDTH, _HEIGHT = 420, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 8, 8, 34
_POINTS_MAX = 300
_LEAST_S = 0.001
_BARS_A_DECADE = 4


def sorted_times(seconds: Sequence[float]) -> str:
    """The times from the shortest to the longest, on a logarithmic scale. An empty text if there are none."""
    if not seconds:
        return ""
    ordered = sorted(max(_LEAST_S, each) for each in seconds)
    low, high = _decades(ordered)
    count = len(ordered)
    ranks = sorted({round(step * (count - 1) / (_POINTS_MAX - 1)) for step in range(_POINTS_MAX)})
    points = [(_x(rank / max(count - 1, 1)), _y(_part(ordered[rank], low, high))) for rank in ranks]
    if count == 1:
        points.append((_x(1.0), points[0][1]))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    median, last = ordered[(count - 1) // 2], ordered[-1]
    title = f"Times of {count:,} files in order: half take up to {spoken(median)}, the longest {spoken(last)}."
    body = _grid(low, high) + f'<polyline class="line" points="{line}"/>'
    body += _label(_x(0), "shortest", "start") + _label(_x(0.5), "half of the files", "middle")
    return _svg(title, body + _label(_x(1), "longest", "end"))


def histogram(seconds: Sequence[float]) -> str:
    """How many files took so long, each bar a quarter of a power of ten. An empty text if there are none."""
    if not seconds:
        return ""
    kept = [max(_LEAST_S, each) for each in seconds]
    low, high = _decades(kept)
    counts = [0] * ((high - low) * _BARS_A_DECADE)
    for each in kept:
        counts[min(len(counts) - 1, int(_part(each, low, high) * len(counts)))] += 1
    most = max(counts)
    body = "".join(_bar(index, len(counts), count, most) for index, count in enumerate(counts) if count)
    for exponent in range(low, high + 1):
        place = (exponent - low) / (high - low)
        anchor = "start" if exponent == low else "end" if exponent == high else "middle"
        body += _label(_x(place), spoken(10.0**exponent), anchor)
    body += f'<text x="{_LEFT - 4}" y="{_TOP + 9}" text-anchor="end">{most:,}</text>'
    body += f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{_y(0):.1f}" y2="{_y(0):.1f}"/>'
    return _svg(f"How often each time came; at most {most:,} files a bar.", body)


def spoken(seconds: float) -> str:
    """A time for a person."""
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:,.0f} s"


def _bar(index: int, bars: int, count: int, most: int) -> str:
    left, right = _x(index / bars) + 0.5, _x((index + 1) / bars) - 0.5
    top = min(_y(count / most), _y(0) - 1)
    shape = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{_y(0) - top:.1f}"'
    return f'<rect class="bar" {shape}><title>{count:,}</title></rect>'


def _grid(low: int, high: int) -> str:
    told = []
    for exponent in range(low, high + 1):
        y = _y((exponent - low) / (high - low))
        told.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        told.append(f'<text x="{_LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{spoken(10.0**exponent)}</text>')
    return "".join(told)


def _label(x: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="{anchor}">{text}</text>'


def _svg(title: str, body: str) -> str:
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" class="chart"><title>{title}</title>{body}</svg>'


def _decades(seconds: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around the times, at least two."""
    low = math.floor(math.log10(min(seconds)))
    return low, max(low + 1, math.ceil(math.log10(max(seconds))))


def _part(value: float, low: int, high: int) -> float:
    return (math.log10(value) - low) / (high - low)


def _x(part: float) -> float:
    return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)


def _y(part: float) -> float:
    return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)
