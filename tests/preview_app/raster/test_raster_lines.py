"""Lines of text to the character, and pages for the night."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from preview_app.raster.api import Pixels, TextLine
from preview_app.raster.protocol import Frame, ProtocolError
from preview_app.raster.replies import lines
from tests.preview_app.raster.conftest import Bench
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

_IMAGE = "q 50 0 0 50 100 25 cm BI /W 1 /H 1 /BPC 8 /CS /RGB ID \xff\x80\x00 EI Q"


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


def _pixel(pixels: Pixels, x: int, y: int) -> tuple[int, int, int]:
    start = y * pixels.stride + 4 * x
    blue, green, red, _ = pixels.data[start : start + 4]
    return red, green, blue


def test_lines_say_where_each_character_begins(bench: Bench) -> None:
    document = bench.open(make_pdf([PdfPage().text(10, 30, "Hello there").text(10, 60, "again")]))
    first, second = bench.get(document.lines, 0)
    assert (first.text, second.text) == ("Hello there", "again")
    assert len(first.edges) == len("Hello there") + 1
    assert list(first.edges) == sorted(first.edges)
    assert first.edges[0] == pytest.approx(10, abs=0.5)
    assert first.edges[-1] == pytest.approx(first.box.x1, abs=0.5)
    assert not first.vertical
    assert first.box.y1 < second.box.y1


def test_a_line_that_runs_up_has_edges_in_y(bench: Bench) -> None:
    page = PdfPage()
    page.content.append("0 g BT /F1 10 Tf 0 1 -1 0 50 20 Tm (Up) Tj ET")
    document = bench.open(make_pdf([page]))
    (line,) = bench.get(document.lines, 0)
    assert line.vertical
    assert line.text == "Up"
    assert line.edges[0] == pytest.approx(80, abs=1)
    assert line.edges[0] > line.edges[1] > line.edges[2]


def test_an_answer_with_too_few_edges_is_none() -> None:
    line = ["ab", 0, 0, 1, 1, 0, False, [0, 1]]
    with pytest.raises(ProtocolError):
        lines(Frame({"lines": [line]}))
    line[-1] = [0, 1, 2]
    assert isinstance(lines(Frame({"lines": [line]}))[0], TextLine)


def test_at_night_paper_is_dark_and_pictures_are_as_ever(bench: Bench) -> None:
    page = PdfPage().rectangle(10, 10, 30, 30, (0, 0, 0.5))
    page.content.append(_IMAGE)
    document = bench.open(make_pdf([page]))
    day = bench.get(document.render, 0, 2.0)
    night = bench.get(document.render, 0, 2.0, night=True)
    assert _pixel(day, 380, 20) == (255, 255, 255)
    assert max(_pixel(night, 380, 20)) < 50
    picture = _pixel(day, 250, 100)
    assert picture == (255, 128, 0)
    assert _pixel(night, 250, 100) == picture
    red, green, blue = _pixel(night, 40, 40)
    assert blue > red == green > 60, "dark blue becomes light blue"


def test_a_part_of_a_page_at_night_is_cut_from_the_whole(bench: Bench) -> None:
    from preview_app.raster.api import Clip

    page = PdfPage()
    page.content.append(_IMAGE)
    document = bench.open(make_pdf([page]))
    whole = bench.get(document.render, 0, 2.0, night=True)
    part = bench.get(document.render, 0, 2.0, night=True, clip=Clip(90, 20, 130, 60))
    for x, y in ((5, 5), (15, 11), (25, 20), (60, 40)):
        assert _pixel(part, x, y) == _pixel(whole, 180 + x, 40 + y)
