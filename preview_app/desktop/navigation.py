"""The pane between the list and the pages: thumbnails and outline of the document that is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from preview_app.desktop.language import tr
from preview_app.desktop.outline import Outline
from preview_app.desktop.page_view import PageView
from preview_app.desktop.thumbnails import Thumbnails


class Navigation(QTabWidget):
    """Two ways to see where one is in a document and to go elsewhere."""

    chosen = Signal(int, object)
    """A place was chosen: page, and height on it in points or `None`."""

    def __init__(self, view: PageView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.setDocumentMode(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setUsesScrollButtons(False)
        self.setAccessibleName(tr("Pages and outline"))
        self.thumbnails = Thumbnails(self)
        self.outline = Outline(self)
        self.addTab(self.thumbnails, tr("Pages"))
        self.addTab(self.outline, tr("Outline"))
        self.thumbnails.page_chosen.connect(lambda page: self.chosen.emit(page, None))
        self.outline.chosen.connect(self.chosen)
        view.document_changed.connect(self._document_changed)
        view.page_changed.connect(self._follow)

    def set_look(self) -> None:
        """Draw thumbnails as the view draws pages."""
        self.thumbnails.set_look(night=self._view.night, turns=self._view.turns)

    def stop(self) -> None:
        """Ask for nothing more. Idempotent."""
        self.thumbnails.stop()
        self.outline.stop()

    def _document_changed(self) -> None:
        document = self._view.document
        self.thumbnails.set_document(document)
        self.outline.set_document(document)
        self.set_look()
        self._follow(self._view.page)

    def _follow(self, page: int) -> None:
        self.thumbnails.follow(page)
        self.outline.follow(page)
