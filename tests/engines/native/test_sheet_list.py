"""Which sheets a workbook has, and which are hidden, as far as its bytes tell."""

from __future__ import annotations

import pytest

from engines.formats import by_id
from engines.native.sheetlist import sheets
from tests.engines.packages import archive

WORKBOOK = (
    '<workbook><sheets><sheet name="A &amp; B" sheetId="1" r:id="r1"/><sheet state="hidden" name="secret" sheetId="2"/>'
    '<sheet state="veryHidden" name="more" sheetId="3"/><sheet state="visible" name="seen" sheetId="4"/></sheets>'
    "</workbook>"
)
CONTENT = (
    '<style:style style:name="ta1" style:family="table" style:master-page-name="d">'
    '<style:table-properties table:display="true" style:writing-mode="lr-tb"/></style:style>'
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
    '<table:table table:name="one" table:style-name="ta1"><table:table-row/></table:table>'
    '<table:table table:name="two" table:style-name="ta2"/>'
)


def _told(type_id: str, data: bytes) -> list[tuple[str, bool]]:
    return [(sheet.name, sheet.visible) for sheet in sheets(memoryview(data), by_id(type_id))]


def test_of_a_workbook() -> None:
    expected = [("A & B", True), ("secret", False), ("more", False), ("seen", True)]
    assert _told("xlsx", archive({"xl/workbook.xml": WORKBOOK})) == expected


def test_of_an_opendocument_spreadsheet_packed_and_flat() -> None:
    expected = [("one", True), ("two", False)]
    assert _told("ods", archive({"content.xml": CONTENT})) == expected
    assert _told("fods", CONTENT.encode()) == expected


def test_a_table_of_text_has_one() -> None:
    assert _told("csv", b"a,b") == [("", True)]


@pytest.mark.parametrize("type_id", ["xls", "xlsx", "ods"])
def test_what_is_not_read_has_no_list(type_id: str) -> None:
    assert _told(type_id, b"PK\x03\x04" + bytes(200)) == []
