"""What a screen reader gets of the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton, QTabBar, QToolBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from preview_app.config import Config
from preview_app.desktop import accessible_pages
from preview_app.desktop.settings_dialog import SettingsDialog
from preview_app.preview_states import Converted
from tests.preview_app.desktop.conftest import Bench, appear, finish
from tests.preview_app.desktop.viewer_fakes import A4, fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

_KINDS = (QPushButton, QToolButton)
TEXTS = ("First line\nsecond\n\nthird", "Page two")


@pytest.fixture
def spoken(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window that shows two pages with text, to somebody who listens."""
    accessible_pages.install()
    made = Bench(qtbot, tmp_path)
    made.conversions.pdfs["1.docx"] = Converted(fake_pdf(0x808080, [A4] * 2, TEXTS), "LibreOffice 1", 0.1)
    made.show()
    text = made.window.viewer.reading.text
    assert text is not None
    qtbot.waitUntil(lambda: text.has(0))
    yield made
    finish(made)


def test_the_text_of_the_page_is_read(spoken: Bench) -> None:
    pages = QAccessible.queryAccessibleInterface(spoken.pages)
    assert pages.role() == QAccessible.Role.Document
    assert pages.text(QAccessible.Text.Name) == "Pages"
    assert pages.text(QAccessible.Text.Description) == "Page 1 of 2"
    assert pages.text(QAccessible.Text.Value) == "First line\nsecond\nthird"
    text = pages.textInterface()
    assert text.characterCount() == len("First line\nsecond\nthird")
    assert text.text(11, 17) == "second"
    assert text.selectionCount() == 0


def test_the_selection_is_told_and_set(spoken: Bench) -> None:
    text = QAccessible.queryAccessibleInterface(spoken.pages).textInterface()
    text.setSelection(0, 6, 14)
    assert text.selectionCount() == 1
    assert text.selection(0) == (6, 14)  # type: ignore[attr-defined] # Qt's declaration lacks it
    assert text.cursorPosition() == 14
    spoken.window.actions_by_name["copy"].trigger()
    assert spoken.window.status.currentMessage() == "Copied."
    text.removeSelection(0)
    assert text.selectionCount() == 0
    text.setCursorPosition(11)
    assert text.cursorPosition() == 11


def test_characters_have_places_on_the_screen(spoken: Bench) -> None:
    text = QAccessible.queryAccessibleInterface(spoken.pages).textInterface()
    for offset in (0, 6, 13):
        place = text.characterRect(offset)
        assert place.width() > 3
        assert text.offsetAtPoint(place.center()) in (offset, offset + 1)
    text.scrollToSubstring(11, 12)


def test_another_page_is_another_text(spoken: Bench) -> None:
    pages = QAccessible.queryAccessibleInterface(spoken.pages)
    spoken.pages.go_to_page(1)
    text = spoken.window.viewer.reading.text
    assert text is not None
    spoken.qtbot.waitUntil(lambda: text.has(1))
    assert pages.text(QAccessible.Text.Value) == "Page two"
    assert pages.text(QAccessible.Text.Description) == "Page 2 of 2"
    spoken.window.preview.open(spoken.paths[1])
    spoken.settle()
    assert pages.text(QAccessible.Text.Value) == ""
    assert pages.textInterface().characterRect(0).isNull()


def test_every_button_of_every_pane_has_a_name(bench: Bench) -> None:
    bench.show()
    for name in ("toggle_navigation", "toggle_details", "find"):
        bench.window.actions_by_name[name].trigger()
    buttons = [button for button in bench.window.findChildren(QAbstractButton) if button.isVisible()]
    # Qt's own buttons inside of fields, bars and tabs have names of Qt's.
    ours = [b for b in buttons if not isinstance(b.parent(), QLineEdit | QToolBar | QTabBar) and type(b) in _KINDS]
    nameless = [button for button in ours if not (button.text() or button.accessibleName())]
    assert nameless == []


def test_the_keyboard_reaches_every_pane(bench: Bench) -> None:
    bench.show()
    for name in ("toggle_navigation", "toggle_details"):
        bench.window.actions_by_name[name].trigger()
    window, seen = bench.window, set[QWidget]()
    bench.qtbot.waitUntil(lambda: window.details.width() > 50)
    window.browser.filter.setFocus()
    for _ in range(60):
        focused = window.focusWidget()
        assert focused is not None
        seen.add(focused)
        window.focusNextChild()
    reached = {window.browser.list, window.navigation.thumbnails, bench.pages, window.details.copy_button}
    assert reached <= seen


def test_whatever_takes_the_keyboard_in_the_settings_has_a_name(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Config())
    qtbot.addWidget(dialog)
    appear(qtbot, dialog)
    seen = set[QWidget]()
    for tab in range(dialog.tabs.count()):
        dialog.tabs.setCurrentIndex(tab)
        for _ in range(20):
            focused = dialog.focusWidget()
            assert focused is not None
            seen.add(focused)
            dialog.focusNextChild()
    names = {widget: QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name) for widget in seen}
    assert len(names) > 20
    assert [widget for widget, name in names.items() if not name and widget is not dialog.tabs.tabBar()] == []
