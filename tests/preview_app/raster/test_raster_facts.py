"""What the worker finds on pages: edges, clips, pages with nothing, and what must not count."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from preview_app.raster.api import RasterError
from preview_app.raster.blocking import PageRenderer
from preview_app.raster.facts import PageFacts, SpotKind, page_facts
from preview_app.raster.protocol import Frame, ProtocolError
from tests.preview_app.raster.pdfs import RED, PdfPage, make_pdf
from tests.preview_app.raster.test_raster_hostile import HOSTILE


@pytest.fixture(scope="module")
def shared_renderer() -> Iterator[PageRenderer]:
    with PageRenderer() as renderer:
        yield renderer


def facts_of(renderer: PageRenderer, *pages: PdfPage) -> list[PageFacts]:
    renderer.open(make_pdf(pages))
    return [renderer.page_facts(number) for number in range(len(pages))]


def kinds(facts: PageFacts) -> list[SpotKind]:
    return [spot.kind for spot in facts.spots]


@pytest.fixture(autouse=True)
def first_the_renderer(shared_renderer: PageRenderer) -> None:
    """So that its process is there before a test looks for what it leaves behind."""


def test_an_ordinary_page_has_text_and_nothing_wrong(shared_renderer: PageRenderer) -> None:
    (facts,) = facts_of(shared_renderer, PdfPage().text(10, 50, "words on paper"))
    assert (facts.characters, facts.images, facts.drawn, facts.spots) == (14, 0, True, ())
    assert [(font.name, font.embedded) for font in facts.fonts] == [("Helvetica", False)]


def test_text_over_the_edge_and_beside_the_page(shared_renderer: PageRenderer) -> None:
    page = PdfPage().text(150, 50, "this runs over the edge").text(230, 80, "beside").text(10, 20, "inside")
    (facts,) = facts_of(shared_renderer, page)
    assert kinds(facts) == [SpotKind.BEYOND_PAGE, SpotKind.OFF_PAGE]
    over, beside = facts.spots
    assert over.text == "this runs over the edge"
    assert over.x0 == pytest.approx(150, abs=2)
    assert over.x1 > 200 > over.x0
    assert beside.x0 > 200


def test_places_are_those_of_the_page_as_shown(shared_renderer: PageRenderer) -> None:
    """Turned by 90 degrees, what was at the bottom is at the left, and what ran to the right runs down."""
    page = PdfPage(rotate=90).text(150, 50, "this runs over the edge").text(10, 20, "###")
    (facts,) = facts_of(shared_renderer, page)
    places = {spot.kind: spot for spot in facts.spots}
    over, hashes = places[SpotKind.BEYOND_PAGE], places[SpotKind.HASHES]
    assert over.y1 > 200 > over.y0
    assert 0 < over.x0 < over.x1 < 100
    assert 70 < hashes.x0 < hashes.x1 < 100
    assert 0 < hashes.y0 < hashes.y1 < 40


def test_text_that_a_clip_cuts(shared_renderer: PageRenderer) -> None:
    cut, whole = PdfPage(), PdfPage()
    for page, width in ((cut, 20), (whole, 150)):
        page.content.append(f"q 10 40 {width} 30 re W n")
        page.text(12, 50, "longer than its cell")
        page.content.append("Q")
        page.text(100, 90, "after the clip")
    found = facts_of(shared_renderer, cut, whole)
    assert [kinds(facts) for facts in found] == [[SpotKind.CLIPPED], []]
    assert found[0].spots[0].text == "longer than its cell"


def test_numbers_without_room(shared_renderer: PageRenderer) -> None:
    (facts,) = facts_of(shared_renderer, PdfPage().text(10, 20, "###").text(10, 40, "#1 of ###").text(10, 60, "##"))
    assert kinds(facts) == [SpotKind.HASHES]


def test_a_page_with_nothing_to_see(shared_renderer: PageRenderer) -> None:
    white = PdfPage().rectangle(0, 0, 200, 100, (1.0, 1.0, 1.0))
    empty, blank, spaces, drawn, unseen = facts_of(
        shared_renderer,
        PdfPage(),
        white,
        PdfPage().text(10, 50, "   "),
        PdfPage().rectangle(10, 10, 5, 5, RED),
        _unseen(),
    )
    assert [facts.drawn for facts in (empty, blank, spaces, drawn, unseen)] == [False, False, False, True, False]
    assert kinds(unseen) == [SpotKind.INVISIBLE]


def _unseen() -> PdfPage:
    page = PdfPage()
    page.content.append("3 Tr")
    return page.text(10, 50, "for searching only")


def test_of_many_places_some_are_told_and_all_are_counted(shared_renderer: PageRenderer) -> None:
    page = PdfPage()
    for row in range(300):
        page.text(10, 12 + row / 4, "###")
    (facts,) = facts_of(shared_renderer, page)
    assert (len(facts.spots), facts.counts) == (20, {"hashes": 300})


def test_annotations_and_what_a_pdf_says_of_itself(shared_renderer: PageRenderer) -> None:
    (facts,) = facts_of(shared_renderer, PdfPage().text(10, 50, "words").link((0, 0, 20, 20), "https://example.org"))
    assert facts.annotations == {}, "links are no annotations to a reader"
    about = shared_renderer.pdf_facts()
    assert about.metadata == {"format": "PDF 1.4"}
    assert (about.scripts, about.attachments) == (False, 0)


def test_what_is_not_there_is_refused(shared_renderer: PageRenderer) -> None:
    facts_of(shared_renderer, PdfPage())
    with pytest.raises(RasterError):
        shared_renderer.page_facts(7)
    with PageRenderer() as unopened:
        with pytest.raises(ValueError, match="no PDF"):
            unopened.page_facts(0)
        with pytest.raises(ValueError, match="no PDF"):
            unopened.pdf_facts()


@pytest.mark.parametrize("pdf", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_built_to_hurt_gets_an_answer(shared_renderer: PageRenderer, pdf: bytes) -> None:
    with contextlib.suppress(RasterError):
        shared_renderer.open(pdf)
        shared_renderer.pdf_facts()
        shared_renderer.page_facts(0)
    (facts,) = facts_of(shared_renderer, PdfPage().text(10, 50, "words"))
    assert facts.characters == 5


@pytest.mark.parametrize(
    "change",
    [
        {"characters": "many"},
        {"spots": [["hashes", "###", 1, 2, 3, float("nan")]]},
        {"spots": [["other", "###", 1, 2, 3, 4]]},
        {"spots": [["hashes", "###"]]},
        {"fonts": [["Helvetica"]]},
        {"drawn": None},
    ],
)
def test_answers_of_another_shape_are_nonsense(change: dict[str, object]) -> None:
    sound: dict[str, object] = {"characters": 1, "images": 0, "drawn": True}
    assert page_facts(Frame(sound)) == PageFacts(1, 0, True)
    with pytest.raises(ProtocolError):
        page_facts(Frame({**sound, **change}))
