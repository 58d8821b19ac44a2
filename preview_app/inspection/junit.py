"""Reports as JUnit XML, which CI systems show: a suite a folder, a case a file, a failure a finding that fails the run.

Written folder by folder, so memory holds none of it; the file appears at its place when it is complete.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from xml.sax.saxutils import escape, quoteattr

from preview_app.inspection.findings import Finding
from preview_app.inspection.records import FileInspection

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPOOL_BYTES = 1 << 20


class JUnit:
    """Writes a report to `path`. A context manager; the report is complete, and there, when the block ends."""

    def __init__(self, path: Path, fails: Callable[[Finding], bool]) -> None:
        """Raises `OSError`."""
        self._path = path.resolve()
        self._fails = fails
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=".docpeek-", suffix=".part")
        self._temporary = Path(name)
        self._file: IO[str] = os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")
        self._suite: _Suite | None = None
        self._file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="docpeek">\n')

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, record: FileInspection) -> None:
        """Add a file."""
        folder = str(Path(record.file).parent)
        if self._suite is None or self._suite.name != folder:
            self._end_suite()
            self._suite = _Suite(folder)
        self._suite.add(record, [found for found in record.findings if self._fails(found)])

    def close(self) -> None:
        """Complete the report and put it in its place. Idempotent."""
        if self._file.closed:
            return
        try:
            self._end_suite()
            self._file.write("</testsuites>\n")
            self._file.close()
            mask = os.umask(0)
            os.umask(mask)
            self._temporary.chmod(0o666 & ~mask)
            self._temporary.replace(self._path)
        finally:
            self._file.close()
            self._temporary.unlink(missing_ok=True)

    def _end_suite(self) -> None:
        suite, self._suite = self._suite, None
        if suite is not None:
            suite.copy_to(self._file)


class _Suite:
    """A folder: its cases, whose number stands before them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._cases = tempfile.SpooledTemporaryFile(_SPOOL_BYTES, "w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._tests = self._failures = 0
        self._seconds = 0.0

    def add(self, record: FileInspection, failing: list[Finding]) -> None:
        """Add a case."""
        self._tests += 1
        self._failures += bool(failing)
        self._seconds += record.seconds.total
        seconds = f"{record.seconds.total:.3f}"
        name = Path(record.file).name
        self._cases.write(
            f"    <testcase classname={_quoted(self.name)} name={_quoted(name)} time={_quoted(seconds)}>\n"
        )
        if failing:
            message = (
                failing[0].sentence if len(failing) == 1 else f"{failing[0].sentence} And {len(failing) - 1} more."
            )
            told = "\n".join(map(_told, failing))
            self._cases.write(f"      <failure type={_quoted(failing[0].id)} message={_quoted(message)}>")
            self._cases.write(f"{_clean(escape(told))}</failure>\n")
        others = [found for found in record.findings if found not in failing]
        if others:
            self._cases.write(f"      <system-out>{_clean(escape(chr(10).join(map(_told, others))))}</system-out>\n")
        self._cases.write("    </testcase>\n")

    def copy_to(self, file: IO[str]) -> None:
        """Write the suite."""
        counts = f'tests="{self._tests}" failures="{self._failures}" errors="0" time="{self._seconds:.3f}"'
        file.write(f"  <testsuite name={_quoted(self.name)} {counts}>\n")
        self._cases.seek(0)
        while part := self._cases.read(_SPOOL_BYTES):
            file.write(part)
        file.write("  </testsuite>\n")
        self._cases.close()


def _told(found: Finding) -> str:
    place = "" if found.place is None else f" page {found.place.page}:"
    return f"{found.severity.value} {found.id}:{place} {found.sentence}"


def _quoted(text: str) -> str:
    return _clean(quoteattr(text))


def _clean(text: str) -> str:
    """Without what XML cannot hold: control characters, and the bytes of a name that no encoding has."""
    return _NOT_XML.sub("?", text)
