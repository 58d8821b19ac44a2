"""How fast documents become PDFs here: cold and warm, and beside `soffice --convert-to` in the same run.

What is measured side by side is measured in turns, round by round, so that a busy moment of the machine meets every
variant. All times are seconds from the request to the PDF's bytes (for soffice: from the start of its process to its
end); the middle of all rounds is shown.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from converter.request import Lane, Locator, Request
from converter.service import Converter
from engines.assets import assets_dir
from engines.base import Engine
from engines.errors import EngineError
from engines.wasm.engine import WasmEngine
from preview_app import app
from preview_app.config import Config
from preview_app.console import Console

Measure = Callable[[Path], None]
_RATED = ("docpeek warm", "docpeek native warm")
"""The variants that are held against the others, and the first against the second."""
_SOFFICE_TIMEOUT_S = 300


def run(config: Config, files: Sequence[Path], rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    chosen = list(files) or sorted(path for path in (assets_dir() / "samples").iterdir() if path.suffix != ".md")
    result = measure(config, chosen, rounds)
    console.result(result, table(result))
    return 0


def measure(config: Config, files: Sequence[Path], rounds: int) -> dict[str, Any]:
    """Seconds by variant and file, and the ratios to soffice where it is installed."""
    with ExitStack() as stack:
        variants: dict[str, Measure] = {
            "docpeek warm": stack.enter_context(_warm(config, WasmEngine.found())),
            "docpeek warm, no spare kit": stack.enter_context(_warm(config, WasmEngine.found(spare_kit=False))),
            "docpeek cold": _cold(config, WasmEngine.found),
        }
        if native := _native(config):
            variants["docpeek native warm"] = stack.enter_context(_warm(config, native()))
            variants["docpeek native cold"] = _cold(config, native)
        if soffice := shutil.which("soffice"):
            variants["soffice warm profile"] = stack.enter_context(_soffice(soffice, fresh=False))
            variants["soffice fresh profile"] = stack.enter_context(_soffice(soffice, fresh=True))
        seconds = _in_turns(variants, files, rounds)
    return {"rounds": rounds, "soffice": _soffice_version(), "seconds": seconds, "ratios": _ratios(seconds)}


def _in_turns(
    variants: dict[str, Measure], files: Sequence[Path], rounds: int
) -> dict[str, dict[str, dict[str, float]]]:
    for warm_up in variants.values():
        for file in files:
            warm_up(file)
    taken: dict[str, dict[str, list[float]]] = {name: {file.name: [] for file in files} for name in variants}
    for _round in range(rounds):
        for file in files:
            for name, convert in variants.items():
                begun = time.perf_counter()
                convert(file)
                taken[name][file.name].append(time.perf_counter() - begun)
    return {name: {file: _spread(each) for file, each in by_file.items()} for name, by_file in taken.items()}


def _spread(values: Sequence[float]) -> dict[str, float]:
    middle = statistics.median(values)
    return {"min": round(min(values), 4), "median": round(middle, 4), "max": round(max(values), 4)}


def _ratios(seconds: dict[str, dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    return {
        f"{name} / {other}": {
            file: round(seconds[name][file]["median"] / each["median"], 3) for file, each in seconds[other].items()
        }
        for name in _RATED
        if name in seconds
        for other in seconds
        if other not in _RATED or (name, other) == _RATED
    }


def _native(config: Config) -> Callable[[], Engine] | None:
    """What makes a native engine, where there is one."""
    try:
        decision = app.choose_engine(config, "native")
    except EngineError:
        return None
    return lambda: app.make_engine(config, decision)


@contextmanager
def _warm(config: Config, engine: Engine) -> Iterator[Measure]:
    engine.start()
    with app.conversion_service(config, engine) as converter:
        yield lambda file: _convert(converter, file)


def _convert(converter: Converter, file: Path) -> None:
    workspace = converter.workspace
    assert workspace is not None
    source = workspace.authorize(Locator.of(file.absolute()))
    # Private, so that nothing of it comes from the cache.
    converter.submit(Request(source, Lane.CRITICAL, private=True)).result()


def _cold(config: Config, make: Callable[[], Engine]) -> Measure:
    def convert(file: Path) -> None:
        with app.conversion_service(config, make()) as converter:
            _convert(converter, file)

    return convert


@contextmanager
def _soffice(program: str, *, fresh: bool) -> Iterator[Measure]:
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder:
        count = 0

        def convert(file: Path) -> None:
            nonlocal count
            count += fresh
            profile = Path(folder) / f"profile-{count}"
            command = [program, "--headless", f"-env:UserInstallation={profile.as_uri()}", "--convert-to", "pdf"]
            subprocess.run(
                [*command, "--outdir", folder, str(file)],
                check=True,
                capture_output=True,
                timeout=_SOFFICE_TIMEOUT_S,
            )

        yield convert


def _soffice_version() -> str | None:
    program = shutil.which("soffice")
    if program is None:
        return None
    told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return told.stdout.strip() or None


def table(result: dict[str, Any]) -> str:
    """The medians, a line a variant and a column a file, and the ratios below them."""
    seconds: dict[str, dict[str, dict[str, float]]] = result["seconds"]
    files = list(next(iter(seconds.values())))
    lines = [f"seconds from request to PDF, median of {result['rounds']}", _row("", files)]
    lines += [_row(name, [f"{by_file[file]['median']:.3f}" for file in files]) for name, by_file in seconds.items()]
    lines += [_row(name, [f"{by_file[file]:.2f}" for file in files]) for name, by_file in result["ratios"].items()]
    lines.append(result["soffice"] or "soffice is not installed: nothing to compare with")
    return "\n".join(lines)


def _row(name: str, cells: Sequence[str]) -> str:
    return f"{name:<42}" + "".join(f"{cell[-18:]:>20}" for cell in cells)
