"""Characters that no font has, in PDFs of both engines: found, and where; and not found where all is well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.base import Artifact, Engine
from engines.native.engine import NativeEngine
from engines.notices import NoticeKind, notice_of
from engines.wasm.engine import WasmEngine
from preview_app.raster.blocking import PageRenderer
from preview_app.raster.facts import Spot, SpotKind
from tests.preview_app.inspection.documents import docx, run
from tests.real.conversions import convert

NOBODY_HAS = "&#x378;"
"""A code point that is not assigned, and so in no font."""
CONTROL = "Plain words, “quotes” – and a € sign."


@pytest.fixture(scope="module")
def renderer() -> Iterator[PageRenderer]:
    with PageRenderer() as renderer:
        yield renderer


def document(folder: Path, text: str) -> Path:
    path = folder / "a.docx"
    path.write_bytes(docx(f"<w:p>{run('Before it stands this:')}{run(text)}</w:p>"))
    return path


def missing(artifact: Artifact, renderer: PageRenderer) -> list[Spot]:
    renderer.open(artifact.pdf)
    return [spot for spot in renderer.page_facts(0).spots if spot.kind is SpotKind.NO_GLYPH]


def test_the_place_in_a_pdf_of_the_native_engine(
    native_engine: NativeEngine, renderer: PageRenderer, tmp_path: Path
) -> None:
    (spot,) = missing(convert(native_engine, document(tmp_path, NOBODY_HAS)), renderer)
    assert 100 < spot.x0 < spot.x1 < 300
    assert 60 < spot.y0 < spot.y1 < 100
    assert not missing(convert(native_engine, document(tmp_path, CONTROL)), renderer)


@pytest.mark.wasm
def test_the_wasm_engine_tells_of_them(wasm_engine: WasmEngine, renderer: PageRenderer, tmp_path: Path) -> None:
    """It empties the glyph that stands for missing ones, so its PDF tells of some of them only."""
    assert told(wasm_engine, document(tmp_path, NOBODY_HAS)) == {NoticeKind.MISSING_CHARACTERS}
    control = document(tmp_path, CONTROL)
    assert told(wasm_engine, control) == set()
    assert not missing(convert(wasm_engine, control), renderer)


def told(engine: Engine, path: Path) -> set[NoticeKind]:
    return {notice_of(notice).kind for notice in convert(engine, path).notices}
