"""What a list and a tree of documents have in common, and the list: entries as Qt wants them, with their pictures."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from engines.formats import Family
from preview_app.desktop.folder import Entry, one_line
from preview_app.desktop.language import mark, tr

ROW_ROOM_PX = 6
ICON_PX = 20
PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX = 56, 72
"""The room for a picture of the first page, in logical pixels."""
BOXED_ICON_PX = 40
_BOX_DEVICE_PX_A_PX = 2
"""Pictures are made for screens of twice the usual resolution; others scale them down."""
PICTURES_MAX = 200
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
_KINDS = {
    None: mark("folder"),
    Family.TEXT: mark("text"),
    Family.SHEET: mark("table"),
    Family.SLIDES: mark("slides"),
    Family.DRAWING: mark("drawing"),
    Family.PDF: mark("PDF"),
}


class EntryLook(QObject):
    """How entries look, the same in every view: an icon for each family, a picture where there is one."""

    changed = Signal()
    picture_arrived = Signal(object)
    """The `Path` whose picture is there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icons: Mapping[Family | None, QIcon] = {}
        self._boxed: dict[Family | None, QIcon] = {}
        self._pictures: OrderedDict[Path, QIcon] = OrderedDict()
        self._large = False

    @property
    def large(self) -> bool:
        """Whether rows are as high as pictures of first pages want."""
        return self._large

    @property
    def icon_size(self) -> QSize:
        """The room for an icon."""
        return QSize(PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX) if self._large else QSize(ICON_PX, ICON_PX)

    def set_large(self, large: bool) -> None:
        """Show pictures, or icons alone."""
        self._large = large
        self._pictures.clear()
        self.changed.emit()

    def set_icons(self, icons: Mapping[Family | None, QIcon]) -> None:
        """Icons by family, `None` for folders."""
        self._icons, self._boxed = icons, {}
        self.changed.emit()

    def set_picture(self, path: Path, picture: QIcon) -> None:
        """The first page of a document."""
        self._pictures.pop(path, None)
        self._pictures[path] = picture
        while len(self._pictures) > PICTURES_MAX:
            self._pictures.popitem(last=False)
        self.picture_arrived.emit(path)

    def data(self, entry: Entry, role: int) -> Any:
        """Name, picture or icon, full path as a tip, kind for screen readers."""
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(entry.path.name)
        if role == Qt.ItemDataRole.DecorationRole:
            return self._large_icon(entry) if self._large else self._icons.get(entry.family)
        if role == Qt.ItemDataRole.ToolTipRole:
            return one_line(str(entry.path))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{one_line(entry.path.name)}, {tr(_KINDS[entry.family])}"
        return entry if role == ENTRY_ROLE else None

    def _large_icon(self, entry: Entry) -> QIcon | None:
        if (picture := self._pictures.get(entry.path)) is not None:
            return picture
        family = entry.family
        icon = self._icons.get(family)
        if icon is not None and family not in self._boxed:
            side = ICON_PX if entry.is_folder else BOXED_ICON_PX
            self._boxed[family] = in_box(icon.pixmap(QSize(side, side), _BOX_DEVICE_PX_A_PX), box_of(entry))
        return self._boxed.get(family)


PICTURE_BOX = QSize(PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX)
_FOLDER_BOX = QSize(PICTURE_WIDTH_PX, ICON_PX)


def box_of(entry: Entry) -> QSize:
    """The room for the picture of an entry where there are pictures: a folder, which has none, needs but one line."""
    return _FOLDER_BOX if entry.is_folder else PICTURE_BOX


def in_box(picture: QPixmap, room: QSize = PICTURE_BOX) -> QIcon:
    """A picture in the middle of the room for it, so that the names beside them stand below each other."""
    box = QPixmap(room * _BOX_DEVICE_PX_A_PX)
    box.setDevicePixelRatio(_BOX_DEVICE_PX_A_PX)
    box.fill(Qt.GlobalColor.transparent)
    size = picture.deviceIndependentSize()
    painter = QPainter(box)
    painter.drawPixmap(QPointF((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), picture)
    painter.end()
    icon = QIcon(box)
    icon.addPixmap(box, QIcon.Mode.Selected)  # a selected row would tint it
    return icon


class EntryView(Protocol):
    """What the browser needs of a view of entries; all are widgets."""

    @property
    def chosen(self) -> SignalInstance:
        """A person made an entry (`Entry`) the current one."""

    @property
    def entered(self) -> SignalInstance:
        """A person entered an entry (`Entry`): a double click, the Enter key."""

    @property
    def seen_changed(self) -> SignalInstance:
        """Other documents may be in view, or be seen at all: folders opened, folders closed."""

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these."""

    def set_filter(self, text: str) -> None:
        """Show only what has this text in its name."""

    def documents(self) -> tuple[Path, ...]:
        """The documents that are seen or could be by scrolling, in order."""

    def all_hidden(self) -> bool:
        """Whether there are entries and the filter hides all of them."""

    def selected(self) -> Path | None:
        """The path of the current entry."""

    def select(self, path: Path) -> None:
        """Make an entry current without saying that it was chosen."""


class EntryModel(QAbstractListModel):
    """Entries as rows."""

    picture_changed = Signal(object)
    """The row of this `QModelIndex` looks different and is as high as before: to tell that its data changed would make
    the list measure all its rows again."""

    def __init__(self, look: EntryLook, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._rows: dict[str, int] | None = None
        self._look = look
        look.changed.connect(self._look_changed)
        look.picture_arrived.connect(self._picture_arrived)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries, in order."""
        return self._entries

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._entries, self._rows = tuple(entries), None
        self.endResetModel()

    def row_of(self, path: Path) -> int | None:
        """The row of a path."""
        if self._rows is None:
            # Paths compare and hash slowly; each keeps its string.
            self._rows = {str(entry.path): row for row, entry in enumerate(self._entries)}
        return self._rows.get(str(path))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Number of entries."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """See `EntryLook.data`."""
        return self._look.data(self._entries[index.row()], role)

    def _look_changed(self) -> None:
        if self._entries:
            roles = [Qt.ItemDataRole.DecorationRole, Qt.ItemDataRole.SizeHintRole]
            self.dataChanged.emit(self.index(0), self.index(len(self._entries) - 1), roles)

    def _picture_arrived(self, path: Path) -> None:
        row = self.row_of(path)
        if row is not None:
            self.picture_changed.emit(self.index(row))


class EntryRow(QStyledItemDelegate):
    """Rows with room to breathe: all of one height, or, with pictures, of one for documents and one for folders."""

    def __init__(self, look: EntryLook, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._heights: dict[tuple[bool, int], int] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802 - Qt's name
        """Every picture has the room that it wants."""
        super().initStyleOption(option, index)
        if self._look.large:
            option.decorationSize = box_of(index.data(ENTRY_ROLE))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """With pictures every row is asked for, ten thousand in a large folder: a table answers."""
        if not self._look.large:
            return super().sizeHint(option, index) + QSize(0, ROW_ROOM_PX)
        key = index.data(ENTRY_ROLE).is_folder, option.fontMetrics.height()
        if key not in self._heights:
            room = box_of(index.data(ENTRY_ROLE)).height()
            self._heights[key] = max(super().sizeHint(option, index).height(), room) + ROW_ROOM_PX
        return QSize(PICTURE_WIDTH_PX, self._heights[key])


class EntryList(QListView):
    """The entries of a folder, one below the other. Enter enters; everything else about keys is the window's."""

    chosen = Signal(object)
    entered = Signal(object)
    seen_changed = Signal()

    def __init__(self, look: EntryLook, parent: QWidget) -> None:
        super().__init__(parent)
        self._selecting = False
        self._all: tuple[Entry, ...] = ()
        self._names: list[str] | None = None
        """Folded names of all entries, once somebody filters."""
        self._filter = ""
        self._model = EntryModel(look, parent)
        self.setModel(self._model)
        self.setAccessibleName(tr("Documents"))
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(EntryRow(look, self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        # By a call: of the slots named `update` another one would be connected.
        self._model.picture_changed.connect(lambda row: self.update(row))  # noqa: PLW0108
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.doubleClicked.connect(lambda index: self.entered.emit(index.data(ENTRY_ROLE)))

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """See `EntryView`."""
        self._all, self._names = tuple(entries), None
        self._show()

    def set_filter(self, text: str) -> None:
        """See `EntryView`."""
        self._filter = text.casefold()
        self._show()

    def documents(self) -> tuple[Path, ...]:
        """See `EntryView`."""
        return tuple(entry.path for entry in self._model.entries if not entry.is_folder)

    def all_hidden(self) -> bool:
        """See `EntryView`."""
        return bool(self._all) and not self._model.entries

    def selected(self) -> Path | None:
        """See `EntryView`."""
        entry = self.currentIndex().data(ENTRY_ROLE)
        return None if entry is None else entry.path

    def select(self, path: Path) -> None:
        """See `EntryView`."""
        row = self._model.row_of(path)
        if row is not None:
            self._selecting = True
            self.setCurrentIndex(self._model.index(row))
            self._selecting = False
            self.scrollTo(self._model.index(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """The Enter key enters folders."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered.emit(self.currentIndex().data(ENTRY_ROLE))
            return
        super().keyPressEvent(event)

    def _show(self) -> None:
        """All that passes the filter: plain Python is several times as fast as a model that filters another."""
        shown: Sequence[Entry] = self._all
        if self._filter:
            if self._names is None:
                self._names = [entry.path.name.casefold() for entry in self._all]
            shown = [entry for entry, name in zip(self._all, self._names, strict=True) if self._filter in name]
        self._selecting = True
        self._model.set_entries(shown)
        self._selecting = False

    def _current_changed(self, index: QModelIndex) -> None:
        if not self._selecting and index.isValid():
            self.chosen.emit(index.data(ENTRY_ROLE))


def rows_in_view(view: QAbstractItemView) -> Iterator[Entry]:
    """The entries whose rows can be seen now, from the top."""
    area, top = view.viewport().rect(), 0
    while top < area.height():
        index = view.indexAt(QPoint(area.width() // 2, top))
        if not index.isValid():
            return
        yield index.data(ENTRY_ROLE)
        top = view.visualRect(index).bottom() + 1


def use_look(view: QAbstractItemView, look: EntryLook) -> None:
    """Give a view the size of icons that the look wants, now and when it changes."""

    def apply() -> None:
        resized = view.iconSize() != look.icon_size
        view.setIconSize(look.icon_size)
        if isinstance(view, QListView):
            view.setUniformItemSizes(not look.large)
        elif isinstance(view, QTreeView):
            view.setUniformRowHeights(not look.large)
        model: QAbstractItemModel | None = view.model()
        if model is not None:
            view.doItemsLayout()
            if resized:  # the rows have moved, and what is selected may have left the view
                view.scrollTo(view.currentIndex())

    look.changed.connect(apply)
    apply()
