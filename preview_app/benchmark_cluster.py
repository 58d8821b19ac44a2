"""What Dask costs: whole runs of `docpeek inspect` on two workers with one thread each, beside the same run without.

The run without works on two files at once. Everything is on this machine: the scheduler and the workers are started
once and do not count, the engines are started anew in every run of either kind. Measured in turns, whose order is
reversed from round to round. `whole run` is from the start of the program to its end, `inspection` what its report
says: from the moment at which engines are asked for documents. `processors` are the processor seconds of all that
took part, which a machine that is busy with other things disturbs least.

Scheduler and workers run without Dask's profiler and with half a second between two looks at their own event loops,
as is meant for bulk work: by default they spend two to three hundredths of a processor each on watching themselves.
Settings in the environment go before these.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
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

import psutil

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
_SETTINGS = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms"}
MEASURED = ("whole run", "inspection", "processors")
LOCAL, CLUSTER = "without Dask, two at once", "Dask, two workers of one thread"


@dataclass(slots=True)
class _Taken:
    """Seconds, one value a round."""

    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in MEASURED})

    def add(self, *values: float) -> None:
        for name, value in zip(MEASURED, values, strict=True):
            self.values[name].append(value)


class _Cluster:
    """The scheduler's address, and the processes."""

    def __init__(self) -> None:
        self.address = ""
        self.processes: list[psutil.Process] = []

    def processor_s(self) -> float:
        """Processor seconds so far, with those of children that are gone."""
        return sum(sum(process.cpu_times()[:4]) for process in self.processes)


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
        cluster = ends.enter_context(_started(Path(folder)))
        result = {"engine": engine, "files": len(files), "rounds": rounds}
        result |= _measured(cluster, engine, files, Path(folder), rounds, console.say)
    console.result(result, _text(result))
    return 0


@contextmanager
def _started(folder: Path) -> Iterator[_Cluster]:
    """A scheduler with its workers."""
    cluster = _Cluster()
    with ExitStack() as ends:

        def start(ready: str, *arguments: str) -> str:
            process, word = ends.enter_context(_program(folder, ready, *arguments))
            cluster.processes.append(psutil.Process(process.pid))
            return word

        cluster.address = start("Scheduler at", "scheduler", "--port", "0")
        for number in range(_WORKERS):
            scratch = ("--local-directory", str(folder / f"worker-{number}"))
            start("Registered to", "worker", cluster.address, "--no-nanny", "--nthreads", "1", *scratch)
        yield cluster


@contextmanager
def _program(folder: Path, ready: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program of Dask's, and the last word of the line that tells that it is ready."""
    whole = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    environment = _SETTINGS | os.environ
    with subprocess.Popen(
        whole, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder, env=environment
    ) as process:
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        reader = threading.Thread(target=_listen, args=(process, ready, said))
        reader.start()
        try:
            yield process, said.get(timeout=_START_S).split()[-1]
        finally:
            process.terminate()
            reader.join()


def _listen(process: subprocess.Popen[str], ready: str, said: queue.SimpleQueue[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:  # to its end: a pipe that is full would stop it
        if ready in line:
            said.put(line)


def _measured(
    cluster: _Cluster, engine: str, files: Sequence[Path], folder: Path, rounds: int, say: Callable[[str], None]
) -> dict[str, Any]:
    variants = {LOCAL: ("--jobs", str(_WORKERS)), CLUSTER: ("--scheduler", cluster.address)}
    taken = {name: _Taken() for name in variants}
    records: dict[str, list[dict[str, Any]]] = {}
    differ: set[str] = set()
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}" if number else "one turn to warm up")
        for name in [*variants] if number % 2 else [*variants][::-1]:
            spent = _processor_s(cluster)
            whole_run, records[name], inspection = _once(engine, variants[name], files, folder)
            if number:
                taken[name].add(whole_run, inspection, _processor_s(cluster) - spent)
        differ.update(one["file"] for one, other in zip(*records.values(), strict=True) if one != other)
    return {
        "seconds": {
            name: {column: _median(values) for column, values in each.values.items()} for name, each in taken.items()
        },
        "ratio": {name: _ratio(taken[CLUSTER].values[name], taken[LOCAL].values[name]) for name in MEASURED},
        "different_records": sorted(differ),
    }


def _processor_s(cluster: _Cluster) -> float:
    runs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return runs.ru_utime + runs.ru_stime + cluster.processor_s()


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
        f"{'':<34}" + "".join(f"{name:>14}" for name in MEASURED),
    ]
    for name, seconds in result["seconds"].items():
        lines.append(f"{name:<34}" + "".join(f"{seconds[column]:>12.2f} s" for column in MEASURED))
    for which in ("median", "min", "max"):
        values = "".join(f"{result['ratio'][column][which]:>14.3f}" for column in MEASURED)
        lines.append(f"{f'ratio, {which} of the rounds':<34}{values}")
    differ = result["different_records"]
    lines.append(f"Records that differ: {', '.join(differ)}" if differ else "The records are the same.")
    return "\n".join(lines)
