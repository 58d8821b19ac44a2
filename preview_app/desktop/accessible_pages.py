"""The pages for screen readers: the text of the current page, its caret and selection, where each character stands.

Qt asks for such an interface only once something like a screen reader is there, so that it costs nobody else anything.
"""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleTextInterface
from PySide6.QtWidgets import QAccessibleWidget

from preview_app.desktop.language import tr
from preview_app.desktop.page_view import PageView
from preview_app.desktop.reading import Reading
from preview_app.preview_selection import Caret, caret_at, span_box
from preview_app.raster.api import TextLine


class PageText(QAccessibleTextInterface):
    """The text of the page that a view is on. Offsets count its characters, a line's end being one."""

    def __init__(self, view: PageView, reading: Reading) -> None:
        super().__init__()
        self._view = view
        self._reading = reading

    def text(self, startOffset: int, endOffset: int) -> str:  # noqa: N803 - Qt's names
        """A part of the text."""
        return self._all()[startOffset:endOffset]

    def characterCount(self) -> int:  # noqa: N802 - Qt's name
        """Characters in all."""
        return len(self._all())

    def cursorPosition(self) -> int:  # noqa: N802 - Qt's name
        """Where the head of the selection is, the start without one."""
        ends = self._reading.selection.ends
        return 0 if ends is None else self._offset(ends[1])

    def setCursorPosition(self, position: int) -> None:  # noqa: N802 - Qt's name
        """Begin a selection there."""
        self.setSelection(0, position, position)

    def selectionCount(self) -> int:  # noqa: N802 - Qt's name
        """One or none."""
        return 0 if self._reading.selection.empty else 1

    def selection(self, selectionIndex: int) -> tuple[int, int]:  # noqa: N803, ARG002
        """Start and end of the selection."""
        ends = self._reading.selection.ends
        return (0, 0) if ends is None else (self._offset(ends[0]), self._offset(ends[1]))

    def addSelection(self, startOffset: int, endOffset: int) -> None:  # noqa: N802, N803 - Qt's names
        """There is one selection: it is this one now."""
        self.setSelection(0, startOffset, endOffset)

    def removeSelection(self, selectionIndex: int) -> None:  # noqa: N802, N803, ARG002 - Qt's names
        """Select nothing."""
        self._reading.selection.clear()

    def setSelection(self, selectionIndex: int, startOffset: int, endOffset: int) -> None:  # noqa: N802, N803, ARG002
        """Select a part of the page."""
        start, end = self._caret(startOffset), self._caret(endOffset)
        if start is not None and end is not None:
            self._reading.selection.select(start, end)

    def characterRect(self, offset: int) -> QRect:  # noqa: N802 - Qt's name
        """Where a character stands on the screen."""
        caret = self._caret(offset)
        if caret is None:
            return QRect()
        line = self._lines()[caret.line]
        first = min(caret.index, len(line.text) - 1)
        place = self._view.rectangle_of(caret.page, span_box(line, first, first + 1)).toAlignedRect()
        return QRect(self._view.viewport().mapToGlobal(place.topLeft()), place.size())

    def offsetAtPoint(self, point: QPoint) -> int:  # noqa: N802 - Qt's name
        """The character nearest to a point of the screen."""
        spot = self._view.spot_at(QPointF(self._view.viewport().mapFromGlobal(point)))
        if spot is None or spot[0] != self._view.page:
            return -1
        caret = caret_at(spot[0], self._lines(), spot[1], spot[2])
        return -1 if caret is None else self._offset(caret)

    def scrollToSubstring(self, startIndex: int, endIndex: int) -> None:  # noqa: N802, N803, ARG002 - Qt's names
        """Bring a part of the text into view."""
        caret = self._caret(startIndex)
        if caret is not None:
            self._view.reveal(caret.page, self._lines()[caret.line].box)

    def attributes(self, offset: int) -> tuple[str, int, int]:  # noqa: ARG002
        """Nothing is known of fonts: all characters are alike."""
        return "", 0, self.characterCount()

    def _lines(self) -> tuple[TextLine, ...]:
        text = self._reading.text
        return () if text is None or self._view.page < 0 else text.lines(self._view.page)

    def _all(self) -> str:
        return "\n".join(line.text for line in self._lines())

    def _starts(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *accumulate(len(line.text) + 1 for line in self._lines())][:-1]

    def _offset(self, caret: Caret) -> int:
        starts = self._starts()
        if caret.page != self._view.page or caret.line >= len(starts):
            return 0 if caret.page <= self._view.page else self.characterCount()
        return starts[caret.line] + caret.index

    def _caret(self, offset: int) -> Caret | None:
        starts = self._starts()
        if not starts:
            return None
        line = max(number for number, start in enumerate(starts) if start <= max(0, offset))
        return Caret(self._view.page, line, min(max(0, offset) - starts[line], len(self._lines()[line].text)))


class Pages(QAccessibleWidget):
    """A page view as a document with text."""

    def __init__(self, view: PageView, reading: Reading) -> None:
        super().__init__(view, QAccessible.Role.Document, view.accessibleName())
        self._view = view
        self._text = PageText(view, reading)

    def text(self, t: QAccessible.Text) -> str:
        """The name, where one is, and the words of the page."""
        if t == QAccessible.Text.Value:
            return self._text.text(0, self._text.characterCount())
        if t == QAccessible.Text.Description and self._view.page >= 0 and self._view.document is not None:
            return tr("Page {} of {}").format(self._view.page + 1, len(self._view.document.pages))
        return super().text(t)

    def interface_cast(self, t: QAccessible.InterfaceType) -> object:  # type: ignore[override] # it is typed as a number
        """Text is the one thing more that it has."""
        return self._text if t == QAccessible.InterfaceType.TextInterface else None


def interface_for(_key: str, widget: object) -> Pages | None:
    """What Qt calls for each object that a screen reader comes upon."""
    if not isinstance(widget, PageView):
        return None
    reading = widget.findChild(Reading)
    if not isinstance(reading, Reading):
        return None
    pages = Pages(widget, reading)
    widget.accessible = pages
    return pages


def install() -> None:
    """Let Qt know of it."""
    QAccessible.installFactory(interface_for)


def tell_of_change(view: PageView) -> None:
    """Another page is there, or its text has come."""
    if QAccessible.isActive():
        for event in (QAccessible.Event.DescriptionChanged, QAccessible.Event.VisibleDataChanged):
            QAccessible.updateAccessibility(QAccessibleEvent(view, event))
