"""The WASM engine itself: sameness, both ways of having a kit, what the guest cannot reach, what it leaves."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import psutil
import pytest

from engines import sniffing
from engines.assets import assets_dir
from engines.base import Artifact, ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.wasm.engine import WasmEngine, WasmLimits
from tests.engines.cancel_token import Token

pytestmark = pytest.mark.wasm
SAMPLES = sorted((assets_dir() / "samples").glob("*.*x"))

_WORDS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pymupdf
document = pymupdf.open(sys.argv[1])
print(json.dumps([[page.number, *word[:5]] for page in document for word in page.get_text("words")]))
"""


def words(pdf: bytes, folder: Path) -> list[list[Any]]:
    """Page, box and text of each word; read in a process of its own, as everywhere."""
    file = folder / "words.pdf"
    file.write_bytes(pdf)
    told = subprocess.run([sys.executable, "-c", _WORDS, file], capture_output=True, text=True, check=True, timeout=60)
    result: list[list[Any]] = json.loads(told.stdout)
    return result


def convert(engine: WasmEngine, path: Path, options: ExportOptions | None = None, **how: Any) -> Artifact:
    data = path.read_bytes()
    found = sniffing.detect(data, path.name)
    document = SourceDocument(sniffing.normalize(data, found), found.type, found.import_options)
    arguments: dict[str, Any] = {"deadline_s": 60.0, "cancel": Token()} | how
    return engine.convert(document, options or ExportOptions(), **arguments)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_six_runs_give_the_same_words_in_the_same_places(wasm_engine: WasmEngine, sample: Path, tmp_path: Path) -> None:
    first, *others = [words(convert(wasm_engine, sample).pdf, tmp_path) for _ in range(6)]
    assert len(first) > 10
    assert all(each == first for each in others)


def test_spawned_kits_do_the_same(wasm_engine: WasmEngine, tmp_path: Path) -> None:
    sample = SAMPLES[0]
    engine = WasmEngine.found(forked=False, warm_up=False)
    try:
        spawned = words(convert(engine, sample).pdf, tmp_path)
    finally:
        engine.stop()
    assert spawned == words(convert(wasm_engine, sample).pdf, tmp_path)


def test_a_range_of_pages(wasm_engine: WasmEngine, tmp_path: Path) -> None:
    sample = assets_dir() / "samples" / "slides.pptx"
    whole = words(convert(wasm_engine, sample).pdf, tmp_path)
    part = words(convert(wasm_engine, sample, ExportOptions(page_range="2")).pdf, tmp_path)
    assert [word[5] for word in part] == [word[5] for word in whole if word[0] == 1]


def test_one_page_a_sheet_or_as_printed(wasm_engine: WasmEngine, tmp_path: Path) -> None:
    sample = assets_dir() / "samples" / "garden.xlsx"
    single = words(convert(wasm_engine, sample).pdf, tmp_path)
    printed = words(convert(wasm_engine, sample, ExportOptions(single_page_sheets=False)).pdf, tmp_path)
    assert {word[0] for word in single} == {0, 1}
    assert len({word[0] for word in printed}) > 2
    assert "168.3" in [word[5] for word in single], "formulas are calculated"


def test_missing_fonts_do_not_depend_on_the_warm_up(wasm_engine: WasmEngine) -> None:
    sample = assets_dir() / "samples" / "welcome.docx"
    cold = WasmEngine.found(warm_up=False)
    try:
        told = convert(cold, sample).missing_fonts
    finally:
        cold.stop()
    assert convert(wasm_engine, sample).missing_fonts == told
    asked = {font.requested for font in told}
    assert asked <= {"Calibri", "Cambria", "Courier New", "Symbol", "Times New Roman"}


def test_every_kit_is_gone(wasm_engine: WasmEngine) -> None:
    convert(wasm_engine, SAMPLES[0])
    names = [child.name() for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
    assert names.count("docpeek-kit") <= 1, "only the spare one may be there"


def test_cancelled_while_it_converts(wasm_engine: WasmEngine) -> None:
    token = Token()
    with pytest.raises(EngineError) as caught:
        convert(wasm_engine, SAMPLES[0], cancel=token, progress=lambda _step: token.cancel())
    assert caught.value.kind is ErrorKind.CANCELLED
    assert convert(wasm_engine, SAMPLES[0]).pdf


def _flat_text(folder: Path, body: str) -> Path:
    file = folder / "document.fodt"
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><office:document '
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
        f"{body}</office:text></office:body></office:document>",
        encoding="utf-8",
    )
    return file


def test_a_file_of_the_host_stays_outside(wasm_engine: WasmEngine, tmp_path: Path) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("CANARY-9471")
    body = (
        f'<text:section text:name="s"><text:section-source xlink:href="{canary.as_uri()}"/><text:p>inside</text:p>'
        "</text:section><text:p>after</text:p>"
    )
    seen = [word[5] for word in words(convert(wasm_engine, _flat_text(tmp_path, body)).pdf, tmp_path)]
    assert "after" in seen
    assert not [word for word in seen if "CANARY" in word]


def _huge_picture(width: int) -> bytes:
    """A black square PNG, `width` pixels wide: small as a file, large once it is decoded."""
    rows = zlib.compress(bytes((width + 1) * width), 1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_guest_has_no_more_memory_than_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "huge.docx"
    sample = assets_dir() / "samples" / "welcome.docx"
    with zipfile.ZipFile(sample) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, _huge_picture(22_000) if name.endswith(".jpg") else source.read(name))
    engine = WasmEngine.found(limits=WasmLimits(memory_bytes_max=400 << 20), warm_up=False)
    try:
        with pytest.raises(EngineError) as caught:
            convert(engine, file)
        assert caught.value.kind is ErrorKind.LIMIT
        assert convert(engine, sample).pdf, "the next document is not harmed"
    finally:
        engine.stop()
