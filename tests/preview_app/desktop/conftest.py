"""A window between honest fakes, on Qt's own loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from preview_app.desktop import language
from preview_app.desktop.bridge import MainThreadPost
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.page_view import PageView
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowServices
from preview_app.preview_states import Converted, Failure, Opening
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.viewer_fakes import A4, FakeConversions, FakeRasterizer, fake_pdf


class Bench:
    """A window, its fakes, and a folder of documents of different colours: 1.docx, 2.docx ..."""

    def __init__(
        self, qtbot: QtBot, folder: Path, *, count: int = 5, pages: int = 4, answers: bool = True, **services: Any
    ) -> None:
        self.qtbot = qtbot
        self.folder = folder
        self.post = MainThreadPost()
        self.paths = [folder / f"{number}.docx" for number in range(1, count + 1)]
        self.colors = {path.name: 0x101010 + 0x070503 * index for index, path in enumerate(self.paths)}
        answered: dict[str, Converted | Failure] = {}
        for path in self.paths:
            path.write_bytes(b"first version")
            answered[path.name] = Converted(fake_pdf(self.colors[path.name], [A4] * pages), "LibreOffice 1", 0.25)
        self.conversions = FakeConversions(self.post if answers else None, answered)
        self.rasterizer = FakeRasterizer(self.post)
        self.window = MainWindow(
            WindowServices(
                self.conversions,
                self.rasterizer,
                suffix_families(),
                REPOSITORY / "assets" / "icons",
                time.perf_counter,
                **services,
            )
        )
        self.window.resize(1000, 700)

    @property
    def pages(self) -> PageView:
        """The window's pages."""
        return self.window.viewer.pages

    def appear(self) -> None:
        """Show the window and wait until the keyboard is its own."""
        appear(self.qtbot, self.window)

    def show(self, *paths: Path) -> None:
        """Show the window with these open, the first of them painted."""
        self.appear()
        with self.qtbot.waitSignal(self.window.first_page_painted):
            self.window.open_paths(list(paths) or [self.folder])

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key as a person does: it goes to the window, and the focus decides."""
        window = QGuiApplication.focusWindow()
        assert window is not None
        QTest.keyClick(window, key, modifier)

    def settle(self) -> None:
        """Wait until nothing is on its way."""
        self.qtbot.waitUntil(lambda: not isinstance(self.window.preview.state, Opening))
        self.qtbot.waitUntil(lambda: self.color() != QColor("white").rgb() & 0xFFFFFF)

    def color(self) -> int:
        """The colour in the middle of what is painted."""
        image = self.pages.viewport().grab().toImage()
        return image.pixelColor(image.width() // 2, image.height() // 2).rgb() & 0xFFFFFF


def appear(qtbot: QtBot, window: QWidget) -> None:
    """Show a window and make it the active one, also where there is no window manager to do so."""
    with qtbot.waitExposed(window):
        window.show()
    with qtbot.waitActive(window):
        window.activateWindow()


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Numbers are written as in the United States, whatever the language of this machine."""
    former = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    yield
    QLocale.setDefault(former)


@pytest.fixture
def german(qtbot: QtBot) -> Iterator[None]:
    """The program speaks German."""
    application = QCoreApplication.instance()
    assert application is not None
    loaded = language.install(application, REPOSITORY / "assets" / "translations", QLocale("de_DE"))
    assert len(loaded) == 2, "Qt's own texts and ours"
    yield
    for translator in loaded:
        application.removeTranslator(translator)


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window with five documents of four pages."""
    made = Bench(qtbot, tmp_path)
    yield made
    finish(made)


def finish(made: Bench) -> None:
    """Close the window and look that it gave everything up."""
    made.window.close()
    made.post.close()
    assert made.rasterizer.open_documents == 0
    made.window.deleteLater()
