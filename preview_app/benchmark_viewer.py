"""How the window feels, in figures: waiting for a page, frames that come late, memory, a crowded folder.

The window and the whole program behind it run as processes of their own, driven as a person would drive them
(`preview_app.desktop.benchmark_session`). Beside it, at the same time, runs an empty window with the same clock of
60 Hz: the control. What it misses is the machine's doing, and what the viewer misses beyond that is the viewer's.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from engines.assets import assets_dir
from preview_app import benchmark_documents, benchmark_window
from preview_app.console import Console

VISITED = 50
NEIGHBOURS_A_ROUND = 10
CROWD = 10_000
FRAMES_S = 3.0
MISSED_MS = 33.3
_SIZE = ("1400", "1000")
_TIMEOUT_S = 1800
_DEFINITION = (
    "gap: from when a frame of 60 Hz was due until it was painted, every frame counted, missed ones too; "
    f"late: times that more than {MISSED_MS:.0f} ms lay between two painted frames; own: the gap without the time that "
    "the thread was ready and had no processor; busy: what it took of a processor from one painted frame to the next; "
    "control: an empty window meanwhile"
)

Figures = dict[str, Any]
EngineName = Literal["native", "wasm"]


class BenchmarkError(Exception):
    """The window that was to be measured failed; the message says how."""


def run(engine: EngineName, rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    try:
        result = measure(engine, rounds)
    except BenchmarkError as error:
        console.say(str(error))
        return 1
    console.result(result, table(result))
    return 0


def measure(engine: EngineName, rounds: int) -> Figures:
    """All figures: seconds, milliseconds and bytes, as their names say. Raises `BenchmarkError`."""
    sample = assets_dir() / "samples" / "welcome.docx"
    starts = [benchmark_window.first_page(sample) for _ in range(rounds)]
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder:
        options = _documents(Path(folder), rounds)
        environment = _environment(Path(folder))
        with _control(environment) as control:
            told = _session({**options, "engine": engine, "rounds": rounds, "frames_s": FRAMES_S}, environment)
        return {
            "rounds": rounds,
            "platform": benchmark_window.platform(),
            "engine": engine,
            "definition": _DEFINITION,
            "start_to_first_page_ms": _spread(value * 1000 for value in starts),
            "selection_to_first_page_ms": {
                name: _spread(value * 1000 for value in told[name]) for name in ("cold", "converted", "prefetched")
            },
            "frames": _frames(told["frames"], control),
            "raster_ms": _raster(told["overhead"]),
            "memory_bytes": told["memory"],
            "crowd_ms": {
                name: _spread(value * 1000 for value in told["crowd"][f"{name}_s"])
                for name in ("listed", "step", "filtered")
            },
        }


def _documents(folder: Path, rounds: int) -> dict[str, str]:
    paths = {name: folder / name for name in ("visited", "neighbours", "crowd")}
    benchmark_documents.copies(paths["visited"], VISITED + 1)
    benchmark_documents.copies(paths["neighbours"], NEIGHBOURS_A_ROUND * rounds + 1)
    benchmark_documents.empty_files(paths["crowd"], CROWD)
    (folder / "long").mkdir()
    long = folder / "long" / "long.pdf"
    long.write_bytes(benchmark_documents.long_pdf())
    return {**{name: str(path) for name, path in paths.items()}, "long": str(long)}


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of what a person has set is read, and nothing is left of what the window remembers."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    environment.pop("DOCPEEK_CONFIG", None)
    if benchmark_window.platform() == "offscreen":
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment


@contextmanager
def _control(environment: Mapping[str, str]) -> Iterator[list[list[float]]]:
    """The frames of an empty window that is there meanwhile; they are in the list when the block is over."""
    frames: list[list[float]] = []
    command = [sys.executable, "-m", "preview_app.desktop.benchmark_frames", *_SIZE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            yield frames
            told, _ = process.communicate(timeout=60)
            frames += json.loads(told)
        finally:
            process.kill()


def _session(options: Mapping[str, object], environment: Mapping[str, str]) -> Figures:
    command = [sys.executable, "-m", "preview_app.desktop.benchmark_session", json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=_TIMEOUT_S, check=False)
    if done.returncode or not done.stdout:
        raise BenchmarkError(f"The window ended with status {done.returncode}.\n{done.stderr}")
    told: Figures = json.loads(done.stdout.splitlines()[-1])
    if told["failure"]:
        raise BenchmarkError(f"{told['failure']}{done.stderr}")
    return told


def _frames(scenarios: Mapping[str, list[Figures]], control: Sequence[list[float]]) -> dict[str, Figures]:
    """Of each scenario: the viewer's frames, and the control's of the same seconds."""
    result = {}
    for name, runs in scenarios.items():
        beside = [[frame for frame in control if each["begun_s"] <= frame[0] < each["ended_s"]] for each in runs]
        pauses = [pause for each in runs for pause in each["collections_ms"]]
        result[name] = {
            "viewer": _gaps([each["frames"] for each in runs]),
            "control": _gaps(beside),
            "collections": {"count": len(pauses), "max_ms": round(max(pauses, default=0.0), 1)},
        }
    return result


def _gaps(runs: Iterable[Sequence[Sequence[float]]]) -> Figures:
    """Of frames (due, painted, waited for a processor, had one; seconds) of one run each."""
    gaps: list[float] = []
    own: list[float] = []
    busy: list[float] = []
    late = 0
    for frames in runs:
        gaps += [(painted - due) * 1000 for due, painted, _, _ in frames]
        own += [(painted - due - queued) * 1000 for due, painted, queued, _ in frames]
        busy += [took * 1000 for *_, took in frames]
        paints = sorted({painted for _, painted, *_ in frames})
        late += sum((after - before) * 1000 > MISSED_MS for before, after in pairwise(paints))
    shares = {"p50_ms": _share(gaps, 0.5), "p99_ms": _share(gaps, 0.99), "max_ms": _share(gaps, 1)}
    shares |= {"own_p99_ms": _share(own, 0.99), "own_max_ms": _share(own, 1)}
    shares |= {"busy_p99_ms": _share(busy, 0.99), "busy_max_ms": _share(busy, 1)}
    return {"count": len(gaps), **shares, "late": late}


def _raster(told: Mapping[str, list[float]]) -> dict[str, Figures]:
    """Milliseconds a page, bare and through the pool, and the difference page by page, the first time and later."""
    result = {}
    for name in ("first", "again"):
        for first, kind in enumerate(benchmark_documents.KINDS_OF_PAGES):
            pool, bare = told[f"pool_{name}"][first::2], told[f"bare_{name}"][first::2]
            more = [ours - theirs for ours, theirs in zip(pool, bare, strict=True)]
            result[f"{kind}, {name}"] = {
                "pool": round(statistics.median(pool), 2),
                "bare": round(statistics.median(bare), 2),
                "difference": round(statistics.median(more), 2),
            }
    return result


def _spread(values: Iterable[float]) -> Figures:
    kept = list(values)
    return {"count": len(kept), "median": _share(kept, 0.5), "p95": _share(kept, 0.95), "max": _share(kept, 1)}


def _share(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not pass."""
    if not values:
        return math.nan
    return round(sorted(values)[max(0, math.ceil(share * len(values)) - 1)], 1)


def table(result: Figures) -> str:
    """What was measured, for a person."""
    lines = [f"the viewer on {result['platform']}, engine {result['engine']}, {result['rounds']} rounds", ""]
    lines += _waits(result)
    lines += ["", *_frame_lines(result["frames"])]
    lines.append(result["definition"])
    lines += ["", f"{'a page at 144 dpi, milliseconds':<34}{'docpeek':>8}{'bare':>8}{'more':>8}"]
    for name, each in result["raster_ms"].items():
        lines.append(f"{name:<34}{each['pool']:>8}{each['bare']:>8}{each['difference']:>8}")
    lines.append(
        "docpeek: from asking to the QImage; bare: PyMuPDF's get_pixmap in a process of its own; more: page by page; "
        "again: the best of some times"
    )
    lines += ["", f"{'memory (PSS), MB':<34}{'app':>8}{'raster':>8}{'engine':>8}"]
    for visited, sizes in result["memory_bytes"].items():
        parts = [sizes[part] / 1e6 for part in ("app", "raster", "engine")]
        lines.append(f"{visited + ' visited':<34}" + "".join(f"{cell:>8.0f}" for cell in parts))
    return "\n".join(lines)


def _frame_lines(frames: Mapping[str, Figures]) -> list[str]:
    columns = ("p50_ms", "p99_ms", "max_ms", "own_p99_ms", "own_max_ms", "busy_p99_ms", "busy_max_ms", "late", "count")
    heads: tuple[str, ...] = ("p50", "p99", "max", "own p99", "own max", "busy p99", "busy max", "late", "count")
    lines = [f"{'gaps of frames, milliseconds':<34}" + "".join(f"{head:>9}" for head in heads)]
    lines += [
        f"{name + ', ' + who:<34}" + "".join(f"{each[who][column]:>9}" for column in columns)
        for name, each in frames.items()
        for who in ("viewer", "control")
    ]
    for name, each in frames.items():
        garbage = each["collections"]
        lines.append(f"garbage collections, {name}: {garbage['count']}, the longest {garbage['max_ms']} ms")
    return lines


def _waits(result: Figures) -> list[str]:
    rows = {"start of the process to first page": result["start_to_first_page_ms"]}
    for name, spread in result["selection_to_first_page_ms"].items():
        rows[f"selection to first page, {name}"] = spread
    for name, spread in result["crowd_ms"].items():
        rows[f"{CROWD:,} files, {name}"] = spread
    head = f"{'milliseconds':<42}{'median':>8}{'p95':>8}{'max':>8}{'count':>8}"
    return [head] + [
        f"{name:<42}{each['median']:>8}{each['p95']:>8}{each['max']:>8}{each['count']:>8}"
        for name, each in rows.items()
    ]
