"""Where reports may go: not over a document that is inspected, not over a device, not two to one place."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from preview_app.outputs import OutputError, same_file

_MARKS = (b"\xc2\xb7 docpeek</title>", b'<testsuites name="docpeek">', b'{"record":"run",')
"""How the beginnings of reports are known again: HTML, JUnit XML, JSON Lines."""
_HEAD_BYTES = 4096


def without_reports(files: Sequence[Path], replaced: Sequence[Path], written: Sequence[Path]) -> list[Path]:
    """The files but for those of an earlier run at the places where this one puts its reports.

    `replaced` are places that get a new file in one step, `written` those that are opened, which may be devices or
    pipes. Raises `OutputError` where a report would go over a document, or over something that is no file.
    """
    places = [*replaced, *written]
    for number, place in enumerate(places):
        if any(place.resolve() == other.resolve() for other in places[:number]):
            raise OutputError(f"Cannot write the report: {place} is the place of another report as well.")
    for place in replaced:
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            raise OutputError(f"Cannot write the report: {place} is no file.")
    there = [place for place in places if place.is_file()]
    return [file for file in files if not any(_is_report(file, place) for place in there)]


def _is_report(file: Path, place: Path) -> bool:
    """Whether a file is the report at this place. Raises `OutputError` if it is a document there."""
    if not same_file(file, place):
        return False
    try:
        with place.open("rb") as report:
            head = report.read(_HEAD_BYTES)
    except OSError as error:
        raise OutputError(f"Cannot write the report: {place}: {error.strerror}.") from error
    if any(mark in head for mark in _MARKS):
        return True
    raise OutputError(f"Cannot write the report: {place} is one of the documents.")
