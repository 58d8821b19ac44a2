"""The engines against each other and against what else there is: `soffice --convert-to` and unoserver.

Measured is an engine by itself: from the bytes of a document to those of its PDF, screening included; the conversion
service around it is left out. Cold is from nothing: an engine is made and started for one document.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from converter.cancellation import CancellationToken
from converter.errors import Outcome
from engines.base import Engine, ExportOptions, SourceDocument
from engines.errors import EngineError
from engines.formats import Family
from engines.screening import examine
from engines.wasm.engine import NOT_PREPARED
from engines.wasm.prepared import find
from preview_app import app, benchmark_large, benchmark_memory, benchmark_soffice
from preview_app.benchmark_rounds import Measure, NoMeasureError, in_turns, labels, medians, ratios, table
from preview_app.config import Config
from preview_app.console import Console

_DEADLINE_S = 600.0
_RATIOS = (
    ("native", "unoserver"), ("native", "soffice, warm profile"), ("native, fallback", "soffice, warm profile"),
    ("native, fallback", "soffice, fresh profile"), ("wasm", "soffice, warm profile"),
    ("wasm", "soffice, fresh profile"), ("wasm", "unoserver"), ("wasm", "native"), ("wasm, cold", "native, cold"),
)  # fmt: skip
"""The first over the second: below 1 the first is faster."""

Open = Callable[[], AbstractContextManager[Measure]]


@dataclass(frozen=True, slots=True)
class Variants:
    """What is measured, by name; `resident` are those that keep processes from document to document.

    `versions` are those of the programs, `absent` says why something is not measured.
    """

    all: dict[str, Open]
    resident: tuple[str, ...]
    versions: dict[str, str]
    absent: list[str]


def run(config: Config, files: Sequence[Path], rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status. Of a folder all documents are taken."""
    variants = find_variants(config)
    for reason in variants.absent:
        console.say(f"not measured: {reason}")
    if not variants.all:
        return Outcome.UNAVAILABLE.exit_status
    with benchmark_large.chosen_or_made(files, "samples") as chosen:
        result = measure(variants, chosen, rounds, console.say)
    console.result(result, as_text(result))
    return 0


def find_variants(config: Config) -> Variants:
    """What there is on this machine."""
    found = Variants({}, (), {}, [])
    found = _with_wasm(found, config)
    found = _with_native(found, config)
    return _with_soffice(found)


def _with_wasm(found: Variants, config: Config) -> Variants:
    prepared = find()
    if prepared is None:
        return replace(found, absent=[*found.absent, NOT_PREPARED])
    decision = app.choose_engine(config, "wasm")
    version = {"wasm": prepared.versions["libreoffice"]}
    return _with_engine(found, "wasm", partial(app.make_engine, config, decision), version)


def _with_native(found: Variants, config: Config) -> Variants:
    """The installed LibreOffice, forked where it can be, and as a program for each document."""
    try:
        decision = app.choose_engine(config, "native")
    except EngineError as error:
        return replace(found, absent=[*found.absent, error.message])
    state = decision.native
    version = {"native": state.found.version}
    if state.found.python:
        found = _with_engine(found, "native", partial(app.make_engine, config, decision), version)
    else:
        found = replace(found, absent=[*found.absent, f"native, forked: {state.found.advice}"])
    each = replace(decision, native=replace(state, found=replace(state.found, python="", uno="")))
    # It starts nothing ahead, so there is no difference between warm and cold.
    name = "native, fallback"
    return replace(
        found,
        all=found.all | {name: partial(warm, partial(app.make_engine, config, each))},
        resident=(*found.resident, name),
        versions=found.versions | version,
    )


def _with_engine(found: Variants, name: str, make: Callable[[], Engine], version: dict[str, str]) -> Variants:
    added: dict[str, Open] = {name: partial(warm, make), f"{name}, cold": lambda: nullcontext(cold(make))}
    return replace(found, all=found.all | added, resident=(*found.resident, name), versions=found.versions | version)


def _with_soffice(found: Variants) -> Variants:
    soffice = benchmark_soffice.program()
    if soffice is None:
        return replace(found, absent=[*found.absent, "soffice is not on the path, so there is nothing to compare with"])
    added: dict[str, Open] = {
        "soffice, warm profile": partial(benchmark_soffice.command_line, soffice, fresh=False),
        "soffice, fresh profile": partial(benchmark_soffice.command_line, soffice, fresh=True),
    }
    found = replace(
        found, all=found.all | added, versions=found.versions | {"soffice": benchmark_soffice.version(soffice)}
    )
    unoserver, lacking = benchmark_soffice.find_unoserver()
    if unoserver is None:
        return replace(found, absent=[*found.absent, lacking])
    shared: dict[str, Open] = {"unoserver": partial(benchmark_soffice.shared_office, unoserver, soffice)}
    return replace(found, all=found.all | shared, resident=(*found.resident, "unoserver"))


@contextmanager
def warm(make: Callable[[], Engine]) -> Iterator[Measure]:
    """An engine that is kept, and stopped at the end."""
    engine = make()
    try:
        yield partial(_convert, engine)
    finally:
        engine.stop()


def _convert(engine: Engine, path: Path) -> float:
    data = path.read_bytes()
    begun = time.perf_counter()
    try:
        _convert_bytes(engine, data, path.name)
    except EngineError as error:
        raise NoMeasureError(error.message) from error
    return time.perf_counter() - begun


def _convert_bytes(engine: Engine, data: bytes, name: str) -> None:
    screened = examine(data, name)
    detection = screened.detection
    if detection.type.family is Family.PDF:
        raise NoMeasureError("A PDF is shown as it is.")
    document = SourceDocument(screened.data, detection.type, detection.import_options)
    engine.convert(document, ExportOptions(), deadline_s=_DEADLINE_S, cancel=CancellationToken())


def cold(make: Callable[[], Engine]) -> Measure:
    """An engine for each document, from its making to the PDF."""

    def convert(path: Path) -> float:
        begun = time.perf_counter()
        engine = make()
        made = time.perf_counter() - begun
        try:
            return made + _convert(engine, path)
        finally:
            engine.stop()

    return convert


def measure(variants: Variants, files: Sequence[Path], rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Seconds, ratios and memory."""
    load = [_load()]
    with ExitStack() as stack:
        done = in_turns(_started(variants, stack), files, rounds, say)
    load.append(_load())
    say("memory")
    return {
        "rounds": rounds,
        "versions": variants.versions,
        "processors": os.cpu_count(),
        "load": load,
        "absent": variants.absent,
        "seconds": done.seconds,
        "ratios": ratios(done.seconds, _RATIOS),
        "failures": {name: failed for name, failed in done.failures.items() if failed},
        "memory": _memory(variants, files) if benchmark_memory.can_measure() else {},
    }


def _started(variants: Variants, stack: ExitStack) -> dict[str, Measure]:
    """Those that could be started; the others join what is absent."""
    measures = {}
    for name, start in variants.all.items():
        try:
            measures[name] = stack.enter_context(start())
        except NoMeasureError as error:
            variants.absent.append(f"{name}: {error}")
    return measures


def _load() -> list[float]:
    return [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else []


def _memory(variants: Variants, files: Sequence[Path]) -> dict[str, Any]:
    """Each by itself, since what two of a kind share would be counted half."""
    found = {}
    for name in variants.resident:
        known = benchmark_memory.children()
        try:
            with variants.all[name]() as convert:
                told = benchmark_memory.measure(convert, labels(files), known)
        except NoMeasureError:
            continue  # it is named among what is absent
        found[name] = {when: {who: asdict(each) for who, each in by_who.items()} for when, by_who in told.items()}
    return found


def as_text(result: Mapping[str, Any]) -> str:
    """The tables for a person."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    loads = " and ".join(" ".join(map(str, load)) for load in result["load"])
    lines = [f"{versions}; {result['processors']} processors, load before and after: {loads}", ""]
    lines += [f"seconds from a document's bytes to its PDF, median of {result['rounds']}"]
    lines += [*table(medians(result["seconds"]), 3), ""]
    lines += ["ratios of these (below 1: the first is faster)", *table(result["ratios"], 2)]
    lines += _failures_text(result["failures"]) + _memory_text(result["memory"])
    return "\n".join(lines)


def _failures_text(failures: Mapping[str, Mapping[str, str]]) -> list[str]:
    lines = [f"{name}, {document}: {why}" for name, each in failures.items() for document, why in each.items()]
    return ["", "not converted", *lines] if lines else []


def _memory_text(memory: Mapping[str, Any]) -> list[str]:
    if not memory:
        return []
    at_work = {
        f"{name}, {title}": {document: each[part] / (1 << 20) for document, each in told["at work"].items()}
        for name, told in memory.items()
        for part, title in _PARTS.items()
    }
    lines = ["", "MiB of the process that holds the document, at its largest", *table(at_work, 0)]
    lines += ["", "MiB at rest"]
    for name, told in memory.items():
        for process, each in told["at rest"].items():
            sizes = ", ".join(f"{title} {each[part] / (1 << 20):.0f}" for part, title in _PARTS.items())
            lines.append(f"{name}: {process} {sizes}")
    return lines


_PARTS = {"pss": "PSS", "private_dirty": "private"}
