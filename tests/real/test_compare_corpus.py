"""`docpeek inspect --engine both` on real documents: what both LibreOffices show alike is not told of, what a person
would see is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.native.engine import NativeEngine
from engines.wasm.engine import WasmEngine
from preview_app.inspection.findings import COMPARED

pytestmark = [pytest.mark.corpus, pytest.mark.wasm]
LISTED_FOR = "7.4."
"""What differs depends on the installed LibreOffice."""
ALIKE = (
    "docx/mammoth-comments.docx", "docx/pandoc-track_changes_move.docx", "docx/poi-60316.dotx",
    "odt/odftk-feature_images.odt", "odp-odg/jod-test.fodp",
    "xls/poi-chinese-provinces.xls", "xlsx/sheetjs-sheet_visibility.xlsx", "docx/poi-table_footnotes.docx",
)  # fmt: skip
DIFFERENT = {
    "docx/docx4j-EMF.docx": {"pixels_changed"},
    "docx/docling-equations.docx": {"page_count_changed", "text_changed", "text_look_changed"},
    "docx/tika-testWORD_diagramData.docx": {"pixels_changed"},
    "sheet-other/poi-testVarious.xlsb": {"text_changed"},
}
"""A metafile that one draws otherwise; formulas without their font; shapes of another height; an error's number."""


def test_what_a_person_would_see(
    native_engine: NativeEngine, wasm_engine: WasmEngine, corpus: Path, tmp_path: Path
) -> None:
    if not native_engine.info.version.startswith(LISTED_FOR):
        pytest.skip(f"the list is for LibreOffice {LISTED_FOR}, this is {native_engine.info.version}")
    files = [corpus / name for name in (*ALIKE, *DIFFERENT)]
    done = subprocess.run(
        [sys.executable, "-m", "preview_app", "inspect", "--engine", "both", "--json", "--fail-on", "none", *files],
        capture_output=True,
        timeout=110,
        check=False,
        env=os.environ | {"DOCPEEK_CONFIG": str(tmp_path / "none.toml")},
    )
    assert done.returncode == 0, done.stderr.decode()
    found = {}
    for record in map(json.loads, done.stdout.splitlines()):
        kinds = {each["id"] for each in record["findings"] if each["id"] in COMPARED and each["severity"] != "info"}
        found[Path(record["file"]).relative_to(corpus).as_posix()] = kinds
    assert {name: found[name] for name in ALIKE} == {name: set() for name in ALIKE}
    assert [name for name, kinds in DIFFERENT.items() if not kinds <= found[name]] == []
