"""Ways into the window beside commands: dropped files, the filter and the list by keys, the right button."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from tests.preview_app.desktop.conftest import Bench

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

Key = Qt.Key
ANY_ACTION = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
NONE = Qt.KeyboardModifier.NoModifier


def test_files_can_be_dropped(bench: Bench) -> None:
    bench.appear()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(bench.paths[1]))])
    event = QDropEvent(QPoint(5, 5), ANY_ACTION, data, Qt.MouseButton.LeftButton, NONE)
    event.setDropAction(Qt.DropAction.MoveAction)
    bench.window.dropEvent(event)
    assert bench.window.preview.path == bench.paths[1]
    assert event.isAccepted()
    assert event.dropAction() is Qt.DropAction.CopyAction, "after a move the file would be deleted"


def test_what_is_dropped_on_a_field_is_for_the_window(bench: Bench) -> None:
    bench.show()
    window = bench.window
    assert window.acceptDrops()
    assert not any(field.acceptDrops() for field in window.findChildren(QLineEdit))


def test_what_lies_elsewhere_is_not_taken(bench: Bench) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a.docx")])
    event = QDragEnterEvent(QPoint(5, 5), ANY_ACTION, data, Qt.MouseButton.LeftButton, NONE)
    event.ignore()
    bench.window.dragEnterEvent(event)
    assert not event.isAccepted()


@pytest.mark.parametrize("key", [Key.Key_Down, Key.Key_Return])
@pytest.mark.parametrize("as_tree", [False, True])
def test_from_the_filter_the_keyboard_goes_on_to_what_was_found(bench: Bench, key: Key, as_tree: bool) -> None:
    bench.show(bench.paths[0])
    bench.window.set_tree(as_tree)
    bench.press(Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    bench.window.browser.filter.setText("4")
    bench.press(key)
    bench.settle()
    assert bench.window.preview.path == bench.paths[3]
    assert bench.window.browser.view.hasFocus()
    assert [row.data() for row in bench.window.browser.view.selectedIndexes()] == ["4.docx"]
    bench.press(Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    bench.window.browser.filter.setText("nothing has this")
    bench.press(key)
    assert bench.window.browser.filter.hasFocus()


def test_a_list_that_is_given_the_keyboard_selects_what_it_opens(bench: Bench) -> None:
    bench.appear()
    bench.window.viewer.setFocus()
    bench.window.browser.show_folder(bench.folder)
    view = bench.window.browser.view
    bench.window.browser.filter.setFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    bench.settle()
    assert bench.window.preview.path == bench.paths[0]
    assert [row.data() for row in view.selectedIndexes()] == ["1.docx"]


@pytest.mark.parametrize("as_tree", [False, True])
def test_the_menu_of_a_folder_is_about_the_folder(bench: Bench, as_tree: bool) -> None:
    folder = bench.folder / "a folder"
    folder.mkdir()
    bench.show(bench.paths[0])
    window = bench.window
    window.set_tree(as_tree)
    window.browser.refresh()
    window.browser.select(folder)
    actions = {action.text(): action for action in window._context_menus.for_list(QPoint()).actions()}
    assert "Open &with …" not in actions
    actions["Copy &path"].trigger()
    assert QGuiApplication.clipboard().text() == str(folder)
    actions["&Open this folder"].trigger()
    assert window.browser.folder == folder
    window.open_paths([bench.paths[1]])
    bench.settle()
    actions = {action.text(): action for action in window._context_menus.for_list(QPoint()).actions()}
    actions["Copy &path"].trigger()
    assert QGuiApplication.clipboard().text() == str(bench.paths[1])


def test_the_right_button_opens_a_menu_over_pages_and_list(bench: Bench) -> None:
    bench.show()
    for viewport, expected in (
        (bench.pages.viewport(), "Copy page as &image"),
        (bench.window.browser.view.viewport(), "Copy &path"),
    ):
        at = QPoint(20, 20)  # where the menu has room on a small screen
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, viewport.mapToGlobal(at))
        QApplication.sendEvent(viewport, event)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert expected in [action.text() for action in menu.actions()]
        assert menu.pos() == viewport.mapToGlobal(at)
        menu.close()
