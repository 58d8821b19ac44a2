"""The line at the bottom: what is shown, by which engine, how long it took, the page as a field, the zoom as a menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QStatusBar, QToolButton, QWidget

from engines.base import FontReplacement
from preview_app.desktop import figures
from preview_app.desktop.language import tr
from preview_app.desktop.reasons import spoken
from preview_app.preview_states import Converted


class PageBox(QWidget):
    """The number of the page, which can be typed, and how many there are."""

    chosen = Signal(int)
    """A page, counted from 0, was typed."""
    left = Signal()
    """The field needs the keyboard no more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = 0
        self.field = QLineEdit(self)
        self.field.setAccessibleName(tr("Page"))
        self.field.setToolTip(tr("Page (Ctrl+G)"))
        self.field.setAcceptDrops(False)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.field.returnPressed.connect(self._enter)
        self.field.installEventFilter(self)
        self._validator = QIntValidator(1, 1, self)
        self.field.setValidator(self._validator)
        self._count = QLabel(self)
        self._count.setAccessibleName(tr("Number of pages"))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 4, 0)
        row.setSpacing(4)
        row.addWidget(self.field)
        row.addWidget(self._count)

    @property
    def text(self) -> str:
        """What is told now."""
        return f"{self.field.text()} {self._count.text()}"

    def show_page(self, page: int, pages: int) -> None:
        """Where the view is; `page` counts from 0. What a person is typing stays."""
        self._page = page
        self._validator.setTop(pages)
        self._count.setText(tr("of {}").format(pages))
        width = self.field.fontMetrics().horizontalAdvance("0" * max(3, len(str(pages))))
        self.field.setFixedWidth(width + 16)
        if not self.field.hasFocus():
            self.field.setText(str(page + 1))

    def begin(self) -> None:
        """Let a person type a page."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Whoever leaves the field without Enter leaves it as it was."""
        if watched is self.field and event.type() == QEvent.Type.FocusOut:
            self.field.setText(str(self._page + 1))
        return super().eventFilter(watched, event)

    def _enter(self) -> None:
        page = int(self.field.text()) - 1
        self.chosen.emit(page)
        self.left.emit()


class StatusLine(QStatusBar):
    """Messages at the left, facts of the document at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Status"))
        self.setSizeGripEnabled(False)
        self.fonts = self._fact(tr("Fonts that were replaced"))
        self.engine = self._fact(tr("Engine"))
        self.time = self._fact(tr("Time of the conversion"))
        self.page = PageBox(self)
        self.addPermanentWidget(self.page)
        self.page.hide()
        self.zoom = QToolButton(self)
        self.zoom.setAutoRaise(True)
        self.zoom.setAccessibleName(tr("Zoom"))
        self.zoom.setToolTip(tr("Zoom"))
        self.zoom.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.zoom.setMenu(QMenu(self.zoom))
        self.addPermanentWidget(self.zoom)
        self.zoom.hide()

    def show_document(self, converted: Converted | None) -> None:
        """Facts of a conversion, none without."""
        self.engine.setText("" if converted is None else converted.engine or tr("PDF as it is"))
        note = "" if converted is None else converted.facts.engine_note
        note = spoken(note)
        self.engine.setToolTip("\n".join(filter(None, (tr("Engine"), note))))
        self.time.setText("" if converted is None else _time_of(converted))
        self._show_fonts(() if converted is None else converted.missing_fonts)
        self.zoom.setVisible(converted is not None)
        self.page.setVisible(converted is not None)

    def show_zoom(self, zoom: float) -> None:
        """1.0 is actual size."""
        self.zoom.setText(figures.percent(zoom))

    def _show_fonts(self, fonts: Sequence[FontReplacement]) -> None:
        count = tr("1 font replaced") if len(fonts) == 1 else tr("{} fonts replaced").format(figures.whole(len(fonts)))
        self.fonts.setText(count if fonts else "")
        self.fonts.setToolTip("\n".join(tr("{}: shown in {}").format(font.requested, font.used) for font in fonts))

    def _fact(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setAccessibleName(name)
        label.setToolTip(name)
        label.setContentsMargins(8, 0, 8, 0)
        self.addPermanentWidget(label)
        return label


def _time_of(converted: Converted) -> str:
    if converted.from_cache:
        return tr("was ready")
    return tr("converted in {}").format(figures.seconds(converted.seconds)) if converted.engine else ""
