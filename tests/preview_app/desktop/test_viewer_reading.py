"""Find, select, copy, links and history, in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from preview_app.desktop.actions import plain
from preview_app.desktop.page_layout import Anchor
from preview_app.desktop.page_marks import Mark
from preview_app.preview_states import Converted
from preview_app.raster.api import Box, Link
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import A4, fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

Key = Qt.Key
Shift = Qt.KeyboardModifier.ShiftModifier
Control = Qt.KeyboardModifier.ControlModifier
TEXTS = ("Alpha beta gamma\nBeta again\n\nThe betas", "nothing here", "beta at the end")
LINKS: dict[int, tuple[Link, ...]] = {
    0: (
        Link(Box(300, 300, 400, 340), page=2, y=50.0),
        Link(Box(300, 400, 400, 440), uri="https://example.org/place"),
        Link(Box(300, 500, 400, 540), page=None),
    )
}


@pytest.fixture
def reading(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window that shows three pages with text and links."""
    made = Bench(qtbot, tmp_path)
    for path in made.paths:
        made.conversions.pdfs[path.name] = Converted(fake_pdf(0x808080, [A4] * 3, TEXTS), "LibreOffice 1", 0.1)
    made.rasterizer.linked = LINKS
    made.show()
    text = made.window.viewer.reading.text
    assert text is not None
    qtbot.waitUntil(lambda: text.has(0) and bool(text.links(0)))
    yield made
    finish(made)


def find(bench: Bench, phrase: str) -> None:
    bench.window.actions_by_name["find"].trigger()
    field = bench.window.viewer.find_bar.field
    field.clear()
    QTest.keyClicks(field, phrase)

    def found() -> bool:
        search = bench.window.viewer.finder.search
        shown = bench.window.viewer.find_bar.count.text()
        return search is not None and search.done and "…" not in shown and bool(shown)

    bench.qtbot.waitUntil(found)


def at(bench: Bench, page: int, x: float, y: float) -> QPoint:
    """Where a point of a page lies in the viewport."""
    return bench.pages.rectangle_of(page, Box(x, y, x, y)).topLeft().toPoint()


def marked(bench: Bench, mark: Mark) -> dict[int, int]:
    """How many places are marked, by page."""
    return {page: len(boxes) for page, boxes in bench.pages.marks.boxes.get(mark, {}).items() if boxes}


# ---- find


def test_finding_marks_all_and_steps_through(reading: Bench) -> None:
    find(reading, "beta")
    bar = reading.window.viewer.find_bar
    assert bar.count.text() == "1 of 4"
    assert marked(reading, Mark.HIT) == {0: 3, 2: 1}
    assert marked(reading, Mark.CURRENT_HIT) == {0: 1}
    reading.press(Key.Key_Return)
    assert bar.count.text() == "2 of 4"
    reading.window.actions_by_name["find_next"].trigger()
    reading.window.actions_by_name["find_next"].trigger()
    assert bar.count.text() == "4 of 4"
    assert 2 in reading.pages.visible_pages()
    reading.press(Key.Key_Return, Shift)
    assert bar.count.text() == "3 of 4"


def test_case_and_whole_words(reading: Bench) -> None:
    find(reading, "beta")
    bar = reading.window.viewer.find_bar
    QTest.mouseClick(bar.case, Qt.MouseButton.LeftButton)
    reading.qtbot.waitUntil(lambda: bar.count.text() == "1 of 3")
    QTest.mouseClick(bar.words, Qt.MouseButton.LeftButton)
    reading.qtbot.waitUntil(lambda: bar.count.text() == "1 of 2")


def test_what_is_not_there_is_said(reading: Bench) -> None:
    find(reading, "zebra")
    bar = reading.window.viewer.find_bar
    assert bar.count.text() == "Not found"
    assert not bar.next.isEnabled()


def test_escape_closes_find_and_takes_the_marks_away(reading: Bench) -> None:
    find(reading, "beta")
    reading.press(Key.Key_Escape)
    assert not reading.window.viewer.find_bar.isVisible()
    assert marked(reading, Mark.HIT) == {}
    assert reading.pages.hasFocus()


def test_find_goes_on_in_the_next_document(reading: Bench) -> None:
    find(reading, "beta")
    with reading.qtbot.waitSignal(reading.window.first_page_painted):
        reading.window.actions_by_name["next_file"].trigger()
    reading.qtbot.waitUntil(lambda: marked(reading, Mark.HIT) == {0: 3, 2: 1})


def test_what_is_selected_is_looked_for(reading: Bench) -> None:
    spot = at(reading, 0, 130, 57)
    QTest.mouseDClick(reading.pages.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    find_action = reading.window.actions_by_name["find"]
    find_action.trigger()
    assert reading.window.viewer.find_bar.field.text() == "beta"


# ---- select


def drag(bench: Bench, start: QPoint, end: QPoint) -> None:
    viewport = bench.pages.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)


def copied(bench: Bench) -> str:
    QGuiApplication.clipboard().setText("")
    bench.window.actions_by_name["copy"].trigger()
    bench.qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "")
    return QGuiApplication.clipboard().text()


def test_dragging_selects_to_the_character(reading: Bench) -> None:
    drag(reading, at(reading, 0, 111, 57), at(reading, 0, 81, 77))
    assert copied(reading) == "beta gamma\nBet"
    assert marked(reading, Mark.SELECTION) == {0: 2}


def test_a_double_click_selects_a_word_and_dragging_goes_on_by_words(reading: Bench) -> None:
    viewport = reading.pages.viewport()
    start = at(reading, 0, 75, 57)
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=start)
    assert copied(reading) == "Alpha"
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Shift, at(reading, 0, 156, 57))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Shift, at(reading, 0, 156, 57))
    assert copied(reading) == "Alpha beta "


def test_a_third_click_selects_the_line(reading: Bench) -> None:
    viewport = reading.pages.viewport()
    spot = at(reading, 0, 75, 57)
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=spot)
    reading.window.viewer.reading.selection.press_line((0, 75.0, 57.0))
    assert copied(reading) == "Alpha beta gamma"


def test_the_keyboard_selects(reading: Bench) -> None:
    reading.pages.setFocus()
    reading.press(Key.Key_Right, Shift)
    reading.press(Key.Key_Right, Shift)
    assert copied(reading) == "Al"
    reading.press(Key.Key_Right, Shift | Control)
    assert copied(reading) == "Alpha "
    reading.press(Key.Key_Down, Shift)
    assert copied(reading) == "Alpha beta gamma\nBeta a"
    reading.press(Key.Key_End, Shift)
    assert copied(reading) == "Alpha beta gamma\nBeta again"
    reading.press(Key.Key_Escape)
    assert reading.window.viewer.reading.selection.empty


def test_all_of_a_page_can_be_selected_and_its_picture_copied(reading: Bench) -> None:
    reading.pages.go_to_page(1)
    reading.window.actions_by_name["select_page"].trigger()
    reading.qtbot.waitUntil(lambda: not reading.window.viewer.reading.selection.empty)
    assert copied(reading) == TEXTS[reading.pages.page]
    reading.window.actions_by_name["copy_image"].trigger()
    reading.qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    assert QGuiApplication.clipboard().image().pixelColor(5, 5).rgb() & 0xFFFFFF == 0x808080


def test_a_selection_ends_with_its_document(reading: Bench) -> None:
    drag(reading, at(reading, 0, 111, 57), at(reading, 0, 81, 77))
    with reading.qtbot.waitSignal(reading.window.first_page_painted):
        reading.window.actions_by_name["next_file"].trigger()
    assert reading.window.viewer.reading.selection.empty
    assert marked(reading, Mark.SELECTION) == {}


def test_a_turned_page_is_selected_where_one_sees_it(reading: Bench) -> None:
    reading.window.actions_by_name["turn_right"].trigger()
    drag(reading, at(reading, 0, 51, 57), at(reading, 0, 101, 57))
    assert copied(reading) == "Alpha"


# ---- links and history


def test_a_link_inside_is_followed_and_one_comes_back(reading: Bench) -> None:
    pages, actions = reading.pages, reading.window.actions_by_name
    assert not actions["back"].isEnabled()
    place = pages.place
    QTest.mouseClick(pages.viewport(), Qt.MouseButton.LeftButton, pos=at(reading, 0, 350, 320))
    assert 2 in pages.visible_pages()
    actions["back"].trigger()
    assert pages.place == place
    assert not actions["back"].isEnabled()
    actions["forward"].trigger()
    assert 2 in pages.visible_pages()


def test_a_link_says_where_it_leads(reading: Bench) -> None:
    status = reading.window.status
    QTest.mouseMove(reading.pages.viewport(), at(reading, 0, 350, 320))
    # On a real screen the mouse arrives later.
    reading.qtbot.waitUntil(lambda: status.currentMessage() == "Page 3")
    assert reading.pages.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert marked(reading, Mark.LINK) == {0: 1}
    QTest.mouseMove(reading.pages.viewport(), at(reading, 0, 60, 57))
    reading.qtbot.waitUntil(lambda: status.currentMessage() == "")
    assert reading.pages.viewport().cursor().shape() is Qt.CursorShape.IBeamCursor


def test_a_link_out_is_asked_about(reading: Bench) -> None:
    pointer = reading.window.viewer.reading
    pointer.uri_clicked.disconnect(reading.window.output.ask_link)
    spot = reading.pages.rectangle_of(0, Box(350, 420, 350, 420)).topLeft()
    reading.pages.reveal(0, Box(350, 420, 351, 421))
    spot = reading.pages.rectangle_of(0, Box(350, 420, 350, 420)).topLeft()
    with reading.qtbot.waitSignal(pointer.uri_clicked) as caught:
        QTest.mouseClick(reading.pages.viewport(), Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert caught.args == ["https://example.org/place"]


def test_a_link_that_leads_nowhere_is_none(reading: Bench) -> None:
    reading.pages.reveal(0, Box(350, 520, 351, 521))
    assert reading.window.viewer.reading.pointer.link_at(QPointF(at(reading, 0, 350, 520))) is None


def test_the_page_box_goes_to_a_page_and_remembers_the_jump(reading: Bench) -> None:
    reading.window.actions_by_name["go_to_page"].trigger()
    box = reading.window.status.page
    assert box.field.hasFocus()
    QTest.keyClicks(box.field, "2")
    reading.press(Key.Key_Return)
    assert reading.pages.page == 1
    assert reading.pages.hasFocus()
    reading.window.actions_by_name["back"].trigger()
    assert reading.pages.page == 0


def test_a_jump_to_the_end_can_be_taken_back(reading: Bench) -> None:
    reading.pages.go_to_anchor(Anchor(0, 0.5, 0.2))
    place = reading.pages.place
    reading.window.actions_by_name["last_page"].trigger()
    reading.window.actions_by_name["back"].trigger()
    assert reading.pages.place == place


# ---- the right button


def entries(menu: QMenu) -> list[str]:
    texts = [plain(action.text()) for action in menu.actions() if action.text()]
    menu.deleteLater()
    return texts


def test_the_right_button_offers_what_can_be_done_here(reading: Bench) -> None:
    menus = reading.window._context_menus
    assert entries(menus.for_pages(at(reading, 0, 60, 57)))[:3] == [
        "Copy",
        "Select all of the page",
        "Copy page as image",
    ]
    assert not reading.window.actions_by_name["copy"].isEnabled()
    drag(reading, at(reading, 0, 111, 57), at(reading, 0, 81, 77))
    assert reading.window.actions_by_name["copy"].isEnabled()
    assert "Open with" in entries(menus.for_list(QPoint(5, 5)))


def test_the_address_of_a_link_can_be_copied(reading: Bench) -> None:
    reading.pages.reveal(0, Box(350, 420, 351, 421))
    menu = reading.window._context_menus.for_pages(at(reading, 0, 350, 420))
    copy = next(action for action in menu.actions() if action.text() == "Copy the address")
    copy.trigger()
    assert QGuiApplication.clipboard().text() == "https://example.org/place"
    menu.deleteLater()
