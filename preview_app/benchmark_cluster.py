"""What Dask costs: whole runs of `docpeek inspect` on two workers with one thread each, beside the same run without.

The run without works on two files at once. Everything is on this machine: the scheduler and the workers are started
once and do not count, the engines are started anew in every run of either kind. Measured in turns, whose order is
reversed from round to round. `whole run` is from the start of the program to its end, `inspection` what its report
says: from the moment at which engines are asked for documents.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from converter.errors import Outcome
from preview_app import app
from preview_app.benchmark_inspect import command, default_documents
from preview_app.benchmark_rounds import documents_in
from preview_app.config import Config, EngineChoice
from preview_app.console import Console

_WORKERS = 2
_START_S = 120
_RUN_S = 3600
_NICE = 10
LOCAL, CLUSTER = "without Dask, two at once", "Dask, two workers of one thread"


@dataclass(slots=True)
class _Taken:
    """Seconds, one value a round."""

    whole_run: list[float] = field(default_factory=list)
    inspection: list[float] = field(default_factory=list)


def run(config: Config, paths: Sequence[Path], rounds: int, choice: EngineChoice | None, console: Console) -> int:
    """Measure and print; gives the exit status."""
    if find_spec("distributed") is None:
        console.say("There is no Dask here: install docpeek with its extra `dask` (pip install 'docpeek[dask]').")
        return Outcome.UNAVAILABLE.exit_status
    with contextlib.suppress(OSError):  # an inspection yields to whoever works here; the workers shall do so as well
        os.nice(_NICE)
    engine = app.choose_engine(config, choice).name
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder, ExitStack() as ends:
        files = documents_in(paths) or default_documents(Path(folder))
        address = ends.enter_context(_cluster(Path(folder)))
        variants = {LOCAL: ("--jobs", str(_WORKERS)), CLUSTER: ("--scheduler", address)}
        result = {"engine": engine, "files": len(files), "rounds": rounds}
        result |= _measured(variants, engine, files, Path(folder), rounds, console.say)
    console.result(result, _text(result))
    return 0


@contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """A scheduler with its workers; gives its address."""
    with ExitStack() as ends:
        address = ends.enter_context(_program(folder, "Scheduler at", "scheduler", "--port", "0"))
        for number in range(_WORKERS):
            scratch = ("--local-directory", str(folder / f"worker-{number}"))
            ends.enter_context(_program(folder, "Registered to", "worker", address, "--nthreads", "1", *scratch))
        yield address


@contextmanager
def _program(folder: Path, ready: str, *arguments: str) -> Iterator[str]:
    """A program of Dask's; gives the last word of the line that tells that it is ready."""
    whole = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    with subprocess.Popen(whole, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder) as process:
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        reader = threading.Thread(target=_listen, args=(process, ready, said))
        reader.start()
        try:
            yield said.get(timeout=_START_S).split()[-1]
        finally:
            process.terminate()
            reader.join()


def _listen(process: subprocess.Popen[str], ready: str, said: queue.SimpleQueue[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:  # to its end: a pipe that is full would stop it
        if ready in line:
            said.put(line)


def _measured(
    variants: Mapping[str, Sequence[str]],
    engine: str,
    files: Sequence[Path],
    folder: Path,
    rounds: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    taken = {name: _Taken() for name in variants}
    records: dict[str, list[dict[str, Any]]] = {}
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}" if number else "one turn to warm up")
        for name in [*variants] if number % 2 else [*variants][::-1]:
            whole_run, records[name], inspection = _once(engine, variants[name], files, folder)
            if number:
                taken[name].whole_run.append(whole_run)
                taken[name].inspection.append(inspection)
    return {
        "seconds": {
            name: {"whole run": _median(each.whole_run), "inspection": _median(each.inspection)}
            for name, each in taken.items()
        },
        "ratio": {
            "whole run": _ratio(taken[CLUSTER].whole_run, taken[LOCAL].whole_run),
            "inspection": _ratio(taken[CLUSTER].inspection, taken[LOCAL].inspection),
        },
        "same_records": records[LOCAL] == records[CLUSTER],
    }


def _once(
    engine: str, options: Sequence[str], files: Sequence[Path], folder: Path
) -> tuple[float, list[dict[str, Any]], float]:
    """Seconds of the whole run, the records without their times, and the seconds that the report tells."""
    report = folder / "report.jsonl"
    begun = time.perf_counter()
    subprocess.run([*command(engine, report, files), *options], capture_output=True, timeout=_RUN_S, check=True)
    seconds = time.perf_counter() - begun
    _run, *told, end = [json.loads(line) for line in report.read_text(encoding="ascii").splitlines()]
    return seconds, [{key: value for key, value in each.items() if key != "seconds"} for each in told], end["seconds"]


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 3)


def _ratio(ones: Sequence[float], others: Sequence[float]) -> dict[str, float]:
    """The median of the rounds' ratios, and their spread."""
    each = [one / other for one, other in zip(ones, others, strict=True)]
    return {"median": _median(each), "min": round(min(each), 3), "max": round(max(each), 3)}


def _text(result: Mapping[str, Any]) -> str:
    lines = [
        f"{result['files']} files, engine {result['engine']}, median of {result['rounds']} rounds, "
        f"{os.cpu_count()} processors",
        f"{'':<34}{'whole run':>12}{'inspection':>12}",
    ]
    for name, seconds in result["seconds"].items():
        lines.append(f"{name:<34}{seconds['whole run']:>10.2f} s{seconds['inspection']:>10.2f} s")
    ratio = result["ratio"]
    lines.append(f"{'ratio':<34}{ratio['whole run']['median']:>12.3f}{ratio['inspection']['median']:>12.3f}")
    spread = ", ".join(f"{name} {each['min']:.3f} to {each['max']:.3f}" for name, each in ratio.items())
    lines.append(f"ratios of the rounds: {spread}")
    lines.append("The records are the same." if result["same_records"] else "The records DIFFER.")
    return "\n".join(lines)
