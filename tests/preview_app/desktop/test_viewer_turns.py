"""Turned pages, one page at a time, a presentation, the night."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from preview_app.desktop.page_column import Place
from preview_app.desktop.page_layout import Anchor, Fit, Mode, PageLayout
from preview_app.desktop.page_marks import Mark
from preview_app.desktop.page_plan import View, paper_view
from preview_app.desktop.page_view import PageView
from preview_app.raster.api import Box, Clip, PageSize, Pixels
from tests.preview_app.desktop.viewer_fakes import A4, FakeDocument, Turns

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

RED, BLUE = 0xCC0000, 0x0000CC
SIZES = st.lists(st.builds(PageSize, st.floats(10, 2000), st.floats(10, 2000)), min_size=1, max_size=8)


@dataclass
class CornerDocument(FakeDocument):
    """Pages that are blue, the quarter at the top left red."""

    def _pixels(self, page: int, scale: float, clip: Clip | None, night: bool) -> Pixels:
        size = self.pages[page]
        part = clip or Clip(0, 0, size.width_pt, size.height_pt)
        width, height = round((part.x1 - part.x0) * scale), round((part.y1 - part.y0) * scale)
        red_width = max(0, min(width, round((size.width_pt / 2 - part.x0) * scale)))
        red_rows = max(0, min(height, round((size.height_pt / 2 - part.y0) * scale)))
        red, blue = ((color | 0xFF000000).to_bytes(4, "little") for color in (RED, BLUE))
        data = (red * red_width + blue * (width - red_width)) * red_rows + blue * width * (height - red_rows)
        return Pixels(page, scale, width, height, 4 * width, memoryview(data))


@pytest.fixture
def turns() -> Turns:
    """Answers that wait."""
    return Turns()


@pytest.fixture
def show(qtbot: QtBot, turns: Turns) -> Iterator[Callable[..., PageView]]:
    """Shows a document of corners whose pixels are there."""
    views: list[PageView] = []

    def shown(sizes: Sequence[tuple[float, float]] = (A4,) * 5) -> PageView:
        view = PageView(time.perf_counter)
        views.append(view)
        view.resize(800, 600)
        with qtbot.waitExposed(view):
            view.show()
        view.set_document(CornerDocument(tuple(PageSize(*size) for size in sizes), BLUE, turns))
        settle(qtbot, view, turns)
        return view

    yield shown
    for view in views:
        view.set_document(None)
        view.close()
        view.deleteLater()


def settle(qtbot: QtBot, view: PageView, turns: Turns) -> None:
    def nothing_pending() -> bool:
        turns.run()
        return not view._replan.isActive() and not turns.waiting

    qtbot.waitUntil(nothing_pending)


def color_at(view: PageView, page: int, x: float, y: float) -> int:
    """The colour painted at a place given in fractions of the page as shown."""
    assert view._layout is not None
    left, top = view._offset()
    column_x, column_y = view._layout.position(Anchor(page, x, y))
    return view.viewport().grab().toImage().pixelColor(column_x - left, column_y - top).rgb() & 0xFFFFFF


@given(sizes=SIZES, scale=st.floats(0.2, 4), turns=st.integers(0, 3), x=st.floats(0, 500), y=st.floats(0, 500))
def test_paper_and_column_are_each_others_inverse(
    sizes: list[PageSize], scale: float, turns: int, x: float, y: float
) -> None:
    layout = PageLayout(sizes, scale, 12, 800, turns=turns)
    for page, box in enumerate(layout.boxes):
        paper = layout.paper(page)
        assert {paper.width, paper.height} == {box.width, box.height}
        column = layout.from_paper(page, x, y)
        assert layout.to_paper(page, *column) == pytest.approx((x, y))
        x0, y0, x1, y1 = layout.rectangle(page, 0, 0, paper.width / scale, paper.height / scale)
        assert (x0, y0, x1, y1) == pytest.approx((box.x, box.y, box.x + box.width, box.bottom))


@given(turns=st.integers(0, 3))
def test_a_view_of_a_whole_page_sees_the_whole_paper(turns: int) -> None:
    layout = PageLayout([PageSize(300, 200)], 2.0, 10, 700, turns=turns)
    box = layout.boxes[0]
    seen = paper_view(layout, 0, View(box.x, box.y, box.width, box.height, 1))
    assert (seen.left, seen.top, seen.width, seen.height) == (0, 0, 600, 400)


@given(sizes=SIZES, slot=st.integers(100, 2000))
def test_slots_follow_each_other_and_hold_their_pages(sizes: list[PageSize], slot: int) -> None:
    layout = PageLayout(sizes, 1.0, 10, 800, slot_height=slot)
    end = 0
    for page, box in enumerate(layout.boxes):
        start, after = layout.slot(page)
        assert start == end
        assert start + 10 <= box.y
        assert box.bottom + 10 <= after
        assert after - start >= slot
        assert layout.page_at(start) == layout.page_at(after - 1) == page
        end = after
    assert layout.height == end


@pytest.mark.parametrize(("quarters", "corner"), [(0, (0.25, 0.1)), (1, (0.9, 0.1)), (2, (0.9, 0.9)), (3, (0.1, 0.9))])
def test_the_corner_goes_round(
    qtbot: QtBot, show: Callable[..., PageView], turns: Turns, quarters: int, corner: tuple[float, float]
) -> None:
    view = show()
    view.set_fit(Fit.PAGE)
    view.turn(quarters)
    settle(qtbot, view, turns)
    corners = {(x, y): color_at(view, 0, x, y) for x in (0.1, 0.9) for y in (0.1, 0.9)}
    nearest = min(corners, key=lambda place: abs(place[0] - corner[0]) + abs(place[1] - corner[1]))
    assert corners == {place: RED if place == nearest else BLUE for place in corners}


def test_tiles_of_a_turned_page_lie_right(qtbot: QtBot, show: Callable[..., PageView], turns: Turns) -> None:
    view = show([(2000, 1400)])
    view.set_zoom(3.0)
    view.turn(1)
    settle(qtbot, view, turns)
    assert view._layout is not None
    for x, y, expected in ((0.75, 0.2, RED), (0.25, 0.2, BLUE), (0.75, 0.7, BLUE)):
        view.go_to_anchor(Anchor(0, x, y))
        settle(qtbot, view, turns)
        assert color_at(view, 0, x, y + 0.02) == expected


def test_turning_keeps_the_page_and_four_turns_are_none(
    qtbot: QtBot, show: Callable[..., PageView], turns: Turns
) -> None:
    view = show()
    view.go_to_page(3)
    for quarters in (1, 2, 3, 0):
        view.turn(1)
        assert (view.page, view.turns) == (3, quarters)


def test_marks_turn_with_their_page(qtbot: QtBot, show: Callable[..., PageView], turns: Turns) -> None:
    view = show()
    view.set_fit(Fit.PAGE)
    view.mark(Mark.HIT, {0: [Box(400, 700, 595, 842)]})
    marked = color_at(view, 0, 0.9, 0.95)
    assert marked not in (BLUE, RED)
    view.turn(1)
    settle(qtbot, view, turns)
    assert color_at(view, 0, 0.05, 0.9) == marked
    assert color_at(view, 0, 0.5, 0.75) == BLUE


def test_a_place_is_found_under_the_mouse_and_back(show: Callable[..., PageView]) -> None:
    view = show()
    for quarters in range(4):
        spot = view.spot_at(QPointF(400, 300))
        assert spot is not None
        page, x, y = spot
        rectangle = view.rectangle_of(page, Box(x, y, x, y))
        assert (rectangle.x(), rectangle.y()) == pytest.approx((400, 300), abs=0.01)
        view.turn(1)
        assert view.turns == (quarters + 1) % 4


def test_one_page_at_a_time(qtbot: QtBot, show: Callable[..., PageView], turns: Turns) -> None:
    view = show()
    view.set_mode(Mode.SINGLE)
    view.set_fit(Fit.PAGE)
    settle(qtbot, view, turns)
    assert list(view.visible_pages()) == [0]
    view.scroll_screens(1)
    assert (view.page, list(view.visible_pages())) == (1, [1])
    view.go_to_end()
    assert (view.page, list(view.visible_pages())) == (4, [4])
    view.scroll_screens(1)
    assert view.page == 4
    view.step_page(-2)
    assert view.page == 2
    view.set_mode(Mode.CONTINUOUS)
    assert view.page == 2
    assert view.verticalScrollBar().maximum() > 1000


def test_the_wheel_turns_the_leaf_at_the_end_of_a_page(
    qtbot: QtBot, show: Callable[..., PageView], turns: Turns
) -> None:
    view = show()
    view.set_mode(Mode.SINGLE)
    view.set_fit(Fit.WIDTH)
    for _ in range(60):
        wheel(view, -120)
        if view.page == 1:
            break
    assert view.page == 1
    assert view.verticalScrollBar().value() == view.verticalScrollBar().minimum()
    wheel(view, 120)
    assert view.page == 0
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def wheel(view: PageView, delta: int) -> None:
    event = QWheelEvent(
        QPointF(400, 300),
        view.viewport().mapToGlobal(QPointF(400, 300)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_a_presentation_fills_the_view_and_leaves_no_trace(
    qtbot: QtBot, show: Callable[..., PageView], turns: Turns
) -> None:
    view = show([(960, 540)] * 10)
    view.set_zoom(0.5)
    view.go_to_page(1)
    view.set_presenting(True)
    settle(qtbot, view, turns)
    image = view.viewport().grab().toImage()
    assert image.pixelColor(2, 2).rgb() & 0xFFFFFF == 0
    assert image.pixelColor(2, image.height() // 2 + 30).rgb() & 0xFFFFFF == BLUE
    assert view.page == 1
    view.scroll_screens(1)
    assert view.page == 2
    view.set_presenting(False)
    assert (view.mode, view.fit, view.zoom, view.page) == (Mode.CONTINUOUS, Fit.FREE, 0.5, 2)


def test_a_place_can_be_come_back_to(qtbot: QtBot, show: Callable[..., PageView], turns: Turns) -> None:
    view = show()
    view.turn(1)
    view.set_zoom(0.7)
    view.go_to_page(3)
    place = view.place
    assert place is not None
    other = CornerDocument((PageSize(*A4),) * 5, BLUE, turns)
    view.set_document(other, place=place)
    assert (view.page, view.zoom, view.turns, view.fit) == (3, 0.7, 1, Fit.FREE)
    assert view.place == place
    third = CornerDocument((PageSize(*A4),), BLUE, turns)
    view.set_document(third)
    assert view.turns == 0
    view.set_document(other, place=Place(Anchor(9, 0.5, 0.5)))
    assert view.page == 4


def test_at_night_other_pixels_are_asked_for(qtbot: QtBot, turns: Turns) -> None:
    view = PageView(time.perf_counter)
    qtbot.addWidget(view)
    view.resize(800, 600)
    with qtbot.waitExposed(view):
        view.show()
    view.set_document(FakeDocument((PageSize(*A4),), 0x112233, turns))
    settle(qtbot, view, turns)
    assert color_at(view, 0, 0.5, 0.2) == 0x112233
    view.set_night(True)
    assert color_at(view, 0, 0.5, 0.2) == 0x1E1F22, "no day pixels at night, not even for a moment"
    settle(qtbot, view, turns)
    assert color_at(view, 0, 0.5, 0.2) == 0xEEDDCC
    view.set_document(None)


def test_motion_glides_to_the_same_place(qtbot: QtBot, show: Callable[..., PageView], turns: Turns) -> None:
    view = show()
    bar = view.verticalScrollBar()
    view.set_motion(True)
    view.scroll_screens(1)
    view.scroll_screens(1)
    qtbot.waitUntil(lambda: bar.value() == 2 * bar.pageStep())
    view.scroll_screens(1)
    view.go_to_page(0)
    qtbot.wait(20)
    assert view.page == 0
    view.set_motion(False)
