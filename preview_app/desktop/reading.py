"""Reading documents: their text is fetched as pages come into view, selected, copied; links are followed, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from preview_app.desktop.page_column import Place
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


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a person is: a document, and the place in it where it has pages."""

    path: Path
    place: Place | None = None


class Reading(QObject):
    """Text, selection and links of the document that a view shows, and the history of all documents."""

    uri_clicked = Signal(str)
    """A link out of the document was clicked."""
    elsewhere = Signal(object)
    """Back or forward leads to a `Spot` in another document."""
    history_changed = Signal()
    text_arrived = Signal(int)
    """The text of a page is there."""

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self._view = view
        self._text: DocumentText | None = None
        self.selection = Selection(view, self)
        self.pointer = PagePointer(view, self.selection)
        self.history: History[Spot] = History()
        self._path: Path | None = None
        self._target: Spot | None = None
        """Where back or forward leads to, until that document is there."""
        self._before = self.history.snapshot()
        """The history before that, in case a person gives it up."""
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
        left = self.spot
        if left is not None and left.place is not None:
            self.history.jump(left)
            self.history_changed.emit()

    @property
    def spot(self) -> Spot | None:
        """Where a person is."""
        return None if self._path is None else Spot(self._path, self._view.place)

    def arrive(self, path: Path) -> None:
        """Another document takes the place of this one, which is still there: remember it, unless one comes back."""
        left, target = self.spot, self._target
        self._path, self._target = path, None
        if left is None or (target is not None and target.path == path):
            pass
        elif left.path != path:
            self.history.jump(left)
        elif target is not None:
            self.history.restore(self._before)
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

    def _go(self, step: Callable[[Spot], Spot | None]) -> None:
        here, before = self._target or self.spot, self.history.snapshot()
        spot = step(here) if here is not None else None
        if spot is None:
            return
        if spot.path != self._path or self._target is not None:
            self._before = before if self._target is None else self._before
            self._target = spot
            self.elsewhere.emit(spot)
        elif spot.place is not None:
            self._view.go_to_anchor(spot.place.anchor)
        self.history_changed.emit()

    def _document_changed(self) -> None:
        self.stop()
        document = self._view.document
        if document is not None and document.pages:
            self._text = DocumentText(document, self._arrived)
        self.selection.set_text(self._text)
        self.pointer.set_text(self._text)

    def _want(self) -> None:
        # Not before the first pixels: they are what a person waits for.
        if self._text is not None and self._view.painted:
            self._text.want(self._view.visible_pages())

    def _arrived(self, page: int) -> None:
        self.selection.refresh()
        self.text_arrived.emit(page)
