"""What a person would see of two documents is found, and what nobody would see is not: made-up documents, drawn twice
with one thing otherwise, and what two LibreOffices make of real ones."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw

from converter.service import Converter
from converter.workspace import Workspace
from preview_app.inspection.comparison import Comparer, Tolerance
from preview_app.inspection.comparison_pixels import Band, bands_of
from preview_app.inspection.comparison_pixels import compare as compare_pixels
from preview_app.inspection.comparison_sources import OtherFile
from preview_app.inspection.comparison_words import Exchange, exchange, flowed, is_complex, match
from preview_app.inspection.findings import COMPARED, Finding, Severity
from preview_app.inspection.inspect_one import InspectOptions, Tools, inspect_one
from preview_app.raster.api import Box, Word
from preview_app.raster.blocking import PdfChecker
from tests.fakes import FakeEngine

LINES = [f"Line {number} of this letter speaks of delivery, prices and terms of payment." for number in range(1, 25)]
TABLE = ["Apples    1,200", "Pears       840", "Plums        75"]


@dataclass
class Letter:
    """A page as a person knows it; each field is one thing that may be otherwise."""

    lines: list[str] = field(default_factory=lambda: [*LINES])
    table: list[str] = field(default_factory=lambda: [*TABLE])
    leading: float = 14.0
    shift: tuple[float, float] = (0.0, 0.0)
    font: str = "helv"
    size: float = 10.0
    colour: tuple[float, float, float] = (0, 0, 0)
    odd_line: int | None = None
    """The only line with `font`, `size` and `colour`, where only one has them."""
    logo: tuple[float, float] | None = (430, 40)
    logo_colour: tuple[float, float, float] = (0.1, 0.4, 0.7)
    rule: bool = True
    photo: bool = True
    spot: bool = False
    """On the photograph."""
    box_right: float = 0.0
    footer_first: bool = False

    def draw(self, document: pymupdf.Document) -> None:
        page = document.new_page(width=595, height=842)
        if self.footer_first:
            self._text(page, 72, 800, "Registered in England")
        dx, dy = self.shift
        if self.logo is not None:
            left, upper = self.logo[0] + dx, self.logo[1] + dy
            page.draw_rect((left, upper, left + 60, upper + 30), color=None, fill=self.logo_colour)
        top = 110.0
        for number, line in enumerate(self.lines):
            odd = self.odd_line is None or self.odd_line == number
            self._text(page, 72, top, line, odd=odd)
            top += self.leading
        if self.rule:
            page.draw_line((72 + dx, top + dy), (520 + dx, top + dy), width=0.5)
        if self.photo:
            self._photograph(page, top)
        for number, row in enumerate(self.table):
            self._text(page, 260 + self.box_right, top + 30 + 14 * number, row, odd=self.odd_line is None)
        if not self.footer_first:
            self._text(page, 72, 800, "Registered in England")

    def _photograph(self, page: pymupdf.Page, top: float) -> None:
        dx, dy = self.shift
        place = (72 + dx, top + 10 + dy, 222 + dx, top + 110 + dy)
        page.insert_image(place, stream=photograph(self.spot))  # type: ignore[no-untyped-call]

    def _text(self, page: pymupdf.Page, x: float, y: float, text: str, *, odd: bool = False) -> None:
        look = (self.font, self.size, self.colour) if odd else ("helv", 10.0, (0, 0, 0))
        place = (x + self.shift[0], y + self.shift[1])
        page.insert_text(place, text, fontname=look[0], fontsize=look[1], color=look[2])


def photograph(spot: bool) -> bytes:
    image = Image.effect_mandelbrot((150, 100), (-2.0, -1.2, 1.0, 1.2), 40).convert("RGB")
    if spot:
        ImageDraw.Draw(image).ellipse((60, 40, 84, 64), fill="orange")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def pdf(*letters: Letter) -> bytes:
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        for letter in letters:
            letter.draw(document)
        return bytes(document.tobytes())


Compared = Callable[[list[Letter], list[Letter]], list[Finding]]


@pytest.fixture
def compared(tmp_path: Path, tools: Tools) -> Iterator[Compared]:
    checker = PdfChecker()
    converter = Converter(FakeEngine(), checker, workspace=Workspace([tmp_path]))

    def compare(before: list[Letter], after: list[Letter]) -> list[Finding]:
        paths = [tmp_path / "before.pdf", tmp_path / "after.pdf"]
        for path, letters in zip(paths, (before, after), strict=True):
            path.write_bytes(pdf(*letters))
        check = Comparer(OtherFile(paths[0]), Tolerance())
        record = inspect_one(paths[1], converter, tools, InspectOptions(), checks=[check])
        assert record.outcome == "ok"
        return [found for found in record.findings if found.id in COMPARED]

    yield compare
    assert converter.close()
    checker.close()


def weighty(found: list[Finding]) -> list[str]:
    return [each.id for each in found if each.severity.reaches(Severity.WARNING)]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(Letter(), id="nothing"),
        pytest.param(Letter(shift=(0.4, 0.3)), id="half a pixel"),
        pytest.param(Letter(shift=(1.2, -1.1)), id="a pixel"),
        pytest.param(Letter(leading=14.3), id="higher lines, and what stands below them goes along"),
        pytest.param(Letter(leading=13.6), id="lower lines"),
        pytest.param(Letter(footer_first=True), id="drawn in another order"),
        pytest.param(Letter(shift=(0, 20)), id="everything lower"),
    ],
)
def test_what_nobody_sees(compared: Compared, after: Letter) -> None:
    assert weighty(compared([Letter()], [after])) == []
    assert weighty(compared([after], [Letter()])) == []


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        pytest.param(Letter(table=["Apples    1,300", *TABLE[1:]]), "text_changed", id="a figure"),
        pytest.param(Letter(table=[TABLE[0], "Pears   75", "Plums   840"]), "text_changed", id="figures swapped"),
        pytest.param(Letter(lines=LINES[:-1]), "text_changed", id="a missing line"),
        pytest.param(Letter(lines=[*LINES[1:], LINES[0]]), "text_changed", id="another order"),
        pytest.param(Letter(logo=(380, 40)), "pixels_changed", id="a moved picture"),
        pytest.param(Letter(logo=(430, 48)), "pixels_changed", id="a picture moved a little"),
        pytest.param(Letter(logo=None), "pixels_changed", id="a missing picture"),
        pytest.param(Letter(logo_colour=(0.7, 0.4, 0.1)), "pixels_changed", id="another colour of a picture"),
        pytest.param(Letter(rule=False), "pixels_changed", id="a missing line of a hair's width"),
        pytest.param(Letter(spot=True), "pixels_changed", id="a spot on a photograph"),
        pytest.param(Letter(font="tiro"), "text_look_changed", id="another font"),
        pytest.param(Letter(font="heit", odd_line=3), "text_look_changed", id="a slanted line of the same widths"),
        pytest.param(Letter(font="hebo", odd_line=3), "text_look_changed", id="a bold line"),
        pytest.param(Letter(size=11, odd_line=3), "text_look_changed", id="a larger line"),
        pytest.param(Letter(colour=(0.8, 0, 0), odd_line=3), "text_look_changed", id="a red line"),
        pytest.param(Letter(colour=(0.6, 0.6, 0.6), odd_line=3), "text_look_changed", id="a grey line"),
        pytest.param(Letter(box_right=60), "content_moved", id="a moved box of text"),
    ],
)  # fmt: skip
def test_what_a_person_sees(compared: Compared, after: Letter, kind: str) -> None:
    assert kind in weighty(compared([Letter()], [after]))
    assert kind in weighty(compared([after], [Letter()]))


def test_it_is_seen_in_spite_of_higher_lines(compared: Compared) -> None:
    """The differences of two LibreOffices, and one of the document, at once."""
    other = {"leading": 14.3, "shift": (0.3, 0.2)}
    for change, kind in (
        ({"table": ["Apples    1,300", *TABLE[1:]]}, "text_changed"),
        ({"spot": True}, "pixels_changed"),
        ({"logo": (380, 40)}, "pixels_changed"),
        ({"colour": (0.8, 0, 0), "odd_line": 3}, "text_look_changed"),
    ):
        assert weighty(compared([Letter()], [Letter(**other, **change)])) == [kind]  # type: ignore[arg-type]


def test_a_line_that_went_over_to_the_next_page(compared: Compared) -> None:
    rest = {"table": [], "rule": False, "photo": False}
    before = [Letter(**rest), Letter(lines=["It goes on here.", *LINES[:5]], **rest)]  # type: ignore[arg-type]
    after = [Letter(lines=LINES[:-1], **rest), Letter(lines=[LINES[-1], "It goes on here.", *LINES[:5]], **rest)]  # type: ignore[arg-type]
    found = compared(before, after)
    assert weighty(found) == []
    assert {each.place.page for each in found if each.id == "content_shifted" and each.place} == {1, 2}


def test_figures_that_changed_places_across_pages(compared: Compared) -> None:
    """A figure that became another one is no flow of text, whatever the next page has."""
    one, other = ["Apples    1,200", "Pears       840"], ["Apples    1,300", "Pears       840"]
    second = [line.replace("letter", "contract") for line in LINES]
    before = [Letter(table=one), Letter(lines=second, table=other)]
    found = compared(before, [Letter(table=other), Letter(lines=second, table=one)])
    assert [(each.id, each.place.page) for each in found if each.place] == [("text_changed", 1), ("text_changed", 2)]


def test_places_of_what_is_found(compared: Compared) -> None:
    (found,) = compared([Letter()], [Letter(colour=(0.8, 0, 0), odd_line=3)])
    assert found.sentence == f"“{LINES[3][:60]}…” is in another colour."
    assert found.place is not None
    assert found.place.box is not None
    left, top, right, bottom = found.place.box
    assert (left, 140 < top < 152 < bottom < 160, right > 300) == (72.0, True, True)


def word(text: str, x: float = 0.0, y: float = 0.0, line: int = 0) -> Word:
    return Word(text, Box(x, y, x + 6.0 * len(text), y + 10), 0, line)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Contents ............ 3", "Contents ................. 3"),
        ("a sim ple text", "a simple text"),
        ("ﬁve hyphen\u00adated", "five hyphenated"),
        ("____________ signed", "________ signed"),
    ],
)
def test_words_that_read_the_same(before: str, after: str) -> None:
    words = [[word(text, 50.0 * at) for at, text in enumerate(each.split())] for each in (before, after)]
    assert match(*words).changes == ()


def test_words_are_matched_by_place_where_their_order_differs() -> None:
    before = [word("footer", 10, 500, 9), word("one", 10, 20), word("two", 40, 20), word("three", 80, 20)]
    matched = match(before, [*before[1:], before[0]])
    assert (matched.pairs, matched.changes) == (((1, 0), (2, 1), (3, 2), (0, 3)), ())
    elsewhere = word("footer", 10, 400, 9)
    assert len(match(before, [*before[1:], elsewhere]).changes) == 2


def test_what_pages_exchange() -> None:
    assert exchange(["a", "b", "c", "d"], ["b", "c", "d", "e"]) == Exchange(("a",), ("e",))
    assert exchange(["a", "b", "c"], ["c", "a", "b"]) == Exchange(), "only the order"
    around = Exchange(gone=("one", "two", "three"), came=("four",))
    assert flowed(["four"], [], around)
    assert flowed([], ["two", "three"], around)
    assert not flowed(["five"], [], around)
    assert not flowed(["four"], ["two"], around)


def test_scripts_that_are_told_in_several_ways() -> None:
    assert [is_complex(text) for text in ("1,200 €", "Größe", "עברית", "क्या", "\uf0b7")] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_bands_follow_the_lines_of_text() -> None:
    lines = [(10.0, 0.2), (30.0, 0.4), (50.0, 5.1), (70.0, 4.9), (90.0, 5.2)]
    assert bands_of(lines, 120) == [Band(0, 40, 0), Band(40, 120, 5)]
    assert bands_of([], 120) == []


def test_bands_that_reach_beyond_the_picture_show_paper() -> None:
    black = Image.new("RGB", (20, 40), "black")
    moved = Image.new("RGB", (20, 40), "white")
    moved.paste("black", (0, 10, 20, 40))
    assert compare_pixels(black, moved).share == 0.25
    assert compare_pixels(black, moved, bands=[Band(0, 40, 10)]).share == 0
    moved = Image.new("RGB", (20, 40), "white")
    moved.paste("black", (0, 0, 20, 30))
    assert compare_pixels(black, moved, bands=[Band(0, 40, -10)]).share == 0
