"""The inspection of a folder over a converter that somebody works with at the same time: that of a window.

It is a reader of that converter in lane HIGH, so that what a person opens goes first (C16), and leaves it a slot, so
that this never waits for a conversion to end; where there is only one slot it may. The process keeps its priority,
which the window shares.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from converter.cancellation import CancellationToken
from converter.service import Converter
from engines.base import EngineInfo, ExportOptions
from preview_app.config import Config
from preview_app.folder_inspection import InspectionEnd, InspectionMoment, InspectionOrder
from preview_app.inspection.findings import FailOn, Severity
from preview_app.inspection.html_wish import HtmlPlan, HtmlWish
from preview_app.inspection.inspect_one import InspectOptions, Tools, digest_of
from preview_app.inspection.inspector import Inspector
from preview_app.inspection.jsonl import Tally
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.paths import Selection, files_of
from preview_app.inspection.report_files import Report, ReportPlaces, same_place
from preview_app.inspection.session import run_of
from preview_app.raster.blocking import PdfChecker
from preview_app.unlocking import Unlocker

DEADLINE_S = 180.0
"""Longer than for a person who waits: these conversions yield to what is opened in the window."""


@dataclass(frozen=True, slots=True)
class Service:
    """A converter that runs, and its default engine."""

    converter: Converter
    engine: EngineInfo


def inspect_folder(
    service: Service,
    config: Config,
    order: InspectionOrder,
    told: Callable[[InspectionMoment], None],
    token: CancellationToken,
) -> InspectionEnd:
    """See `preview_app.folder_inspection.FolderInspections.run`."""
    files = _files(order, token)
    if not files or token.cancelled:
        return InspectionEnd(InspectionMoment(), interrupted=token.cancelled)
    lines = order.report.suffix.lower() == ".jsonl"
    html = HtmlWish(None if lines else order.report).prepare()
    options = _options(config)
    with ExitStack() as ends:
        report = Report(
            ReportPlaces(jsonl=order.report if lines else None),
            run_of(service.engine, options),
            FailOn(),
            lambda _text: None,
            html.page,
        )
        ends.enter_context(report)
        inspector = _inspector(ends, service.converter, options, html)
        ends.callback(token.on_cancel(inspector.stop))
        return _written(inspector, files, report, told)


def _options(config: Config) -> InspectOptions:
    export = ExportOptions(single_page_sheets=config.single_page_sheets, pages_max=config.pages_max)
    return InspectOptions(export, max(config.deadline_s, DEADLINE_S))


def _inspector(ends: ExitStack, converter: Converter, options: InspectOptions, html: HtmlPlan) -> Inspector:
    checker = PdfChecker()
    ends.callback(checker.close)
    runner = LocalRunner(
        converter,
        options,
        make_tools=lambda: Tools(Unlocker(checker)),
        checks=html.checks,
        threads_max=max(1, converter.limits.slots - 1),
    )
    ends.enter_context(runner)
    return Inspector(runner, lambda file: digest_of(converter, file))


def _files(order: InspectionOrder, token: CancellationToken) -> list[Path]:
    """The documents, without an earlier report; fewer if it is cancelled meanwhile."""
    files = []
    for file in files_of([order.folder], Selection(recursive=True)):
        if token.cancelled:
            break
        if not same_place(file, order.report):
            files.append(file)
    return files


def _written(
    inspector: Inspector, files: Sequence[Path], report: Report, told: Callable[[InspectionMoment], None]
) -> InspectionEnd:
    """Run to the end, or until it is stopped."""
    tally, begun, findings = Tally(), time.monotonic(), 0
    at = InspectionMoment(total=len(files))
    told(at)
    for record in inspector.run(files):
        report.write(record)
        tally.add(record)
        findings += sum(found.severity.reaches(Severity.WARNING) for found in record.findings)
        at = InspectionMoment(tally.files, len(files), findings, time.monotonic() - begun)
        told(at)
    report.end(tally.end(interrupted=inspector.stopped, seconds=time.monotonic() - begun))
    return InspectionEnd(at, inspector.stopped)
