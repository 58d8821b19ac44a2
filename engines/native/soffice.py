"""One run of `soffice.bin --convert-to`: its command line, its bounds, its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.kits import Ending
from engines.native import launch, modules
from engines.pdfexport import filter_data
from engines.protocol import Convert, Exited, Failed

RESTART = 81
"""The exit status by which LibreOffice asks to be started again."""
_POLL_S = 0.05
_TEMPORARY_BYTES_MAX = 256 << 20
"""How much larger than the PDF a file may be that LibreOffice writes on the way."""
_FLAGS = ("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard")


def arguments(request: Convert, export: dict[str, Any], document: Path, import_filter: str) -> list[str]:
    """The command line that converts `document` to a PDF beside it; `export` stands for the options of the request."""
    wanted = by_id(request.suffix)
    infilter = ":".join(filter(None, (import_filter, request.import_options)))
    options = json.dumps(filter_data(export), separators=(",", ":"))
    target = f"pdf:{modules.of_family(wanted.family).pdf_filter}:{options}"
    folder = str(document.parent)
    return [*_FLAGS, f"--infilter={infilter}", "--convert-to", target, "--outdir", folder, str(document)]


def leash(request: Convert, readable: tuple[str, ...]) -> list[str]:
    """The command that bounds the program behind it and ties it to our life."""
    if os.name != "posix":
        return []
    bounds = (
        os.getpid(), request.cpu_s, request.result_bytes_max + _TEMPORARY_BYTES_MAX, os.pathsep.join(readable),
    )  # fmt: skip
    return [*launch.command(sys.executable, "engines.native.leash"), *map(str, bounds)]


@dataclass(eq=False, slots=True)
class SofficeProcess:
    """One LibreOffice; `kill` may be called from any thread until it is reaped."""

    process: subprocess.Popen[bytes]
    memory_bytes_max: int
    peak_bytes: int = 0
    overdue: bool = False
    _ended: threading.Event = field(default_factory=threading.Event)

    def follow(self, left_s: float) -> Ending:
        """Wait for its end, which the deadline or the memory that it takes may bring. It is gone afterwards.

        Raises `EngineError` where there is nobody to watch it.
        """
        try:
            return self._followed(left_s)
        except RuntimeError as error:
            raise EngineError(ErrorKind.ENGINE, "The system has no thread left to watch LibreOffice.") from error
        finally:
            self.kill()
            self.process.wait()

    def _followed(self, left_s: float) -> Ending:
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


def judged(ending: Ending, output: Path, request: Convert) -> Ending:
    """What became of the document, with the PDF if there is one: status 0 alone does not say that there is."""
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
    return replace(ending, pdf=output.read_bytes())
