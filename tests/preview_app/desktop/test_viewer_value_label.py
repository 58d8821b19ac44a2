"""Texts in the facts: nothing is cut off unseen, everything can be copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from preview_app.desktop.value_label import ValueLabel, pieces
from preview_app.preview_states import Showing
from tests.preview_app.desktop.conftest import Bench

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LONG = "a_very_long_name_without_any_space_in_it_that_nobody_would_cut_in_the_middle_2026-11-30_final_final.docx"


def shown(qtbot: QtBot, label: ValueLabel, width: int) -> str:
    qtbot.addWidget(label)
    label.resize(width, 40)
    with qtbot.waitExposed(label):
        label.show()
    return label.text()


def test_a_word_too_wide_is_shortened_in_its_middle(qtbot: QtBot) -> None:
    label = ValueLabel(f"see {LONG} there")
    text = shown(qtbot, label, 160)
    first, middle, last = text.split(" ")
    assert (first, last) == ("see", "there")
    assert middle.startswith("a_very")
    assert middle.endswith(".docx")
    assert label.fontMetrics().horizontalAdvance(middle) <= 160
    assert label.toolTip() == label.full
    label.resize(3000, 40)
    assert label.text() == label.full
    assert label.toolTip() == ""


def test_what_may_be_wrapped_is_not_shortened(qtbot: QtBot) -> None:
    label = ValueLabel("PowerPoint-97-2003-Präsentation 😀 in/a/folder")
    assert shown(qtbot, label, 150) == label.full
    assert "".join(pieces(label.full)) == label.full


def test_it_is_copied_in_full(qtbot: QtBot) -> None:
    label = ValueLabel(LONG)
    assert shown(qtbot, label, 160) != LONG
    (action,) = label.menu().actions()
    action.trigger()
    assert QGuiApplication.clipboard().text() == LONG
    QGuiApplication.clipboard().clear()
    label.setSelection(0, 5)
    QTest.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == LONG


def test_a_part_is_copied_where_all_is_seen(qtbot: QtBot) -> None:
    label = ValueLabel("one two")
    shown(qtbot, label, 400)
    label.setSelection(4, 3)
    label.copy()
    assert QGuiApplication.clipboard().text() == "two"


@pytest.mark.parametrize("width", [160, 290, 500])
def test_nothing_in_the_facts_is_wider_than_the_pane(bench: Bench, width: int) -> None:
    path = bench.folder / LONG
    path.write_bytes(b"x")
    bench.conversions.pdfs[LONG] = bench.conversions.pdfs["1.docx"]
    bench.show(path)
    bench.window.actions_by_name["toggle_details"].trigger()
    assert isinstance(bench.window.preview.state, Showing)
    sizes = bench.window._splitter.sizes()
    bench.window._splitter.setSizes([*sizes[:2], sum(sizes[2:]) - width, width])
    area = bench.window.details.area

    def everything_fits() -> bool:
        body = area.widget()
        labels = [] if body is None else body.findChildren(QLabel)
        words = [(word, label) for label in labels for word in map(str.rstrip, pieces(label.text()))]
        return bool(words) and all(
            label.fontMetrics().horizontalAdvance(word) <= label.width()
            and label.geometry().right() < area.viewport().width()
            for word, label in words
        )

    bench.qtbot.waitUntil(everything_fits)
    assert LONG in bench.window.details.text.splitlines()


def test_a_digest_is_shortened_further_where_it_has_to(qtbot: QtBot) -> None:
    label = ValueLabel("ab" * 32, short="abababababababab…")
    text = shown(qtbot, label, 60)
    assert label.fontMetrics().horizontalAdvance(text) <= 60
    label.resize(600, 40)
    assert label.text() == "abababababababab…"
    assert label.toolTip() == "ab" * 32
