"""What docpeek is measured against: `soffice --convert-to`, and unoserver, which keeps one LibreOffice for everybody.

Both are given the layout that docpeek shows (one page a sheet), and their own defaults for everything else.

unoserver is looked for in the environment of docpeek (`pip install --no-deps unoserver`, or the group `benchmark`) and
among the packages of the Python that LibreOffice's `uno` module belongs to, under which it runs. Nothing but the
benchmark uses it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import xmlrpc.client
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.parsers.expat import ExpatError

from engines.formats import Family, by_suffix, suffix_of
from engines.native import interpreter
from preview_app.benchmark_rounds import Measure, NoMeasureError

_TIMEOUT_S = 300
_START_S = 60.0
_POLL_S = 0.1
_LOOK = "import importlib.util, sys; sys.exit(importlib.util.find_spec('unoserver') is None)"
_VERSION = re.compile(r"\d+\.\d+")
_USED = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/Product">
<prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>{}</value></prop></item></oor:items>
"""
_ONE_PAGE_A_SHEET = 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}'


def program() -> str | None:
    """LibreOffice's program on the path."""
    return shutil.which("soffice")


def version(soffice: str) -> str:
    """What it says of itself."""
    told = subprocess.run([soffice, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return told.stdout.strip()


def _is_workbook(path: Path) -> bool:
    kind = by_suffix(suffix_of(path.name))
    return kind is not None and kind.family is Family.SHEET


@contextmanager
def command_line(soffice: str, *, fresh: bool) -> Iterator[Measure]:
    """`soffice --convert-to pdf`: from the start of its process to the PDF's bytes.

    `fresh` gives each document a profile of its own, as isolation asks for; else one is used again and again. It is
    then that of somebody who has used LibreOffice: by `--convert-to` alone a profile never gets warm.
    """
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder:
        if not fresh:
            _write_used_profile(Path(folder) / "profile-0", version(soffice))
        profiles = iter(range(10**9))

        def convert(path: Path) -> float:
            profile = Path(folder) / f"profile-{next(profiles) if fresh else 0}"
            begun = time.perf_counter()
            _convert_to(soffice, profile, path, Path(folder))
            took = time.perf_counter() - begun
            if fresh:
                shutil.rmtree(profile, ignore_errors=True)
            return took

        yield convert


def _write_used_profile(profile: Path, told: str) -> None:
    """A profile in which this version has been used: a new version tries out its graphics, which takes half a second.

    It is the first window that notes so.
    """
    number = _VERSION.search(told)
    (profile / "user").mkdir(parents=True)
    text = _USED.format(number[0] if number else "")
    (profile / "user" / "registrymodifications.xcu").write_text(text, encoding="utf-8")


def _convert_to(soffice: str, profile: Path, path: Path, folder: Path) -> None:
    target = _ONE_PAGE_A_SHEET if _is_workbook(path) else "pdf"
    command = [soffice, "--headless", f"-env:UserInstallation={profile.as_uri()}", "--convert-to", target]
    output = folder / f"{path.stem}.pdf"
    output.unlink(missing_ok=True)
    try:
        subprocess.run(
            [*command, "--outdir", str(folder), str(path)], check=True, capture_output=True, timeout=_TIMEOUT_S
        )
        output.read_bytes()
    except FileNotFoundError as error:
        raise NoMeasureError("soffice made no PDF") from error
    except (subprocess.SubprocessError, OSError) as error:
        raise NoMeasureError(f"soffice failed: {error}") from error


@dataclass(frozen=True, slots=True)
class Unoserver:
    """Where unoserver is. `packages` are the folder and the names in it to be put on Python's path, if it is not."""

    python: str
    packages: tuple[Path, ...] = ()


def find_unoserver() -> tuple[Unoserver | None, str]:
    """unoserver, or `None` and what is missing."""
    python, _advice = interpreter.find()
    if python is None:
        return None, "unoserver needs LibreOffice's module for Python (the package python3-uno)"
    spec = importlib.util.find_spec("unoserver")
    if spec is not None and spec.submodule_search_locations:
        package = Path(spec.submodule_search_locations[0])
        return Unoserver(python.program, (package, *package.parent.glob("unoserver-*.dist-info"))), ""
    look = subprocess.run([python.program, "-c", _LOOK], capture_output=True, timeout=60, check=False)
    if look.returncode == 0:
        return Unoserver(python.program), ""
    return None, "unoserver is not installed: pip install --no-deps unoserver"


class SharedOffice:
    """unoserver, started and warm: one LibreOffice for all documents, started again when one of them kills it."""

    def __init__(self, found: Unoserver, soffice: str, folder: Path) -> None:
        """`folder` is empty and ours: for its profile, its modules and what it makes."""
        for package in found.packages:  # these alone, for they lie among packages of another interpreter
            (folder / package.name).symlink_to(package)
        self._folder = folder
        self._command = [found.python, "-m", "unoserver.server", "--executable", soffice]
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    def start(self) -> None:
        """Start it, which takes it eight seconds. Raises `NoMeasureError`."""
        port, uno_port = _free_ports(2)
        profile = self._folder / "profile"
        ports = ["--port", str(port), "--uno-port", str(uno_port), "--user-installation", str(profile)]
        self._process = subprocess.Popen(
            [*self._command, *ports],
            env={**os.environ, "PYTHONPATH": str(self._folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("DOCPEEK_DEBUG") else subprocess.DEVNULL,
            start_new_session=True,
        )
        self._url = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(self._process, self._url)

    def stop(self) -> None:
        """End it, and its LibreOffice. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):  # both are in one group; when asked to end, it may hang
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def convert(self, path: Path) -> float:
        """From the request of a client that runs already to the PDF's bytes, in seconds; raises `NoMeasureError`.

        Indexes are not updated, which its own client asks for and `soffice --convert-to` does not do.
        """
        try:
            return self._ask(path)
        except OSError:  # it has gone, maybe on account of the document before
            self.stop()
        try:
            return self._ask(path)
        except OSError as error:
            self.stop()
            raise NoMeasureError(f"unoserver died: {error}") from error

    def _ask(self, path: Path) -> float:
        """Raises `OSError` where nobody answers."""
        if self._process is None:
            self.start()
        options = ["SinglePageSheets=true"] if _is_workbook(path) else []
        output = self._folder / "output.pdf"
        output.unlink(missing_ok=True)
        begun = time.perf_counter()
        try:
            with xmlrpc.client.ServerProxy(self._url, allow_none=True) as proxy:
                proxy.convert(str(path.absolute()), None, str(output), None, None, options, False)
        except (xmlrpc.client.Error, ExpatError) as error:
            raise NoMeasureError(f"unoserver failed: {getattr(error, 'faultString', error)}") from error
        output.read_bytes()
        return time.perf_counter() - begun


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        listening = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in listening]


def _wait_until_it_answers(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, xmlrpc.client.Error), xmlrpc.client.ServerProxy(url) as proxy:
            proxy.info()
            return
        time.sleep(_POLL_S)
    raise NoMeasureError("unoserver did not start")


@contextmanager
def shared_office(found: Unoserver, soffice: str) -> Iterator[Measure]:
    """unoserver for a while. Raises `NoMeasureError` where it does not start."""
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as folder:
        office = SharedOffice(found, soffice, Path(folder))
        try:
            office.start()
            yield office.convert
        finally:
            office.stop()
