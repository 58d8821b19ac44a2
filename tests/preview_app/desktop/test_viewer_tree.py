"""The tree of folders: read as far as it is opened, filtered below that, the same keys as in the list."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from preview_app.desktop import folder_tree
from preview_app.desktop.folder_tree import FolderTree
from tests.preview_app.desktop.conftest import Bench, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Key = Qt.Key


class Grove(Bench):
    """A window with a tree: a/ (a/deep/), b/ and two documents beside them."""

    def __init__(self, qtbot: QtBot, folder: Path, **services: object) -> None:
        super().__init__(qtbot, folder, count=2, **services)  # type: ignore[arg-type]
        self.a, self.deep, self.b = folder / "a", folder / "a" / "deep", folder / "b"
        self.inner = [self.a / "inner.docx", self.deep / "needle.docx", self.b / "other.docx"]
        for path in self.inner:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"words")
            self.conversions.pdfs[path.name] = self.conversions.pdfs["1.docx"]

    @property
    def tree(self) -> FolderTree:
        """The tree."""
        tree = self.window.browser.tree
        assert tree is not None
        return tree

    @property
    def names(self) -> list[str]:
        """The documents as seen."""
        return [path.name for path in self.window.browser.documents]

    def filter(self, text: str) -> None:
        """Type a filter and wait until nothing more is searched."""
        with self.qtbot.waitSignal(self.tree.searched):
            self.window.browser.filter.setText(text)


@pytest.fixture
def grove(qtbot: QtBot, tmp_path: Path) -> Iterator[Grove]:
    made = Grove(qtbot, tmp_path)
    made.show(made.paths[0])
    made.window.actions_by_name["tree"].trigger()
    yield made
    finish(made)


def test_a_folder_is_read_when_it_is_opened(grove: Grove) -> None:
    assert grove.names == ["1.docx", "2.docx"]
    assert grove.tree.selected() == grove.paths[0]
    grove.tree.toggle(grove.a)
    assert grove.names == ["inner.docx", "1.docx", "2.docx"]
    (grove.b / "later.docx").write_bytes(b"words")
    grove.tree.toggle(grove.b)
    assert grove.names == ["inner.docx", "later.docx", "other.docx", "1.docx", "2.docx"]
    grove.tree.toggle(grove.a)
    assert grove.names == ["later.docx", "other.docx", "1.docx", "2.docx"]


def test_left_and_right_go_through_what_is_open(grove: Grove) -> None:
    grove.tree.toggle(grove.a)
    grove.tree.setFocus()
    grove.press(Key.Key_Left)
    assert grove.window.preview.path == grove.inner[0]
    assert grove.tree.selected() == grove.inner[0]
    grove.press(Key.Key_Right)
    grove.press(Key.Key_Right)
    assert grove.window.preview.path == grove.paths[1]
    assert grove.tree.open_folders == (grove.a,), "they open and close no folder"


def test_the_keyboard_opens_and_closes_folders(grove: Grove) -> None:
    grove.tree.setFocus()
    grove.window.browser.select(grove.a)
    for key, opened in ((Key.Key_Return, True), (Key.Key_Return, False), (Key.Key_Plus, True), (Key.Key_Minus, False)):
        grove.press(key)
        assert grove.tree.open_folders == ((grove.a,) if opened else ())
    grove.press(Key.Key_Asterisk)
    assert grove.tree.open_folders == (), "it would read the whole disk"
    grove.press(Key.Key_Return)
    grove.press(Key.Key_Down)
    assert grove.tree.selected() == grove.deep
    assert grove.window.preview.path == grove.paths[0], "a folder is no document"
    grove.press(Key.Key_Down)
    assert grove.window.preview.path == grove.inner[0]


def test_the_filter_finds_what_nobody_opened(grove: Grove) -> None:
    grove.filter("NEEDLE")
    assert grove.names == ["needle.docx"]
    assert grove.tree.open_folders == (grove.a, grove.deep)
    grove.window.browser.filter.clear()
    assert grove.names == ["1.docx", "2.docx"], "what the filter opened is closed again"


def test_what_was_found_and_chosen_stays_in_sight(grove: Grove) -> None:
    grove.filter("needle")
    grove.window.browser.select(grove.inner[1])
    grove.window.browser.filter.clear()
    assert grove.tree.selected() == grove.inner[1]
    assert grove.names == ["needle.docx", "inner.docx", "1.docx", "2.docx"]


def test_what_is_shown_is_selected_again_when_the_filter_is_cleared(grove: Grove) -> None:
    for text in ("b", "needle", "no such name"):
        grove.filter(text)
        assert grove.tree.selected() is None
        QTest.keyClick(grove.window.browser.filter, Key.Key_Escape)
        assert grove.window.browser.filter.text() == ""
        assert grove.tree.selected() == grove.paths[0]
        assert grove.tree.open_folders == ()


def test_a_file_that_comes_back_is_selected_again(grove: Grove) -> None:
    shown = grove.paths[0]
    data = shown.read_bytes()
    shown.unlink()
    grove.qtbot.waitUntil(lambda: shown.name not in grove.names)
    shown.write_bytes(data)
    grove.qtbot.waitUntil(lambda: shown.name in grove.names)
    assert grove.tree.selected() == shown


def test_folders_that_match_are_shown_too(grove: Grove) -> None:
    grove.filter("dee")
    assert grove.tree.open_folders == (grove.a,)
    assert grove.names == []
    assert grove.window.browser._message.text() == ""


def test_a_filter_that_matches_nothing_says_so_once_all_is_searched(grove: Grove) -> None:
    grove.filter("no such name")
    assert "No name here matches" in grove.window.browser._message.text()
    grove.window.browser.filter.clear()
    assert grove.window.browser._message.text() == ""


def test_the_search_is_bounded_and_says_so(grove: Grove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_tree, "SEARCHED_FOLDERS_MAX", 1)
    grove.filter("other")
    assert grove.names == []
    assert "looked into the first" in grove.window.browser._message.text()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_links_in_a_circle_are_not_followed_by_the_search(grove: Grove) -> None:
    (grove.a / "circle").symlink_to(grove.folder, target_is_directory=True)
    grove.filter("needle")
    assert grove.names == ["needle.docx"]


def test_open_folders_and_the_selection_outlive_a_change_on_disk(grove: Grove) -> None:
    grove.tree.toggle(grove.a)
    grove.tree.toggle(grove.deep)
    grove.window.browser.select(grove.inner[1])
    (grove.deep / "new.docx").write_bytes(b"words")
    grove.qtbot.waitUntil(lambda: "new.docx" in grove.names)
    assert grove.tree.open_folders == (grove.a, grove.deep)
    assert grove.tree.selected() == grove.inner[1]


def test_a_file_below_is_shown_in_place(grove: Grove) -> None:
    grove.window.open_paths([grove.inner[1]])
    assert grove.window.browser.folder == grove.folder
    assert grove.tree.selected() == grove.inner[1]
    assert grove.tree.open_folders == (grove.a, grove.deep)


def test_the_list_comes_back_with_the_same_selection(grove: Grove) -> None:
    grove.tree.setFocus()
    grove.window.actions_by_name["tree"].trigger()
    assert grove.window.browser.view is grove.window.browser.list
    assert grove.window.browser.list.hasFocus()
    assert grove.window.browser.selected() == grove.paths[0]
    assert grove.names == ["1.docx", "2.docx"]
    assert not grove.window.actions_by_name["tree"].isChecked()


def test_a_double_click_opens_a_document(grove: Grove) -> None:
    grove.tree.toggle(grove.a)
    grove.window.browser.select(grove.inner[0])
    point = grove.tree.visualRect(grove.tree.currentIndex()).center()
    QTest.mouseClick(grove.tree.viewport(), Qt.MouseButton.LeftButton, pos=point)
    QTest.mouseDClick(grove.tree.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert grove.window.preview.path == grove.inner[0]


def test_files_that_were_named_are_a_flat_tree(grove: Grove) -> None:
    grove.window.open_paths([grove.paths[1], grove.inner[2]])
    assert grove.names == ["2.docx", "other.docx"]


def test_a_folder_that_cannot_be_read_is_empty(grove: Grove) -> None:
    grove.b.joinpath("other.docx").unlink()
    grove.b.rmdir()
    grove.tree.toggle(grove.b)
    assert grove.names == ["1.docx", "2.docx"]


def test_the_tree_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    first = Bench(qtbot, tmp_path / "documents", settings=settings)
    first.window.set_tree(True)
    finish(first)
    second = Bench(qtbot, tmp_path / "documents", settings=settings)
    assert second.window.browser.as_tree
    assert second.window.actions_by_name["tree"].isChecked()
    finish(second)
