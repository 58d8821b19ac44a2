"""LibreOffice in the guest, driven through the C API that the manifest names. Imported in zygotes and kits only."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from engines import boundedexport, flatodf, odfmedia, sheetviews
from engines.errors import EngineError, ErrorKind
from engines.formats import Container, Family, by_id
from engines.office import Converted
from engines.pdfexport import filter_data
from engines.protocol import Convert
from engines.sandbox import SandboxPolicy
from engines.wasm.config import make_engine
from engines.wasm.document import Document
from engines.wasm.host.guest import Guest, GuestError, GuestLimits, GuestMemoryLimit
from engines.wasm.manifest import Runtime
from engines.wasm.officefonts import OfficeFonts
from engines.wasm.slidelayouts import with_used_layouts

_PROFILE = "/docpeek/profile"
_FONTS_CONF = "/docpeek/fonts.conf"
_OUTPUT = "/docpeek/output.pdf"
_LOG_BYTES_MAX = 4096

_BOOTSTRAP_FILE = "fundamentalrc"
_USER_LAYER = re.compile(rb" user:!?\S+")
_CANNOT_READ = "The document is damaged: LibreOffice cannot read it."
_FAMILIES = (Family.TEXT, Family.SHEET, Family.SLIDES, Family.DRAWING)
"""By the numbers that `document_type` gives (`LibreOfficeKitDocumentType`)."""
FONTS_CONF_TEXT = b"""<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/fonts</dir><cachedir>/docpeek/font-cache</cachedir>
<match target="font"><edit name="charset" mode="delete_all"/></match></fontconfig>
"""
"""The guest asks its own fontconfig only for characters that we know no font for. LibreOffice remembers what it is told
only for characters that the font claims to show, and asks again, fifteen times for each portion of text, for the rest.
A match that does not say which characters it shows is remembered for all of them.
"""


class WasmOffice:
    """The office of one process. See `engines.office.Office`."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._log: deque[bytes] = deque(maxlen=64)
        self._fonts = OfficeFonts(settings["fonts"])
        self._policy = SandboxPolicy(read=self._fonts.files)
        self._warm_up = [Path(path) for path in settings["warm_up"]]
        self._guest = Guest(
            module_path=Path(settings["module"]),
            image=Path(settings["image"]),
            image_index=Path(settings["image_index"]),
            environment={
                "HOME": _PROFILE,
                "TMPDIR": "/tmp",  # noqa: S108 - a folder of the guest's own tree
                "FONTCONFIG_FILE": _FONTS_CONF,
                "LOK_HOST_ALLOWLIST": "^$",
            },
            limits=GuestLimits(
                memory_bytes_max=settings["memory_bytes_max"],
                file_bytes_max=settings["file_bytes_max"],
                wasm_stack_bytes=settings["runtime"]["wasm_stack_bytes"],
            ),
            fonts=self._fonts,
            log=self._log.append,
            engine=make_engine(Runtime(**settings["runtime"])),
        )
        self._functions: dict[str, str] = settings["guest"]["functions"]
        self._office = 0

    def initialise(self) -> None:
        """Instantiate the module and start LibreOffice in it."""
        files = self._guest.files
        for folder in (f"{_PROFILE}/user", "/docpeek/font-cache", "/fonts", "/tmp"):  # noqa: S108
            files.mkdirs(folder)
        files.write(_FONTS_CONF, FONTS_CONF_TEXT)
        # Without a layer of its own to write to, LibreOffice starts no thread that writes it, and forking needs none.
        bootstrap = f"{self._settings['guest']['program_directory']}/{_BOOTSTRAP_FILE}"
        files.write(bootstrap, _USER_LAYER.sub(b"", bytes(files.read(bootstrap))))
        try:
            self._guest.start()
            program = self._settings["guest"]["program_directory"]
            self._office = self._call("initialize", (), program, f"file://{_PROFILE}")
        except GuestError as error:
            raise EngineError(ErrorKind.UNAVAILABLE, "LibreOffice did not start.", self._diagnostics(error)) from error
        if not self._office:
            raise EngineError(ErrorKind.UNAVAILABLE, "LibreOffice did not start.", self._last_error())

    def warm_up(self) -> bool:
        """Convert the next warm-up document: what it loads (filters, fonts, configuration) every kit then has."""
        if not self._warm_up:
            return False
        path = self._warm_up.pop(0)
        request = Convert(path.suffix[1:], "", {"single_page_sheets": True, "family": ""}, 0, 1 << 30)
        with suppress(EngineError):  # a kit would meet the same error, and tell it to somebody
            document = self._load(memoryview(path.read_bytes()), request)
            self._export(document, request.export)
            self._call("document_destroy", (document,))
            self._guest.files.remove(_OUTPUT)
        return bool(self._warm_up)

    def quiesce(self) -> AbstractContextManager[None]:
        """The guest's threads stand still in a known place."""
        return self._guest.quiesce()

    def after_fork(self) -> None:
        """Only the owner's thread came along."""
        self._guest.after_fork_in_child()

    def sandbox_policy(self) -> SandboxPolicy:
        """Font files are all that a document may still need: module and image are mapped, the files are the guest's."""
        return self._policy

    def convert(self, source: memoryview, request: Convert, phase: Callable[[str], None]) -> Converted:
        """Load, export, and give the PDF in the guest's file system."""
        self._guest.begin_document()
        self._fonts.begin_document()
        try:
            phase("loading")
            begun = time.perf_counter()
            document = self._load(source, request)
            loaded = time.perf_counter()
            phase("exporting")
            exported = boundedexport.export(self._document(document), request.export)
            ended = time.perf_counter()
        except GuestMemoryLimit as error:
            raise EngineError(
                ErrorKind.LIMIT, "The document needs more memory than is allowed.", self._diagnostics(error)
            ) from error
        except GuestError as error:
            raise EngineError(
                ErrorKind.ENGINE, "LibreOffice crashed on the document.", self._diagnostics(error)
            ) from error
        return Converted(
            pdf=exported.pdf,
            seconds={"load": loaded - begun, "export": ended - loaded},
            fonts=self._fonts.replacements(exported.pdf),
            notices=[*exported.notices, *self._fonts.notices()],
        )

    def kit_gone(self, pid: int) -> None:
        """A kit leaves nothing: its files were in the guest's own memory."""

    def close(self) -> None:
        """Nothing is kept outside this process."""

    def _load(self, source: memoryview, request: Convert) -> int:
        # A generated name: the original never reaches the engine. Its suffix is what the bytes were found to be.
        path = f"/docpeek/document.{request.suffix}"
        wanted = by_id(request.suffix)
        source = memoryview(odfmedia.without_players(source, wanted))
        if wanted.container is Container.FLAT_ODF:
            source = memoryview(flatodf.recognisable(source, wanted.mime))
        content = with_used_layouts(sheetviews.unscrolled(source, request.suffix), request.suffix)
        self._guest.files.write(path, content)
        options = ",".join(filter(None, (request.import_options, self._settings["guest"]["load_options"])))
        document = self._call("document_load", (self._office,), f"file://{path}", options)
        if not document:
            raise EngineError(ErrorKind.CORRUPT, _CANNOT_READ, self._last_error())
        # The guest may take what it cannot read for something else: as a rule for a text, shown letter by letter.
        found = self._call("document_type", (document,))
        if found >= len(_FAMILIES) or _FAMILIES[found] is not wanted.family:
            raise EngineError(ErrorKind.CORRUPT, _CANNOT_READ, f"it was opened as a document of type {found}")
        return document

    def _document(self, address: int) -> Document:
        return Document(address, self._call, self._take_string, self._export)

    def _export(self, document: int, export: dict[str, Any]) -> memoryview:
        options = json.dumps(filter_data(export))
        if not self._call("document_save_pdf", (document,), f"file://{_OUTPUT}", options):
            raise EngineError(ErrorKind.ENGINE, "LibreOffice could not export the document.", self._last_error())
        return self._guest.files.read(_OUTPUT)

    def _take_string(self, address: int) -> str:
        text = self._guest.read_string(address)
        self._guest.free(address)
        return text

    def _call(self, role: str, pointers: tuple[int, ...], *texts: str) -> int:
        strings = [self._guest.allocate_string(text) for text in texts]
        result = self._guest.call(self._functions[role], *pointers, *strings)
        for pointer in strings:
            self._guest.free(pointer)
        return result

    def _last_error(self) -> str:
        with suppress(GuestError):
            pointer = self._call("error", (self._office,))
            text = self._guest.read_string(pointer) if pointer else ""
            return "\n".join(filter(None, (text, self._log_text())))
        return self._log_text()

    def _diagnostics(self, error: GuestError) -> str:
        return "\n".join(filter(None, (str(error), self._log_text())))

    def _log_text(self) -> str:
        return b"".join(self._log)[-_LOG_BYTES_MAX:].decode("utf-8", "replace")
