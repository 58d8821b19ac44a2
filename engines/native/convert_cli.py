"""Kits where LibreOffice cannot be initialised ahead: one `soffice.bin --convert-to` for each document.

Three times as slow as a forked kit, and it needs nothing but LibreOffice: no `uno` module, no fork. The same contract.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path

import psutil

from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.kits import Ending, Job
from engines.native import documentfonts, launch, missingfonts, modules
from engines.native.discover import Installation
from engines.pdfexport import filter_data
from engines.pdffonts import embedded_families
from engines.protocol import Convert, Exited, Failed, Ready, Result

_RESTART = 81
"""The exit status by which LibreOffice asks to be started again."""
_STARTS_MAX = 3
_POLL_S = 0.05
_TEMPORARY_BYTES_MAX = 256 << 20
"""How much larger than the PDF a file may be that LibreOffice writes on the way."""
_CLEAR_S = 5.0
_MATCH_TIMEOUT_S = 5.0
_FLAGS = ("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard")


class CommandKits:
    """Starts LibreOffice for each document, in a folder and with a profile of its own."""

    def __init__(self, installation: Installation, scratch: Path, *, memory_bytes_max: int) -> None:
        self._installation = installation
        self._scratch = scratch
        self._memory_bytes_max = memory_bytes_max
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._left = threading.Condition(self._lock)
        self._running: set[_Process] = set()
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
                document.write_bytes(job.data)
                return self._convert(job, folder, document)
            finally:
                shutil.rmtree(folder, ignore_errors=True)

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
        begun = time.monotonic()
        ending = Ending()
        for import_filter in modules.filters_for(by_id(job.request.suffix)):
            ending = self._with_filter(job, folder, arguments(job.request, document, import_filter), begun)
            ending = _judged(ending, document.with_suffix(".pdf"), job.request, time.monotonic() - begun)
            if ending.failed is None or ending.failed.kind != ErrorKind.CORRUPT:
                break
        return self._with_fonts(ending, job) if ending.result else ending

    def _with_filter(self, job: Job, folder: Path, arguments: list[str], begun: float) -> Ending:
        ending = Ending()
        for _attempt in range(_STARTS_MAX):
            ending = self._once(job, folder, arguments, begun + job.deadline_s - time.monotonic())
            if ending.exited is None or ending.exited.status != _RESTART:
                break
        return ending

    def _with_fonts(self, ending: Ending, job: Job) -> Ending:
        assert ending.result is not None
        named = documentfonts.families(memoryview(job.data), by_id(job.request.suffix))
        match = partial(_fc_match, environment=launch.environment(self._scratch, self._installation))
        fonts = missingfonts.replacements(named, embedded_families(memoryview(ending.pdf)), match)
        return replace(ending, result=replace(ending.result, fonts=fonts))

    def _once(self, job: Job, folder: Path, arguments: list[str], left_s: float) -> Ending:
        process = self._spawn(job, folder, arguments)
        revoke = job.cancel.on_cancel(process.kill)
        try:
            return process.follow(left_s)
        finally:
            revoke()
            with self._lock:
                self._running.discard(process)

    def _spawn(self, job: Job, folder: Path, arguments: list[str]) -> _Process:
        program = [str(self._installation.executable), *arguments]
        with self._lock:
            self._refuse_when_stopped()
            process = _Process(
                subprocess.Popen(
                    [*_leash(job.request), *program],
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


def arguments(request: Convert, document: Path, import_filter: str) -> list[str]:
    """The command line that converts `document` to a PDF beside it."""
    wanted = by_id(request.suffix)
    infilter = ":".join(filter(None, (import_filter, request.import_options)))
    options = json.dumps(filter_data(request.export), separators=(",", ":"))
    target = f"pdf:{modules.of_family(wanted.family).pdf_filter}:{options}"
    folder = str(document.parent)
    return [*_FLAGS, f"--infilter={infilter}", "--convert-to", target, "--outdir", folder, str(document)]


def _leash(request: Convert) -> list[str]:
    if os.name != "posix":
        return []
    bounds = (os.getpid(), request.cpu_s, request.result_bytes_max + _TEMPORARY_BYTES_MAX)
    return [*launch.command(sys.executable, "engines.native.leash"), *map(str, bounds)]


@dataclass(eq=False, slots=True)
class _Process:
    """One LibreOffice; `kill` may be called from any thread until it is reaped."""

    process: subprocess.Popen[bytes]
    memory_bytes_max: int
    peak_bytes: int = 0
    overdue: bool = False
    _ended: threading.Event = field(default_factory=threading.Event)

    def follow(self, left_s: float) -> Ending:
        timer = threading.Timer(max(0.0, left_s), self._on_deadline)
        timer.start()
        try:
            with self._memory_watched():
                status = self.process.wait()
        finally:
            timer.cancel()
            timer.join()
        return Ending(exited=Exited(status, 0.0, self.peak_bytes), overdue=self.overdue, document_read=True)

    def kill(self) -> None:
        """Kill it and all that it has started."""
        if self.process.poll() is not None:
            return
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.kill()
        self.process.kill()

    def _on_deadline(self) -> None:
        self.overdue = True
        self.kill()

    @contextmanager
    def _memory_watched(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch_memory, name="docpeek-memory")
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def _watch_memory(self) -> None:
        with contextlib.suppress(psutil.Error):
            watched = psutil.Process(self.process.pid)
            while not self._ended.wait(_POLL_S):
                self.peak_bytes = max(self.peak_bytes, watched.memory_info().rss)
                if self.peak_bytes > self.memory_bytes_max:
                    self.kill()


def _judged(ending: Ending, output: Path, request: Convert, seconds: float) -> Ending:
    """What became of the document: LibreOffice ends with status 0 also where it has made nothing."""
    assert ending.exited is not None
    status = ending.exited.status
    if status < 0 or ending.overdue:
        return ending
    told = f"soffice ended with status {status}"
    if not output.is_file() or not output.stat().st_size:
        return replace(ending, failed=Failed(ErrorKind.CORRUPT.value, modules.CANNOT_READ, f"{told} and made no PDF"))
    if status:
        return replace(ending, failed=Failed(ErrorKind.ENGINE.value, modules.CANNOT_EXPORT, told))
    if output.stat().st_size > request.result_bytes_max:
        message = f"The PDF would be larger than {request.result_bytes_max >> 20} MiB."
        return replace(ending, failed=Failed(ErrorKind.LIMIT.value, message))
    pdf = output.read_bytes()
    return replace(ending, result=Result(len(pdf), {"convert": seconds}), pdf=pdf)
