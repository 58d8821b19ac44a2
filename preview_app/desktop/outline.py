"""The table of contents of a document, as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLabel, QStackedWidget, QTreeView, QWidget

from preview_app.desktop.language import tr
from preview_app.raster.api import Lane, OutlineEntry, RasterTask, TextDocument

_PAGE_ROLE = Qt.ItemDataRole.UserRole + 1
_Y_ROLE = Qt.ItemDataRole.UserRole + 2
ROW_ROOM_PX = 9
EXPANDED_MAX = 60
"""A tree with more lines than this begins with its first level only."""


class Outline(QStackedWidget):
    """Headings and the pages that they stand on. It is asked for when somebody first sees it."""

    chosen = Signal(int, object)
    """A heading was chosen: page, and height on it in points or `None`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: TextDocument | None = None
        self._task: RasterTask | None = None
        self._asked = False
        self._following = False
        self._entries: list[tuple[int, QStandardItem]] = []
        self._model = QStandardItemModel(self)
        self.tree = QTreeView(self)
        self.tree.setModel(self._model)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(tr("Outline"))
        self.tree.setFrameShape(QTreeView.Shape.NoFrame)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.setUniformRowHeights(True)
        self.tree.selectionModel().currentChanged.connect(self._current_changed)
        self.tree.clicked.connect(self._choose)
        self.empty = QLabel(tr("This document has no outline."), self)
        self.empty.setWordWrap(True)
        self.empty.setMargin(16)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.addWidget(self.empty)
        self.addWidget(self.tree)

    def set_document(self, document: TextDocument | None) -> None:
        """The headings of another document, or none."""
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel()
        self._document, self._asked = document, False
        self._fill(())
        if self.isVisible():
            self._ask()

    def follow(self, page: int) -> None:
        """The view is on this page: mark the heading before its end."""
        best = None
        for start, item in self._entries:
            if start <= page:
                best = item
        self._following = True
        self.tree.setCurrentIndex(best.index() if best is not None else QModelIndex())
        self._following = False

    def stop(self) -> None:
        """Ask for nothing more. Idempotent."""
        self.set_document(None)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Now somebody wants to see it."""
        super().showEvent(event)
        self._ask()

    def _ask(self) -> None:
        if self._document is not None and not self._asked:
            self._asked = True
            self._task = self._document.outline(lane=Lane.NORMAL, done=self._fill, failed=lambda _: self._fill(()))

    def _fill(self, entries: Sequence[OutlineEntry]) -> None:
        self._task = None
        self._following = True
        self._model.clear()
        self._entries = []
        parents: list[tuple[int, QStandardItem]] = [(0, self._model.invisibleRootItem())]
        for entry, after in zip_longest(entries, entries[1:]):
            assert entry is not None  # only what follows the last one is
            title = " ".join(entry.title.split())
            if not title and (after is None or after.level <= entry.level):
                continue  # an empty paragraph in the style of a heading
            item = QStandardItem(title or "–")
            item.setSizeHint(QSize(0, self.fontMetrics().height() + ROW_ROOM_PX))
            item.setToolTip(
                item.text() if entry.page is None else tr("{} – page {}").format(item.text(), entry.page + 1)
            )
            item.setData(entry.page, _PAGE_ROLE)
            item.setData(entry.y, _Y_ROLE)
            while parents[-1][0] >= entry.level:
                parents.pop()
            parents[-1][1].appendRow(item)
            parents.append((entry.level, item))
            if entry.page is not None:
                self._entries.append((entry.page, item))
        if len(entries) <= EXPANDED_MAX:
            self.tree.expandAll()
        self.setCurrentWidget(self.tree if entries else self.empty)
        self._following = False

    def _current_changed(self, index: QModelIndex) -> None:
        # A click is told by the tree itself, once.
        if self.tree.hasFocus() and QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self._choose(index)

    def _choose(self, index: QModelIndex) -> None:
        page = index.data(_PAGE_ROLE)
        if page is not None and not self._following:
            self.chosen.emit(page, index.data(_Y_ROLE))
