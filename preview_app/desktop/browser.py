"""The list at the left: the documents of a folder, filtered as a person types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engines.formats import Family
from preview_app.desktop.folder import Entry, Listing, Sort, list_files, list_folder
from preview_app.desktop.language import mark, tr

ROW_ROOM_PX = 6
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex


_SORTS = {
    Sort.NAME: mark("By name"),
    Sort.MODIFIED: mark("Newest first"),
    Sort.SIZE: mark("Largest first"),
    Sort.TYPE: mark("By type"),
}


class EntryModel(QAbstractListModel):
    """Entries as Qt wants them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._icons: Mapping[Family | None, QIcon] = {}

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._entries = tuple(entries)
        self.endResetModel()

    def set_icons(self, icons: Mapping[Family | None, QIcon]) -> None:
        """Icons by family, `None` for folders."""
        self._icons = icons
        if self._entries:
            self.dataChanged.emit(self.index(0), self.index(len(self._entries) - 1), [Qt.ItemDataRole.DecorationRole])

    def entry(self, row: int) -> Entry:
        """The entry of a row."""
        return self._entries[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Number of entries."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Name, icon, full path as a tip, kind for screen readers."""
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.path.name
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icons.get(entry.family)
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(entry.path)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.path.name}, {'folder' if entry.family is None else entry.family.value}"
        return entry if role == PATH_ROLE else None


class _List(QListView):
    """A list whose Enter key enters folders; everything else about keys is the window's."""

    entered_row = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered_row.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


class _Row(QStyledItemDelegate):
    """Rows with room to breathe."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        size = super().sizeHint(option, index)
        return QSize(size.width(), size.height() + ROW_ROOM_PX)


class Browser(QWidget):
    """Folder name, filter, list. It says what was chosen and never opens anything itself."""

    chosen = Signal(object)
    """The `Path` of a document that a person selected."""
    documents_changed = Signal(object)
    """The documents as seen now, filter applied: a tuple of `Path`."""
    folder_changed = Signal(object)
    """Another folder (a `Path`) is listed, `None` for a list of files."""

    def __init__(self, suffixes: Mapping[str, Family], parent: QWidget | None = None, *, hidden: bool = False) -> None:
        super().__init__(parent)
        self._suffixes = suffixes
        self._hidden = hidden
        self._sort = Sort.NAME
        self._folder: Path | None = None
        self._files: tuple[Path, ...] = ()
        self._selecting = False
        self._problem = ""
        self._model = EntryModel(self)
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self._model)
        self._proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.up = QToolButton(self)
        self._title = QLabel(self)
        self.filter = QLineEdit(self)
        self.order = QToolButton(self)
        self.list = _List(self)
        self._message = QLabel(self)
        self._build()

    @property
    def folder(self) -> Path | None:
        """The folder that is listed."""
        return self._folder

    @property
    def documents(self) -> tuple[Path, ...]:
        """The documents as seen, in order, folders left out."""
        rows = (self._proxy.index(row, 0).data(PATH_ROLE) for row in range(self._proxy.rowCount()))
        return tuple(entry.path for entry in rows if not entry.is_folder)

    def show_folder(self, folder: Path) -> Listing:
        """List a folder."""
        self._folder, self._files = folder, ()
        self.filter.clear()
        self._title.setText(folder.name or str(folder))
        self._title.setToolTip(str(folder))
        self.up.setEnabled(folder.parent != folder)
        listing = self.refresh()
        self.folder_changed.emit(folder)
        return listing

    def show_files(self, files: Sequence[Path]) -> Listing:
        """List the files that a person named."""
        self._folder, self._files = None, tuple(files)
        self.filter.clear()
        self._title.setText(tr("{} files").format(len(self._files)))
        self._title.setToolTip("")
        self.up.setEnabled(False)
        listing = self.refresh()
        self.folder_changed.emit(None)
        return listing

    def refresh(self) -> Listing:
        """Read the folder again; the selection stays."""
        selected = self.selected()
        if self._folder is not None:
            listing = list_folder(self._folder, self._suffixes, hidden=self._hidden, sort=self._sort)
        else:
            listing = list_files(self._files, self._suffixes)
        self._model.set_entries(listing.entries)
        self._problem = listing.problem
        if selected is not None:
            self.select(selected)
        self._filtered()
        return listing

    @property
    def sort(self) -> Sort:
        """The order of the list."""
        return self._sort

    def set_sort(self, sort: Sort) -> None:
        """List in another order."""
        for action in self.order.menu().actions():
            action.setChecked(action.data() == sort.value)
        if sort is not self._sort:
            self._sort = sort
            self.refresh()

    def set_hidden(self, hidden: bool) -> None:
        """Whether hidden files are listed."""
        if hidden != self._hidden:
            self._hidden = hidden
            self.refresh()

    def show_parent(self) -> None:
        """Go to the folder above."""
        if self._folder is not None and self._folder.parent != self._folder:
            left = self._folder
            self.show_folder(left.parent)
            self.select(left)

    def selected(self) -> Path | None:
        """The path of the current row."""
        entry = self.list.currentIndex().data(PATH_ROLE)
        return None if entry is None else entry.path

    def select(self, path: Path) -> None:
        """Make a row current without saying that it was chosen."""
        for row in range(self._proxy.rowCount()):
            index = self._proxy.index(row, 0)
            if index.data(PATH_ROLE).path == path:
                self._selecting = True
                self.list.setCurrentIndex(index)
                self._selecting = False
                self.list.scrollTo(index)
                return

    def set_icons(self, icons: Mapping[Family | None, QIcon], up: QIcon, search: QIcon, order: QIcon) -> None:
        """Icons by family (`None`: folder), of the button to the folder above, of the filter, of the order."""
        self.order.setIcon(order)
        self._model.set_icons(icons)
        self.up.setIcon(up)
        for action in self.filter.actions():
            self.filter.removeAction(action)
        self.filter.addAction(QAction(search, "", self.filter), QLineEdit.ActionPosition.LeadingPosition)

    def _build(self) -> None:
        self.up.setAutoRaise(True)
        self.up.setToolTip(tr("Folder above (Alt+Up)"))
        self.up.setAccessibleName(tr("Folder above"))
        self.up.clicked.connect(self.show_parent)
        self._title.setAccessibleName(tr("Folder"))
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self.filter.setPlaceholderText(tr("Filter"))
        self.filter.setAccessibleName(tr("Filter the list of documents"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter_changed)
        self._message.setWordWrap(True)
        self._message.setMargin(12)
        self._message.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._message.hide()
        self.up.setEnabled(False)
        self._build_order()
        self._build_list()
        head = QHBoxLayout()
        head.setContentsMargins(6, 6, 6, 0)
        head.addWidget(self.up)
        head.addWidget(self._title, 1)
        below = QHBoxLayout()
        below.setContentsMargins(6, 0, 6, 0)
        below.addWidget(self.filter)
        below.addWidget(self.order)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(below)
        column.addWidget(self._message)
        column.addWidget(self.list, 1)
        self.setTabOrder(self.filter, self.list)

    def _build_order(self) -> None:
        self.order.setAutoRaise(True)
        self.order.setToolTip(tr("Order of the list"))
        self.order.setAccessibleName(tr("Order of the list"))
        self.order.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.order)
        group = QActionGroup(menu)
        for sort, text in _SORTS.items():
            action = group.addAction(tr(text))
            action.setCheckable(True)
            action.setChecked(sort is self._sort)
            action.setData(sort.value)
            action.triggered.connect(lambda _checked=False, sort=sort: self.set_sort(sort))
            menu.addAction(action)
        self.order.setMenu(menu)

    def _build_list(self) -> None:
        self.list.setModel(self._proxy)
        self.list.setAccessibleName(tr("Documents"))
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_Row(self.list))
        self.list.setIconSize(QSize(20, 20))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.list.doubleClicked.connect(self._enter)
        self.list.entered_row.connect(self._enter)

    def _current_changed(self, index: QModelIndex) -> None:
        entry = index.data(PATH_ROLE)
        if not self._selecting and entry is not None and not entry.is_folder:
            self.chosen.emit(entry.path)

    def _enter(self, index: QModelIndex) -> None:
        entry = index.data(PATH_ROLE)
        if entry.is_folder:
            self.show_folder(entry.path)
        else:
            self.chosen.emit(entry.path)

    def _filter_changed(self, text: str) -> None:
        selected = self.selected()
        self._selecting = True
        self._proxy.setFilterFixedString(text)
        self._selecting = False
        if selected is not None:
            self.select(selected)
        self._filtered()

    def _filtered(self) -> None:
        hidden = self._model.rowCount() and not self._proxy.rowCount()
        message = tr("No name here matches the filter.") if hidden else self._problem
        self._message.setText(message)
        self._message.setVisible(bool(message))
        self.documents_changed.emit(self.documents)
