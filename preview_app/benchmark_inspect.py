"""How many files a minute are inspected: whole runs of the program, beside `soffice --convert-to` over the same list.

soffice gets the whole list in one call, with a profile that has been used, and makes PDFs; docpeek converts each
document in a process of its own, and looks at the documents and at their pages besides. Measured in turns, round by
round. With `--many`, the memory of a run over that many files is measured beside one over a tenth of them: the largest
sum of the PSS of all its processes, and of the main one alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from engines.assets import assets_dir
from engines.errors import EngineError
from engines.wasm.prepared import find
from preview_app import app, benchmark_documents, benchmark_memory, benchmark_soffice
from preview_app.benchmark_rounds import documents_in
from preview_app.config import Config
from preview_app.console import Console
from preview_app.inspection.jsonl import read_records
from preview_app.inspection.records import FileInspection

_TIMEOUT_S = 3600
_REPORT = "report.jsonl"
_LOOK_S = 0.5
_COPIES = 40
_NICE = 10
Variant = Callable[[Sequence[Path], Path], int]
"""Goes over the files, with a scratch folder; gives how many came out."""


def run(config: Config, paths: Sequence[Path], rounds: int, many: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    # An inspection yields to whoever works here; soffice must not win by not doing so.
    with contextlib.suppress(OSError):
        os.nice(_NICE)
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder:
        given = documents_in(paths) or default_documents(Path(folder))
        files = _shown(config, given, Path(folder), console.say)
        result: dict[str, Any] = {"files": len(files), "left_out": len(given) - len(files), "rounds": rounds}
        result |= _speed(_variants(config), files, Path(folder), rounds, console.say)
        if many:
            result["memory_bytes"] = _memory(config, Path(folder), many, console.say)
    console.result(result, _text(result))
    return 0


def default_documents(folder: Path) -> list[Path]:
    samples = sorted(path for path in (assets_dir() / "samples").iterdir() if path.suffix != ".md")
    return [*samples, *benchmark_documents.copies(folder / "copies", _COPIES)]


def _shown(config: Config, files: Sequence[Path], folder: Path, say: Callable[[str], None]) -> list[Path]:
    """The files that can be converted. One soffice hangs on the first that it cannot, and never comes to the others."""
    say("looking for the documents that can be converted")
    _inspected(app.choose_engine(config).name, files, folder)
    records = read_records(folder / _REPORT)
    shown = {record.file for record in records if isinstance(record, FileInspection) and record.outcome == "ok"}
    return [file for file in files if str(file) in shown]


def _variants(config: Config) -> dict[str, Variant]:
    found: dict[str, Variant] = {}
    with contextlib.suppress(EngineError):
        app.choose_engine(config, "native")
        found["docpeek inspect, native"] = lambda files, folder: _inspected("native", files, folder)
    if find() is not None:
        found["docpeek inspect, wasm"] = lambda files, folder: _inspected("wasm", files, folder)
    if soffice := benchmark_soffice.program():
        found["soffice --convert-to, one call"] = lambda files, folder: _converted(soffice, files, folder)
    return found


def _speed(
    variants: Mapping[str, Variant], files: Sequence[Path], folder: Path, rounds: int, say: Callable[[str], None]
) -> dict[str, Any]:
    taken: dict[str, list[float]] = {name: [] for name in variants}
    came_out: dict[str, int] = {}
    for number in range(rounds):
        for name, variant in variants.items():
            say(f"round {number + 1} of {rounds}: {name}")
            begun = time.perf_counter()
            came_out[name] = variant(files, folder)
            taken[name].append(time.perf_counter() - begun)
    seconds = {name: statistics.median(each) for name, each in taken.items()}
    return {
        "seconds": {name: round(each, 2) for name, each in seconds.items()},
        "files_a_minute": {name: round(60 * len(files) / each, 1) for name, each in seconds.items()},
        "converted": came_out,
    }


def _inspected(engine: str, files: Sequence[Path], folder: Path) -> int:
    report = folder / _REPORT
    subprocess.run(command(engine, report, files), capture_output=True, timeout=_TIMEOUT_S, check=False)
    outcomes: dict[str, int] = json.loads(report.read_text(encoding="ascii").splitlines()[-1])["outcomes"]
    return outcomes.get("ok", 0)


def command(engine: str, report: Path, files: Sequence[Path]) -> list[str]:
    options = ["--engine", engine, "--fail-on", "none", "--jsonl", str(report)]
    return [sys.executable, "-m", "preview_app", "inspect", *options, *map(str, files)]


def _converted(soffice: str, files: Sequence[Path], folder: Path) -> int:
    output = folder / "pdfs"
    output.mkdir(exist_ok=True)
    for old in output.iterdir():
        old.unlink()
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [soffice, "--headless", profile, "--convert-to", "pdf", "--outdir", str(output), *map(str, files)]
    _run_group(command)
    return sum(1 for _ in output.glob("*.pdf"))


def _run_group(command: Sequence[str]) -> None:
    """soffice is a shell script that starts a program that starts another; when it hangs, all of them go."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            process.wait(_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _memory(config: Config, folder: Path, many: int, say: Callable[[str], None]) -> dict[str, dict[str, int]]:
    """Bytes at the largest, by how many files there were."""
    engine = app.choose_engine(config).name
    found = {}
    for count in (max(1, many // 10), many):
        say(f"memory with {count} files")
        documents = folder / f"many-{count}"
        benchmark_documents.copies(documents, count)
        found[str(count)] = _largest(command(engine, folder / _REPORT, [documents]))
    return found


def _largest(command: Sequence[str]) -> dict[str, int]:
    largest = {"all processes": 0, "main process": 0}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_S)
                break
            for name, size in _now(process.pid).items():
                largest[name] = max(largest[name], size)
    return largest


def _now(pid: int) -> dict[str, int]:
    with contextlib.suppress(psutil.Error):
        below = [child.pid for child in psutil.Process(pid).children(recursive=True)]
        sizes = {each: memory.pss for each in (pid, *below) if (memory := benchmark_memory.of(each)) is not None}
        return {"all processes": sum(sizes.values()), "main process": sizes.get(pid, 0)}
    return {}


def _text(result: Mapping[str, Any]) -> str:
    left_out = f" ({result['left_out']} that cannot be converted are left out)" if result["left_out"] else ""
    lines = [f"{result['files']} files{left_out}, median of {result['rounds']}, {os.cpu_count()} processors"]
    for name, seconds in result["seconds"].items():
        rate, came_out = result["files_a_minute"][name], result["converted"][name]
        lines.append(f"{name:<34}{seconds:>9.1f} s{rate:>9.0f} files/min   {came_out} converted")
    for count, sizes in result.get("memory_bytes", {}).items():
        told = ", ".join(f"{name} {size / (1 << 20):,.0f} MiB" for name, size in sizes.items())
        lines.append(f"memory with {count} files: {told}")
    return "\n".join(lines)
