"""The question for a password, in place of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from engines.decryption import Password
from preview_app.desktop.password_panel import PasswordPanel
from preview_app.preview_states import Converted, Failure
from preview_app.raster.api import Lane
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import FakeRequest, fake_pdf

Key = Qt.Key
ENCRYPTED = Failure("encrypted", "The document is encrypted: a password is needed.")
WRONG = Failure("bad_password", "The password does not open the document.")


@pytest.fixture
def gated(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window whose conversions answer when the test says so."""
    made = Bench(qtbot, tmp_path, answers=False)
    yield made
    finish(made)


def locked(bench: Bench) -> PasswordPanel:
    """The panel, after the first document was found to be encrypted."""
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    bench.conversions.requests[0].fail(ENCRYPTED)
    return bench.window.viewer.password


def newest(bench: Bench) -> FakeRequest:
    return [request for request in bench.conversions.requests if request.lane is Lane.CRITICAL][-1]


def test_it_asks_in_place_and_hides_what_is_typed(gated: Bench) -> None:
    panel = locked(gated)
    assert gated.window.viewer.stack.currentWidget() is panel
    assert "1.docx" in panel.title.text()
    assert panel.text.text() == ENCRYPTED.message
    assert panel.edit.echoMode() is QLineEdit.EchoMode.Password
    assert QApplication.focusWidget() is panel.edit
    assert not panel.open_button.isEnabled()
    gated.press(Key.Key_Return)
    assert len(gated.conversions.live(Lane.CRITICAL)) == 1, "nothing typed, nothing asked"


def test_what_is_typed_opens_the_document(gated: Bench) -> None:
    panel = locked(gated)
    QTest.keyClicks(panel.edit, "tika")
    gated.press(Key.Key_Return)
    assert newest(gated).password == Password("tika")
    assert panel.edit.text() == "", "it keeps nothing"
    newest(gated).succeed(Converted(fake_pdf(), "LibreOffice", 0.1))
    gated.settle()
    assert gated.window.viewer.stack.currentWidget() is gated.pages
    assert QApplication.focusWidget() is gated.pages


def test_a_wrong_one_asks_again(gated: Bench) -> None:
    panel = locked(gated)
    QTest.keyClicks(panel.edit, "wrong")
    QTest.mouseClick(panel.open_button, Qt.MouseButton.LeftButton)
    newest(gated).fail(WRONG)
    assert gated.window.viewer.stack.currentWidget() is panel
    assert panel.text.text() == WRONG.message
    assert QApplication.focusWidget() is panel.edit
    QTest.keyClicks(panel.edit, "right")
    gated.press(Key.Key_Return)
    assert newest(gated).password == Password("right")


def test_going_through_the_list_by_keys_is_not_interrupted(gated: Bench) -> None:
    gated.appear()
    gated.window.open_paths([gated.folder])
    files = gated.window.browser.list
    gated.conversions.requests[0].fail(ENCRYPTED)
    assert QApplication.focusWidget() is files
    gated.press(Key.Key_Down)
    assert newest(gated).path == gated.paths[1]
    assert newest(gated).password is None
