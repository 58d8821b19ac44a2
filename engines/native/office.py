"""The installed LibreOffice in this process, driven through UNO. Imported in zygotes and kits only.

Run by the interpreter that LibreOffice's `uno` module was built for: the standard library and `engines` are all that
there is.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from engines import boundedexport, sheetviews
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.native import documentfonts, equations, missingfonts, modules
from engines.native.fontconfig import Fontconfig
from engines.native.loaded import LoadedDocument
from engines.native.lok import Library, LokError
from engines.native.memory import MemoryLimit
from engines.native.scratch import hold
from engines.native.unobridge import Uno
from engines.office import Converted
from engines.pdfexport import filter_data
from engines.pdffonts import embedded_families
from engines.protocol import Convert
from engines.sandbox import SandboxPolicy

_OUTPUT = "output.pdf"
_HONEST_SIGNALS = (
    signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGXCPU, signal.SIGXFSZ,
)  # fmt: skip
"""LibreOffice would catch them and abort; their default says what was the matter."""
_QUIET_S = 10.0
_POLL_S = 0.002
_THREADS = Path("/proc/self/task")
_LOAD = {"Hidden": True, "ReadOnly": True, "MacroExecutionMode": 0, "UpdateDocMode": 0}
"""Without a view; no macro (`MacroExecMode.NEVER_EXECUTE`), no update of links (`UpdateDocMode.NO_UPDATE`)."""


class NativeOffice:
    """The office of one process. See `engines.office.Office`.

    Its settings: `program` (LibreOffice's program folder), `uno` (the folder of `uno.py`), `scratch` (this engine's
    private folder, the current one of this process), `readable` (paths that a kit may read), `warm_up`
    (documents), `memory_bytes_max`.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._scratch = Path(settings["scratch"])
        self._warm_up = [Path(path) for path in settings["warm_up"]]
        self._memory = MemoryLimit(settings["memory_bytes_max"])
        self._lock = hold(self._scratch)
        self._fonts: Fontconfig | None = None
        self._has_math = True
        self._uno: Uno
        self._desktop: Any

    def initialise(self) -> None:
        """Initialise LibreOffice, and each of its applications."""
        program = Path(self._settings["program"])
        try:
            library = Library(program)
            library.initialise()
            self._uno = Uno(library, program, Path(self._settings["uno"]))
        except (LokError, OSError, ImportError, AttributeError) as error:
            raise EngineError(ErrorKind.UNAVAILABLE, "LibreOffice did not start.", repr(error)) from error
        self._desktop = self._uno.service("com.sun.star.frame.Desktop")
        with contextlib.suppress(OSError):
            self._fonts = Fontconfig()
        # An application's global state is made by its first empty document; converting first would crash.
        for module in modules.MODULES:
            self._open_empty(module.factory)
        self._has_math = not self.missing_filters([modules.MATH_FILTER])
        if self._has_math:
            self._open_empty(modules.MATH_FACTORY)

    def missing_filters(self, names: list[str]) -> list[str]:
        """Which of these import filters LibreOffice does not have."""
        filters = self._uno.service("com.sun.star.document.FilterFactory")
        return [name for name in names if not filters.hasByName(name)]

    def version(self) -> str:
        """LibreOffice's full version, for example 7.4.7.2."""
        provider = self._uno.service("com.sun.star.configuration.ConfigurationProvider")
        path = self._uno.properties({"nodepath": "/org.openoffice.Setup/Product"})
        access = "com.sun.star.configuration.ConfigurationAccess"
        return str(provider.createInstanceWithArguments(access, path).getPropertyValue("ooSetupVersionAboutBox"))

    def warm_up(self) -> bool:
        """Convert the next warm-up document: what it loads (filters, fonts, configuration) every kit then has."""
        if not self._warm_up:
            return False
        path = self._warm_up.pop(0)
        with contextlib.suppress(EngineError):  # a kit would meet the same error, and tell it to somebody
            self.try_document(path)
        return bool(self._warm_up)

    def try_document(self, path: Path) -> int:
        """Convert a document of ours in this very process; gives the bytes of the PDF. Raises `EngineError`."""
        request = Convert(path.suffix[1:], "", {"single_page_sheets": True, "family": ""}, 0, 1 << 30)
        document = self._load(path, request)
        output = self._scratch / _OUTPUT
        try:
            self._export(document, output, request.export)
            return output.stat().st_size
        finally:
            document.close(True)
            output.unlink(missing_ok=True)

    @contextmanager
    def quiesce(self) -> Iterator[None]:
        """LibreOffice's helping threads (one writes configuration for a second after the start) have ended.

        Only a process with one thread may be forked here: nobody else can hold a lock of LibreOffice's then.
        """
        deadline = time.monotonic() + _QUIET_S
        while sum(1 for _thread in _THREADS.iterdir()) > 1:
            if time.monotonic() > deadline:
                raise EngineError(ErrorKind.ENGINE, "LibreOffice does not come to rest.")
            time.sleep(_POLL_S)
        yield

    def after_fork(self) -> None:
        """Move into a folder of our own, and LibreOffice with us (see `profile.HERE`)."""
        for number in _HONEST_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        folder = self._folder_of(os.getpid())
        folder.mkdir(mode=0o700)
        os.chdir(folder)

    def sandbox_policy(self) -> SandboxPolicy:
        """To be read: LibreOffice, the system's libraries, fonts; to be written: the folder of this kit."""
        return SandboxPolicy(
            read=tuple(self._settings["readable"]), write=(str(self._folder_of(os.getpid())), "/dev/null")
        )

    def kit_gone(self, pid: int) -> None:
        """Remove what the kit had: its document, its temporary files."""
        shutil.rmtree(self._folder_of(pid), ignore_errors=True)

    def close(self) -> None:
        """Remove everything; the parent may not be there to do it."""
        shutil.rmtree(self._scratch, ignore_errors=True)

    def convert(self, source: memoryview, request: Convert, phase: Callable[[str], None]) -> Converted:
        """Load, export, and give the PDF as a map of the file that LibreOffice wrote."""
        self._memory.watch()
        phase("loading")
        begun = time.perf_counter()
        # A generated name: the original never reaches the engine. Its suffix is what the bytes were found to be.
        path = Path.cwd() / f"document.{request.suffix}"
        path.write_bytes(sheetviews.unscrolled(source, request.suffix))
        document = self._load(path, request)
        loaded = time.perf_counter()
        phase("exporting")
        output = path.with_name(_OUTPUT)
        export = partial(self._export, document, output)
        exported = boundedexport.export(LoadedDocument(document, export), request.export)
        ended = time.perf_counter()
        fonts = self._missing_fonts(source, request, exported.pdf)
        seconds = {"load": loaded - begun, "export": ended - loaded, "fonts": time.perf_counter() - ended}
        return Converted(exported.pdf, seconds, fonts, [*exported.notices, *self._left_out(source, request)])

    def _left_out(self, source: memoryview, request: Convert) -> list[str]:
        """What LibreOffice drops without a word."""
        lost = not self._has_math and equations.present(source, by_id(request.suffix))
        return [modules.NO_EQUATIONS] if lost else []

    def _missing_fonts(self, source: memoryview, request: Convert, pdf: memoryview) -> list[list[str]]:
        named = documentfonts.families(source, by_id(request.suffix))
        return missingfonts.replacements(named, embedded_families(pdf), self._fonts.match) if self._fonts else []

    def _load(self, path: Path, request: Convert) -> Any:
        wanted = by_id(request.suffix)
        errors: list[str] = []
        for import_filter in modules.filters_for(wanted):
            values = {**_LOAD, "FilterName": import_filter}
            if request.import_options:
                values["FilterOptions"] = request.import_options
            try:
                document = self._desktop.loadComponentFromURL(path.as_uri(), "_blank", 0, self._uno.properties(values))
            except self._uno.error as error:
                errors.append(_diagnostics(error))
                continue
            if document is not None:
                return document
        if self.missing_filters([wanted.import_filter]):
            raise EngineError(ErrorKind.UNAVAILABLE, modules.of_family(wanted.family).missing)
        raise EngineError(ErrorKind.CORRUPT, modules.CANNOT_READ, "\n".join(errors))

    def _export(self, document: Any, output: Path, export: dict[str, Any]) -> memoryview:
        module = next((each for each in modules.MODULES if document.supportsService(each.service)), None)
        if module is None:
            raise EngineError(ErrorKind.ENGINE, "LibreOffice opened the document as something that has no pages.")
        data = {name: _value(each) for name, each in filter_data(export).items()}
        values = {"FilterName": module.pdf_filter, "FilterData": self._uno.sequence(data)}
        try:
            document.storeToURL(output.as_uri(), self._uno.properties(values))
        except self._uno.error as error:
            raise EngineError(ErrorKind.ENGINE, modules.CANNOT_EXPORT, _diagnostics(error)) from error
        return _mapped(output)

    def _open_empty(self, factory: str) -> None:
        with contextlib.suppress(self._uno.error):  # an application that is not installed
            document = self._desktop.loadComponentFromURL(factory, "_blank", 0, self._uno.properties({"Hidden": True}))
            if document is not None:
                document.close(True)

    def _folder_of(self, pid: int) -> Path:
        return self._scratch / f"job-{pid}"


def _value(told: dict[str, str]) -> bool | str:
    return told["value"] == "true" if told["type"] == "boolean" else told["value"]


def _diagnostics(error: Exception) -> str:
    return f"{type(error).__name__}: {getattr(error, 'Message', error)}"


def _mapped(path: Path) -> memoryview:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            raise EngineError(ErrorKind.ENGINE, modules.CANNOT_EXPORT, "the PDF is empty")
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
