"""The child that reads documents: the same facts as here, behind closed doors, and gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from preview_app.inspection.reading import document
from preview_app.inspection.source_facts import SourceFacts
from preview_app.inspection.source_reader import FAILED, TOO_SLOW, ReaderLimits, SourceReader
from tests.preview_app.inspection.documents import docx, relations, run

DOCUMENT = docx(
    f"<w:p>{run('gone', '<w:vanish/>')}</w:p>",
    vbaProject__bin="code",
    **{"_rels/document__xml__rels": relations(("image", "http://x/a.png"))},
)

_SERVER = """
import sys
from preview_app.inspection import source_child
from preview_app.inspection.reading import document
from preview_app.inspection.source_facts import SourceFacts
{before}
def read(data, name, unpacked_bytes_max):
{body}
document.read = read
source_child.main()
"""


def program(body: str, before: str = "") -> tuple[str, ...]:
    """A server whose children do something else than reading."""
    indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return ("-c", _SERVER.format(body=indented, before=before))


@pytest.fixture
def reader() -> Iterator[SourceReader]:
    reader = SourceReader()
    yield reader
    reader.close()


def readers() -> list[psutil.Process]:
    """Servers and their children; a whole run has other processes as well."""
    return [child for child in psutil.Process().children(recursive=True) if _name(child) == "docpeek-reader"]


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def test_the_child_finds_what_the_reader_finds_here(reader: SourceReader) -> None:
    here = document.read(memoryview(DOCUMENT), "a.docx", 1 << 26)
    assert here.macros
    assert [reader.read(DOCUMENT, name) for name in ("a.docx", "b.docx", "\udcff.docx")] == [here] * 3
    assert len(readers()) == 1, "the server alone: each child is gone with its document"


def test_a_child_that_dies_costs_one_document_only() -> None:
    body = "import os\nif data == b'die': os.kill(os.getpid(), 9)\nreturn SourceFacts(comments=len(data))"
    reader = SourceReader(program=program(body))
    try:
        assert reader.read(b"die", "a.docx") == SourceFacts(not_read=(FAILED,))
        assert reader.read(b"four", "a.docx") == SourceFacts(comments=4)
    finally:
        reader.close()


def test_a_child_that_is_too_slow_is_killed_with_its_server() -> None:
    body = "if data == b'hang':\n    while True: pass\nreturn SourceFacts(comments=len(data))"
    reader = SourceReader(ReaderLimits(deadline_s=1.0), program=program(body))
    try:
        assert reader.read(b"hang", "a.docx") == SourceFacts(not_read=(TOO_SLOW,))
        assert not readers()
    finally:
        reader.close()


def test_processor_time_and_memory_end() -> None:
    body = "if data == b'hang':\n    while True: pass\nreturn SourceFacts(comments=len(bytearray(1 << 30)))"
    reader = SourceReader(ReaderLimits(cpu_s=1, memory_bytes_max=1 << 29), program=program(body))
    try:
        assert reader.read(b"hang", "a.docx") == SourceFacts(not_read=(FAILED,))
        assert reader.read(b"large", "a.docx") == SourceFacts(not_read=(FAILED,))
    finally:
        reader.close()


_TRIES = """
found = []
for name, attempt in {
    "read": lambda: open(SECRET).read(),
    "write": lambda: open(SECRET + ".new", "w"),
    "socket": lambda: socket.create_connection(("127.0.0.1", 9), 1),
    "program": lambda: os.system("true") == 0 or 1 / 0,
}.items():
    try:
        attempt()
        found.append(name)
    except (OSError, ZeroDivisionError):
        pass
return SourceFacts(macros=tuple(found))
"""


def test_the_doors_are_shut(tmp_path: Path) -> None:
    """Without the confinement all but the connection succeed, as the second half shows."""
    secret = tmp_path / "secret"
    secret.write_text("mine")
    os.chmod(secret, 0o600)
    before = f"import os, socket\nSECRET = {str(secret)!r}"
    confined = SourceReader(program=program(_TRIES, before))
    freed = SourceReader(program=program(_TRIES, before + "\nsource_child.sandbox.enter = lambda *_, **__: None"))
    try:
        assert set(freed.read(b"x", "a.docx").macros) >= {"read", "program"}
        assert confined.read(b"x", "a.docx").macros == ()
    finally:
        confined.close()
        freed.close()


@pytest.mark.parametrize("answer", ["'x'", "{'comments': 'many'}", "{'external': [{}]}"])
def test_nonsense_is_not_believed(answer: str) -> None:
    before = f"source_child.asdict = lambda facts: {answer}"
    reader = SourceReader(program=program("return None", before))
    try:
        assert reader.read(b"x", "a.docx") == SourceFacts(not_read=(FAILED,))
    finally:
        reader.close()


def test_a_program_that_cannot_be_started_is_said() -> None:
    reader = SourceReader(program=("-c", "raise SystemExit"))
    assert reader.read(b"x", "a.docx") == SourceFacts(not_read=(FAILED,))
    reader.close()
