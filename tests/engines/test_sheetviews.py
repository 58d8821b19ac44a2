"""Workbooks that were saved scrolled are put back to their first cell, and nothing else of them changes."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from engines.sheetviews import unscrolled
from tests.engines.packages import EXCEL, ooxml

SHEET = "xl/worksheets/sheet1.xml"


def workbook(views: str) -> bytes:
    cells = "".join(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>' for row in range(2_000))
    sheet = f"<worksheet><sheetViews>{views}</sheetViews><sheetData>{cells}</sheetData></worksheet>"
    return ooxml(EXCEL, "xl/workbook.xml", {SHEET: sheet, "xl/media/größe.bin": bytes(range(256)) * 9})


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ('<sheetView topLeftCell="A39" workbookViewId="0"/>', '<sheetView workbookViewId="0"/>'),
        ("<x:sheetView a='1' topLeftCell='C9'/>", "<x:sheetView a='1'/>"),
        ('<sheetView><pane ySplit="1" topLeftCell="A39"/></sheetView>', '<sheetView><pane ySplit="1"/></sheetView>'),
    ],
)
def test_scrolled_views(views: str, expected: str) -> None:
    source = workbook(views)
    with zipfile.ZipFile(io.BytesIO(source)) as before:
        parts = {name: before.read(name) for name in before.namelist()}
    with zipfile.ZipFile(io.BytesIO(unscrolled(memoryview(source), "xlsx"))) as after:
        assert after.testzip() is None
        assert after.namelist() == list(parts)
        assert after.read(SHEET).decode() == parts[SHEET].decode().replace(views, expected)
        assert all(after.read(name) == data for name, data in parts.items() if name != SHEET)


@pytest.mark.parametrize("views", ["", '<sheetView topLeftCell="A1"/>', "<sheetView><selection/></sheetView>"])
def test_all_others_stay_as_they_are(views: str) -> None:
    source = memoryview(workbook(views))
    assert unscrolled(source, "xlsx") is source


def test_other_types_and_damage_stay_as_they_are() -> None:
    scrolled = memoryview(workbook('<sheetView topLeftCell="B2"/>'))
    assert unscrolled(scrolled, "docx") is scrolled
    damaged = scrolled[:-30]
    assert unscrolled(damaged, "xlsx") is damaged


def record(kind: int, body: bytes) -> bytes:
    """A record of a binary sheet."""
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body)]) + body


@pytest.mark.parametrize("scrolled", [True, False])
def test_binary_sheets(scrolled: bool) -> None:
    def sheet(row: int, column: int) -> bytes:
        view = struct.pack("<HIIIBBHHHHI", 0x21, 0, row, column, 64, 0, 0, 0, 0, 0, 0)
        cells = record(145, b"") + record(137, b"\xff" * 30)
        return record(129, b"") + record(133, b"") + record(137, view) + record(151, b"\1" * 16 + view[6:14]) + cells

    source = memoryview(
        ooxml(EXCEL, "xl/workbook.bin", {"xl/worksheets/sheet1.bin": sheet(38 * scrolled, 2 * scrolled)})
    )
    result = unscrolled(source, "xlsb")
    assert (result is source) is not scrolled
    with zipfile.ZipFile(io.BytesIO(result)) as after:
        assert after.read("xl/worksheets/sheet1.bin") == sheet(0, 0)
