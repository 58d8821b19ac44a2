"""From facts to findings: pure, so each case is a line."""

from __future__ import annotations

from typing import Any

import pytest

from engines.base import FontReplacement
from engines.notices import Notice, NoticeKind
from preview_app.inspection import judging
from preview_app.inspection.findings import Finding, Place, Severity, finding
from preview_app.inspection.records import FontUsed
from preview_app.inspection.seen_pages import of_pdf
from preview_app.inspection.source_facts import Changes, Metadata, Reference, SourceFacts
from preview_app.raster.facts import PageFacts, PdfFacts, Spot, SpotKind

FACTS: list[tuple[dict[str, Any], str, str]] = [
    ({"macros": ("a", "b", "c", "d", "e")}, "macros", "There is program code (a, b, c and 2 more). It was not run."),
    ({"external": (Reference("image", "http://x"),), "external_count": 1}, "external_reference",
     "An image elsewhere is referred to: “http://x”. It was not fetched."),
    ({"external_count": 7}, "external_reference", "There are 7 more references to content elsewhere."),
    ({"dde": ("DDE x",)}, "dde", "A field asks another program for data (“DDE x”). It was not asked."),
    ({"hidden_text": 1}, "hidden_text", "There is 1 hidden character."),
    ({"hidden_text": 1200, "hidden_sample": "se"}, "hidden_text",
     "There are 1,200 hidden characters, beginning with “se”."),
    ({"hidden_sheets": ("S",)}, "hidden_sheet", "The sheet “S” is hidden."),
    ({"hidden_slides": (3,)}, "hidden_slide", "Slide 3 is hidden."),
    ({"hidden_cells": 2}, "hidden_cells", "There are 2 hidden rows and columns."),
    ({"changes": Changes(1, 2, 0, 1, 3, ("Ann",))}, "tracked_changes",
     "Changes stand open by Ann: 1 insertion, 2 deletions, 1 change of format, 3 changed cells."),
    ({"comments": 1}, "comments", "There is 1 comment."),
    ({"comments": 2, "comment_authors": ("Ann", "Bob")}, "comments", "There are 2 comments by Ann, Bob."),
    ({"embedded": 1}, "embedded_object", "There is 1 embedded object."),
    ({"not_read": ("A part was not read.",)}, "not_read", "A part was not read."),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "kind", "sentence"), FACTS)
def test_facts_of_a_document(facts: dict[str, Any], kind: str, sentence: str) -> None:
    assert [(each.id, each.sentence) for each in judging.of_source(SourceFacts(**facts))] == [(kind, sentence)]


def test_of_nothing_comes_nothing() -> None:
    assert list(judging.of_source(SourceFacts(Metadata("T", author="Ann"), hyperlinks=3))) == []


@pytest.mark.parametrize(
    ("requested", "used", "kind", "severity"),
    [
        ("Calibri", "Carlito", "font_replaced_same_widths", Severity.INFO),
        ("Tahoma", "DejaVu Sans", "font_replaced", Severity.WARNING),
        ("Wingdings", "OpenSymbol", "signs_replaced", Severity.INFO),
    ],
)
def test_missing_fonts(requested: str, used: str, kind: str, severity: Severity) -> None:
    (found,) = judging.of_missing_fonts([FontReplacement(requested, used)])
    assert (found.id, found.severity) == (kind, severity)
    assert requested in found.sentence
    assert used in found.sentence


def test_fonts_that_a_pdf_only_names() -> None:
    fonts = [
        FontUsed("Frutiger", "Type1", False, 1), FontUsed("Helvetica-Bold", "Type1", False, 1),
        FontUsed("Carlito", "TrueType", True, 1), FontUsed("Drawn", "Type3", False, 1),
    ]  # fmt: skip
    assert [each.sentence for each in judging.of_pdf_fonts(fonts)] == [
        "The font “Frutiger” is not embedded in the PDF."
    ]


def test_notices_and_what_is_told_better() -> None:
    macros = Notice("Macros.", NoticeKind.MACROS)
    notices = [
        macros,
        Notice("Named so.", NoticeKind.FALSE_NAME),
        Notice("Something."),
        Notice("Cut.", NoticeKind.CUT_TEXT),
    ]
    expected = ["macros", "false_name", "notice", "text_clipped"]
    assert [each.id for each in judging.of_notices(notices, None)] == expected
    assert [each.id for each in judging.of_notices(notices, SourceFacts())] == expected
    assert [each.id for each in judging.of_notices(notices, SourceFacts(macros=("m",)))] == expected[1:]


def test_every_kind_of_notice_has_its_finding() -> None:
    for kind in NoticeKind:
        assert len(list(judging.of_notices([Notice("It is so.", kind)], None))) == 1


def test_every_kind_of_spot_has_its_sentence() -> None:
    spots = tuple(Spot(kind, "ab", 1, 2, 3, 4) for kind in SpotKind)
    found = list(judging.of_pages([PageFacts(2, 0, True, spots)], family="sheet", empty_is_known=False))
    assert len({each.id for each in found}) == len(SpotKind)
    assert all(each.place == Place(1, (1, 2, 3, 4)) for each in found)
    assert next(each for each in found if each.id == "no_glyph").sentence.startswith(
        "No font has a glyph for U+0061 U+0062"
    )


def test_pieces_beside_a_page_are_one_thing() -> None:
    spots = (Spot(SpotKind.OFF_PAGE, "one", 210, 0, 220, 9), Spot(SpotKind.OFF_PAGE, "two", 230, 9, 260, 20))
    (found,) = judging.of_pages([PageFacts(2, 0, True, spots)], family="text", empty_is_known=False)
    assert found.sentence == "The text “one two” lies beside the page."
    assert found.place == Place(1, (210, 0, 260, 20))


def test_what_a_page_has_more_of_is_counted() -> None:
    page = PageFacts(2, 0, True, (Spot(SpotKind.CLIPPED, "a", 1, 2, 3, 4),), {"clipped": 1234, "hashes": 5})
    found = list(judging.of_pages([page], family="text", empty_is_known=False))
    assert [each.sentence for each in found] == [
        "The text “a” is cut at an edge.",
        "The page has 1,233 more such places.",
    ]


@pytest.mark.parametrize(("known", "expected"), [(False, ["empty_page"]), (True, [])])
def test_empty_pages(known: bool, expected: list[str]) -> None:
    found = judging.of_pages([PageFacts(0, 0, False), PageFacts(1, 0, True)], family="sheet", empty_is_known=known)
    assert [each.id for each in found] == expected


def test_annotations_are_comments() -> None:
    pages = [
        PageFacts(1, 0, True, annotations={"Link": 3, "Widget": 2}),
        PageFacts(1, 0, True, annotations={"Text": 2}),
    ]
    (found,) = judging.of_annotations(pages)
    assert (found.id, found.place, found.sentence) == ("comments", Place(2), "The page has 2 comments.")


def test_findings_are_ordered_and_not_too_many() -> None:
    many = [finding("text_clipped", f"Number {number}.", number // 50 + 1) for number in range(250)]
    found = judging.bounded([*many, finding("macros", "M.")])
    assert found[0].id == "macros"
    assert [each.sentence for each in found[1:101]] == [each.sentence for each in many[:100]]
    assert found[101] == Finding("text_clipped", Severity.WARNING, "150 more findings of this kind are left out here.")
    assert len(found) == 102


def test_what_a_pdf_tells() -> None:
    facts = of_pdf(PdfFacts({"title": "T", "creationDate": "D:2020", "producer": "P"}, scripts=True, attachments=2))
    assert facts == SourceFacts(Metadata("T", created="D:2020", application="P"), macros=("JavaScript",), embedded=2)
