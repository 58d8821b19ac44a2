"""The strip in which a person types what to find."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from preview_app.desktop import figures
from preview_app.desktop.language import tr
from preview_app.desktop.panels import Bar
from preview_app.preview_search import Query

FIELD_WIDTH_PX = 260


class FindBar(Bar):
    """A field, two switches, two arrows, and how many there are."""

    edited = Signal()
    """Something else is looked for."""
    stepped = Signal(int)
    """To the next hit (1), or the one before (-1)."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Find"), parent=parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Find in the document"))
        self.field.setAccessibleName(tr("Find in the document"))
        self.field.setClearButtonEnabled(True)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(FIELD_WIDTH_PX)
        self.field.textChanged.connect(lambda _: self.edited.emit())
        self.field.installEventFilter(self)
        self.case = self._switch("Aa", tr("Match case"))
        self.words = self._switch(tr("Word"), tr("Whole words"))
        self.previous = self._button(tr("Previous hit (Shift+F3)"), lambda: self.stepped.emit(-1))
        self.next = self._button(tr("Next hit (F3)"), lambda: self.stepped.emit(1))
        self.count = QLabel(self)
        self.count.setAccessibleName(tr("Hits"))
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.close_button = self._button(tr("Close (Esc)"), self.closed.emit)
        for widget in (self.field, self.previous, self.next, self.case, self.words):
            self.row.addWidget(widget)
        self.row.addSpacing(8)
        self.row.addWidget(self.count, 1)
        self.row.addWidget(self.close_button)

    @property
    def query(self) -> Query:
        """What is looked for."""
        return Query(self.field.text(), self.case.isChecked(), self.words.isChecked())

    def set_icons(self, previous: QIcon, following: QIcon, close: QIcon) -> None:
        """The icons, in the colours of now."""
        self.previous.setIcon(previous)
        self.next.setIcon(following)
        self.close_button.setIcon(close)

    def open_with(self, phrase: str = "") -> None:
        """Appear, ready to type; with a phrase look for that."""
        self.show()
        if phrase:
            self.field.setText(phrase)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def show_result(self, position: int, count: int, *, done: bool) -> None:
        """Say how many there are, and which of them is looked at (0: none yet)."""
        found = bool(count)
        self.previous.setEnabled(found)
        self.next.setEnabled(found)
        if not self.field.text().strip():
            text = ""
        elif not found:
            text = tr("Not found") if done else tr("Searching …")
        else:
            text = (tr("{} of {}") if done else tr("{} of {} so far …")).format(
                figures.whole(position) if position else "…", figures.whole(count)
            )
        self.count.setText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Enter goes on, Shift+Enter back."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        if watched is self.field and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return True
        return super().eventFilter(watched, event)

    def _switch(self, text: str, name: str) -> QToolButton:
        button = self._button(name, self.edited.emit)
        button.setText(text)
        button.setCheckable(True)
        return button

    def _button(self, name: str, clicked: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(16, 16))
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _checked=False: clicked())
        return button
