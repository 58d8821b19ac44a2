"""The command `inspect`: wires a run together, shows it, writes it down; gives the exit status."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click
import msgspec
import psutil

from converter.errors import Outcome, outcome_of
from engines.base import Engine, EngineInfo
from engines.errors import EngineError
from preview_app import __version__, app, batch, commands
from preview_app.config import Config
from preview_app.console import Console
from preview_app.inspection.findings import CATALOGUE, FailOn, Finding, Severity
from preview_app.inspection.inspect_one import InspectOptions, Tools, digest_of
from preview_app.inspection.inspector import Inspector
from preview_app.inspection.jsonl import EarlierRun, Tally
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.paths import Selection, files_of
from preview_app.inspection.progress import Progress, duration
from preview_app.inspection.records import EngineUsed, FileInspection, Run, plain
from preview_app.inspection.report_files import Report, ReportPlaces
from preview_app.outputs import OutputError
from preview_app.raster.blocking import PdfChecker
from preview_app.unlocking import Unlocker

FINDINGS = 1
"""The exit status when something was found that fails the run."""
_LINES_OF_A_KIND_MAX = 3
_DEADLINE_S = 180.0
"""Longer than for a person who waits: these conversions yield to everybody else on the machine."""
_NICE = 10
_JOB_MEMORY_BYTES = 1 << 30
"""What one more conversion at the same time should find free."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person chose beside the settings that hold for every command."""

    selection: Selection
    fail_on: FailOn
    places: ReportPlaces
    jobs: int | None = None
    pages_max: int | None = None
    verbose: bool = False


def inspect(settings: commands.Settings, paths: Sequence[Path], wishes: Wishes, console: Console) -> int:
    """Inspect files and folders."""
    files = list(files_of(paths, wishes.selection))
    if not files:
        console.say("There is no document to inspect here.")
        return 0
    _make_room_for_people()
    config = _for_bulk(settings.config, wishes)
    try:
        engine = commands.engine_for(replace(settings, config=config), console)
        deadline_s = settings.deadline_s or max(config.deadline_s, _DEADLINE_S)
        options = InspectOptions(_batch(settings, config).options, deadline_s, password=settings.password)
        report = Report(wishes.places, _run(engine.info, options), wishes.fail_on, console.say)
        with report, _inspector(config, engine, options, report.earlier) as inspector, stopped_by_signals(inspector):
            return _Show(wishes, console, report, len(files)).run(inspector, files)
    except EngineError as error:
        console.say(error.message)
        console.explain(error.diagnostics)
        return outcome_of(error.kind).exit_status
    except OutputError as error:
        console.say(str(error))
        return Outcome.NOT_ALLOWED.exit_status


def list_findings(console: Console) -> None:
    """The catalogue."""
    for kind in CATALOGUE:
        told = {"id": kind.id, "severity": kind.severity.value, "meaning": kind.meaning}
        console.result(told, f"{kind.severity.value:<8}  {kind.id:<26}  {kind.meaning}")


@contextmanager
def _inspector(
    config: Config, engine: Engine, options: InspectOptions, earlier: EarlierRun | None
) -> Iterator[Inspector]:
    """An inspector on threads over a converter of its own; all of it ends with the block."""
    with ExitStack() as ends:
        converter = ends.enter_context(app.conversion_service(config, engine))
        checker = PdfChecker()
        ends.callback(checker.close)
        runner = ends.enter_context(LocalRunner(converter, options, make_tools=lambda: Tools(Unlocker(checker))))
        yield Inspector(runner, lambda file: digest_of(converter, file), earlier=earlier)


def _batch(settings: commands.Settings, config: Config) -> batch.Settings:
    return replace(settings, config=config).batch


def _for_bulk(config: Config, wishes: Wishes) -> Config:
    """The settings with as many slots as the machine has processors and memory for, unless the person says how many.

    The bounds of readers and of waiting jobs grow along, since lane HIGH may take half of them only.
    """
    free = psutil.virtual_memory().available // _JOB_MEMORY_BYTES
    slots = wishes.jobs or max(1, min(os.cpu_count() or 1, int(free)))
    return msgspec.structs.replace(
        config,
        slots=slots,
        readers_max=max(config.readers_max, 4 * (slots + 1)),
        waiting_jobs_max=max(config.waiting_jobs_max, 4 * (slots + 1)),
        pages_max=wishes.pages_max or config.pages_max,
    )


def _make_room_for_people() -> None:
    """Everything here and below yields to whoever works at this machine: processor and disk."""
    with contextlib.suppress(OSError, psutil.Error):
        me = psutil.Process()
        me.nice(max(_NICE, me.nice()))
        if hasattr(me, "ionice") and hasattr(psutil, "IOPRIO_CLASS_IDLE"):
            me.ionice(psutil.IOPRIO_CLASS_IDLE)


def _run(engine: EngineInfo, options: InspectOptions) -> Run:
    used = EngineUsed(engine.name, engine.version, engine.fingerprint)
    settings: dict[str, str | int | float | bool | None] = {
        "single_page_sheets": options.export.single_page_sheets,
        "pages_max": options.export.pages_max,
        "deadline_s": options.deadline_s,
        "password": options.password is not None,
    }
    return Run(__version__, used, settings)


@contextmanager
def stopped_by_signals(inspector: Inspector) -> Iterator[None]:
    """While the block runs, the first Ctrl+C (or SIGTERM) ends the run cleanly; the next one ends the program."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop(*_: object) -> None:
        restore()
        inspector.stop()

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        restore()


class _Show:
    """Takes the records of a run to where they are wanted, and counts."""

    def __init__(self, wishes: Wishes, console: Console, report: Report, total: int) -> None:
        self._wishes = wishes
        self._console = console
        self._report = report
        self._total = total
        self._progress = Progress(total)
        self._tally = Tally()
        self._failing = self._clean = 0

    def run(self, inspector: Inspector, files: Sequence[Path]) -> int:
        """Run to the end or until it is stopped; the exit status."""
        try:
            for record in inspector.run(files):
                self._take(record)
        finally:
            self._progress.clear()
        end = self._tally.end(interrupted=inspector.stopped, seconds=self._progress.seconds)
        self._report.end(end)
        self._console.say(self._summary())
        if inspector.stopped:
            return self._interrupted()
        return FINDINGS if self._failing else 0

    def _take(self, record: FileInspection) -> None:
        self._report.write(record)
        self._tally.add(record)
        self._failing += any(map(self._wishes.fail_on, record.findings))
        self._clean += not any(found.severity.reaches(Severity.WARNING) for found in record.findings)
        self._progress.advance(reused=self._report.reuses(record))
        text = self._text(record)
        if self._console.as_json or text:
            self._progress.clear()
            self._console.result(plain(record), text)

    def _text(self, record: FileInspection) -> str:
        """What is worth a person's while: findings that weigh or fail the run; with `-v` all of them."""
        shown = [found for found in record.findings if self._is_shown(found)]
        name = click.format_filename(record.file)
        head = (
            name
            if record.duplicate_of is None
            else f"{name} (the same as {click.format_filename(record.duplicate_of)})"
        )
        return "\n".join([head, *_lines(shown)]) if shown or self._wishes.verbose else ""

    def _is_shown(self, found: Finding) -> bool:
        weighs = found.severity.reaches(Severity.WARNING)
        return weighs or self._wishes.verbose or self._wishes.fail_on(found)

    def _summary(self) -> str:
        count, seconds = self._tally.files, self._progress.seconds
        rate = f", {60 * count / seconds:,.0f} files/min" if count and seconds > 0 else ""
        files = "1 file" if count == 1 else f"{count:,} files"
        failing = f", {self._failing:,} failing" if self._failing else ""
        return (
            f"{files} in {duration(seconds)}{rate}: {self._clean:,} clean, {count - self._clean:,} to look at{failing}."
        )

    def _interrupted(self) -> int:
        left = self._total - self._tally.files
        hint = f" Go on with --resume {self._report.jsonl}" if self._report.jsonl else ""
        self._console.say(f"Interrupted: {left:,} files were not inspected.{hint}")
        return Outcome.CANCELLED.exit_status


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    """A line a finding; of many of one kind the first ones."""
    by_kind: dict[str, list[Finding]] = {}
    for each in found:
        by_kind.setdefault(each.id, []).append(each)
    for kind, each_of in by_kind.items():
        for each in each_of[:_LINES_OF_A_KIND_MAX]:
            place = f" page {each.place.page}:" if each.place else ""
            yield f"    {each.severity.value:<8}{kind}:{place} {each.sentence}"
        if (left := len(each_of) - _LINES_OF_A_KIND_MAX) > 0:
            yield f"    {'':<8}{kind}: {left:,} more"
