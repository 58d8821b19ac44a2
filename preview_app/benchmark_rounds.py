"""Measuring side by side: in turns, round by round, so that a busy moment of the machine meets every variant."""

from __future__ import annotations

import statistics
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Measure = Callable[[Path], float]
"""Does it once for a document and gives the seconds that it took; raises `NoMeasureError`."""
Seconds = dict[str, dict[str, dict[str, float]]]
"""By variant and document: `min`, `median` and `max`. What could not be measured is not in it."""
_FILE_WIDTH, _COLUMN_WIDTH = 28, 11


class NoMeasureError(Exception):
    """The variant cannot do this document; the message says why."""


@dataclass(slots=True)
class Rounds:
    """What was measured: all values by variant and document, and why some are missing."""

    values: dict[str, dict[str, list[float]]]
    failures: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def seconds(self) -> Seconds:
        """The spread of the values."""
        return {
            name: {document: _spread(each) for document, each in by_document.items() if each}
            for name, by_document in self.values.items()
        }


def timed(act: Callable[[Path], object]) -> Measure:
    """A measure of all that `act` does."""

    def measure(path: Path) -> float:
        begun = time.perf_counter()
        act(path)
        return time.perf_counter() - begun

    return measure


def in_turns(
    variants: Mapping[str, Measure], files: Sequence[Path], rounds: int, say: Callable[[str], None] = lambda _line: None
) -> Rounds:
    """Measure every variant with every document, after one turn of each that does not count.

    A variant that cannot do a document is left out for that document from then on. `say` hears how far it is.
    """
    names = labels(files)
    done = Rounds({variant: {name: [] for name in names} for variant in variants})
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}" if number else "one turn to warm up")
        for name, path in names.items():
            for variant, measure in variants.items():
                _measure(done, variant, measure, name, path, counts=number > 0)
    return done


def _measure(done: Rounds, variant: str, measure: Measure, name: str, path: Path, *, counts: bool) -> None:
    failures = done.failures.setdefault(variant, {})
    if name in failures:
        return
    try:
        took = measure(path)
    except NoMeasureError as error:
        failures[name] = str(error)
        done.values[variant][name].clear()
    else:
        if counts:
            done.values[variant][name].append(took)


def documents_in(paths: Sequence[Path]) -> list[Path]:
    """The files among `paths`, and those below the folders among them; hidden ones are left out."""
    found = []
    for path in paths:
        below = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        found += [each for each in below if not each.name.startswith(".")]
    return found


def labels(files: Sequence[Path]) -> dict[str, Path]:
    """The documents by the shortest name that tells them apart: that of the file, or its whole path."""
    names = [file.name for file in files]
    return {file.name if names.count(file.name) == 1 else str(file): file for file in files}


def _spread(values: Sequence[float]) -> dict[str, float]:
    middle = statistics.median(values)
    return {"min": round(min(values), 6), "median": round(middle, 6), "max": round(max(values), 6)}


def ratios(seconds: Seconds, pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """The median of one variant over that of another, by `one / other` and document, where both were measured."""
    return {
        f"{one} / {other}": {
            document: round(each["median"] / seconds[other][document]["median"], 3)
            for document, each in seconds[one].items()
            if document in seconds[other]
        }
        for one, other in pairs
        if one in seconds and other in seconds
    }


def medians(seconds: Seconds) -> dict[str, dict[str, float]]:
    """The middle values alone."""
    return {
        name: {document: each["median"] for document, each in by_document.items()}
        for name, by_document in seconds.items()
    }


def table(columns: Mapping[str, Mapping[str, float]], digits: int) -> list[str]:
    """A line a document, a column a variant; what is missing is a dash."""
    documents = list(dict.fromkeys(document for by_document in columns.values() for document in by_document))
    lines = [_row(document, [_cell(each.get(document), digits) for each in columns.values()]) for document in documents]
    return [*_heads(list(columns)), *lines]


def _cell(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _heads(names: Sequence[str]) -> list[str]:
    """The names of the columns, each on as many lines as it needs."""
    heads = [textwrap.wrap(name, _COLUMN_WIDTH - 2, break_long_words=False) for name in names]
    height = max(map(len, heads), default=0)
    padded = [[""] * (height - len(head)) + head for head in heads]
    return [_row("", [head[line] for head in padded]) for line in range(height)]


def _row(name: str, cells: Sequence[str]) -> str:
    return f"{name[-_FILE_WIDTH:]:<{_FILE_WIDTH}}" + "".join(f"{cell:>{_COLUMN_WIDTH}}" for cell in cells)
