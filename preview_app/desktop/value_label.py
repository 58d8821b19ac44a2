"""A text of the facts: wrapped where it may be, a word that is too wide shortened in its middle, copied in full."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, Qt, QTextBoundaryFinder
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from preview_app.desktop.language import tr


class ValueLabel(QLabel):
    """Shows as much of `full` as there is room for; the tip has all of it where something is left out."""

    def __init__(self, full: str, parent: QWidget | None = None, *, short: str = "") -> None:
        """With `short` that is what is shown."""
        super().__init__(parent)
        self.full = full
        self._short = short
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(full)
        self._show(short or full)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shorten what is too wide now."""
        super().resizeEvent(event)
        self._show("".join(map(self._fitting, pieces(self._short or self.full))))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """What is shortened is copied in full."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.text() != self.full:
            self.copy()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """One thing can be done with it."""
        self.menu().popup(event.globalPos() if not event.globalPos().isNull() else self.mapToGlobal(QPoint(0, 0)))

    def menu(self) -> QMenu:
        """What the right button offers."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("&Copy"), self.copy)
        return menu

    def copy(self) -> None:
        """Put what is selected on the clipboard, or all of it where nothing is or something is left out."""
        shortened = self.text() != self.full
        QGuiApplication.clipboard().setText(self.full if shortened else self.selectedText() or self.full)

    def _fitting(self, piece: str) -> str:
        word = piece.rstrip()
        width = max(1, self.contentsRect().width())
        return self.fontMetrics().elidedText(word, Qt.TextElideMode.ElideMiddle, width) + piece[len(word) :]

    def _show(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
        self.setToolTip(self.full if text != self.full else "")


def pieces(text: str) -> Iterator[str]:
    """The text in parts between which a line may end."""
    units = text.encode("utf-16-le", "surrogatepass")  # as Qt counts
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, text)
    start = 0
    while (end := finder.toNextBoundary()) != -1:
        yield units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
        start = end
