"""Kits where LibreOffice cannot be initialised ahead: one `soffice.bin --convert-to` for each document.

Three times as slow as a forked kit, and it needs nothing but LibreOffice: no `uno` module, no fork. The same contract.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from engines import boundedexport, sheetviews
from engines.boundedexport import Sheet
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.kits import Ending, Job
from engines.native import documentfonts, equations, launch, missingfonts, modules, pipes, sheetlist, soffice
from engines.native.discover import Installation
from engines.notices import Notice, NoticeKind
from engines.pdffonts import embedded_families
from engines.protocol import Ready, Result

PRINT_LAYOUT = Notice(
    "The workbook is laid out as it would be printed: which of its sheets are hidden is not known this way.",
    NoticeKind.HIDDEN_UNKNOWN,
)
_STARTS_MAX = 3
_CLEAR_S = 5.0
_MATCH_TIMEOUT_S = 5.0


class CommandKits:
    """Starts LibreOffice for each document, in a folder and with a profile of its own."""

    def __init__(
        self, installation: Installation, scratch: Path, *, memory_bytes_max: int, readable: tuple[str, ...]
    ) -> None:
        """`readable` is what LibreOffice may read and map, where the system can hold it to that."""
        self._installation = installation
        self._scratch = scratch
        self._memory_bytes_max = memory_bytes_max
        self._readable = readable
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._left = threading.Condition(self._lock)
        self._running: set[soffice.SofficeProcess] = set()
        self._documents = 0
        self._open = False

    def start(self) -> Ready:
        """There is nothing to start ahead."""
        self._open = True
        return Ready({})

    def alive(self) -> bool:
        """Whether documents are taken."""
        return self._open

    def run(self, job: Job) -> Ending:
        """Start LibreOffice on the document and wait for its end."""
        with self._counted():
            folder = self._scratch / f"job-{next(self._numbers)}"
            folder.mkdir(mode=0o700)
            try:
                extensions = folder / "profile" / "user" / "extensions"
                extensions.mkdir(parents=True)
                # Without this file LibreOffice synchronizes extensions and asks to be started again.
                (extensions / "buildid").write_text(self._installation.build_id, encoding="utf-8")
                document = folder / f"document.{job.request.suffix}"
                document.write_bytes(sheetviews.unscrolled(memoryview(job.data), job.request.suffix))
                return self._convert(job, folder, document)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                pipes.remove(folder / "profile")

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """A document is at work; `stop` waits until it is cleared away."""
        with self._lock:
            self._refuse_when_stopped()
            self._documents += 1
        try:
            yield
        finally:
            with self._left:
                self._documents -= 1
                self._left.notify_all()

    def _refuse_when_stopped(self) -> None:
        if not self._open:
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine has been stopped.")

    def _convert(self, job: Job, folder: Path, document: Path) -> Ending:
        job.phase("loading")
        one = _Document(job, document, partial(self._once, job, folder))
        options, notices = one.possible(job.request.export)
        try:
            exported = boundedexport.export(one, options)
        except _EndedError as ended:
            return ended.ending
        pdf = bytes(exported.pdf)
        if not self._installation.has_math and equations.present(memoryview(job.data), by_id(job.request.suffix)):
            notices.append(modules.NO_EQUATIONS)
        seconds = {"convert": time.monotonic() - one.begun}
        result = Result(len(pdf), seconds, self._missing_fonts(job, pdf), [*notices, *exported.notices])
        return replace(one.ending, pdf=pdf, result=result)

    def _missing_fonts(self, job: Job, pdf: bytes) -> list[list[str]]:
        named = documentfonts.families(memoryview(job.data), by_id(job.request.suffix))
        match = partial(_fc_match, environment=launch.environment(self._scratch, self._installation))
        return missingfonts.replacements(named, embedded_families(memoryview(pdf)), match)

    def _once(self, job: Job, folder: Path, arguments: list[str], left_s: float) -> Ending:
        process = self._spawn(job, folder, arguments)
        revoke = job.cancel.on_cancel(process.kill)
        try:
            return process.follow(left_s)
        finally:
            revoke()
            with self._lock:
                self._running.discard(process)

    def _spawn(self, job: Job, folder: Path, arguments: list[str]) -> soffice.SofficeProcess:
        with self._lock:
            self._refuse_when_stopped()
            process = soffice.SofficeProcess(
                subprocess.Popen(
                    [*soffice.leash(job.request, self._readable), str(self._installation.executable), *arguments],
                    env=launch.environment(self._scratch, self._installation, folder),
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=None if os.environ.get("DOCPEEK_DEBUG") else subprocess.DEVNULL,
                    start_new_session=True,
                ),
                self._memory_bytes_max,
            )
            self._running.add(process)
        return process

    def kill(self) -> None:
        """Kill what runs."""
        with self._lock:
            for process in self._running:
                process.kill()

    def stop(self, grace_s: float) -> None:  # noqa: ARG002 - LibreOffice has nothing to finish
        """Take no more documents, kill what runs, and wait until it is cleared away."""
        with self._lock:
            self._open = False
        self.kill()
        with self._left:
            self._left.wait_for(lambda: not self._documents, _CLEAR_S)


class _EndedError(Exception):
    """There is no PDF; `ending` says why."""

    def __init__(self, ending: Ending) -> None:
        super().__init__()
        self.ending = ending


class _Document:
    """The document of one job. See `engines.boundedexport.Exporter`; its methods raise `_EndedError`."""

    def __init__(self, job: Job, path: Path, run: Callable[[list[str], float], Ending]) -> None:
        self._job = job
        self._path = path
        self._run = run
        self.begun = time.monotonic()
        self.ending = Ending()

    def possible(self, options: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The options that can be kept, and what to tell of those that cannot.

        One page a sheet would show hidden sheets, unless it is known which they are.
        """
        known = options.get("family") != "sheet" or not options.get("single_page_sheets") or self.sheets()
        return (options, []) if known else ({**options, "single_page_sheets": False}, [PRINT_LAYOUT])

    def sheets(self) -> list[Sheet]:
        """The sheets as far as the bytes tell; empty where they do not."""
        return sheetlist.sheets(memoryview(self._job.data), by_id(self._job.request.suffix))

    def limit_area(self, index: int, columns: int, rows: int) -> None:
        """Never asked for: how far a sheet reaches is not known here."""
        raise NotImplementedError

    def export(self, options: dict[str, Any]) -> memoryview:
        """Have it converted, with the filter of its time where it is an old one."""
        for import_filter in modules.filters_for(by_id(self._job.request.suffix)):
            arguments = soffice.arguments(self._job.request, options, self._path, import_filter)
            output = self._path.with_suffix(".pdf")
            output.unlink(missing_ok=True)
            self.ending = soffice.judged(self._started(arguments), output, self._job.request)
            if self.ending.failed is None or self.ending.failed.kind != ErrorKind.CORRUPT:
                break
        if self.ending.failed is not None or not self.ending.pdf:
            raise _EndedError(self.ending)
        return memoryview(self.ending.pdf)

    def _started(self, arguments: list[str]) -> Ending:
        ending = Ending()
        for _attempt in range(_STARTS_MAX):
            ending = self._run(arguments, self.begun + self._job.deadline_s - time.monotonic())
            if ending.exited is None or ending.exited.status != soffice.RESTART:
                break
        return ending


def _fc_match(family: str, environment: dict[str, str]) -> list[str]:
    """The names of the family that fontconfig gives for `family`; none where it is not installed."""
    if not (program := shutil.which("fc-match")):
        return []
    escaped = re.sub(r"([\\:,-])", r"\\\1", family)
    try:
        told = subprocess.run(
            [program, "--format", "%{family}", escaped],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_MATCH_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return told.stdout.decode("utf-8", "replace").split(",")
