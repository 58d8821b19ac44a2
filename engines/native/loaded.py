"""One document that LibreOffice has loaded. See `engines.boundedexport.Exporter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.boundedexport import Sheet


class LoadedDocument:
    """A document, as UNO gives it. `export` writes the PDF for the options given, and maps it."""

    def __init__(self, document: Any, export: Callable[[dict[str, Any]], memoryview]) -> None:
        self._document = document
        self.export = export

    def sheets(self) -> list[Sheet]:
        """The sheets of a workbook, in order."""
        return [_sheet(sheet) for sheet in self._document.Sheets]

    def limit_area(self, index: int, columns: int, rows: int) -> None:
        """Make the first columns and rows the sheet's print range."""
        sheet = self._document.Sheets.getByIndex(index)
        area = sheet.getCellRangeByPosition(0, 0, columns - 1, rows - 1)
        sheet.setPrintAreas((area.getRangeAddress(),))


def _sheet(sheet: Any) -> Sheet:
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    end = cursor.getRangeAddress()
    return Sheet(sheet.Name, bool(sheet.IsVisible), end.EndColumn + 1, end.EndRow + 1)
