"""What a document costs before an engine is spent on it: telling what it is, screening, and the encoding of texts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engines.errors import EngineError
from engines.screening import examine
from preview_app import benchmark_large
from preview_app.console import Console

TARGET_MS = 5.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one document, the median and the largest of all rounds.

    `kind` is the type that it was found to be, or why it was refused.
    """

    file: str
    kind: str
    bytes: int
    median_ms: float
    max_ms: float


def run(files: Sequence[Path], rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    with benchmark_large.chosen_or_made(files, "samples", "warmup") as chosen:
        result = measure(chosen, rounds)
    console.result(result, as_text(result))
    return 0


def measure(files: Sequence[Path], rounds: int, *, target_ms: float = TARGET_MS) -> dict[str, Any]:
    """The cost by kind of document over all its files and rounds, and the files that cost more than the target."""
    taken: dict[str, list[float]] = {}
    counted: dict[str, int] = {}
    over = []
    for file in files:
        kind, milliseconds = _measured(file, rounds)
        taken.setdefault(kind, []).extend(milliseconds)
        counted[kind] = counted.get(kind, 0) + 1
        cost = Cost(str(file), kind, file.stat().st_size, _rounded(statistics.median(milliseconds)), max(milliseconds))
        if cost.median_ms > target_ms:
            over.append(cost)
    kinds = {kind: {"files": counted[kind], **_spread(values)} for kind, values in sorted(taken.items())}
    return {"rounds": rounds, "target_ms": target_ms, "kinds": kinds, "over": [asdict(cost) for cost in over]}


def _measured(file: Path, rounds: int) -> tuple[str, list[float]]:
    """What the file is, and the milliseconds of each round, after one that does not count."""
    data = file.read_bytes()
    kind, _warm_up = _once(data, file.name)
    return kind, [_once(data, file.name)[1] for _round in range(rounds)]


def _once(data: bytes, name: str) -> tuple[str, float]:
    begun = time.perf_counter()
    try:
        kind = examine(data, name).detection.type.id
    except EngineError as error:
        kind = f"refused: {error.kind.value}"
    return kind, _rounded((time.perf_counter() - begun) * 1000)


def _spread(values: Sequence[float]) -> dict[str, float]:
    percentiles = statistics.quantiles(values, n=20) if len(values) > 1 else values
    return {
        "median_ms": _rounded(statistics.median(values)),
        "p95_ms": _rounded(min(percentiles[-1], max(values))),
        "max_ms": max(values),
    }


def _rounded(milliseconds: float) -> float:
    return round(milliseconds, 3)


def as_text(result: Mapping[str, Any]) -> str:
    """A line a kind, then the files over the target."""
    lines = [f"milliseconds to tell and screen a document, {result['rounds']} rounds (target: {result['target_ms']:g})"]
    lines.append(f"{'':<24}{'files':>7}{'median':>9}{'p95':>9}{'max':>9}")
    lines += [
        f"{kind:<24}{each['files']:>7}{each['median_ms']:>9.2f}{each['p95_ms']:>9.2f}{each['max_ms']:>9.2f}"
        for kind, each in result["kinds"].items()
    ]
    lines += [
        f"over the target: {Path(each['file']).name}, {each['kind']}, {each['bytes']:,} bytes: {each['median_ms']:.1f}"
        for each in result["over"]
    ]
    return "\n".join(lines)
