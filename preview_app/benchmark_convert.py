"""How fast documents become PDFs here: cold and warm, and beside `soffice --convert-to` in the same run.

What is measured side by side is measured in turns, round by round, so that a busy moment of the machine meets every
variant. All times are seconds from the request to the PDF's bytes (for soffice: from the start of its process to its
end); the middle of all rounds is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from converter.errors import ConversionError
from converter.request import Lane, Locator, Request
from converter.service import Converter
from engines.assets import assets_dir
from engines.base import Engine
from engines.errors import EngineError
from engines.wasm.engine import WasmEngine
from preview_app import app, benchmark_soffice
from preview_app.benchmark_rounds import Measure, NoMeasureError, in_turns, medians, ratios, table, timed
from preview_app.config import Config
from preview_app.console import Console

_RATED = ("docpeek warm", "docpeek native warm")
"""The variants that are held against the others, and the first against the second."""
_SOFFICE = {"soffice warm profile": False, "soffice fresh profile": True}
"""Whether each document has a profile of its own."""


def run(config: Config, files: Sequence[Path], rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    chosen = list(files) or sorted(path for path in (assets_dir() / "samples").iterdir() if path.suffix != ".md")
    result = measure(config, chosen, rounds)
    console.result(result, as_text(result))
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
        if soffice := benchmark_soffice.program():
            for name, fresh in _SOFFICE.items():
                variants[name] = stack.enter_context(benchmark_soffice.command_line(soffice, fresh=fresh))
        done = in_turns(variants, files, rounds)
    return {
        "rounds": rounds,
        "soffice": benchmark_soffice.version(soffice) if soffice else None,
        "seconds": done.seconds,
        "ratios": ratios(done.seconds, _pairs(variants)),
        "failures": {name: failed for name, failed in done.failures.items() if failed},
    }


def _pairs(variants: Iterable[str]) -> list[tuple[str, str]]:
    others = [name for name in variants if name not in _RATED]
    return [_RATED, *((name, other) for name in _RATED for other in others)]


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
        yield timed(lambda file: _convert(converter, file))


def _convert(converter: Converter, file: Path) -> None:
    workspace = converter.workspace
    assert workspace is not None
    source = workspace.authorize(Locator.of(file.absolute()))
    # Private, so that nothing of it comes from the cache.
    try:
        converter.submit(Request(source, Lane.CRITICAL, private=True)).result()
    except ConversionError as error:
        raise NoMeasureError(error.message) from error


def _cold(config: Config, make: Callable[[], Engine]) -> Measure:
    def convert(file: Path) -> None:
        with app.conversion_service(config, make()) as converter:
            _convert(converter, file)

    return timed(convert)


def as_text(result: dict[str, Any]) -> str:
    """The medians, a line a document, and the ratios below them."""
    lines = [f"seconds from request to PDF, median of {result['rounds']}", *table(medians(result["seconds"]), 3), ""]
    lines += ["ratios of these (below 1: the first is faster)", *table(result["ratios"], 2)]
    lines += [f"{name}, {each}: {why}" for name, by_file in result["failures"].items() for each, why in by_file.items()]
    return "\n".join([*lines, result["soffice"] or "soffice is not installed: nothing to compare with"])
