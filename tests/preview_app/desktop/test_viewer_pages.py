"""The view of pages: zoom, place, pixels asked for, what is painted meanwhile."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from preview_app.desktop.page_layout import Fit, Mode
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX, PagePixels, Picture
from preview_app.desktop.page_plan import Piece
from preview_app.desktop.page_view import PageView
from preview_app.raster.api import Box, Lane, PageSize, Pixels, RasterError
from tests.preview_app.desktop.viewer_fakes import A4, FakeDocument, Turns

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # what offscreen says of real windows

Made = tuple[PageView, FakeDocument, Turns]
INK = 0x334455


def document(turns: Turns, sizes: Sequence[tuple[float, float]], color: int = INK) -> FakeDocument:
    return FakeDocument(tuple(PageSize(*size) for size in sizes), color, turns)


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Callable[..., Made]]:
    """Makes a view of a document whose pixels come when the test lets them."""
    views: list[PageView] = []

    def made(sizes: Sequence[tuple[float, float]] = (A4,) * 10, pixel_bytes_max: int = PIXEL_BYTES_MAX) -> Made:
        turns = Turns()
        view = PageView(time.perf_counter, pixel_bytes_max=pixel_bytes_max)
        views.append(view)
        view.resize(800, 600)
        with qtbot.waitExposed(view):
            view.show()
        shown = document(turns, sizes)
        view.set_document(shown)
        return view, shown, turns

    yield made
    for view in views:
        view.set_document(None)
        view.close()
        view.deleteLater()


def middle(view: PageView) -> int:
    """The colour in the middle of what is painted."""
    return view.viewport().grab().toImage().pixelColor(view.viewport().rect().center()).rgb() & 0xFFFFFF


def settle(qtbot: QtBot, view: PageView, turns: Turns) -> None:
    """Let all pixels come."""

    def nothing_pending() -> bool:
        turns.run()
        return not view._replan.isActive() and not turns.waiting

    qtbot.waitUntil(nothing_pending)


def test_blank_pages_of_the_right_size_are_there_at_once(make: Callable[..., Made]) -> None:
    view, _, _ = make()
    view._drop_former()
    assert middle(view) == 0xFFFFFF
    assert view.page == 0
    assert view.verticalScrollBar().maximum() > 0


def test_a_page_that_is_wider_than_the_view_starts_at_its_left_edge(make: Callable[..., Made]) -> None:
    view, _, _ = make([(6000, 400), (6000, 400)])
    bar = view.horizontalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == 0
    bar.setValue(bar.maximum())
    view.set_mode(Mode.SINGLE)
    view.go_to_page(1)
    assert (view.page, bar.value()) == (1, 0)
    view.set_document(document(Turns(), [(200, 400), (6000, 400)]))
    assert bar.value() == pytest.approx(bar.maximum() / 2, abs=1), "one that goes in stands in the middle"


def test_the_first_pixels_are_told_once(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, turns = make()
    told: list[float] = []
    view.first_painted.connect(told.append)
    view.viewport().grab()
    assert told == []
    turns.run()
    assert middle(view) == INK
    view.viewport().grab()
    assert len(told) == 1


def test_visible_pages_are_asked_for_first(make: Callable[..., Made]) -> None:
    _, shown, _ = make()
    lanes = [lane for _, _, lane, _ in shown.asked]
    assert lanes == sorted(lanes)
    assert shown.asked[0][0] == 0
    assert lanes[0] is Lane.CRITICAL
    assert Lane.HIGH in lanes


def test_pages_that_were_scrolled_past_are_given_up(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, turns = make([A4] * 100)
    first = list(shown.tasks)
    view.go_to_page(60)
    qtbot.waitUntil(lambda: not view._replan.isActive())
    assert all(task.cancelled for task in first)
    turns.run()
    assert middle(view) == INK
    assert view.page == 60


def test_nothing_is_asked_for_ahead_while_another_document_opens(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, _ = make()
    view.set_only_visible(True)
    live = [lane for task, (_, _, lane, _) in zip(shown.tasks, shown.asked, strict=True) if not task.cancelled]
    assert set(live) == {Lane.CRITICAL}
    view.set_only_visible(False)
    assert shown.asked[-1][2] > Lane.CRITICAL
    assert not shown.tasks[-1].cancelled


def test_a_page_that_comes_into_view_becomes_urgent(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, _ = make()
    ahead = [(task, page) for task, (page, _, lane, _) in zip(shown.tasks, shown.asked, strict=True) if lane > 0]
    task, page = ahead[0]
    view.go_to_page(page)
    qtbot.waitUntil(lambda: task.lane is Lane.CRITICAL)
    assert not task.cancelled


@pytest.mark.parametrize("zoom", [0.5, 1.3, 3.0, 6.0])
def test_a_zoom_keeps_what_is_under_the_mouse(make: Callable[..., Made], zoom: float) -> None:
    view, _, _ = make()
    view.set_zoom(1.0)
    view.go_to_page(4)
    mouse = QPointF(321, 234)
    before = view.anchor_at(mouse)
    view.set_zoom(zoom, mouse)
    after = view.anchor_at(mouse)
    assert before is not None
    assert after is not None
    assert after.page == before.page
    height = 842 * view._scale()
    assert abs(after.y - before.y) * height <= 1.5
    if zoom > 1.0:
        assert abs(after.x - before.x) * 595 * view._scale() <= 1.5


def test_the_wheel_with_control_zooms_at_the_mouse(make: Callable[..., Made]) -> None:
    view, _, _ = make()
    view.set_zoom(1.0)
    where = QPointF(400, 300)
    event = QWheelEvent(
        where,
        QPointF(view.viewport().mapToGlobal(where.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)
    assert view.zoom == pytest.approx(1.2)
    assert view.fit is Fit.FREE


def test_the_old_pixels_stay_until_those_of_the_new_zoom_come(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, turns = make()
    turns.run()
    asked = len(shown.asked)
    view.set_zoom(1.7)
    assert middle(view) == INK, "a white flash between two zooms"
    qtbot.waitUntil(lambda: len(shown.asked) > asked)
    assert middle(view) == INK
    turns.run()
    assert middle(view) == INK
    assert view.pixels is not None
    assert view.pixels.get(Piece(0, view._scale())) is not None


def test_the_former_document_stays_until_the_first_pixels_of_the_next(make: Callable[..., Made]) -> None:
    view, _, turns = make()
    turns.run()
    other = document(turns, [A4], color=0x778899)
    view.set_document(other)
    assert middle(view) == INK, "a white flash between two documents"
    turns.run()
    assert middle(view) == 0x778899


def test_the_hold_of_the_former_document_ends(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, turns = make()
    turns.run()
    view.set_document(document(turns, [A4]))
    qtbot.waitUntil(lambda: middle(view) == 0xFFFFFF)


def test_fit_width_and_fit_page_follow_the_window(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, _ = make()
    view.set_fit(Fit.WIDTH)
    assert view.horizontalScrollBar().maximum() == 0
    narrow = view.zoom
    view.resize(1000, 600)
    qtbot.waitUntil(lambda: view.zoom > narrow)
    view.set_fit(Fit.PAGE)
    assert view._layout is not None
    assert view._layout.boxes[0].height <= view._view_size()[1]


def test_a_resize_keeps_the_place(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, _ = make()
    view.set_fit(Fit.WIDTH)
    view.go_to_page(5)
    view.resize(500, 600)
    qtbot.waitUntil(lambda: view.viewport().width() < 500)
    assert view.page == 5


@pytest.mark.parametrize("mode", [Mode.CONTINUOUS, Mode.SINGLE])
def test_a_side_pane_leaves_the_left_edge_of_a_wide_page_in_sight(make: Callable[..., Made], mode: Mode) -> None:
    view, _, _ = make([(2400, 900), (500, 400)])
    view.set_zoom(1.0)
    view.set_mode(mode)
    view.go_to_start()
    view.horizontalScrollBar().setValue(0)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 200)
    edge = view.rectangle_of(0, Box(0, 0, 10, 10)).topLeft()
    for width in (500, 1100, 800):
        view.resize(width, 600)
        assert view.rectangle_of(0, Box(0, 0, 10, 10)).topLeft() == edge


def test_a_page_that_fitted_keeps_its_left_edge_when_it_fits_no_longer(make: Callable[..., Made]) -> None:
    view, _, _ = make([(500, 900)])
    view.set_zoom(1.0)
    view.resize(900, 600)
    assert view.rectangle_of(0, Box(0, 0, 10, 10)).x() > 12
    view.resize(400, 600)
    assert view.rectangle_of(0, Box(0, 0, 10, 10)).x() == 12


def test_what_was_scrolled_to_stays_at_the_left(make: Callable[..., Made]) -> None:
    view, _, _ = make([(2400, 900)])
    view.set_zoom(1.0)
    view.horizontalScrollBar().setValue(700)
    view.resize(500, 600)
    assert view.horizontalScrollBar().value() == 700


def test_a_large_page_is_painted_from_tiles(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, turns = make([(3000, 3000)])
    view.set_zoom(4.0)
    settle(qtbot, view, turns)
    tiles = [clip for _, _, _, clip in shown.asked if clip is not None]
    assert 0 < len(tiles) < 20
    image = view.viewport().grab().toImage()
    colors = {image.pixelColor(x, y).rgb() & 0xFFFFFF for x in range(7, 760, 7) for y in range(7, 560, 7)}
    assert colors == {INK}


def test_kept_pixels_have_a_bound(make: Callable[..., Made], qtbot: QtBot) -> None:
    bound = 12 * 1024 * 1024
    view, _, turns = make([A4] * 60, pixel_bytes_max=bound)
    for page in range(0, 60, 3):
        view.go_to_page(page)
        settle(qtbot, view, turns)
    assert view.pixels is not None
    one_view = 5 * 4 * (595 * 2) * (842 * 2)
    assert view.pixels.byte_count <= bound + one_view
    assert view.pixels.byte_count == sum(picture.byte_count for picture in view.pixels._pictures.values())


def test_a_page_that_cannot_be_drawn_is_not_asked_for_again_and_again(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, turns = make()
    shown.errors[0] = RasterError("corrupt", "This page is damaged.")
    settle(qtbot, view, turns)
    asked = [page for page, *_ in shown.asked].count(0)
    view.go_to_end()
    settle(qtbot, view, turns)
    view.go_to_start()
    settle(qtbot, view, turns)
    assert [page for page, *_ in shown.asked].count(0) == asked
    shown.errors.clear()
    view.retry_pages()
    settle(qtbot, view, turns)
    assert middle(view) == INK


def test_a_worker_that_dies_over_a_page_gets_a_second_chance(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, shown, turns = make()
    shown.errors[0] = RasterError("crashed", "The worker died.")
    turns.waiting.pop(0)()
    shown.errors.clear()
    settle(qtbot, view, turns)
    assert middle(view) == INK


def test_what_fails_in_passing_is_asked_for_again_by_itself(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, turns = make()
    shown = document(turns, [A4, A4])
    shown.errors[0] = RasterError("crashed", "The page renderer cannot be started.", passing=True)
    shown.errors[1] = RasterError("corrupt", "This page is damaged.")
    view.set_document(shown)
    settle(qtbot, view, turns)
    assert middle(view) != INK
    damaged = [page for page, *_ in shown.asked].count(1)
    shown.errors.clear()
    assert view._again.isActive()
    view._again.start(0)
    qtbot.waitUntil(lambda: not view._again.isActive())
    settle(qtbot, view, turns)
    assert middle(view) == INK
    assert [page for page, *_ in shown.asked].count(1) == damaged


def test_nothing_is_tried_again_for_a_document_that_is_gone(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, turns = make()
    shown = document(turns, [A4])
    shown.errors[0] = RasterError("crashed", "The page renderer cannot be started.", passing=True)
    view.set_document(shown)
    settle(qtbot, view, turns)
    assert view._again.isActive()
    view.set_document(None)
    assert not view._again.isActive()


def test_a_document_without_pages_is_an_empty_view(make: Callable[..., Made]) -> None:
    view, _, _ = make([])
    view.go_to_page(3)
    view.zoom_in()
    view.scroll_screens(1)
    assert view.page == -1
    assert view.anchor_at(QPointF(1, 1)) is None


@pytest.mark.parametrize(("width", "stride"), [(1, 4), (3, 16), (7, 32), (101, 512)])
def test_odd_widths_keep_their_rows(width: int, stride: int) -> None:
    rows = [bytes((row, 2 * row, 3 * row, 255)) * width for row in range(5)]
    data = b"".join(row.ljust(stride, b"\xee") for row in rows)
    image = Picture.of(Pixels(0, 1.0, width, 5, stride, memoryview(data))).image
    for row in range(5):
        assert image.pixelColor(width - 1, row) == QColor(3 * row, 2 * row, row)


def test_an_image_lives_as_long_as_its_picture() -> None:
    def picture() -> Picture:
        return Picture.of(Pixels(0, 1.0, 64, 64, 256, memoryview(bytes([9, 8, 7, 255]) * 64 * 64)))

    kept = picture()
    gc.collect()
    noise = [bytes([index]) * 64 * 256 for index in range(64)]
    assert kept.image.pixelColor(63, 63) == QColor(7, 8, 9)
    assert len(noise) == 64


def test_a_rasterizer_may_answer_within_the_call() -> None:
    arrived: list[int] = []
    shown = document(Turns(), [A4])
    shown.soon = lambda call: call()
    pixels = PagePixels(shown, arrived.append)
    from preview_app.desktop.page_layout import PageLayout

    pixels.want([(Piece(0, 1.0), Lane.CRITICAL)], PageLayout(shown.pages, 1.0, 10, 800))
    assert arrived == [0]
    assert repr(pixels).endswith("pending=0>")


def test_void_calls_into_qt_keep_the_count_of_references(qtbot: QtBot) -> None:
    # PySide6 6.12 on Python 3.11 drops a reference to None with every void call, until the process dies.
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(60_000):
        widget.update()
    assert abs(sys.getrefcount(None) - before) < 100


def test_pixels_are_painted_one_to_one(make: Callable[..., Made], qtbot: QtBot) -> None:
    view, _, turns = make([(200, 200)])
    view.set_zoom(1.0)
    settle(qtbot, view, turns)
    assert view._layout is not None
    box = view._layout.boxes[0]
    size = box.width
    pattern = bytearray()
    for row in range(size):
        for column in range(size):
            pattern += bytes(((row * 7) % 256, (column * 5) % 256, (row ^ column) % 256, 255))
    piece = Piece(0, view._layout.scale)
    assert view.pixels is not None
    view.pixels._pictures[piece] = Picture.of(Pixels(0, piece.scale, size, size, size * 4, memoryview(pattern)))
    image = view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    left, top = view._offset()
    for row in range(0, size, 3):
        for column in range(0, size, 3):
            expected = QColor((row ^ column) % 256, (column * 5) % 256, (row * 7) % 256)
            assert image.pixelColor(box.x - left + column, box.y - top + row) == expected
