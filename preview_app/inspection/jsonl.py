"""Reports as JSON Lines: written line by line, read back, and taken up again after an interruption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from preview_app.inspection.records import End, FileInspection, Record, Run, line, record_of

LASTING = frozenset({"ok", "unsupported", "encrypted", "bad_password", "corrupt", "empty", "limit"})
"""Outcomes that asking again does not change; all others are inspected anew when a run is taken up again."""

_FIRST_LINE = b'{"record":"run",'
"""How every report begins."""


class JsonLines:
    """Writes records; each is a complete line, on its way to the disk before the next file's record is made."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, record: Record) -> None:
        """Write a record. Raises `OSError`."""
        self._file.write(line(record))
        self._file.flush()


class Tally:
    """Counts what an `End` says."""

    def __init__(self) -> None:
        self._outcomes: Counter[str] = Counter()
        self._findings: Counter[str] = Counter()
        self.files = 0

    def add(self, record: FileInspection) -> None:
        """Count a file."""
        self.files += 1
        self._outcomes[record.outcome] += 1
        self._findings.update(found.severity.value for found in record.findings)

    def all_are(self, outcome: str) -> bool:
        """Whether there are files, and all ended so."""
        return set(self._outcomes) == {outcome}

    def end(self, *, interrupted: bool, seconds: float) -> End:
        """The last record."""
        outcomes, findings = dict(sorted(self._outcomes.items())), dict(sorted(self._findings.items()))
        return End(self.files, outcomes, findings, interrupted, round(seconds, 3))


def read_records(path: Path) -> Iterator[Record]:
    """The records of a report in order. A torn last line, of a run that was killed, is left out.

    Raises `ValueError` for any other line that is no record, and `OSError`.
    """
    with path.open(encoding="ascii", newline="\n") as lines:
        for number, text in enumerate(lines, 1):
            if not text.endswith("\n"):
                return
            try:
                yield record_of(text)
            except ValueError as error:
                raise ValueError(f"line {number} of {path}: {error}") from error


class EarlierRun:
    """See `preview_app.inspection.inspector.Earlier`: the records of reports that were made with equal settings.

    Kept in memory are names and places in the files; records are read when they are asked for.
    """

    def __init__(self, run: Run, paths: Sequence[Path]) -> None:
        """Raises `ValueError` for a file that is no report, and `OSError`."""
        self._places: dict[tuple[str, str | None], tuple[Path, int]] = {}
        self.other_settings = False
        """Whether records were found that cannot be used, since their settings differ."""
        for path in paths:
            self._index(run, path)

    def __len__(self) -> int:
        return len(self._places)

    def holds(self, record: FileInspection) -> bool:
        """Whether a record is one of these."""
        return record.duplicate_of is None and (record.file, record.digest) in self._places

    def find(self, file: str, digest: str | None) -> FileInspection | None:
        """See `Earlier`."""
        found = self._places.get((file, digest))
        if found is None:
            return None
        path, place = found
        with path.open("rb") as lines:
            lines.seek(place)
            record = record_of(lines.readline().decode("ascii"))
        return record if isinstance(record, FileInspection) else None

    def _index(self, run: Run, path: Path) -> None:
        usable, place = False, 0
        with path.open("rb") as lines:
            if not _FIRST_LINE.startswith(lines.read(len(_FIRST_LINE))):
                raise ValueError("it is no report of an inspection")
            lines.seek(0)
            for raw in lines:
                if not raw.endswith(b"\n"):
                    return
                record = record_of(raw.decode("ascii", "replace"))
                if isinstance(record, Run):
                    usable = record == run
                    self.other_settings |= not usable
                elif isinstance(record, FileInspection) and usable and _holds(record):
                    self._places[record.file, record.digest] = (path, place)
                place += len(raw)


def _holds(record: FileInspection) -> bool:
    return record.outcome in LASTING and record.digest is not None and record.duplicate_of is None
