"""What both engines make of workbooks and long documents: nothing hidden is shown, nothing shown is cut off unsaid."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engines.assets import assets_dir
from engines.base import Engine, ExportOptions
from engines.boundedexport import EMPTY, PRINTED
from tests.engines.packages import EXCEL, TYPES
from tests.real.conversions import convert, words

pytestmark = pytest.mark.wasm
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


@pytest.fixture(scope="module", params=["wasm_engine", "native_engine"])
def engine(request: pytest.FixtureRequest) -> Engine:
    made: Engine = request.getfixturevalue(request.param)
    return made


def workbook(file: Path, *sheets: dict[str, str], hidden: tuple[int, ...] = (), views: str = "") -> Path:
    """A workbook with these texts in its cells; numbers of hidden sheets count from 1."""
    numbers = range(1, len(sheets) + 1)
    states = ("visible", "hidden")
    listed = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}" state="{states[n in hidden]}"/>' for n in numbers)
    related = "".join(
        f'<Relationship Id="r{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    main, content = "xl/workbook.xml", EXCEL.replace("sheet.main", "worksheet")
    types = TYPES.format(target=main, content_type=EXCEL).replace(
        "</Types>",
        "".join(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{content}"/>' for n in numbers)
        + "</Types>",
    )
    root = f'<Relationship Id="r" Type="{_RELATIONS}/officeDocument" Target="{main}"/>'
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}">{root}</Relationships>',
        main: f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">{related}</Relationships>',
    }
    for number, cells in enumerate(sheets, 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{_MAIN}">{views}<sheetData>{_rows(cells)}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, part in parts.items():
            package.writestr(name, part)
    return file


def _rows(cells: dict[str, str]) -> str:
    rows: dict[int, str] = {}
    for place, text in cells.items():
        row = int(re.sub(r"\D", "", place))
        rows[row] = rows.get(row, "") + f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'
    return "".join(f'<row r="{row}">{rows[row]}</row>' for row in sorted(rows))


def seen(engine: Engine, file: Path, folder: Path, **options: Any) -> tuple[list[str], int, tuple[str, ...]]:
    """The words of a conversion, its pages, and its notices."""
    made = convert(engine, file, ExportOptions(**options))
    found = words(made.pdf, folder)
    return [word[5] for word in found], len(re.findall(rb"/Type\s*/Page\b", made.pdf)), made.notices


@pytest.mark.parametrize("single", [True, False])
def test_hidden_sheets_stay_hidden(engine: Engine, single: bool, tmp_path: Path) -> None:
    file = workbook(tmp_path / "h.xlsx", {"A1": "first"}, {"A1": "secret"}, {"A1": "third"}, hidden=(2,))
    texts, pages, notices = seen(engine, file, tmp_path, single_page_sheets=single)
    assert ({"first", "third"} <= set(texts), "secret" in texts, pages, notices) == (True, False, 2, ())


@pytest.mark.corpus
def test_the_hidden_sheets_of_a_real_workbook(engine: Engine, corpus: Path, tmp_path: Path) -> None:
    texts, pages, _notices = seen(engine, corpus / "xlsx" / "sheetjs-sheet_visibility.xlsx", tmp_path)
    assert pages == 1
    assert "H" not in texts, "of hidden and very hidden, letter by letter"


def test_hidden_slides_stay_hidden(engine: Engine, tmp_path: Path) -> None:
    sample, file = assets_dir() / "samples" / "slides.pptx", tmp_path / "hidden.pptx"
    with zipfile.ZipFile(sample) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data.replace(b"<p:sld ", b'<p:sld show="0" ', 1) if "slide2.xml" in name else data)
    assert seen(engine, file, tmp_path)[1] == seen(engine, sample, tmp_path)[1] - 1


def test_empty_sheets_are_no_pages(engine: Engine, tmp_path: Path) -> None:
    file = workbook(tmp_path / "e.xlsx", {}, {"B2": "words"}, {})
    assert seen(engine, file, tmp_path) == (["words"], 1, ())
    assert seen(engine, workbook(tmp_path / "n.xlsx", {}), tmp_path) == ([], 1, (EMPTY,))


def test_a_cell_at_the_far_corner(engine: Engine, tmp_path: Path) -> None:
    file = workbook(tmp_path / "far.xlsx", {"A1": "near", "XFD1048576": "far"})
    texts, pages, notices = seen(engine, file, tmp_path)
    assert (texts[0], pages) == ("near", 1)
    assert notices[0] == PRINTED
    assert "“S1”" in notices[1]


def test_more_rows_than_a_page_holds(engine: Engine, tmp_path: Path) -> None:
    file = workbook(tmp_path / "long.xlsx", {f"A{row}": f"row{row}" for row in range(1, 3_001)})
    texts, pages, notices = seen(engine, file, tmp_path, pages_max=5)
    assert pages == 5
    assert texts[0] == "row1"
    assert notices[0] == PRINTED
    assert "first 5 pages" in notices[1]


def test_a_workbook_that_was_saved_scrolled(engine: Engine, tmp_path: Path) -> None:
    views = '<sheetViews><sheetView workbookViewId="0" topLeftCell="B39"/></sheetViews>'
    file = workbook(tmp_path / "s.xlsx", {f"A{row}": f"row{row}" for row in range(1, 101)}, views=views)
    assert seen(engine, file, tmp_path) == ([f"row{row}" for row in range(1, 101)], 1, ())


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sheet-other/jod-test.fods", "Test spreadsheet"),
        ("xlsx/poi-SimpleMacro.xlsm", "This is a macro workbook"),
        ("xls/poi-chinese-provinces.xls", "Chinese Name"),
    ],
)
def test_text_past_the_last_column_is_all_there(
    engine: Engine, name: str, text: str, corpus: Path, tmp_path: Path
) -> None:
    made = convert(engine, corpus / name)
    found = words(made.pdf, tmp_path)
    assert text in " ".join(word[5] for word in found)
    width = float(re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+)", made.pdf)[0])
    assert max(word[3] for word in found) <= width + 0.5


def test_a_cap_on_pages(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("All work and no play makes Jack a dull boy.\n" * 500)
    _texts, whole, notices = seen(engine, file, tmp_path)
    assert (whole > 5, notices) == (True, ())
    for pages_max, expected in ((3, 3), (whole - 1, whole - 1), (whole, whole), (2_000, whole)):
        _texts, pages, notices = seen(engine, file, tmp_path, pages_max=pages_max)
        assert pages == expected
        assert [f"first {pages_max} pages" in notice for notice in notices] == [True] * (pages_max < whole)
