"""Documents that reach out: on no engine does one arrive. An office with its usual settings is the control."""

from __future__ import annotations

import functools
import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from engines import sniffing
from engines.base import Engine, ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.wasm.engine import WasmEngine
from tests.conftest import REPOSITORY
from tests.engines.cancel_token import Token
from tests.real import hostile_documents, hostile_ooxml
from tests.real.hostile_documents import CANARY, INSIDE, MACRO, Canaries

pytestmark = pytest.mark.wasm
SCHEMES = pytest.mark.parametrize("scheme", ["http", "file"])
REFUSED = {"entity.fodt", "entity.docx"}
"""LibreOffice reads no document with an entity from outside, which is right too."""
FIRED = {"image.fodt", "drawing.fodt", "image.fods", "image.docx", "links.xlsx"}
"""What LibreOffice 7.4 with its usual settings draws into the PDF, from a server and from a file."""


class _Server(ThreadingHTTPServer):
    """Serves the canaries to whoever comes, and counts who came."""

    daemon_threads = False
    connections = 0

    def get_request(self) -> Any:
        self.connections += 1
        return super().get_request()


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Keep quiet."""


@dataclass(frozen=True)
class Outside:
    """What documents reach for: a folder, and a server that shows it."""

    folder: Path
    server: _Server

    def canaries(self, scheme: str) -> Canaries:
        host, port = self.server.server_address[:2]
        return Canaries.below(f"http://{host!s}:{port}" if scheme == "http" else self.folder.as_uri())

    def documents(self, scheme: str) -> dict[str, bytes]:
        at = self.canaries(scheme)
        return hostile_documents.documents(at) | hostile_ooxml.documents(at)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    folder = tmp_path / "outside"
    folder.mkdir()
    hostile_documents.write(folder)
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield Outside(folder, server)
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module", params=["wasm", "native"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "wasm":
        shared: WasmEngine = request.getfixturevalue("wasm_engine")
        yield shared
        return
    if importlib.util.find_spec("engines.native.engine") is None:
        pytest.skip("there is no native engine in this version")
    from engines.native.engine import NativeEngine

    try:
        native = NativeEngine.found()
        native.start()
    except EngineError as error:
        pytest.skip(f"no LibreOffice here: {error.message}")
    yield native
    native.stop()


def convert(engine: Engine, name: str, data: bytes) -> bytes:
    found = sniffing.detect(data, name)
    document = SourceDocument(sniffing.normalize(data, found), found.type, found.import_options)
    return engine.convert(document, ExportOptions(), deadline_s=30.0, cancel=Token()).pdf


def contents(folder: Path) -> dict[str, tuple[str, int]]:
    """Text and number of magenta pixels of each PDF of a folder, by its name without `.pdf`."""
    files = [str(file) for file in sorted(folder.glob("*.pdf"))]
    command = [sys.executable, "-m", "tests.real.pdf_contents", *files]
    told = subprocess.run(command, capture_output=True, check=True, timeout=60, cwd=REPOSITORY).stdout
    return {Path(name).stem: (text, magenta) for name, (text, magenta) in json.loads(told).items()}


@SCHEMES
def test_nothing_from_outside_gets_in(engine: Engine, outside: Outside, scheme: str, tmp_path: Path) -> None:
    refused = {}
    for name, data in outside.documents(scheme).items():
        try:
            (tmp_path / f"{name}.pdf").write_bytes(convert(engine, name, data))
        except EngineError as error:
            refused[name] = error.kind
    assert outside.server.connections == 0
    assert set(refused) <= REFUSED
    assert set(refused.values()) <= {ErrorKind.CORRUPT}
    seen = contents(tmp_path)
    assert not {name for name, (text, magenta) in seen.items() if CANARY in text or magenta}
    assert not {name for name, (text, _) in seen.items() if INSIDE not in text}, "or nothing was tried"


def test_what_opening_would_run_does_not_run(engine: Engine, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    (tmp_path / "macros.pdf").write_bytes(convert(engine, "macros.fodt", hostile_documents.macros(trace)))
    text, _magenta = contents(tmp_path)["macros"]
    assert INSIDE in text
    assert MACRO not in text
    assert not trace.exists()


@SCHEMES
def test_the_same_documents_do_reach_out(soffice: list[str], outside: Outside, scheme: str, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name.replace('.', '-')}.{name.rpartition('.')[2]}" for name in FIRED}
    for name, file in files.items():
        file.write_bytes(outside.documents(scheme)[name])
    command = [*soffice, "--convert-to", "pdf", "--outdir", str(tmp_path), *map(str, files.values())]
    subprocess.run(command, capture_output=True, check=True, timeout=60, start_new_session=True)
    seen = contents(tmp_path)
    assert {name for name, file in files.items() if seen[file.stem][1]} == FIRED
    assert (outside.server.connections > 0) == (scheme == "http")


def test_the_same_macro_does_run(soffice: list[str], tmp_path: Path) -> None:
    trace, file = tmp_path / "trace", tmp_path / "macros.fodt"
    file.write_bytes(hostile_documents.macros(trace))
    subprocess.run([*soffice, str(file)], capture_output=True, check=False, timeout=60, start_new_session=True)
    assert trace.exists()
