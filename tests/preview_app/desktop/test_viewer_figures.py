"""Numbers for a person are written as the language of the window does; numbers for a program never change."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QAbstractSpinBox
from pytestqt.qtbot import QtBot

from preview_app.config import Config
from preview_app.desktop import figures
from preview_app.desktop.panels import OpeningBar, PreparingPanel
from preview_app.desktop.settings_dialog import SettingsDialog
from preview_app.preview_states import Converted, Facts
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import A4, fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_numbers_in_english_and_german(german: None) -> None:
    assert figures.whole(1234567) == "1.234.567"
    assert figures.seconds(1.5) == "1,50 s"
    assert figures.size(1234567) == "1,2 MiB (1.234.567 Bytes)"
    assert figures.percent(0.125) == "12 %"
    at_s = datetime(2026, 3, 4, 15, 6, 7).timestamp()
    assert figures.moment(at_s) == "04.03.2026 15:06:07"
    QLocale.setDefault(QLocale("en_US"))
    assert figures.moment(at_s).replace("\u202f", " ") == "3/4/2026 3:06:07 PM"
    assert (figures.whole(1234567), figures.seconds(1.5)) == ("1,234,567", "1.50 s")


def test_the_facts_and_the_status_are_german_and_the_copy_is_not(german: None, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1)
    facts = Facts("docx", "wasm", "26", "ab", "cd", 123_456, 0.5, 1.8)
    bench.conversions.pdfs["1.docx"] = Converted(fake_pdf(0x808080, [A4] * 1200), "LibreOffice 26", 1.25, facts=facts)
    bench.show()
    bench.window.actions_by_name["toggle_details"].trigger()
    details, rows = bench.window.details, bench.window.details.text.splitlines()
    for expected in ("120,6 KiB (123.456 Bytes)", "1.200", "210 × 297 mm (1.200)", "1,25 s", "0,50 s", "1,80 s"):
        assert expected in rows
    assert bench.window.status.time.text() == "umgewandelt in 1,25 s"
    with qtbot.waitSignal(details.copied) as copied:
        details.copy_button.click()
    told = json.loads(copied.args[0])
    assert (told["bytes"], told["pages"], told["seconds"]["convert"]) == (123_456, 1200, 1.25)
    assert datetime.fromisoformat(told["modified"]).timestamp() == pytest.approx(bench.paths[0].stat().st_mtime)
    finish(bench)


def test_what_is_on_its_way_counts_in_german(german: None, qtbot: QtBot) -> None:
    opening, preparing = OpeningBar(lambda: 12.25), PreparingPanel()
    qtbot.addWidget(opening)
    qtbot.addWidget(preparing)
    opening.begin("a.docx", 10.0)
    opening.set_phase("", slow=False)
    assert opening.text == "„a.docx“ wird geöffnet … 2,3 s"
    preparing.show_progress("Storing", 42.4)
    assert preparing.phase.text().endswith("… 42 %")


def test_settings_have_their_numbers_and_units_in_german(german: None, qtbot: QtBot) -> None:
    dialog = SettingsDialog(Config())
    qtbot.addWidget(dialog)
    texts = {box.objectName(): box.text() for box in dialog.findChildren(QAbstractSpinBox)}
    assert texts["pages_max"] == "2.000 Seiten"
    assert texts["deadline_s"] == "60,0 s"
    assert texts["kit_memory_bytes_max"] == "2.048 MiB"
