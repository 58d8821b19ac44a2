"""The window: first page, switching, keys from both panes, reload, errors, shutdown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from engines.base import FontReplacement
from engines.notices import Notice
from preview_app.desktop.actions import COMMANDS, key_rows
from preview_app.desktop.folder import Sort
from preview_app.desktop.theme import Theme
from preview_app.preview_states import Converted, EngineOffer, Failed, Failure, Opening, Showing
from preview_app.raster.api import Lane
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # what offscreen says of real windows

Key = Qt.Key
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def test_a_folder_opens_with_its_first_document(bench: Bench) -> None:
    bench.show()
    window = bench.window
    assert window.preview.path == bench.paths[0]
    assert window.browser.selected() == bench.paths[0]
    assert bench.color() == bench.colors["1.docx"]
    assert window.windowTitle() == "1.docx – docpeek"
    assert window.status.engine.text() == "LibreOffice 1"
    assert window.status.page.text == "1 of 4"
    assert window.status.time.text() == "converted in 0.25 s"


def test_a_file_opens_in_the_list_of_its_folder(bench: Bench) -> None:
    bench.show(bench.paths[2])
    assert bench.window.browser.documents == tuple(bench.paths)
    assert bench.window.browser.selected() == bench.paths[2]


def test_the_keyboard_goes_to_the_list_of_a_folder_and_to_the_pages_of_a_file(bench: Bench) -> None:
    bench.show()
    assert bench.window.browser.list.hasFocus()
    bench.window.open_paths([bench.paths[1]])
    bench.qtbot.waitUntil(bench.pages.hasFocus)


def test_several_files_are_the_list(bench: Bench) -> None:
    bench.show(bench.paths[3], bench.paths[1])
    assert bench.window.browser.documents == (bench.paths[3], bench.paths[1])
    assert bench.window.preview.path == bench.paths[3]


def test_the_first_painted_page_is_told_with_its_time(bench: Bench) -> None:
    bench.appear()
    with bench.qtbot.waitSignal(bench.window.first_page_painted) as told:
        bench.window.open_paths([bench.folder])
    path, seconds = told.args
    assert path == bench.paths[0]
    assert seconds > 0


@pytest.mark.parametrize("pane", ["list", "pages", "window"])
@pytest.mark.parametrize(
    ("key", "modifier", "expected"),
    [(Key.Key_Right, NONE, 1), (Key.Key_PageDown, CTRL, 1), (Key.Key_Left, NONE, 0), (Key.Key_PageUp, CTRL, 0)],
)
def test_files_change_by_key_wherever_the_focus_is(
    bench: Bench, pane: str, key: Qt.Key, modifier: Qt.KeyboardModifier, expected: int
) -> None:
    bench.show()
    start = 0 if expected else 1
    bench.window.open_paths([bench.paths[start]])
    bench.settle()
    widget: QWidget = {"list": bench.window.browser.list, "pages": bench.pages, "window": bench.window}[pane]
    widget.setFocus()
    bench.press(key, modifier)
    assert bench.window.preview.path == bench.paths[expected]
    assert bench.window.browser.selected() == bench.paths[expected]


@pytest.mark.parametrize("pane", ["list", "pages"])
def test_screens_change_by_key_wherever_the_focus_is(bench: Bench, pane: str) -> None:
    bench.show()
    bar = bench.pages.verticalScrollBar()
    (bench.window.browser.list if pane == "list" else bench.pages).setFocus()

    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> int:
        bench.press(key, modifier)
        return bar.value()

    first = press(Key.Key_PageDown)
    assert first > 0
    assert press(Key.Key_Space) == 2 * first
    assert press(Key.Key_Space, Qt.KeyboardModifier.ShiftModifier) == first
    assert press(Key.Key_PageUp) == 0
    assert press(Key.Key_End) == bar.maximum()
    assert press(Key.Key_Home) == 0
    assert bench.window.preview.path == bench.paths[0]


def test_what_the_filter_hides_is_selected_again_without_it(bench: Bench) -> None:
    bench.show(bench.paths[1])
    browser = bench.window.browser
    browser.filter.setText("3")
    assert browser.selected() is None
    browser.filter.setText("31")
    browser.filter.clear()
    assert browser.selected() == bench.paths[1]
    assert bench.window.preview.path == bench.paths[1]


def test_text_keys_stay_with_the_filter(bench: Bench) -> None:
    bench.show()
    window = bench.window
    window.actions_by_name["filter"].trigger()
    assert window.browser.filter.hasFocus()
    QTest.keyClicks(window.browser.filter, "3 x")
    QTest.keyClick(window.browser.filter, Key.Key_Left)
    assert window.browser.filter.text() == "3 x"
    assert window.preview.path == bench.paths[0]


def test_the_filter_narrows_the_list_and_the_walk(bench: Bench) -> None:
    bench.show()
    window = bench.window
    window.browser.filter.setText("3")
    assert window.browser.documents == (bench.paths[2],)
    window.actions_by_name["next_file"].trigger()
    assert window.preview.path == bench.paths[2]
    window.browser.filter.setText("no such name")
    assert not window.browser.documents
    assert "No name here matches" in window.browser._message.text()
    window.actions_by_name["escape"].trigger()
    window.actions_by_name["escape"].trigger()
    assert window.browser.documents == tuple(bench.paths)


def test_two_hundred_fast_switches_end_on_the_right_page(bench: Bench) -> None:
    bench.show()
    painted = [bench.colors["1.docx"]]
    window, opened = bench.window, [0]
    for number in range(1, 201):
        index = number * 3 % len(bench.paths)
        window._choose(bench.paths[index])
        opened.append(index)
        if number % 7 == 0:
            bench.qtbot.wait(0)
            painted.append(bench.color())
    bench.settle()
    last = bench.paths[opened[-1]]
    bench.qtbot.waitUntil(lambda: bench.color() == bench.colors[last.name])
    assert window.preview.path == last
    assert window.browser.selected() == last
    assert set(painted) <= set(bench.colors.values())
    assert bench.rasterizer.open_documents == 1
    document = window.preview.state
    assert isinstance(document, Showing)
    assert document.document is bench.pages.document


def test_pixels_of_a_document_that_was_left_are_never_painted(bench: Bench) -> None:
    bench.show()
    window = bench.window
    first = bench.rasterizer.documents[-1]
    window.actions_by_name["next_file"].trigger()
    bench.qtbot.waitUntil(lambda: bench.color() == bench.colors["2.docx"])
    # The former document answers in spite of everything.
    first.closed = False
    for task in first.tasks:
        task.cancelled = False
    bench.qtbot.wait(1)
    assert bench.color() == bench.colors["2.docx"]
    first.closed = True


def test_a_click_in_the_list_opens(bench: Bench) -> None:
    bench.show()
    view = bench.window.browser.list
    spot = view.visualRect(view.model().index(3, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert bench.window.preview.path == bench.paths[3]


def test_a_folder_in_the_list_is_entered_and_left(bench: Bench) -> None:
    inner = bench.folder / "inner"
    inner.mkdir()
    (inner / "3.docx").write_bytes(b"x")
    bench.show()
    browser = bench.window.browser
    browser.select(inner)
    QTest.keyClick(browser.list, Key.Key_Return)
    assert browser.folder == inner
    bench.window.actions_by_name["folder_above"].trigger()
    assert browser.folder == bench.folder
    assert browser.selected() == inner


def test_a_change_on_disk_reloads_and_keeps_page_and_zoom(bench: Bench) -> None:
    bench.show()
    pages = bench.pages
    pages.set_zoom(0.8)
    pages.go_to_page(2)
    bench.qtbot.waitUntil(lambda: pages.page == 2)
    place = pages.verticalScrollBar().value()
    bench.conversions.pdfs["1.docx"] = Converted(fake_pdf(0xABCDEF, [(595, 842)] * 4), "LibreOffice 1", 0.1)
    replacement = bench.folder / "new.tmp"
    replacement.write_bytes(b"second version, in one step")
    with bench.qtbot.waitSignal(bench.window.first_page_painted):
        os.replace(replacement, bench.paths[0])
    assert bench.color() == 0xABCDEF
    assert (pages.page, pages.verticalScrollBar().value(), pages.zoom) == (2, place, 0.8)
    # The watch survives the replacement of the file.
    bench.conversions.pdfs["1.docx"] = Converted(fake_pdf(0x123456, [(595, 842)] * 4), "LibreOffice 1", 0.1)
    with bench.qtbot.waitSignal(bench.window.first_page_painted):
        bench.paths[0].write_bytes(b"third version")
    assert bench.color() == 0x123456


def test_a_deleted_file_stays_in_view_with_a_notice(bench: Bench) -> None:
    bench.show()
    bench.paths[0].unlink()
    bench.qtbot.waitUntil(lambda: "moved or deleted" in bench.window.viewer.notices.text)
    assert bench.color() == bench.colors["1.docx"]
    bench.qtbot.waitUntil(lambda: bench.paths[0] not in bench.window.browser.documents)


def test_a_new_file_appears_in_the_list(bench: Bench) -> None:
    bench.show()
    new = bench.folder / "9.docx"
    new.write_bytes(b"x")
    bench.qtbot.waitUntil(lambda: new in bench.window.browser.documents)
    assert bench.window.browser.selected() == bench.paths[0]
    assert bench.window.preview.path == bench.paths[0]


@pytest.fixture
def gated(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window whose conversions answer when the test says so."""
    made = Bench(qtbot, tmp_path, answers=False)
    yield made
    finish(made)


def test_a_failure_is_told_in_place_with_what_to_do(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    bench.conversions.requests[0].fail(Failure("engine", "The engine failed.", "trap at 0x1234"))
    error = bench.window.viewer.error
    assert bench.window.viewer.stack.currentWidget() is error
    assert "1.docx" in error.title.text()
    assert error.text.text() == "The engine failed."
    QTest.mouseClick(error.details_button, Qt.MouseButton.LeftButton)
    assert error._details.isVisible()
    QTest.mouseClick(error.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert "outcome: engine" in copied
    assert "trap at 0x1234" in copied
    error.retry_button.setFocus()
    bench.press(Key.Key_Space)
    assert len(bench.conversions.live(Lane.CRITICAL)) == 2


def test_what_no_retry_can_mend_offers_none(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    bench.conversions.requests[0].fail(Failure("unsupported", "This is not a document."))
    assert not bench.window.viewer.error.retry_button.isVisible()
    assert not bench.window.viewer.error.details_button.isVisible()


def test_a_slow_opening_is_told_over_the_last_view_and_can_be_cancelled(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    with bench.qtbot.waitSignal(bench.window.first_page_painted):
        bench.conversions.requests[0].succeed(Converted(fake_pdf(0x224466), "LibreOffice 1", 0.1))
    opening = bench.window.viewer.opening
    with bench.qtbot.waitSignal(opening.appeared):
        bench.window.actions_by_name["next_file"].trigger()
    request = bench.conversions.requests[-1]
    request.enter("converting")
    assert opening.isVisible()
    assert "2.docx" in opening.text
    assert "converting" in opening.text
    assert not opening.wait_button.isVisible()
    request.slow()
    assert "still converting" in opening.text
    QTest.mouseClick(opening.wait_button, Qt.MouseButton.LeftButton)
    assert request.extended
    assert not opening.wait_button.isVisible()
    bench.window.actions_by_name["escape"].trigger()
    assert request.cancelled
    assert not opening.isVisible()
    assert bench.window.preview.path == bench.paths[0]
    assert bench.window.browser.selected() == bench.paths[0]
    assert bench.window.windowTitle() == "1.docx – docpeek"
    assert bench.color() == 0x224466


def test_a_change_behind_an_opening_that_is_given_up_is_noticed(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    with bench.qtbot.waitSignal(bench.window.first_page_painted):
        bench.conversions.requests[0].succeed(Converted(fake_pdf(0x224466), "LibreOffice 1", 0.1))
    for _ in range(2):
        bench.window.actions_by_name["next_file"].trigger()
    bench.paths[0].write_bytes(b"saved anew while another document was on its way")
    bench.window.actions_by_name["escape"].trigger()
    assert bench.window.preview.path == bench.paths[0]
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Opening))
    assert bench.conversions.requests[-1].path == bench.paths[0]


def test_a_first_opening_shows_a_skeleton_until_it_is_cancelled(gated: Bench) -> None:
    bench = gated
    bench.appear()
    with bench.qtbot.waitSignal(bench.window.viewer.opening.appeared):
        bench.window.open_paths([bench.paths[0]])
    assert bench.window.viewer.stack.currentWidget() is bench.pages
    cancel = next(button for button in bench.window.viewer.opening.findChildren(QPushButton) if button.isVisible())
    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert isinstance(bench.window.preview.state, Failed)
    assert "cancelled" in bench.window.viewer.error.text.text()


def test_notices_and_missing_fonts_are_told(bench: Bench) -> None:
    fonts = tuple(FontReplacement(f"Font {number}", "Carlito") for number in range(8))
    bench.conversions.pdfs["1.docx"] = Converted(
        fake_pdf(), "LibreOffice 1", 0.1, fonts, (Notice("This is a PDF named .docx."),)
    )
    bench.show()
    text = bench.window.viewer.notices.text
    assert text.startswith("This is a PDF named .docx.\n8 fonts are missing")
    assert text.endswith("and 2 more.")
    bench.window.actions_by_name["escape"].trigger()
    assert not bench.window.viewer.notices.isVisible()


def test_a_font_whose_stand_in_has_the_same_widths_is_counted_only(bench: Bench) -> None:
    bench.conversions.pdfs["1.docx"] = Converted(
        fake_pdf(), "LibreOffice 1", 0.1, (FontReplacement("Calibri", "Carlito"),)
    )
    bench.show()
    assert not bench.window.viewer.notices.isVisible()
    assert bench.window.status.fonts.text() == "1 font replaced"
    assert bench.window.status.fonts.toolTip() == "Calibri: shown in Carlito"


def test_a_path_that_is_not_there_is_an_error_in_words(bench: Bench) -> None:
    bench.appear()
    bench.window.open_paths([bench.folder / "nowhere.docx"])
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Failed))
    assert bench.window.viewer.error.text.text() == "There is no such file."


def test_a_folder_without_documents_says_so(bench: Bench) -> None:
    empty = bench.folder / "empty"
    empty.mkdir()
    bench.appear()
    bench.window.open_paths([empty])
    assert "no document in this folder" in bench.window.browser._message.text()


def test_the_list_can_be_hidden_and_full_screen_left_by_escape(bench: Bench) -> None:
    bench.show()
    window = bench.window
    window.actions_by_name["toggle_list"].trigger()
    assert not window.browser.isVisible()
    window.actions_by_name["full_screen"].trigger()
    assert window.isFullScreen()
    assert not window.menuBar().isVisible()
    window.actions_by_name["escape"].trigger()
    assert not window.isFullScreen()
    assert window.menuBar().isVisible()


def test_every_key_is_in_the_list_and_given_once(bench: Bench) -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert len(keys) == len(set(keys))
    assert len(key_rows()) >= sum(bool(command.keys) for command in COMMANDS)
    for action in bench.window.actions_by_name.values():
        assert all(not shortcut.isEmpty() for shortcut in action.shortcuts())


def test_what_takes_the_focus_has_a_name(bench: Bench) -> None:
    bench.show()
    takes = [
        widget
        for widget in bench.window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
    ]
    assert {bench.pages, bench.window.browser.list, bench.window.browser.filter} <= set(takes)
    unnamed = [widget for widget in takes if not widget.accessibleName() and not getattr(widget, "text", str)()]
    assert unnamed == []


def test_themes_change_all_colours(bench: Bench) -> None:
    bench.show()
    bench.window.set_theme(Theme.DARK)
    bench.qtbot.waitUntil(lambda: bench.window.palette().window().color().lightness() < 80)
    bench.window.set_theme(Theme.LIGHT)
    bench.qtbot.waitUntil(lambda: bench.window.palette().window().color().lightness() > 200)


def test_closing_gives_up_what_is_on_its_way(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.folder])
    assert isinstance(bench.window.preview.state, Opening)
    bench.window.close()
    assert all(request.cancelled for request in bench.conversions.requests)


def test_the_order_of_the_list_is_the_order_of_the_keys(bench: Bench) -> None:
    for index, path in enumerate(reversed(bench.paths)):
        os.utime(path, (1_000_000 - index, 1_000_000 - index))
    bench.show(bench.paths[0])
    bench.window.browser.set_sort(Sort.MODIFIED)
    assert bench.window.browser.documents == tuple(reversed(bench.paths))
    assert bench.window.browser.selected() == bench.paths[0]
    bench.window.actions_by_name["previous_file"].trigger()
    assert bench.window.preview.path == bench.paths[1]


def test_another_engine_can_be_tried_and_stays_for_the_document(gated: Bench) -> None:
    bench = gated
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    error = bench.window.viewer.error
    bench.conversions.requests[0].fail(Failure("engine", "The engine failed."))
    assert not error.other_button.isVisible()
    bench.window.preview.retry()
    other = EngineOffer("native", "LibreOffice 25")
    bench.conversions.requests[-1].fail(Failure("engine", "The engine failed.", others=(other,)))
    assert error.other_button.text() == "Retry with LibreOffice 25"
    QTest.mouseClick(error.other_button, Qt.MouseButton.LeftButton)
    assert bench.conversions.requests[-1].engine == "native"
    bench.conversions.requests[-1].succeed(Converted(fake_pdf(), "LibreOffice 25", 0.1))
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Showing))
    bench.window.preview.reload()
    assert bench.conversions.requests[-1].engine == "native"
    bench.window.preview.open(bench.paths[1])
    assert [r.engine for r in bench.conversions.requests if r.path == bench.paths[1]][-1] is None
