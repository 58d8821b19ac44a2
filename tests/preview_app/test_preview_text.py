"""The text of a document: fetched, selected, searched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preview_app.preview_history import History
from preview_app.preview_search import IN_FLIGHT_MAX, DocumentSearch, Query
from preview_app.preview_selection import (
    Caret,
    Unit,
    boxes_between,
    caret_at,
    is_over_text,
    line_around,
    moved,
    page_ends,
    span_box,
    text_between,
    word_around,
)
from preview_app.preview_text import PAGES_MAX, DocumentText
from preview_app.raster.api import Box, Lane, Link, PageSize, TextLine
from tests.preview_app.desktop.viewer_fakes import FakeDocument, Turns, fake_lines

TEXTS = ("First line here\nand the second\n\nAnother block", "", "Third page, first line\nlast line")


def made(texts: tuple[str, ...] = TEXTS) -> tuple[FakeDocument, Turns]:
    turns = Turns()
    return FakeDocument(tuple(PageSize(595, 842) for _ in texts), 0, turns, texts=texts), turns


def fetched(texts: tuple[str, ...] = TEXTS) -> DocumentText:
    document, turns = made(texts)
    text = DocumentText(document, lambda _: None)
    text.want(range(len(texts)))
    turns.run()
    return text


# ---- fetching


def test_what_is_in_view_is_fetched_once() -> None:
    document, turns = made()
    document.linked = {0: (Link(Box(0, 0, 1, 1), uri="https://example.org"),)}
    arrived: list[int] = []
    text = DocumentText(document, arrived.append)
    text.want([0, 1])
    text.want([0, 1])
    assert len(document.tasks) == 4
    assert text.lines(0) == ()
    turns.run()
    assert [line.text for line in text.lines(0)] == ["First line here", "and the second", "Another block"]
    assert text.links(0)[0].uri == "https://example.org"
    assert set(arrived) == {0, 1}
    assert (text.has(1), text.has(2)) == (True, False)
    text.want([0])
    assert len(document.tasks) == 4


def test_whoever_needs_pages_waits_for_them() -> None:
    document, turns = made()
    text = DocumentText(document, lambda _: None)
    called: list[str] = []
    text.want([0])
    text.ensure(range(3), lambda: called.append("all"))
    assert document.tasks[0].lane is Lane.HIGH
    assert called == []
    turns.run()
    assert called == ["all"]
    text.ensure([1], lambda: called.append("at once"))
    assert called == ["all", "at once"]


def test_a_closed_text_calls_nobody() -> None:
    document, turns = made()
    text = DocumentText(document, lambda _: pytest.fail("late"))
    text.want([0])
    text.ensure([2], lambda: pytest.fail("late"))
    text.close()
    turns.run()
    assert all(task.cancelled for task in document.tasks)


def test_pages_out_of_view_are_forgotten_in_the_end() -> None:
    document, turns = made(("x",) * (PAGES_MAX + 50))
    text = DocumentText(document, lambda _: None)
    for page in range(PAGES_MAX + 50):
        text.want([page])
        turns.run()
    assert not text.has(0)
    assert text.has(PAGES_MAX + 49)
    assert sum(text.has(page) for page in range(PAGES_MAX + 50)) <= PAGES_MAX


# ---- selecting


def test_the_caret_is_nearest_to_the_point() -> None:
    lines = fake_lines(TEXTS[0])
    assert caret_at(0, lines, 50, 55) == Caret(0, 0, 0)
    assert caret_at(0, lines, 84, 55) == Caret(0, 0, 3)
    assert caret_at(0, lines, 9999, 55) == Caret(0, 0, 15)
    assert caret_at(0, lines, 84, 9999) == Caret(0, 2, 3)
    assert caret_at(0, (), 1, 1) is None
    assert is_over_text(lines, 60, 60)
    assert not is_over_text(lines, 60, 400)


def test_words_and_lines_around_a_caret() -> None:
    lines = fake_lines("don't stop, now")
    words = [tuple(caret.index for caret in word_around(lines, Caret(0, 0, index))) for index in (0, 4, 5, 7, 10, 15)]
    assert words == [(0, 5), (0, 5), (5, 6), (6, 10), (10, 11), (12, 15)]
    assert line_around(lines, Caret(0, 0, 7)) == (Caret(0, 0, 0), Caret(0, 0, 15))
    assert page_ends(3, lines) == (Caret(3, 0, 0), Caret(3, 0, 15))
    assert page_ends(0, ()) is None


def test_text_goes_over_lines_and_pages() -> None:
    text = fetched()
    assert text_between(text, Caret(0, 0, 6), Caret(0, 1, 3)) == "line here\nand"
    assert text_between(text, Caret(0, 2, 8), Caret(2, 0, 5)) == "block\nThird"
    boxes = boxes_between(0, text.lines(0), Caret(0, 0, 6), Caret(0, 1, 3))
    assert boxes == [Box(110, 50, 200, 65), Box(50, 70, 80, 85)]
    assert boxes_between(1, text.lines(1), Caret(0, 0, 6), Caret(2, 1, 3)) == []


def test_cells_of_a_row_are_parted_by_tabs() -> None:
    cells = tuple(
        TextLine(word, Box(x, y, x + 40, y + 10), block, vertical=False, edges=(x, x + 20.0, x + 40.0))
        for block, (word, x, y) in enumerate([("a1", 0.0, 0.0), ("b1", 100.0, 1.0), ("a2", 0.0, 20.0)])
    )

    class Cells:
        page_count = 1

        def lines(self, page: int) -> tuple[TextLine, ...]:
            return cells

    assert text_between(Cells(), Caret(0, 0, 0), Caret(0, 2, 2)) == "a1\tb1\na2"


def test_a_box_of_text_that_runs_backwards_or_up() -> None:
    backwards = TextLine("ab", Box(0, 0, 20, 10), 0, vertical=False, edges=(20, 10, 0))
    assert span_box(backwards, 0, 1) == Box(10, 0, 20, 10)
    up = TextLine("ab", Box(0, 0, 10, 20), 0, vertical=True, edges=(20, 10, 0))
    assert span_box(up, 1, 2) == Box(0, 0, 10, 10)
    assert caret_at(0, [up], 5, 1) == Caret(0, 0, 2)


def test_carets_move_by_characters_words_and_lines() -> None:
    text = fetched(("One two\nthree", "four"))
    assert moved(text, Caret(0, 0, 0), Unit.CHARACTER, 1) == Caret(0, 0, 1)
    assert moved(text, Caret(0, 0, 7), Unit.CHARACTER, 1) == Caret(0, 1, 0)
    assert moved(text, Caret(0, 1, 0), Unit.CHARACTER, -1) == Caret(0, 0, 7)
    assert moved(text, Caret(0, 0, 0), Unit.CHARACTER, -1) == Caret(0, 0, 0)
    assert moved(text, Caret(0, 0, 1), Unit.WORD, 1) == Caret(0, 0, 4)
    assert moved(text, Caret(0, 0, 6), Unit.WORD, -1) == Caret(0, 0, 4)
    assert moved(text, Caret(0, 0, 4), Unit.WORD, -1) == Caret(0, 0, 0)
    assert moved(text, Caret(0, 0, 2), Unit.LINE, 1) == Caret(0, 1, 2)
    assert moved(text, Caret(0, 1, 2), Unit.LINE, 1) == Caret(1, 0, 2)
    assert moved(text, Caret(1, 0, 2), Unit.LINE, 1) == Caret(1, 0, 2)
    assert moved(text, Caret(0, 0, 2), Unit.LINE_END, 1) == Caret(0, 0, 7)
    assert moved(text, Caret(0, 0, 2), Unit.LINE_END, -1) == Caret(0, 0, 0)


@given(
    texts=st.lists(st.text("ab .\n", max_size=30), min_size=1, max_size=4).map(tuple),
    steps=st.lists(st.tuples(st.sampled_from(Unit), st.sampled_from([-1, 1])), max_size=40),
)
def test_a_caret_never_leaves_the_text(texts: tuple[str, ...], steps: list[tuple[Unit, int]]) -> None:
    text = fetched(texts)
    first = next((page for page in range(len(texts)) if text.lines(page)), None)
    if first is None:
        return
    caret = Caret(first, 0, 0)
    for unit, direction in steps:
        after = moved(text, caret, unit, direction)
        assert unit is Unit.LINE or (after >= caret if direction > 0 else after <= caret)
        caret = after
        assert 0 <= caret.index <= len(text.lines(caret.page)[caret.line].text)


# ---- searching


def test_pages_are_searched_from_the_current_one_on_a_few_at_a_time() -> None:
    document, turns = made(("x",) * 20)
    search = DocumentSearch(document, Query("x"), 17, lambda: None)
    search.start()
    assert len(document.tasks) == IN_FLIGHT_MAX
    turns.run()
    assert search.done
    assert search.count == 20
    assert search.current is not None
    assert search.current.page == 17
    assert search.position == 18


def test_the_first_hit_is_current_and_steps_go_round() -> None:
    document, turns = made(("none", "b a b", "b"))
    news: list[int] = []
    search = DocumentSearch(document, Query("b"), 0, lambda: news.append(search.count))
    search.start()
    turns.run()
    seen = []
    for direction in (1, 1, 1, -1, -1):
        assert search.current is not None
        seen.append((search.current.page, search.position))
        search.step(direction)
    assert seen == [(1, 1), (1, 2), (2, 3), (1, 1), (2, 3)]
    assert search.pages == [1, 2]
    assert len(search.hits(1)) == 2
    assert news[-1] == 3


def test_a_hit_further_on_does_not_overtake_one_nearer() -> None:
    document, turns = made(("b", "b"))
    search = DocumentSearch(document, Query("b"), 0, lambda: None)
    search.start()
    turns.waiting.reverse()
    turns.waiting.pop(0)()
    assert search.count == 1
    assert search.current is None
    turns.run()
    assert search.current is not None
    assert search.current.page == 0


def test_nothing_is_found_and_closing_ends_it() -> None:
    document, turns = made()
    search = DocumentSearch(document, Query("zebra"), 0, lambda: None)
    search.start()
    turns.run()
    search.step(1)
    assert (search.done, search.count, search.current, search.position) == (True, 0, None, 0)
    other = DocumentSearch(document, Query("line"), 0, lambda: pytest.fail("late"))
    other.start()
    other.close()
    turns.run()


# ---- history


def test_history_goes_back_and_forward_and_a_jump_forgets_what_lay_ahead() -> None:
    history: History[str] = History()
    assert history.back("a") is None
    history.jump("a")
    history.jump("b")
    assert history.back("c") == "b"
    assert history.back("b") == "a"
    assert not history.can_go_back
    assert history.forward("a") == "b"
    history.jump("b")
    assert not history.can_go_forward
    assert history.forward("d") is None
    history.clear()
    assert not history.can_go_back
