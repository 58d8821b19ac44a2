"""The files that a run writes, and those of an interrupted run that it takes up again.

A run that continues its own JSON Lines sets what is there aside (`NAME.previous`) and writes the file anew, so that
it comes out as if the run had never been interrupted; what was set aside goes when the run has come to its end. If it
is killed instead, the next one finds both.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from preview_app.inspection.findings import Finding
from preview_app.inspection.jsonl import EarlierRun, JsonLines
from preview_app.inspection.junit import JUnit
from preview_app.inspection.records import End, FileInspection, Run
from preview_app.outputs import OutputError


@dataclass(frozen=True, slots=True)
class ReportPlaces:
    """Where reports go, and the JSON Lines of the run to continue. That one is also written, unless `jsonl` is."""

    jsonl: Path | None = None
    junit: Path | None = None
    resume: Path | None = None


class Page(Protocol):
    """A report that is put in its place when the run ends, however it ends; see `report_html`."""

    def write(self, record: FileInspection) -> None:
        """Add a file. Raises `OSError`."""

    def end(self, end: End) -> None:
        """Say how the run ended."""

    def close(self) -> None:
        """Complete it. Idempotent. Raises `OSError`."""

    @property
    def told(self) -> str:
        """Where it is and how large, once it is complete."""


class Report:
    """Writes every report that is wanted. A context manager. Raises `OutputError`."""

    def __init__(
        self,
        places: ReportPlaces,
        run: Run,
        fails: Callable[[Finding], bool],
        say: Callable[[str], None],
        page: Callable[[Run], Page] | None = None,
    ) -> None:
        self.jsonl = places.jsonl or places.resume
        self.earlier: EarlierRun | None = None
        self._places = places
        self._run = run
        self._fails = fails
        self._say = say
        self._aside: Path | None = None
        self._ends = ExitStack()
        self._lines: JsonLines | None = None
        self._junit: JUnit | None = None
        self._page: Page | None = None
        try:
            self._open()
            if page is not None:
                self._page = page(run)
                self._ends.callback(self._page.close)
        except OSError as error:
            self._ends.close()
            raise OutputError(f"Cannot write the report: {error}.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def write(self, record: FileInspection) -> None:
        """Write down a file."""
        try:
            if self._lines is not None:
                self._lines.write(record)
            if self._junit is not None:
                self._junit.write(record)
            if self._page is not None:
                self._page.write(record)
        except OSError as error:
            raise OutputError(f"Cannot write the report: {error}.") from error

    def end(self, end: End) -> None:
        """Write down the end."""
        try:
            if self._lines is not None:
                self._lines.write(end)
            if self._page is not None:
                self._page.end(end)
            self._ends.close()
            if self._page is not None:
                self._say(self._page.told)
            if self._aside is not None and not end.interrupted:
                self._aside.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"Cannot write the report: {error}.") from error

    def reuses(self, record: FileInspection) -> bool:
        """Whether the record is one of the earlier run's."""
        return self.earlier is not None and self.earlier.holds(record)

    def _open(self) -> None:
        if self._places.resume is not None:
            self._take_up(self._places.resume)
        if self._places.junit is not None:
            self._junit = self._ends.enter_context(JUnit(self._places.junit, self._fails))
        if self.jsonl is not None:
            file = self._ends.enter_context(self.jsonl.open("w", encoding="ascii", newline="\n"))
            self._lines = JsonLines(file)
            self._lines.write(self._run)

    def _take_up(self, resume: Path) -> None:
        own = self.jsonl is not None and same_place(resume, self.jsonl)
        aside = resume.with_name(f"{resume.name}.previous")
        found = [path for path in ((aside, resume) if own else (resume,)) if path.exists()]
        try:
            self.earlier = EarlierRun(self._run, found)
        except ValueError as error:
            raise OutputError(f"Cannot continue from {resume}: {error}.") from error
        if own and found:
            _set_aside(resume, aside)
            self._aside, self.earlier = aside, EarlierRun(self._run, [aside])
        if not found:
            self._say(f"{resume} is not there: beginning anew.")
        elif self.earlier.other_settings:
            self._say(f"{resume} was made with other settings or another engine: that is not used.")


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths name one file, there or not."""
    return one.resolve() == other.resolve()


def _set_aside(report: Path, aside: Path) -> None:
    """Move a report aside; behind what lies there already."""
    if not aside.exists():
        report.rename(aside)
        return
    with aside.open("r+b") as file:
        file.truncate(_whole_lines_bytes(file))
        file.seek(0, 2)
        if report.exists():
            file.write(report.read_bytes())
    report.unlink(missing_ok=True)


def _whole_lines_bytes(file: IO[bytes]) -> int:
    """Where the last line that is complete ends."""
    return sum(len(line) for line in file if line.endswith(b"\n"))
