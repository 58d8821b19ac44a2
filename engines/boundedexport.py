"""From a loaded document to a PDF within bounds: pages, the size of a page, the reach of a sheet. For every engine.

A text or a presentation is exported up to a number of pages. A workbook becomes one page a sheet, where these pages
stay below `PAGE_PT_MAX`; otherwise it is laid out as it would be printed. What was left out is said. Kits import this:
only the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engines import textoverflow
from engines.notices import Notice, NoticeKind
from engines.pageranges import selected
from engines.pdfobjects import PdfObjects, UnexpectedPdfError

PAGE_PT_MAX = 14_400.0
"""The largest page that every reader of PDF takes, and more than a person finds a place in: 200 inches (ISO 32000-1,
annex C)."""
_EMPTY_PT = 3.0
_SHEET_ROWS_MAX, _SHEET_COLUMNS_MAX = 4_000, 1_000
"""What reaches further is not tried on one page: its rows come to more than `PAGE_PT_MAX`."""
_PRINTED_ROWS, _PRINTED_COLUMNS = 55, 8
"""What about fits a printed page."""
_PRINTED_PAGES_MAX = 200_000
"""LibreOffice looks at every page that a sheet reaches over, also at the empty ones."""
_AREA_ROWS_MAX, _AREA_COLUMNS_MAX = 100_000, 500
_BYTES_A_PAGE = 100
"""No page takes less in a PDF."""

PRINTED = Notice(
    "A sheet is too large for one page, so the workbook is laid out as it would be printed.", NoticeKind.PRINT_LAYOUT
)
CUT_TEXT = Notice(
    "A text runs on for more than 40 inches past its sheet and is cut off; the print layout shows all of it.",
    NoticeKind.CUT_TEXT,
)
EMPTY = Notice("The workbook is empty.", NoticeKind.EMPTY)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook; `columns` and `rows` say how far its content reaches."""

    name: str
    visible: bool
    columns: int
    rows: int

    @property
    def boundless(self) -> bool:
        """Whether it reaches so far that laying it out for print would take for ever."""
        pages = (self.columns // _PRINTED_COLUMNS + 1) * (self.rows // _PRINTED_ROWS + 1)
        return pages > _PRINTED_PAGES_MAX


class Exporter(Protocol):
    """What an office offers for the one document that it has loaded. Everything raises `EngineError`."""

    def export(self, options: dict[str, Any]) -> memoryview:
        """The PDF for `engines.base.ExportOptions` as a dictionary, with `family`; see `engines.pdfexport`."""

    def sheets(self) -> list[Sheet]:
        """The sheets of a workbook."""

    def limit_area(self, index: int, columns: int, rows: int) -> None:
        """Have only the first columns and rows of a sheet printed."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A PDF, and what a person should know about it."""

    pdf: memoryview
    notices: tuple[str, ...] = ()


class _TooLargeError(Exception):
    """A sheet does not go on one page, or nobody can tell which page is which sheet."""


def export(office: Exporter, options: dict[str, Any]) -> Exported:
    """Export within bounds. Raises `EngineError`."""
    if options.get("family") != "sheet":
        return _capped(office.export(options), options)
    sheets = office.sheets()
    notices: list[str] = []
    if options.get("single_page_sheets"):
        try:
            return _one_page_a_sheet(office, options, sheets)
        except (_TooLargeError, UnexpectedPdfError):
            options = {**options, "single_page_sheets": False}
            notices.append(PRINTED)
    notices += _limit_areas(office, sheets)
    printed = _capped(office.export(options), options)
    return Exported(printed.pdf, (*notices, *printed.notices))


def _limit_areas(office: Exporter, sheets: Sequence[Sheet]) -> list[Notice]:
    notices = []
    for index, sheet in enumerate(sheets):
        if sheet.boundless and sheet.visible:
            columns, rows = min(sheet.columns, _AREA_COLUMNS_MAX), min(sheet.rows, _AREA_ROWS_MAX)
            office.limit_area(index, columns, rows)
            notices.append(_cut_off(sheet.name, columns, rows))
    return notices


def _capped(pdf: memoryview, options: dict[str, Any]) -> Exported:
    """One page more was exported than may be shown: if it is there, it goes, and that is said."""
    pages_max = options.get("pages_max")
    if not pages_max or options.get("page_range") or len(pdf) < pages_max * _BYTES_A_PAGE:
        return Exported(pdf)
    try:
        objects = PdfObjects(pdf)
    except UnexpectedPdfError:
        return Exported(pdf)
    if len(objects.pages) <= pages_max:
        return Exported(pdf)
    return Exported(memoryview(objects.with_pages(objects.pages[:pages_max])), (_truncated(pages_max),))


def _truncated(pages: int) -> Notice:
    some = "page is" if pages == 1 else f"{pages:,} pages are"
    sentence = f"Only the first {some} shown; the document has more."
    return Notice(sentence, NoticeKind.FIRST_PAGES, pages=pages)


def _cut_off(sheet: str, columns: int, rows: int) -> Notice:
    sentence = f"Only the first {columns:,} columns and {rows:,} rows of sheet “{sheet}” are shown."
    return Notice(sentence, NoticeKind.FIRST_CELLS, sheet=sheet, columns=columns, rows=rows)


def _one_page_a_sheet(office: Exporter, options: dict[str, Any], sheets: Sequence[Sheet]) -> Exported:
    """Raises `_TooLargeError`, `UnexpectedPdfError`, `EngineError`."""
    if any(each.visible and (each.rows > _SHEET_ROWS_MAX or each.columns > _SHEET_COLUMNS_MAX) for each in sheets):
        raise _TooLargeError
    pdf = office.export(options)
    objects = PdfObjects(pdf)
    if len(objects.pages) != len(sheets):
        raise _TooLargeError
    # LibreOffice makes a page also of a sheet that is hidden, or empty.
    visible = [page for page, sheet in zip(objects.pages, sheets, strict=True) if sheet.visible] or objects.pages[:1]
    pages = [page for page in visible if not _is_empty(objects, page)]
    if not pages:
        return Exported(memoryview(_blank(objects, visible[0])), (EMPTY,))
    if any(max(_size(objects, page)) > PAGE_PT_MAX for page in pages):
        raise _TooLargeError
    return _arranged(objects, pages, options)


def _arranged(objects: PdfObjects, pages: list[int], options: dict[str, Any]) -> Exported:
    notices = []
    pages_max = options.get("pages_max")
    if options.get("page_range"):
        pages = selected(options["page_range"], pages)
    elif pages_max and len(pages) > pages_max:
        pages = pages[:pages_max]
        notices.append(_truncated(pages_max))
    changed: dict[int, bytes] = {}
    for page in pages:
        widened = textoverflow.widen(objects, page)
        if widened is not None:
            changed |= widened.objects
            notices += [CUT_TEXT] if widened.cut and CUT_TEXT not in notices else []
    return Exported(memoryview(objects.with_pages(pages, changed)), tuple(notices))


def _size(objects: PdfObjects, page: int) -> tuple[float, float]:
    """Width and height of a page, in points."""
    x0, y0, x1, y1 = objects.media_box(page)
    unit = objects.user_unit(page)
    return unit * (x1 - x0), unit * (y1 - y0)


def _is_empty(objects: PdfObjects, page: int) -> bool:
    return min(_size(objects, page)) < _EMPTY_PT


def _blank(objects: PdfObjects, page: int) -> bytes:
    """One sheet of paper with nothing on it."""
    return objects.with_pages([page], {page: objects.with_box(page, 595.0, 842.0)})
