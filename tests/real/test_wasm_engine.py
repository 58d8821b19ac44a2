"""The WASM engine itself: sameness, both ways of having a kit, what the guest cannot reach, what it leaves."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.assets import assets_dir
from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.wasm.engine import WasmEngine, WasmLimits
from tests.real.conversions import SAMPLES, convert, made_by, words
from tests.real.engine_contract import EngineContract

pytestmark = pytest.mark.wasm


class TestContract(EngineContract):
    """The WASM engine keeps the contract."""

    @pytest.fixture
    def engine(self, wasm_engine: WasmEngine) -> WasmEngine:
        return wasm_engine

    @pytest.fixture
    def fresh(self, wasm_engine: WasmEngine) -> Iterator[Callable[[], Engine]]:
        with made_by(lambda: WasmEngine.found(warm_up=False)) as make:
            yield make


def test_spawned_kits_do_the_same(wasm_engine: WasmEngine, tmp_path: Path) -> None:
    sample = SAMPLES[0]
    engine = WasmEngine.found(forked=False, warm_up=False)
    try:
        spawned = words(convert(engine, sample).pdf, tmp_path)
    finally:
        engine.stop()
    assert spawned == words(convert(wasm_engine, sample).pdf, tmp_path)


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
