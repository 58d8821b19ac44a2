"""Small pictures of all pages, drawn as they scroll into view, after everything else."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from preview_app.desktop.language import tr
from preview_app.desktop.page_layout import turned
from preview_app.desktop.page_painter import NIGHT_PAPER, PAPER
from preview_app.desktop.page_pixels import Picture
from preview_app.raster.api import Lane, PageSize, Pixels, RasterTask, TextDocument

WIDTH_PX, HEIGHT_PX = 128, 150
"""The largest size of a thumbnail."""
_MARGIN_PX = 8
_LABEL_PX = 18
_SETTLE_MS = 30
KEPT_MAX = 300
"""Thumbnails that are kept."""
_PICTURE_ROLE = Qt.ItemDataRole.UserRole + 1
_SIZE_ROLE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


class _Pages(QAbstractListModel):
    """Pages and their pictures, where they are there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.document: TextDocument | None = None
        self.pictures: dict[int, Picture] = {}

    def set_document(self, document: TextDocument | None) -> None:
        self.beginResetModel()
        self.document = document
        self.pictures.clear()
        self.endResetModel()

    def keep(self, page: int, picture: Picture) -> None:
        self.pictures.pop(page, None)
        self.pictures[page] = picture
        while len(self.pictures) > KEPT_MAX:
            del self.pictures[next(iter(self.pictures))]
        self.dataChanged.emit(self.index(page), self.index(page), [_PICTURE_ROLE])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Number of pages."""
        return 0 if parent.isValid() or self.document is None else len(self.document.pages)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Number, picture, size; a name for screen readers."""
        page = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return str(page + 1)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr("Page {}").format(page + 1)
        if role == _PICTURE_ROLE:
            return self.pictures.get(page)
        if role == _SIZE_ROLE and self.document is not None:
            return self.document.pages[page]
        return None


class _Tile(QStyledItemDelegate):
    """A page on a desk, its number below."""

    night = False
    turns = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802, ARG002 - Qt's signature
        """All are alike."""
        return QSize(WIDTH_PX + 2 * _MARGIN_PX, HEIGHT_PX + 2 * _MARGIN_PX + _LABEL_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The picture or blank paper, framed where it is the current page."""
        area: QRect = option.rect
        colors: QPalette = option.palette
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        width, height = fit(turned([index.data(_SIZE_ROLE)], self.turns)[0])
        place = QRect(0, 0, width, height)
        room = area.adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, -_MARGIN_PX - _LABEL_PX)
        place.moveCenter(room.center())
        place.moveBottom(room.bottom())  # the number stands right below it
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        edge = colors.color(QPalette.ColorRole.Highlight) if selected else QColor(0, 0, 0, 60)
        spread = 3 if selected else 1
        painter.fillRect(place.adjusted(-spread, -spread, spread, spread), edge)
        painter.fillRect(place, NIGHT_PAPER if self.night else PAPER)
        picture: Picture | None = index.data(_PICTURE_ROLE)
        if picture is not None:
            self._draw(painter, place, picture)
        painter.setPen(colors.color(QPalette.ColorRole.WindowText))
        label = QRect(area.x(), area.bottom() - _LABEL_PX - 2, area.width(), _LABEL_PX)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, index.data())
        painter.restore()

    def _draw(self, painter: QPainter, place: QRect, picture: Picture) -> None:
        painter.save()
        painter.translate(place.center().x() + 0.5, place.center().y() + 0.5)
        painter.rotate(90 * self.turns)
        width, height = (place.height(), place.width()) if self.turns % 2 else (place.width(), place.height())
        painter.drawImage(QRect(-width // 2, -height // 2, width, height), picture.image)
        painter.restore()


class Thumbnails(QListView):
    """The pages of a document as small pictures. They cost nothing while nobody sees them."""

    page_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Pages(self)
        self._tile = _Tile(self)
        self._tasks: dict[int, RasterTask] = {}
        self._failed: set[int] = set()
        self._following = False
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._ask)
        self.setModel(self._model)
        self.setItemDelegate(self._tile)
        self.setAccessibleName(tr("Thumbnails of the pages"))
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._settle.start())
        self.selectionModel().currentChanged.connect(self._current_changed)

    @property
    def pictures(self) -> frozenset[int]:
        """Pages whose thumbnails are there."""
        return frozenset(self._model.pictures)

    def set_document(self, document: TextDocument | None) -> None:
        """The pages of another document, or none."""
        self._cancel(set())
        self._failed.clear()
        self._following = True
        self._model.set_document(document)
        self._following = False
        self._settle.start()

    def set_look(self, *, night: bool, turns: int) -> None:
        """Draw pages as the view does."""
        if night != self._tile.night:
            self._tile.night = night
            self._cancel(set())
            self._model.pictures.clear()
            self._settle.start()
        self._tile.turns = turns
        self.viewport().update()

    def follow(self, page: int) -> None:
        """The view is on this page."""
        if 0 <= page < self._model.rowCount() and page != self.currentIndex().row():
            self._following = True
            self.setCurrentIndex(self._model.index(page))
            self._following = False

    def stop(self) -> None:
        """Ask for nothing more. Idempotent."""
        self.set_document(None)
        self._settle.stop()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Now somebody sees them."""
        super().showEvent(event)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        self._settle.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """More of them may be in view."""
        super().resizeEvent(event)
        self._settle.start()

    def _current_changed(self, index: QModelIndex) -> None:
        if not self._following and index.isValid():
            self.page_chosen.emit(index.row())

    def _visible(self) -> list[int]:
        area = self.viewport().rect()
        first = self.indexAt(QPoint(area.center().x(), area.top() + 1))
        start = first.row() if first.isValid() else 0
        pages = []
        for page in range(start, self._model.rowCount()):
            if self.visualRect(self._model.index(page)).top() > area.bottom():
                break
            pages.append(page)
        return pages

    def _ask(self) -> None:
        document = self._model.document
        if document is None or not self.isVisible():
            self._cancel(set())
            return
        wanted = self._visible()
        self._cancel(set(wanted))
        for page in wanted:
            if page not in self._model.pictures and page not in self._tasks and page not in self._failed:
                size = document.pages[page]
                scale = fit(size)[0] * self.devicePixelRatioF() / size.width_pt
                self._tasks[page] = document.render(
                    page,
                    scale,
                    lane=Lane.NORMAL,
                    done=self._arrived,
                    failed=lambda _, page=page: self._fail(page),  # type: ignore[misc] # mypy and defaults
                    night=self._tile.night,
                )

    def _arrived(self, pixels: Pixels) -> None:
        self._tasks.pop(pixels.page, None)
        self._model.keep(pixels.page, Picture.of(pixels))

    def _fail(self, page: int) -> None:
        self._tasks.pop(page, None)
        self._failed.add(page)

    def _cancel(self, keep: set[int]) -> None:
        for page in [page for page in self._tasks if page not in keep]:
            self._tasks.pop(page).cancel()


def fit(size: PageSize) -> tuple[int, int]:
    """The size of a page's thumbnail, in logical pixels."""
    scale = min(WIDTH_PX / size.width_pt, HEIGHT_PX / size.height_pt)
    return max(1, round(size.width_pt * scale)), max(1, round(size.height_pt * scale))
