"""Reading the pages of a document: its text is fetched as they come into view, selected, copied; links are followed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from preview_app.desktop.page_layout import Anchor
from preview_app.desktop.page_pointer import PagePointer
from preview_app.desktop.page_view import PageView
from preview_app.desktop.selection import Selection
from preview_app.preview_history import History
from preview_app.preview_selection import Unit
from preview_app.preview_text import DocumentText
from preview_app.raster.api import Link

_KEYS = {
    Qt.Key.Key_Left: (Unit.CHARACTER, -1),
    Qt.Key.Key_Right: (Unit.CHARACTER, 1),
    Qt.Key.Key_Up: (Unit.LINE, -1),
    Qt.Key.Key_Down: (Unit.LINE, 1),
    Qt.Key.Key_Home: (Unit.LINE_END, -1),
    Qt.Key.Key_End: (Unit.LINE_END, 1),
}


class Reading(QObject):
    """Text, selection, links and history of the document that a view shows."""

    uri_clicked = Signal(str)
    """A link out of the document was clicked."""
    history_changed = Signal()
    text_arrived = Signal(int)
    """The text of a page is there."""

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self._view = view
        self._text: DocumentText | None = None
        self.selection = Selection(view, self)
        self.pointer = PagePointer(view, self.selection)
        self.history: History[Anchor] = History()
        view.document_changed.connect(self._document_changed)
        view.first_painted.connect(self._want, Qt.ConnectionType.QueuedConnection)
        view.moved.connect(self._want)
        view.installEventFilter(self)
        self.pointer.link_clicked.connect(self.follow)

    @property
    def text(self) -> DocumentText | None:
        """The text of the document."""
        return self._text

    def follow(self, link: Link) -> None:
        """Go where a link leads."""
        if link.uri:
            self.uri_clicked.emit(link.uri)
        elif link.page is not None:
            self.jump(link.page, link.y)

    def jump(self, page: int, y_pt: float | None = None) -> None:
        """Go to a page, or a height on it, and remember the place that was left."""
        self.leave()
        self._view.go_to_page(page, y_pt)

    def leave(self) -> None:
        """Remember this place: a jump follows."""
        left = self._here()
        if left is not None:
            self.history.jump(left)
            self.history_changed.emit()

    def back(self) -> None:
        """To the place before the last jump."""
        self._go(self.history.back)

    def forward(self) -> None:
        """To the place that going back has left."""
        self._go(self.history.forward)

    def stop(self) -> None:
        """Ask for no text any more. Idempotent."""
        if self._text is not None:
            text, self._text = self._text, None
            text.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Shift and the arrow keys select."""
        if watched is self._view and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
            step = _KEYS.get(Qt.Key(event.key()))
            if step is not None and event.modifiers() & shift:
                unit, direction = step
                if unit is Unit.CHARACTER and event.modifiers() & control:
                    unit = Unit.WORD
                self.selection.move(unit, direction)
                return True
        return super().eventFilter(watched, event)

    def _go(self, step: Callable[[Anchor], Anchor | None]) -> None:
        here = self._here()
        place = step(here) if here is not None else None
        if place is not None:
            self._view.go_to_anchor(place)
            self.history_changed.emit()

    def _here(self) -> Anchor | None:
        place = self._view.place
        return None if place is None else place.anchor

    def _document_changed(self) -> None:
        self.stop()
        document = self._view.document
        if document is not None and document.pages:
            self._text = DocumentText(document, self._arrived)
        self.selection.set_text(self._text)
        self.pointer.set_text(self._text)
        self.history.clear()
        self.history_changed.emit()

    def _want(self) -> None:
        # Not before the first pixels: they are what a person waits for.
        if self._text is not None and self._view.painted:
            self._text.want(self._view.visible_pages())

    def _arrived(self, page: int) -> None:
        self.selection.refresh()
        self.text_arrived.emit(page)
