"""The command `compare`: an inspection that tells of differences only."""

from __future__ import annotations

from pathlib import Path

import click

from converter.errors import Outcome
from preview_app import commands, inspect_command
from preview_app.console import Console
from preview_app.inspection.comparison_wish import ComparisonWish
from preview_app.inspection.findings import COMPARED, OUTCOMES, FailOn
from preview_app.inspection.html_wish import HtmlWish
from preview_app.inspection.paths import Selection
from preview_app.inspection.report_files import ReportPlaces


def compare(
    settings: commands.Settings, before: Path, after: Path, report: Path | None, tolerance: float, console: Console
) -> int:
    """Compare two files, or the documents of two folders by their names; the exit status: 0 without differences."""
    for path in (before, after):
        if not path.exists():
            console.say(f"{click.format_filename(path)}: there is no such file or folder.")
            return Outcome.NOT_FOUND.exit_status
    if before.is_dir() != after.is_dir():
        raise click.UsageError("A file is compared with a file, and a folder with a folder.")
    folders = before.is_dir()
    comparison = ComparisonWish(
        baseline=before if folders else None, file=None if folders else before, tolerance=tolerance
    )
    told = COMPARED | OUTCOMES
    wishes = inspect_command.Wishes(
        Selection(recursive=True),
        FailOn(sorted(told)),
        ReportPlaces(),
        html=HtmlWish(report),
        comparison=comparison,
        only=told,
    )
    return inspect_command.inspect(settings, [after], wishes, console)
