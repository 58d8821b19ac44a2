"""The part of the settings about docpeek's place on the desktop. What it does is done at once."""

from __future__ import annotations

from PySide6.QtWidgets import QGroupBox, QLabel, QPushButton, QVBoxLayout, QWidget

from preview_app.desktop.language import tr
from preview_app.desktop.reasons import spoken
from preview_app.desktop_entry import DesktopEntry, DesktopEntryError


class DesktopEntryBox(QGroupBox):
    """Says what there is, and offers to change it."""

    def __init__(self, entry: DesktopEntry, parent: QWidget | None = None) -> None:
        super().__init__(tr("On this desktop"), parent)
        self._entry = entry
        self.standing = QLabel(self)
        self.standing.setWordWrap(True)
        self.menu_button = QPushButton(self)
        self.menu_button.clicked.connect(lambda _checked=False: self._toggle())
        self.default_button = QPushButton(tr("Open documents with docpeek"), self)
        self.default_button.setToolTip(tr("Make it the first program for documents"))
        self.default_button.clicked.connect(lambda _checked=False: self._install(default=True))
        column = QVBoxLayout(self)
        for widget in (self.standing, self.menu_button, self.default_button):
            column.addWidget(widget)
        self._show()

    def _show(self, problem: str = "") -> None:
        now = self._entry.standing()
        told = tr("docpeek is in the menu.") if now.installed else tr("docpeek is not in the menu.")
        if now.default_for:
            told = tr("docpeek is in the menu, and documents are opened with it.")
        self.standing.setText(problem or told)
        there = now.installed or bool(now.default_for)
        self.menu_button.setText(tr("Remove from the menu") if there else tr("Add to the menu"))
        self.default_button.setEnabled(not now.default_for)

    def _toggle(self) -> None:
        now = self._entry.standing()
        if now.installed or now.default_for:
            self._remove()
        else:
            self._install(default=False)

    def _install(self, *, default: bool) -> None:
        try:
            self._entry.install(default=default)
        except DesktopEntryError as error:
            self._show(spoken(str(error)))
        else:
            self._show()

    def _remove(self) -> None:
        try:
            self._entry.remove()
        except DesktopEntryError as error:
            self._show(spoken(str(error)))
        else:
            self._show()
