"""The folders below the one that is listed, as a tree that is read as far as a person opens it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QSortFilterProxyModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeView, QWidget

from preview_app.desktop.entry_views import ENTRY_ROLE, EntryLook, EntryRow, Index
from preview_app.desktop.folder import Entry, Listing
from preview_app.desktop.language import tr

SEARCHED_FOLDERS_MAX = 2_000
SEARCHED_ENTRIES_MAX = 100_000
"""How far a filter looks into folders that nobody opened."""
WATCHED_FOLDERS_MAX = 100
_INDENT_PX = 16


@dataclass(slots=True, eq=False)
class _Node:
    """An entry in the tree. `children` are `None` until the folder was read."""

    number: int
    entry: Entry
    parent: _Node | None
    row: int
    name: str
    """Folded, for the filter."""
    children: list[_Node] | None = field(default=None, repr=False)

    def above(self) -> Iterator[_Node]:
        """The folders that it is in, from the inside."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


class TreeModel(QAbstractItemModel):
    """Entries, and those of the folders among them once somebody asks."""

    def __init__(self, look: EntryLook, list_below: Callable[[Path], Listing], parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._list_below = list_below
        self._nodes: list[_Node] = []
        """Every node by its number: Qt's indexes carry numbers, since a pointer would not keep a node alive."""
        self._by_path: dict[Path, _Node] = {}
        self._top: list[_Node] = []
        look.picture_arrived.connect(self._picture_arrived)

    @property
    def top(self) -> Sequence[_Node]:
        """The uppermost entries."""
        return self._top

    @property
    def count(self) -> int:
        """Entries that have been read."""
        return len(self._nodes)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._nodes, self._by_path = [], {}
        self._top = self._make(entries, None)
        self.endResetModel()

    def node(self, index: Index) -> _Node | None:
        """The node at an index."""
        return self._nodes[index.internalId()] if index.isValid() else None

    def find(self, path: Path) -> _Node | None:
        """The node of a path, as far as the tree was read."""
        return self._by_path.get(path)

    def child(self, parent: Index, row: int) -> _Node:
        """The node at a row of a folder that was read."""
        node = self.node(parent)
        return self._top[row] if node is None else (node.children or [])[row]

    def index_of(self, node: _Node | None) -> QModelIndex:
        """Where a node is."""
        return QModelIndex() if node is None else self.createIndex(node.row, 0, node.number)

    def read(self, node: _Node) -> list[_Node]:
        """What is in a folder; it is read once."""
        if node.children is None:
            entries = self._list_below(node.entry.path).entries if node.entry.is_folder else ()
            if entries:
                self.beginInsertRows(self.index_of(node), 0, len(entries) - 1)
            node.children = self._make(entries, node)
            if entries:
                self.endInsertRows()
        return node.children

    def _make(self, entries: Sequence[Entry], parent: _Node | None) -> list[_Node]:
        first = len(self._nodes)
        made = [_Node(first + row, entry, parent, row, entry.path.name.casefold()) for row, entry in enumerate(entries)]
        self._nodes += made
        self._by_path.update((node.entry.path, node) for node in made)
        return made

    # ---- as Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Number of entries in a folder, as far as it was read."""
        node = self.node(parent)
        return len(self._top) if node is None else len(node.children or ())

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008, ARG002 - Qt's signature
        """One."""
        return 1

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's signature
        """The index of a row of a folder."""
        node = self.node(parent)
        rows = self._top if node is None else node.children or []
        return self.createIndex(row, column, rows[row].number) if 0 <= row < len(rows) else QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override] # noqa: B008 - Qt's signature
        """The folder of an entry."""
        node = self.node(index)
        return QModelIndex() if node is None else self.index_of(node.parent)

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: N802, B008 - Qt's signature
        """Whether something is in a folder; one that was not read may have something."""
        node = self.node(parent)
        if node is None:
            return bool(self._top)
        return node.entry.is_folder and (node.children is None or bool(node.children))

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's name
        """Whether a folder was not read yet."""
        node = self.node(parent)
        return node is not None and node.entry.is_folder and node.children is None

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's name
        """Read a folder."""
        node = self.node(parent)
        if node is not None:
            self.read(node)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """See `EntryLook.data`."""
        node = self.node(index)
        return None if node is None else self._look.data(node.entry, role)

    def _picture_arrived(self, path: Path) -> None:
        node = self.find(path)
        if node is not None:
            self.dataChanged.emit(self.index_of(node), self.index_of(node), [Qt.ItemDataRole.DecorationRole])


class _Filter(QSortFilterProxyModel):
    """The entries with a text in their names, and the folders that they are in."""

    def __init__(self, model: TreeModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._text = ""
        self.setRecursiveFilteringEnabled(True)
        self.setSourceModel(model)

    def set_text(self, text: str) -> None:
        """Let only names with this folded text pass."""
        if hasattr(self, "beginFilterChange"):  # since Qt 6.10, where the other way is deprecated
            self.beginFilterChange()
            self._text = text
            self.endFilterChange(QSortFilterProxyModel.Direction.Rows)
        else:
            self._text = text
            self.invalidateFilter()

    def passes(self, node: _Node) -> bool:
        """Whether an entry is shown, as far as the tree was read."""
        return self._text in node.name or any(self.passes(child) for child in node.children or ())

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:  # noqa: N802 - Qt's name
        """Whether the name of an entry passes."""
        return self._text in self._model.child(parent, row).name


class FolderTree(QTreeView):
    """A tree of documents. Left and Right are the window's; Enter, + and - open and close a folder."""

    chosen = Signal(object)
    entered = Signal(object)
    seen_changed = Signal()
    searched = Signal()
    """The filter looks no further: everything below was read, or the bound was reached (`search_was_cut`)."""

    def __init__(self, look: EntryLook, list_below: Callable[[Path], Listing], parent: QWidget) -> None:
        super().__init__(parent)
        self._model = TreeModel(look, list_below, parent)
        self._proxy = _Filter(self._model, parent)
        self._selecting = False
        self._filter = ""
        self._opened_by_filter: set[Path] = set()
        self._to_search: deque[_Node] = deque()
        self._searched = 0
        self.search_was_cut = False
        self._step = QTimer(self)
        self._step.setSingleShot(True)
        self._step.timeout.connect(self._search_on)
        self.setModel(self._proxy)
        self.setAccessibleName(tr("Documents and folders"))
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setIndentation(_INDENT_PX)
        self.setItemDelegate(EntryRow(look, self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.doubleClicked.connect(self._double_clicked)
        self.expanded.connect(lambda _index: self.seen_changed.emit())
        self.collapsed.connect(lambda _index: self.seen_changed.emit())

    @property
    def open_folders(self) -> tuple[Path, ...]:
        """The folders that are open, the outer ones first."""
        return tuple(node.entry.path for node in self._seen() if node.entry.is_folder and self._is_open(node))

    # ---- EntryView

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these; folders that were open and are still there are open again."""
        former = self.open_folders
        self._selecting = True
        self._model.set_entries(entries)
        self._selecting = False
        for path in former:
            self._open(path)
        self._begin_search()

    def set_filter(self, text: str) -> None:
        """See `EntryView`. Folders that nobody opened are searched too, within bounds, bit by bit."""
        former = self.selected()
        self._filter = text.casefold()
        self._selecting = True
        self._proxy.set_text(self._filter)
        if self.selected() != former:  # it is hidden now, and Qt has taken a row beside it, which nobody chose
            self.setCurrentIndex(QModelIndex())
        if not text:
            self._close_what_the_filter_opened()
        self._selecting = False
        self._begin_search()

    def documents(self) -> tuple[Path, ...]:
        """See `EntryView`: those in folders that are open."""
        return tuple(node.entry.path for node in self._seen() if not node.entry.is_folder)

    def all_hidden(self) -> bool:
        """See `EntryView`; not before the search is over."""
        return bool(self._model.top) and not self._proxy.rowCount() and not self._to_search

    def selected(self) -> Path | None:
        """See `EntryView`."""
        entry = self.currentIndex().data(ENTRY_ROLE)
        return None if entry is None else entry.path

    def select(self, path: Path) -> None:
        """See `EntryView`; the folders that it is in are opened."""
        for folder in reversed(path.parents):
            self._open(folder)
        node = self._model.find(path)
        index = self._proxy.mapFromSource(self._model.index_of(node))
        if index.isValid():
            self._selecting = True
            self.setCurrentIndex(index)
            self._selecting = False
            self.scrollTo(index)

    # ---- opening and closing

    def toggle(self, path: Path) -> None:
        """Open a folder, or close it."""
        node = self._model.find(path)
        if node is not None:
            index = self._proxy.mapFromSource(self._model.index_of(node))
            self.setExpanded(index, not self.isExpanded(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """The Enter key enters; * does nothing, since it would read the whole disk."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered.emit(self.currentIndex().data(ENTRY_ROLE))
        elif event.key() != Qt.Key.Key_Asterisk:
            super().keyPressEvent(event)

    def _open(self, path: Path) -> None:
        node = self._model.find(path)
        if node is not None and node.entry.is_folder:
            self._model.read(node)
            self.setExpanded(self._proxy.mapFromSource(self._model.index_of(node)), True)

    def _is_open(self, node: _Node) -> bool:
        return self.isExpanded(self._proxy.mapFromSource(self._model.index_of(node)))

    def _seen(self) -> Iterator[_Node]:
        """The nodes that pass the filter and whose folders are all open, from the top."""
        return self._seen_among(self._model.top)

    def _seen_among(self, nodes: Sequence[_Node]) -> Iterator[_Node]:
        for node in nodes:
            if not self._proxy.passes(node):
                continue
            yield node
            if node.entry.is_folder and node.children and self._is_open(node):
                yield from self._seen_among(node.children)

    def _current_changed(self, index: QModelIndex) -> None:
        if not self._selecting and index.isValid():
            self.chosen.emit(index.data(ENTRY_ROLE))

    def _double_clicked(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        if not entry.is_folder:  # Qt opens and closes folders itself
            self.entered.emit(entry)

    # ---- the filter, in folders that nobody opened

    def stop(self) -> None:
        """Search no further. Idempotent."""
        self._step.stop()
        self._to_search.clear()

    def _begin_search(self) -> None:
        self.stop()
        self._searched, self.search_was_cut = 0, False
        if self._filter:
            self._to_search.extend(node for node in self._model.top if node.entry.is_folder)
            self._reveal(self._model.top)
            self._step.start(0)

    def _search_on(self) -> None:
        """One folder a turn: nobody who types waits for it."""
        if self._searched >= SEARCHED_FOLDERS_MAX or self._model.count >= SEARCHED_ENTRIES_MAX:
            self.search_was_cut = bool(self._to_search)
            self._to_search.clear()
        if not self._to_search:
            self.searched.emit()
            return
        node = self._to_search.popleft()
        self._searched += 1
        if not node.entry.path.is_symlink():  # it may lead in a circle
            children = self._model.read(node)
            self._to_search.extend(child for child in children if child.entry.is_folder)
            self._reveal(children)
        self._step.start(0)

    def _reveal(self, nodes: Sequence[_Node]) -> None:
        """Open the folders of what matches."""
        found = [node for node in nodes if self._filter in node.name]
        folders = list(found[0].above()) if found else []
        for folder in reversed(folders):
            if not self._is_open(folder):
                self._opened_by_filter.add(folder.entry.path)
                self.expand(self._proxy.mapFromSource(self._model.index_of(folder)))

    def _close_what_the_filter_opened(self) -> None:
        kept = {self.selected(), *(self.selected() or Path()).parents}
        for path in self._opened_by_filter - kept:
            node = self._model.find(path)
            if node is not None:
                self.collapse(self._proxy.mapFromSource(self._model.index_of(node)))
        self._opened_by_filter.clear()
