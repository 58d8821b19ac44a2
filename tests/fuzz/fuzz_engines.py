"""Damaged documents through the whole service, into every engine that is there.

Run it with `python -m tests.fuzz.fuzz_engines`. Whatever a document is, it has to come to an end within its deadline:
as a PDF with pages, or as an error that says whose fault it is. Nothing may be left of it, and the next one must find
the engine as it was. What breaks that is a finding: it is saved with its document, and the command that makes it again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome
from converter.request import Limits, Request, Source
from converter.service import Converter
from converter.ticket import Ticket
from engines import select
from engines.base import Engine, ExportOptions
from engines.errors import EngineError
from engines.native.engine import NativeEngine
from engines.wasm.engine import WasmEngine
from engines.wasm.prepared import find
from preview_app.raster.blocking import PdfChecker
from tests.conftest import REPOSITORY
from tests.fuzz.mutation import Mutant, Original, mutant
from tests.fuzz.originals import originals
from tests.real.household import Household

DEADLINE_S = 10.0
PATIENCE_S = 10.0
"""How long after its deadline a document may take to be told of, on a busy machine."""
PAGES_MAX = 50
FAIR = {
    Outcome.OK, Outcome.UNSUPPORTED, Outcome.ENCRYPTED, Outcome.CORRUPT, Outcome.EMPTY, Outcome.LIMIT, Outcome.TIMEOUT,
    Outcome.ENGINE,
}  # fmt: skip
"""How a damaged document may end; the others are nobody's doing here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be: in which engine, what, and by which document."""

    number: int
    engine: str
    what: str
    document: Mutant


@dataclass
class Report:
    """What a run has seen. `crashes` are documents that LibreOffice failed on, told as they should be."""

    seed: int
    documents: int = 0
    seconds: float = 0.0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    crashes: list[tuple[int, str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class Fuzzer:
    """One service over some engines, and damaged documents for it."""

    def __init__(
        self, engines: Sequence[Engine], documents: Sequence[Original], seed: int, deadline_s: float = DEADLINE_S
    ) -> None:
        self._documents = documents
        self._names = [engine.info.name for engine in engines]
        self._deadline_s = deadline_s
        limits = Limits(slots=len(engines), deadline_s=deadline_s, deadline_max_s=deadline_s, soft_limit_s=deadline_s)
        for engine in engines:
            engine.start()
        self._checker = PdfChecker()
        self._checker.prepare()
        self._converter = Converter(engines[0], self._checker, others=engines[1:], limits=limits)
        self._household = Household(*engines)
        self.report = Report(seed, outcomes={name: Counter() for name in self._names})

    def close(self) -> None:
        """End the service; the engines stay."""
        if not self._converter.close():
            self.report.findings.append(Finding(-1, "", "the service did not close", Mutant("", b"", ())))
        self._checker.close()

    def run(self, numbers: Sequence[int], seconds: float, tell: Callable[[Finding], object] = lambda _: None) -> Report:
        """Try the documents of these numbers, for so many seconds at most."""
        began, report = time.monotonic(), self.report
        for number in numbers:
            if time.monotonic() - began > seconds:
                break
            document = mutant(self._documents, report.seed, number)
            for finding in self._tried(number, document):
                report.findings.append(finding)
                tell(finding)
            report.documents += 1
        report.seconds += time.monotonic() - began
        return report

    def _tried(self, number: int, document: Mutant) -> list[Finding]:
        source = Source(document.name, len(document.data), None, lambda _capacity: (document.data, None))
        options = ExportOptions(pages_max=PAGES_MAX)
        tickets = {
            name: self._converter.submit(Request(source, options=options, engine=name, private=True))
            for name in self._names
        }
        found = [(name, what) for name, ticket in tickets.items() for what in self._judged(number, name, ticket)]
        found += [
            (name, "hostile to noise") for name in self._names if document.noise and tickets[name].outcome == "ok"
        ]
        if not self._settled():
            found.append(("", f"still at work {PATIENCE_S:g} s after the outcome"))
        found += [("", f"left behind: {stray}") for stray in self._household.strays()]
        return [Finding(number, name, what, document) for name, what in found]

    def _settled(self) -> bool:
        """Wait until the jobs are over: a reader is told of its deadline at once, its kit ends a moment later."""
        until = time.monotonic() + PATIENCE_S
        while self._converter.statistics().running and time.monotonic() < until:
            threading.Event().wait(0.005)
        return not self._converter.statistics().running

    def _judged(self, number: int, engine: str, ticket: Ticket) -> list[str]:
        try:
            result: Conversion | ConversionError = ticket.result(self._deadline_s + PATIENCE_S)
        except ConversionError as error:
            result = error
        except TimeoutError:
            ticket.cancel("it hangs")
            return [f"no outcome {PATIENCE_S:g} s after the deadline"]
        outcome = result.outcome if isinstance(result, ConversionError) else Outcome.OK
        self.report.outcomes[engine][outcome.value] += 1
        if outcome is Outcome.ENGINE and isinstance(result, ConversionError):
            self.report.crashes.append((number, engine, result.message))
        return wrong_with(result)


def wrong_with(result: Conversion | ConversionError) -> list[str]:
    """What is not as it should be in the outcome of a damaged document."""
    if isinstance(result, Conversion):
        fine = result.pages >= 1 and result.pdf[:5] == b"%PDF-"
        return [] if fine else [f"{result.pages} pages and {result.pdf[:5]!r} for a PDF"]
    wrong = [] if result.outcome in FAIR else [f"ended as {result.outcome.value}: {result.message}"]
    if "Traceback" in result.diagnostics:
        wrong.append(f"a fault of ours: {result.message}\n{result.diagnostics}")
    if not result.message.endswith((".", ")")):
        wrong.append(f"no sentence: {result.message}")
    return wrong


def save(finding: Finding, folder: Path, seed: int) -> Path:
    """Keep the document and how to make it again."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{seed}-{finding.number}"
    file = folder / f"{stem}.{finding.document.name.rpartition('.')[2]}"
    file.write_bytes(finding.document.data)
    told = {
        "what": finding.what,
        "engine": finding.engine,
        "recipe": finding.document.recipe,
        "again": f"python -m tests.fuzz.fuzz_engines --seed {seed} --only {finding.number}",
    }
    with (folder / f"{stem}.json").open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(told) + "\n")
    return file


def corpus_folder() -> Path | None:
    """The corpus of real documents, if it is there."""
    folder = Path(os.environ.get("DOCPEEK_CORPUS", REPOSITORY.parent / "shared" / "corpus"))
    return folder if (folder / "MANIFEST.tsv").is_file() else None


def engines_there(wanted: str) -> list[Engine]:
    """The engines of that name, or both, as far as they are there."""
    found: list[Engine] = []
    if wanted in {"native", "both"}:
        state = select.look()
        if state.installation is not None and state.complete:
            prepared = find()  # whose fonts it has as well, as in the application
            fonts = (prepared.fonts_dir,) if prepared else ()
            found.append(NativeEngine(state.installation, state.found, font_dirs=fonts))
    if wanted in {"wasm", "both"}:
        try:
            found.append(WasmEngine.found())
        except EngineError as error:
            print(error.message, file=sys.stderr)
    return found


def fuzz(
    engines: Sequence[Engine],
    seed: int,
    numbers: Sequence[int],
    *,
    minutes: float = 60.0,
    deadline_s: float = DEADLINE_S,
    folder: Path | None = None,
) -> Report:
    """Try so many damaged documents; findings are saved in `folder`."""
    documents = originals(corpus_folder())
    digest = hashlib.sha256(b"".join(hashlib.sha256(each.data).digest() for each in documents)).hexdigest()[:12]
    print(f"seed {seed}, {len(documents)} originals ({digest}), engines: {', '.join(e.info.name for e in engines)}")
    fuzzer = Fuzzer(engines, documents, seed, deadline_s)

    def tell(finding: Finding) -> None:
        where = f" -> {save(finding, folder, seed)}" if folder else ""
        print(f"FOUND {seed}-{finding.number} {finding.engine}: {finding.what}{where}", flush=True)

    try:
        fuzzer.run(numbers, minutes * 60, tell)
    finally:
        fuzzer.close()
    return fuzzer.report


def show(report: Report) -> None:
    """What a run has seen, for a person."""
    print(f"{report.documents} documents in {report.seconds:.0f} s")
    for engine, outcomes in report.outcomes.items():
        print(f"  {engine}: " + ", ".join(f"{name} {count}" for name, count in outcomes.most_common()))
    for (engine, message), count in Counter((engine, message) for _, engine, message in report.crashes).most_common():
        numbers = [number for number, *rest in report.crashes if rest == [engine, message]]
        print(f"  {engine}, {count} times: {message} ({', '.join(map(str, numbers[:8]))})")
    print(f"findings: {len(report.findings) or 'none'}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and report; 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time, which is printed")
    parser.add_argument("--count", type=int, default=1000, help="documents at most")
    parser.add_argument("--minutes", type=float, default=15.0, help="minutes at most")
    parser.add_argument("--only", type=int, help="the one document of this number")
    parser.add_argument("--engine", choices=["native", "wasm", "both"], default="both")
    parser.add_argument("--deadline-s", type=float, default=DEADLINE_S)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "out" / "fuzz", help="where findings are saved")
    given = parser.parse_args(arguments)
    numbers = range(given.count) if given.only is None else [given.only]
    with ExitStack() as ends:
        engines = engines_there(given.engine)
        if not engines:
            print("there is no engine to try", file=sys.stderr)
            return 2
        for engine in engines:
            ends.callback(engine.stop)
        report = fuzz(
            engines, given.seed, numbers, minutes=given.minutes, deadline_s=given.deadline_s, folder=given.out
        )
    show(report)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
