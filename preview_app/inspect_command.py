"""The command `inspect`: wires a run together, shows it, writes it down; gives the exit status."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import msgspec

from converter.errors import Outcome, outcome_of
from engines.base import Engine, EngineInfo
from engines.errors import EngineError
from preview_app import commands
from preview_app.console import Console
from preview_app.inspection.baseline_names import BaselineNames
from preview_app.inspection.cluster_checks import ordered
from preview_app.inspection.cluster_wish import ClusterWish
from preview_app.inspection.comparison_wish import OTHER_ENGINE, ComparisonWish
from preview_app.inspection.findings import CATALOGUE, FailOn, Finding, Severity
from preview_app.inspection.html_wish import HtmlPlan, HtmlWish
from preview_app.inspection.inspect_one import InspectOptions
from preview_app.inspection.inspector import Earlier, Inspector
from preview_app.inspection.jsonl import Tally
from preview_app.inspection.paths import Selection, files_of
from preview_app.inspection.progress import Progress, duration
from preview_app.inspection.records import FileInspection, plain
from preview_app.inspection.report_files import Report, ReportPlaces
from preview_app.inspection.report_places import without_reports
from preview_app.inspection.session import for_bulk, make_room_for_people, open_inspector, run_of
from preview_app.outputs import OutputError

FINDINGS = 1
"""The exit status when something was found that fails the run."""
_LINES_OF_A_KIND_MAX = 3
_DEADLINE_S = 180.0
"""Longer than for a person who waits: these conversions yield to everybody else on the machine."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person chose beside the settings that hold for every command."""

    selection: Selection
    fail_on: FailOn
    places: ReportPlaces
    html: HtmlWish = field(default_factory=HtmlWish)
    jobs: int | None = None
    pages_max: int | None = None
    verbose: bool = False
    comparison: ComparisonWish = field(default_factory=ComparisonWish)
    only: frozenset[str] | None = None
    """Ids of findings that are told; all, unless these are named."""
    cluster: ClusterWish | None = None


_Opening = Callable[[Earlier | None], AbstractContextManager[Inspector]]


def inspect(settings: commands.Settings, paths: Sequence[Path], wishes: Wishes, console: Console) -> int:
    """Inspect files and folders."""
    try:
        files = _files(paths, wishes)
    except OutputError as error:
        console.say(str(error))
        return Outcome.NOT_ALLOWED.exit_status
    names = _names(paths, wishes)
    if not files and not (names and names.removed(files)):
        console.say("There is no document to inspect here.")
        return 0
    make_room_for_people()
    config = for_bulk(settings.config, wishes.jobs)
    if wishes.pages_max:
        config = msgspec.structs.replace(config, pages_max=wishes.pages_max)
    settings = replace(settings, config=config)
    try:
        html = wishes.html.prepare()
        comparison = wishes.comparison.prepare(paths, html.store)
        html = replace(html, checks=(*comparison.checks, *html.checks))
        deadline_s = settings.deadline_s or max(config.deadline_s, _DEADLINE_S)
        options = InspectOptions(settings.batch.options, deadline_s, password=settings.password)
        with _place(settings, options, wishes, paths, html, console) as (engine, opening):
            report = Report(
                wishes.places, run_of(engine, options, comparison.settings), wishes.fail_on, console.say, html.page
            )
            with report, opening(report.earlier) as inspector, stopped_by_signals(inspector):
                return _Show(wishes, console, report, files, names).run(inspector)
    except EngineError as error:
        console.say(error.message)
        console.explain(error.diagnostics)
        return outcome_of(error.kind).exit_status
    except OutputError as error:
        console.say(str(error))
        return Outcome.NOT_ALLOWED.exit_status


def _files(paths: Sequence[Path], wishes: Wishes) -> list[Path]:
    """The documents. Raises `OutputError` for a report that would harm one."""
    places = wishes.places
    replaced = [place for place in (wishes.html.path, places.junit) if place is not None]
    written = [place for place in (places.jsonl or places.resume,) if place is not None]
    return without_reports(list(files_of(paths, wishes.selection)), replaced, written)


def _names(paths: Sequence[Path], wishes: Wishes) -> BaselineNames | None:
    """The names in the baseline, where there is one."""
    folder = wishes.comparison.baseline
    return BaselineNames(folder, paths, wishes.selection) if folder is not None and folder.is_dir() else None


@contextmanager
def _place(
    settings: commands.Settings,
    options: InspectOptions,
    wishes: Wishes,
    paths: Sequence[Path],
    html: HtmlPlan,
    console: Console,
) -> Iterator[tuple[EngineInfo, _Opening]]:
    """Where the work is done: which engine is there, and what opens an inspector.

    Raises `EngineError`, `OutputError`.
    """
    apart = wishes.comparison.apart
    if wishes.cluster is None:
        engine, others = commands.engine_for(settings, console), _others(settings, wishes, console)
        yield (
            engine.info,
            lambda earlier: open_inspector(
                settings.config, engine, options, earlier=earlier, checks=html.checks, others=others, apart=apart
            ),
        )
        return
    ordering = ordered(wishes.comparison, paths, wishes.cluster.roots, pictures=html.store is not None)
    with (
        ordering as checks,
        wishes.cluster.connect(
            settings.config, settings.engine, options, console.say_over, checks, html.store
        ) as cluster,
    ):
        used = cluster.engine
        yield (
            EngineInfo(used.name, used.version, used.generation),
            lambda earlier: nullcontext(Inspector(cluster, cluster.digest, earlier=earlier, apart=apart)),
        )


def _others(settings: commands.Settings, wishes: Wishes, console: Console) -> list[Engine]:
    """Engines that are compared with. Raises `EngineError`."""
    if not wishes.comparison.engines:
        return []
    return [commands.engine_for(replace(settings, engine=OTHER_ENGINE), console)]


def list_findings(console: Console) -> None:
    """The catalogue."""
    for kind in CATALOGUE:
        told = {"id": kind.id, "severity": kind.severity.value, "meaning": kind.meaning}
        console.result(told, f"{kind.severity.value:<8}  {kind.id:<26}  {kind.meaning}")


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

    def __init__(
        self, wishes: Wishes, console: Console, report: Report, files: Sequence[Path], names: BaselineNames | None
    ) -> None:
        self._wishes = wishes
        self._console = console
        self._report = report
        self._files = files
        self._names = names
        self._removed = names.removed(files) if names else []
        self._total = len(files) + len(self._removed)
        self._progress = Progress(self._total)
        self._tally = Tally()
        self._failing = self._clean = 0

    def run(self, inspector: Inspector) -> int:
        """Run to the end or until it is stopped; the exit status."""
        self._progress.show()
        try:
            for record in self._records(inspector):
                self._take(record)
        finally:
            self._progress.clear()
        end = self._tally.end(interrupted=inspector.stopped, seconds=self._progress.seconds)
        self._report.end(end)
        self._console.say(self._summary())
        if inspector.stopped:
            return self._interrupted()
        if self._tally.all_are(Outcome.UNAVAILABLE.value):  # nothing is known of the documents
            return Outcome.UNAVAILABLE.exit_status
        return FINDINGS if self._failing else 0

    def _records(self, inspector: Inspector) -> Iterator[FileInspection]:
        """Those of the files, then those of documents that are not there any more."""
        inspected = inspector.run(self._files)
        yield from self._names.told(inspected) if self._names else inspected
        if not inspector.stopped:
            yield from self._removed

    def _take(self, record: FileInspection) -> None:
        self._report.write(record)
        self._tally.add(record)
        self._failing += any(map(self._wishes.fail_on, record.findings))
        self._clean += not any(map(self._weighs, record.findings))
        self._progress.advance(reused=self._report.reuses(record))
        text = self._text(record)
        if self._console.as_json or text:
            self._progress.clear()
            self._console.result(plain(record), text)

    def _text(self, record: FileInspection) -> str:
        """What is worth a person's while: findings that weigh or fail the run; with `-v` all of them."""
        shown = [found for found in record.findings if self._is_shown(found)]
        name = _name(record.file)
        head = name if record.duplicate_of is None else f"{name} (the same as {_name(record.duplicate_of)})"
        return "\n".join([head, *_lines(shown)]) if shown or self._wishes.verbose else ""

    def _is_shown(self, found: Finding) -> bool:
        asked_for = self._wishes.only is None or found.id in self._wishes.only
        return asked_for and (self._weighs(found) or self._wishes.verbose or self._wishes.fail_on(found))

    def _weighs(self, found: Finding) -> bool:
        asked_for = self._wishes.only is None or found.id in self._wishes.only
        return asked_for and found.severity.reaches(Severity.WARNING)

    def _summary(self) -> str:
        count, seconds = self._tally.files, self._progress.seconds
        rate = f", {measured:,.0f} files/min" if (measured := self._progress.files_a_minute) else ""
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


def _name(file: str) -> str:
    """A name on one line, without what it may hold to play with a terminal or with the reading order."""
    return "".join(char if char.isprintable() else "?" for char in click.format_filename(file))


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
