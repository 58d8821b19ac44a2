"""Exports within bounds: which sheets and pages there are, how large they are, and what is said of the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engines import boundedexport, textoverflow
from engines.boundedexport import EMPTY, PRINTED, Exported, Sheet
from engines.pageranges import selected
from engines.pdfexport import filter_data
from engines.pdfobjects import PdfObjects, UnexpectedPdfError
from tests.engines.sheets_of_calc import Page, pdf_of, shown

S1, S2, S3 = (Sheet(name, True, 3, 10) for name in ("one", "two", "three"))
ONE_PAGE = {"family": "sheet", "single_page_sheets": True}


@dataclass
class FakeOffice:
    """An office with a document: what it has, what it gives, and what was asked of it."""

    pdfs: Callable[[dict[str, Any]], bytes]
    workbook: list[Sheet] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    areas: list[tuple[int, int, int]] = field(default_factory=list)

    def export(self, options: dict[str, Any]) -> memoryview:
        self.asked.append(options)
        return memoryview(self.pdfs(options))

    def sheets(self) -> list[Sheet]:
        return self.workbook

    def limit_area(self, index: int, columns: int, rows: int) -> None:
        self.areas.append((index, columns, rows))


def contents(exported: Exported) -> list[bytes]:
    objects = PdfObjects(exported.pdf)
    return [objects.stream(objects.contents(page)) for page in objects.pages]


def workbook(*pages: Page, sheets: list[Sheet]) -> FakeOffice:
    def pdfs(options: dict[str, Any]) -> bytes:
        return pdf_of(*pages) if options["single_page_sheets"] else pdf_of(Page(content=b"printed"))

    return FakeOffice(pdfs, sheets)


def test_hidden_and_empty_sheets_are_no_pages_and_leave_nothing() -> None:
    pages = [Page(content=b"first", secret=b"a"), Page(content=b"hidden", secret=b"SECRET"), Page(1, 1, b"empty")]
    office = workbook(*pages, sheets=[S1, replace(S2, visible=False), S3])
    exported = boundedexport.export(office, ONE_PAGE)
    assert contents(exported) == [b"first"]
    assert b"SECRET" not in bytes(exported.pdf)
    assert (exported.notices, len(office.asked)) == ((), 1)


def test_an_empty_workbook_is_a_blank_page() -> None:
    exported = boundedexport.export(workbook(Page(1, 1), sheets=[S1]), ONE_PAGE)
    objects = PdfObjects(exported.pdf)
    assert objects.media_box(objects.pages[0]) == (0, 0, 595, 842)
    assert exported.notices == (EMPTY,)


@pytest.mark.parametrize(
    ("pages", "sheets"),
    [
        ([Page(100, 14_500)], [S1]),
        ([Page(100, 14_400, unit=2.5)], [S1]),
        ([Page()], [replace(S1, rows=5_000)]),
        ([Page()], [replace(S1, columns=5_000)]),
        ([Page()], [S1, S2]),
    ],
    ids=["page too long", "large units", "many rows", "many columns", "pages that are no sheets"],
)
def test_what_does_not_go_on_one_page_is_laid_out_for_print(pages: list[Page], sheets: list[Sheet]) -> None:
    office = workbook(*pages, sheets=sheets)
    exported = boundedexport.export(office, ONE_PAGE)
    assert contents(exported) == [b"printed"]
    assert exported.notices == (PRINTED,)
    assert office.asked[-1]["single_page_sheets"] is False


def test_a_pdf_of_another_make_is_not_trusted_with_hidden_sheets() -> None:
    office = workbook(Page(), sheets=[S1])
    office.pdfs = lambda options: pdf_of(Page(), nested=True) if options["single_page_sheets"] else pdf_of(Page(9, 9))
    assert boundedexport.export(office, ONE_PAGE).notices == (PRINTED,)


def test_a_sheet_without_end_is_printed_in_part() -> None:
    far, hidden = Sheet("far", True, 16_384, 1_048_576), Sheet("no", False, 16_384, 1_048_576)
    office = workbook(Page(), Page(), Page(), sheets=[S1, hidden, far])
    exported = boundedexport.export(office, {**ONE_PAGE, "single_page_sheets": False})
    assert office.areas == [(2, 500, 100_000)]
    assert "“far”" in exported.notices[0]
    for reach in ((16_384, 1), (1, 1_048_576)):
        assert not Sheet("long", True, *reach).boundless, "one row or one column has an end"


def test_more_pages_than_allowed_are_cut_off_and_that_is_said() -> None:
    def pdfs(options: dict[str, Any]) -> bytes:
        number = filter_data(options)["PageRange"]["value"].partition("-")[2]
        return pdf_of(*(Page(content=b"%d" % each) for each in range(1, min(int(number), 7) + 1)))

    for pages_max, expected in ((5, 5), (6, 6), (7, 7), (8, 7)):
        exported = boundedexport.export(FakeOffice(pdfs), {"family": "text", "pages_max": pages_max})
        assert contents(exported) == [b"%d" % number for number in range(1, expected + 1)]
        assert len(exported.notices) == (1 if pages_max < 7 else 0)
        assert all(f"first {pages_max}" in notice for notice in exported.notices)
    exported = boundedexport.export(FakeOffice(pdfs), {"family": "text", "pages_max": 1})
    assert exported.notices == ("Only the first page is shown; the document has more.",)


def test_many_sheets_are_cut_off_too() -> None:
    office = workbook(*(Page(content=b"%d" % number) for number in range(4)), sheets=[S1, S2, S3, S1])
    exported = boundedexport.export(office, {**ONE_PAGE, "pages_max": 2})
    assert contents(exported) == [b"0", b"1"]
    assert "first 2" in exported.notices[0]
    assert contents(boundedexport.export(office, {**ONE_PAGE, "page_range": "2,4-"})) == [b"1", b"3"]


def test_ranges() -> None:
    assert selected("1-2,4", "abcde") == ["a", "b", "d"]
    assert selected("-2,4-", "abcde") == ["a", "b", "d", "e"]
    assert selected("9,x", "ab") == ["a", "b"]


# ---- text that runs past the last column


def test_text_that_runs_past_the_edge_gets_room() -> None:
    inside, outside = shown(b"\1\2", 5, (0, 0, 50, 50)), shown(b"\1\2\3\3", 85, (50, 0, 50, 50))
    office = workbook(Page(content=inside + outside), sheets=[S1])
    exported = boundedexport.export(office, ONE_PAGE)
    objects = PdfObjects(exported.pdf)
    end = 85 + 10 * 3.0  # two characters of half the size, two of the whole
    width = objects.media_box(objects.pages[0])[2]
    assert end <= width < end + 5
    (content,) = contents(exported)
    assert content.startswith(inside)
    clip = re.findall(rb"50 0 ([\d.]+) 50 re", content)
    assert [float(each) for each in clip] == pytest.approx([width - 50])


@pytest.mark.parametrize(
    "content",
    [
        shown(b"\1\2", 5, (50, 0, 50, 50)),
        shown(b"\3" * 40, 5, (0, 0, 50, 50)),
        b"q 50 0 50 50 re\nW* n\nBT\n0 1 -1 0 90 10 Tm /F1 10 Tf<03030303>Tj\nET\nQ ",
        b"q 50 0 50 50 re\nW* n\nBT\n\nET\nQ ",
        b"0.1 w\n",
    ],
    ids=["fits", "cut by its neighbour", "upright", "empty", "nothing"],
)
def test_what_fits_is_left_alone(content: bytes) -> None:
    objects = PdfObjects(pdf_of(Page(content=content)))
    assert textoverflow.widen(objects, objects.pages[0]) is None


def test_pieces_with_distances_are_measured() -> None:
    content = b"q 0 0 100 50 re\nW* n\nBT\n1 0 0 1 80 10 Tm /F1 10 Tf 200 Tz[<03>-1000<01>500<02>]TJ\nET\nQ "
    objects = PdfObjects(pdf_of(Page(content=content)))
    widened = textoverflow.widen(objects, objects.pages[0])
    assert widened is not None
    again = PdfObjects(objects.with_pages(objects.pages, widened.objects))
    assert again.media_box(again.pages[0])[2] == pytest.approx(80 + 2 * 10 * (1 + 1 + 0.5 - 0.5 + 0.5) + 2)


@pytest.mark.parametrize(
    ("x", "pieces", "advance"),
    [
        (95, b"<03>2<03>", 2 - 0.002),
        (95, b"<03>-99<03>", 2 + 0.099),
        (52, b"<01>-4000<01>", 1 + 4),
        (52, b"-4000<0101>", 1 + 4),
        (5, b"<" + b"03" * 10 + b">", 10),
    ],
    ids=["near the edge", "a short distance", "a long distance", "a long distance first", "a long text"],
)
def test_the_most_frequent_kind_of_text_is_measured(x: int, pieces: bytes, advance: float) -> None:
    content = b"q 0 0 100 50 re\nW* n\nBT\n%d 10 Td /F1 10 Tf[%b]TJ\nET\nQ " % (x, pieces)
    objects = PdfObjects(pdf_of(Page(content=content)))
    widened = textoverflow.widen(objects, objects.pages[0])
    assert widened is not None
    again = PdfObjects(objects.with_pages(objects.pages, widened.objects))
    assert again.media_box(again.pages[0])[2] == pytest.approx(x + 10 * advance + 2, abs=0.01)


def test_a_text_without_end_is_cut_and_that_is_said() -> None:
    office = workbook(Page(content=shown(b"\3" * 1_000, 5, (0, 0, 100, 50))), sheets=[S1])
    exported = boundedexport.export(office, ONE_PAGE)
    objects = PdfObjects(exported.pdf)
    assert 2_900 < objects.media_box(objects.pages[0])[2] < 3_000
    assert exported.notices == (boundedexport.CUT_TEXT,)


# ---- PDFs of another make


@pytest.mark.parametrize("damage", [(b"startxref", b"startxfer"), (b"/Kids", b"/Dogs"), (b"/MediaBox", b"/Mediabox")])
def test_what_looks_otherwise_is_refused(damage: tuple[bytes, bytes]) -> None:
    def read(data: bytes) -> None:
        objects = PdfObjects(data)
        objects.media_box(objects.pages[0])

    data = pdf_of(Page())
    read(data)
    for broken in (data.replace(*damage), data[:-40], b"", b"%PDF-1.7\n%%EOF"):
        with pytest.raises(UnexpectedPdfError):
            read(broken)
