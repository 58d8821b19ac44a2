"""`docpeek compare`, and inspections that compare, with the real engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.errors import EngineError
from engines.wasm.prepared import find
from preview_app import app
from preview_app.config import Config
from preview_app.inspection.findings import COMPARED
from tests.preview_app.inspection.documents import docx, run

pytestmark = pytest.mark.wasm

BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'


def document(*pages: str) -> bytes:
    return docx(BREAK.join(f"<w:p>{run(page)}</w:p>" for page in pages))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "old").mkdir()
    (folder / "new").mkdir()
    (folder / "old" / "a.docx").write_bytes(document("The price is 1,200 euros.", "Insurance, in detail."))
    (folder / "new" / "a.docx").write_bytes(document("The price is 1,300 euros.", "Put in.", "Insurance, in detail."))
    (folder / "new" / "copy.docx").write_bytes((folder / "new" / "a.docx").read_bytes())
    for name in ("gone.docx", "deep/gone.docx"):
        (folder / "old" / name).parent.mkdir(exist_ok=True)
        (folder / "old" / name).write_bytes(document("There no more."))
    (folder / "new" / "noise.docx").write_bytes(bytes(range(256)) * 8)
    (folder / "config.toml").write_text('engine = "wasm"\n', encoding="utf-8")
    return folder


def docpeek(folder: Path, *arguments: str) -> tuple[int, dict[str, list[tuple[str, int | None]]], str]:
    """The exit status, what a comparison found in each file, and what was said."""
    if find() is None and not os.environ.get("CI"):
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    done = subprocess.run(
        [sys.executable, "-m", "preview_app", *arguments, "--json"],
        capture_output=True,
        timeout=110,
        check=False,
        cwd=folder,
        env=os.environ | {"DOCPEEK_CONFIG": str(folder / "config.toml"), "PYTHONPATH": str(Path.cwd())},
        stdin=subprocess.DEVNULL,
    )
    records: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    found = {
        Path(record["file"]).name: [
            (each["id"], each["place"] and each["place"]["page"])
            for each in record["findings"]
            if not each["id"].startswith("font_")
        ]
        for record in records
    }
    return done.returncode, found, done.stderr.decode()


def test_two_files(folder: Path) -> None:
    status, found, told = docpeek(folder, "compare", "old/a.docx", "new/a.docx", "--report", "r.html")
    assert status == 1, told
    assert [each for each in found["a.docx"] if each[0] != "pixels_changed"] == [
        ("page_count_changed", None), ("text_changed", 1), ("page_added", 2),
    ]  # fmt: skip
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert all(f'["{kind}",1,' in page for kind in ("before", "after", "difference"))
    assert docpeek(folder, "compare", "new/a.docx", "new/copy.docx")[:2] == (0, {"copy.docx": []})


def test_a_baseline(folder: Path) -> None:
    assert docpeek(folder, "inspect", "old", "--save-baseline", "base")[0] == 0
    assert sorted(path.name for path in (folder / "base").iterdir()) == ["a.docx.pdf", "gone.docx.pdf"]
    status, found, _told = docpeek(folder, "inspect", "new", "--baseline", "base", "--fail-on", "page_count_changed")
    assert status == 1
    assert found["a.docx"][0] == ("page_count_changed", None)
    assert found["copy.docx"] == [("not_in_baseline", None)], "its bytes are those of the other, what it was is not"
    assert found["gone.docx"] == [("only_in_baseline", None)]


def test_two_folders(folder: Path) -> None:
    status, found, told = docpeek(folder, "compare", "old", "new", "--report", "folders.html")
    assert status == 1, told
    assert {name: {each[0] for each in kinds} for name, kinds in found.items()} == {
        "a.docx": {"page_count_changed", "text_changed", "page_added"},
        "copy.docx": {"not_in_baseline"},
        "noise.docx": {"unsupported", "not_in_baseline"},
        "gone.docx": {"only_in_baseline"},
    }
    assert list(found)[-1] == "gone.docx", "what is not there comes last"
    assert '"only_in_baseline"' in (folder / "folders.html").read_text(encoding="utf-8")
    status, found, told = docpeek(folder, "compare", "old", "old")
    assert status == 0, told
    assert set(found) == {"a.docx", "gone.docx"}
    (folder / "nothing").mkdir()
    status, found, _told = docpeek(folder, "compare", "old", "nothing")
    assert (status, set(found)) == (1, {"a.docx", "gone.docx"})


def test_both_engines(folder: Path) -> None:
    """Documents that both show alike have no differences; what the other engine cannot show is told."""
    try:
        app.choose_engine(Config(), "native")
    except EngineError as error:
        pytest.skip(f"no LibreOffice here: {error.message}")
    status, found, told = docpeek(folder, "inspect", "old", "-r", "--engine", "both", "--fail-on", ",".join(COMPARED))
    assert (status, [kinds for kinds in found.values() if COMPARED & {each[0] for each in kinds}]) == (0, []), told


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["compare", "old", "new/a.docx"], 2, "a folder with a folder"),
        (["compare", "none.docx", "new/a.docx"], 10, "no such file"),
        (["inspect", "new", "--baseline", "none"], 10, "there is no folder none"),
        (["inspect", "new", "--tolerance", "101"], 2, "--tolerance"),
    ],
)
def test_wrong_usage(folder: Path, arguments: list[str], status: int, told: str) -> None:
    done = docpeek(folder, *arguments)
    assert (done[0], told in done[2]) == (status, True), done[2]
