"""Asks for the password of a document, in place of its pages."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from engines.decryption import Password
from preview_app.desktop.language import tr
from preview_app.desktop.panels import MessagePanel

_EDIT_WIDTH = 320


class PasswordPanel(MessagePanel):
    """A line to type a password into. It keeps nothing of what was given."""

    given = Signal(object)
    """The `Password`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Password"), parent)
        self.edit = QLineEdit(self)
        self.edit.setAcceptDrops(False)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setPlaceholderText(tr("Password"))
        self.edit.setAccessibleName(tr("Password of the document"))
        self.edit.setFixedWidth(_EDIT_WIDTH)
        self.edit.returnPressed.connect(self._give)
        self.column.insertWidget(self.column.count() - 1, self.edit, 0, Qt.AlignmentFlag.AlignHCenter)
        self.open_button: QPushButton = self.add_button(tr("Open"), self._give)
        self.open_button.setEnabled(False)
        self.edit.textChanged.connect(lambda text: self.open_button.setEnabled(bool(text)))
        self.setFocusProxy(self.edit)

    def ask(self, title: str, text: str) -> None:
        """Ask, saying why."""
        self.title.setText(title)
        self.text.setText(text)
        self.edit.clear()

    def _give(self) -> None:
        text = self.edit.text()
        self.edit.clear()
        if text:
            self.given.emit(Password(text))
