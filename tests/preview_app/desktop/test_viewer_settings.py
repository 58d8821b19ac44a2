"""The settings: all of them, valid ones only, back to the defaults; docpeek's place on the desktop."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from preview_app.config import Config
from preview_app.desktop.desktop_entry_box import DesktopEntryBox
from preview_app.desktop.settings_dialog import SettingsDialog
from preview_app.desktop.settings_fields import all_fields
from preview_app.desktop_entry import DesktopEntry
from tests.preview_app.desktop.conftest import Bench, appear, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
OK, DEFAULTS = QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.RestoreDefaults
ODD = Config(
    engine="wasm", theme="dark", prefetch_neighbours=False, show_hidden_files=True, list_thumbnails=True,
    single_page_sheets=False, slots=3, background_slots=2, readers_max=40, waiting_jobs_max=9, deadline_s=30.5,
    soft_limit_s=2.5, source_bytes_max=1000, reserved_bytes_max=(5 << 20) + 7, pdf_bytes_max=1 << 30, pages_max=17,
    cached_pdfs_max=3, cached_bytes_max=3 << 20, kit_memory_bytes_max=3 << 30, kit_file_bytes_max=7 << 20,
    raster_workers=4, page_pixels_cache_bytes_max=9 << 20,
)  # fmt: skip


def dialog_of(qtbot: QtBot, config: Config, **how: object) -> SettingsDialog:
    dialog = SettingsDialog(config, **how)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    return dialog


def widget(dialog: QWidget, kind: type[QWidget], name: str) -> QWidget:
    found = dialog.findChild(kind, name)
    assert isinstance(found, kind)
    return found


def set_number(dialog: QWidget, name: str, value: float) -> None:
    box = dialog.findChild(QWidget, name)
    assert isinstance(box, QSpinBox | QDoubleSpinBox)
    box.setValue(value)  # type: ignore[arg-type]


def test_every_setting_is_there_once() -> None:
    assert sorted(field.name for field in all_fields()) == sorted(Config.__struct_fields__)


def test_what_is_not_touched_stays_as_it_is(qtbot: QtBot) -> None:
    assert dialog_of(qtbot, ODD).config == ODD, "also what is no whole number of MiB"
    assert dialog_of(qtbot, Config()).config == Config()


def test_settings_are_read_from_the_form(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config(deadline_s=30.0))
    theme, hidden = widget(dialog, QComboBox, "theme"), widget(dialog, QCheckBox, "show_hidden_files")
    assert isinstance(theme, QComboBox)
    assert isinstance(hidden, QCheckBox)
    theme.setCurrentIndex(2)
    hidden.setChecked(True)
    set_number(dialog, "slots", 3)
    set_number(dialog, "source_bytes_max", 100)
    set_number(dialog, "pages_max", 5)
    expected = Config(
        theme="dark", slots=3, show_hidden_files=True, source_bytes_max=100 << 20, deadline_s=30.0, pages_max=5
    )
    assert dialog.config == expected


def test_the_defaults_come_back(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, ODD)
    dialog.buttons.button(DEFAULTS).click()
    assert dialog.config == Config()


def test_the_default_comes_back_where_it_looks_the_same(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config(source_bytes_max=Config().source_bytes_max + 5))
    dialog.buttons.button(DEFAULTS).click()
    assert dialog.config == Config()


def test_what_cannot_be_is_said_and_not_kept(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config())
    assert dialog.buttons.button(OK).isEnabled()
    set_number(dialog, "source_bytes_max", 2000)
    assert "Largest file that is opened" in dialog.problem.text()
    assert not dialog.buttons.button(OK).isEnabled()
    with qtbot.assertNotEmitted(dialog.accepted):
        dialog.accept()
    set_number(dialog, "reserved_bytes_max", 2000)
    assert dialog.problem.isHidden()
    assert dialog.buttons.button(OK).isEnabled()


def test_numbers_stay_in_their_range(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config())
    set_number(dialog, "raster_workers", 100)
    set_number(dialog, "deadline_s", 100_000)
    assert (dialog.config.raster_workers, dialog.config.deadline_s) == (8, 600.0)


def test_a_program_is_one_that_can_be_run(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = dialog_of(qtbot, Config())
    edit = widget(dialog, QLineEdit, "native_program")
    assert isinstance(edit, QLineEdit)
    edit.setText(str(tmp_path / "nowhere"))
    assert "is no program" in dialog.problem.text()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (sys.executable, ""))
    (button,) = (each for each in dialog.findChildren(QPushButton) if each.text() == "…")
    button.click()
    assert dialog.config.native_program == sys.executable
    assert dialog.problem.isHidden()


def test_what_is_not_declared_in_ranges_is_caught_all_the_same(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config())
    dialog._read["raster_workers"] = lambda: 9
    assert not dialog._check()
    assert "raster_workers" in dialog.problem.text()
    with pytest.raises(msgspec.ValidationError):
        _ = dialog.config


def test_without_a_place_to_keep_them_settings_cannot_be_changed(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config(), may_save=False)
    assert not dialog.buttons.button(OK).isEnabled()
    assert dialog.findChild(DesktopEntryBox) is None


def test_the_theme_of_the_window_can_be_set_back(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1, save_config=lambda _config: None)
    bench.show()
    bench.window.set_list_thumbnails(True)
    bench.window.take_settings(Config())
    assert not bench.window.pictures.shown, "though the settings are what they were at the start"
    finish(bench)


def test_the_dialog_of_the_window(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    kept: list[Config] = []
    entry = DesktopEntry(tmp_path / "data", tmp_path / "config", ["/opt/docpeek"])
    bench = Bench(
        qtbot, tmp_path / "documents", count=1, save_config=kept.append, desktop_entry=entry,
        thumbnails_folder=tmp_path / "thumbnails",
    )  # fmt: skip
    bench.show()
    bench.window.show_settings()
    dialog = bench.window.findChild(SettingsDialog)
    assert dialog is not None
    bench.window.places.opened(bench.paths[0])
    (tmp_path / "thumbnails").mkdir()
    (tmp_path / "thumbnails" / "old.png").touch()
    (forget,) = (each for each in dialog.findChildren(QPushButton) if "Forget" in each.text())
    forget.click()
    assert not bench.window.places.recent
    assert not list((tmp_path / "thumbnails").iterdir())
    set_number(dialog, "pages_max", 7)
    dialog.buttons.button(OK).click()
    assert [config.pages_max for config in kept] == [7]
    finish(bench)


def test_the_place_on_the_desktop_is_made_and_taken_back(qtbot: QtBot, tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path / "data", tmp_path / "config", ["/opt/docpeek"])
    box = DesktopEntryBox(entry)
    qtbot.addWidget(box)
    assert "not in the menu" in box.standing.text()
    box.menu_button.click()
    assert entry.standing().installed
    assert box.standing.text() == "docpeek is in the menu."
    box.default_button.click()
    assert entry.standing().default_for
    assert not box.default_button.isEnabled()
    box.menu_button.click()
    assert not entry.entry.exists()
    assert box.menu_button.text() == "Add to the menu"


def test_what_stands_against_it_is_said(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    box = DesktopEntryBox(DesktopEntry(tmp_path / "data", tmp_path / "config", ["/opt/docpeek"]))
    qtbot.addWidget(box)
    box.menu_button.click()
    assert "Cannot write" in box.standing.text()


def test_the_keyboard_begins_above_and_ends_at_the_buttons(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, Config())
    appear(qtbot, dialog)
    assert dialog.focusWidget() is dialog.tabs.tabBar()
    order, widget = [], dialog.focusWidget()
    while widget is not None and not dialog.buttons.isAncestorOf(widget):
        order.append(widget)
        QTest.keyClick(widget, Qt.Key.Key_Tab)
        widget = dialog.focusWidget()
    assert {"theme", "pages_max", "native_program"} <= {each.objectName() for each in order}
