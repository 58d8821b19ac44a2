"""The pane at the right: the facts of the document that is shown, copied as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from preview_app.desktop.details import FileFacts, Section, as_json, sections
from preview_app.desktop.failed_details import failed_json, failed_sections
from preview_app.desktop.file_look import FileLook, FileLooks
from preview_app.desktop.language import tr
from preview_app.desktop.value_label import ValueLabel
from preview_app.preview_states import Failed, Showing

NARROW_PX = 270
_HASH_LENGTH = 64
_SHOWN_OF_HASH = 16
_NAME_WIDTH_MAX_PX = 130


class DetailsPane(QWidget):
    """Headings and rows; every text can be selected."""

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Facts of the document"))
        self._state: Showing | Failed | None = None
        self._file = FileFacts()
        self._look = FileLook()
        self._looked = False
        self._looks = FileLooks(self)
        self._looks.found.connect(self._take_look)
        self.copy_button = QPushButton(tr("Copy as JSON"), self)
        self.copy_button.clicked.connect(lambda _checked=False: self._copy())
        self.empty = QLabel(tr("No document is shown."), self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.area = QScrollArea(self)
        self.area.setAccessibleName(tr("Facts of the document"))
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.addWidget(self.area, 1)
        column.addWidget(self.empty, 1)
        column.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.show_state(None)

    def stop(self) -> None:
        """Read no file any more. Idempotent."""
        self._looks.stop()

    @property
    def text(self) -> str:
        """Everything that is told, one line a row."""
        body = self.area.widget()
        return "" if body is None else "\n".join(_full(label) for label in body.findChildren(QLabel))

    def show_state(self, state: Showing | Failed | None) -> None:
        """Tell of this document, or of none. Costs nothing while the pane is hidden."""
        self._state = state
        self._look, self._looked = FileLook(), False
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Now somebody reads it."""
        super().showEvent(event)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """In a narrow pane what is told stands below its name."""
        super().resizeEvent(event)
        self._wrap()

    def _wrap(self) -> None:
        body, policies = self.area.widget(), QFormLayout.RowWrapPolicy
        narrow = self.width() < NARROW_PX
        for form in [] if body is None else body.findChildren(QFormLayout):
            form.setRowWrapPolicy(policies.WrapAllRows if narrow else policies.DontWrapRows)

    def _set_body(self, found: Sequence[Section]) -> None:
        self.area.setWidget(_body(found))
        self._wrap()

    def _fill(self) -> None:
        state = self._state
        self.area.setVisible(state is not None)
        self.copy_button.setEnabled(state is not None)
        self.empty.setVisible(state is None)
        if state is None:
            return
        self._file = FileFacts.of(state.path)
        if isinstance(state, Showing):
            self._set_body(sections(state, self._file))
            return
        self._set_body(failed_sections(state, self._file, self._look))
        if not self._looked:
            self._looked = True
            self._looks.ask(state.path)

    def _take_look(self, path: Path, look: FileLook) -> None:
        """A document that failed was read; it may not be the one that is told of any more."""
        if isinstance(self._state, Failed) and self._state.path == path:
            self._look = look
            if self.isVisible():
                self._fill()

    def _copy(self) -> None:
        if isinstance(self._state, Showing):
            self.copied.emit(as_json(self._state, self._file))
        elif self._state is not None:
            self.copied.emit(failed_json(self._state, self._file, self._look))


def _body(found: Sequence[Section]) -> QWidget:
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(14, 10, 14, 10)
    column.setSpacing(4)
    for section in found:
        title = QLabel(section.title, body)
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        title.setContentsMargins(0, 8, 0, 2)
        column.addWidget(title)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(4)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for name, text in section.rows:
            value = _value(text, body)
            if name:
                form.addRow(_name(name, body), value)
            else:
                form.addRow(value)
        column.addLayout(form)
    column.addStretch(1)
    return body


def _name(text: str, parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(parent.palette().ColorRole.PlaceholderText)
    shown = label.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, _NAME_WIDTH_MAX_PX)
    label.setText(shown)
    label.setToolTip(text if shown != text else "")
    return label


def _value(text: str, parent: QWidget) -> QLabel:
    if len(text) != _HASH_LENGTH or not text.isalnum():
        return ValueLabel(text, parent)
    label = ValueLabel(text, parent, short=text[:_SHOWN_OF_HASH] + "…")
    label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return label


def _full(label: QLabel) -> str:
    return label.full if isinstance(label, ValueLabel) else label.text()
