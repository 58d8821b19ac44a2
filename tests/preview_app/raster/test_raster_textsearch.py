"""Finding phrases in lines of characters."""

from __future__ import annotations

import pytest

from preview_app.raster.textsearch import Box, Line, find


def line(text: str, y: float = 0.0) -> Line:
    return Line(text, [(float(x), y, x + 1.0, y + 10.0) for x in range(len(text))])


def spans(lines: list[Line], phrase: str, *, case: bool = False, whole: bool = False) -> list[list[Box]]:
    return find(lines, phrase, match_case=case, whole_words=whole, hits_max=100)


def test_case_counts_only_when_asked() -> None:
    lines = [line("Ask and ask")]
    assert len(spans(lines, "ASK")) == 2
    assert spans(lines, "ask", case=True) == [[(8.0, 0.0, 11.0, 10.0)]]


def test_whole_words_end_at_letters_digits_and_not_at_signs() -> None:
    lines = [line("cat concat cat9 (cat)")]
    assert [hit[0][0] for hit in spans(lines, "cat", whole=True)] == [0.0, 17.0]
    assert len(spans(lines, "cat")) == 4


def test_signs_are_signs() -> None:
    assert len(spans([line("a.b a+b (c)")], "a.b")) == 1
    assert len(spans([line("f(x) f[x]")], "f(x)")) == 1


def test_a_phrase_goes_across_lines_with_a_box_for_each() -> None:
    hit = spans([line("the quick"), line("brown fox", 20.0)], "quick  brown")
    assert hit == [[(4.0, 0.0, 9.0, 10.0), (0.0, 20.0, 5.0, 30.0)]]


@pytest.mark.parametrize("hyphen", ["-", "\u00ad", "\u2010"])
def test_a_word_divided_at_the_end_of_a_line_is_one_word(hyphen: str) -> None:
    hit = spans([line(f"a docu{hyphen}"), line("ment here", 20.0)], "document", whole=True)
    assert hit == [[(2.0, 0.0, 6.0, 10.0), (0.0, 20.0, 4.0, 30.0)]]


def test_nothing_is_found_in_nothing_and_nothing_finds_nothing() -> None:
    assert spans([], "x") == []
    assert spans([line("abc")], "  ") == []


def test_hits_are_bounded() -> None:
    assert len(find([line("a" * 50)], "a", match_case=False, whole_words=False, hits_max=7)) == 7
