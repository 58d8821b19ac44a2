"""The pane at the left: the documents of a folder, as a list or a tree, filtered as a person types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engines.formats import Family
from preview_app.desktop import figures
from preview_app.desktop.entry_views import ENTRY_ROLE, EntryList, EntryLook, EntryView, rows_in_view, use_look
from preview_app.desktop.folder import Entry, Listing, Sort, list_files, list_folder, one_line
from preview_app.desktop.folder_tree import SEARCHED_FOLDERS_MAX, WATCHED_FOLDERS_MAX, FolderTree
from preview_app.desktop.language import mark, tr

SETTLE_MS = 60
"""So long nothing has moved before it counts what is in view."""
_INTO_LIST = frozenset({Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter})
_SORTS = {
    Sort.NAME: mark("By name"),
    Sort.MODIFIED: mark("Newest first"),
    Sort.SIZE: mark("Largest first"),
    Sort.TYPE: mark("By type"),
}


class Browser(QWidget):
    """Folder name, filter, list or tree. It says what was chosen and never opens anything itself."""

    chosen = Signal(object)
    """The `Path` of a document that a person selected."""
    documents_changed = Signal(object)
    """The documents as seen now, filter applied: a tuple of `Path`."""
    folder_changed = Signal(object)
    """Another folder (a `Path`) is listed, `None` for a list of files."""
    folders_changed = Signal(object)
    """The folders whose entries are shown are these: a tuple of `Path`."""
    menu_wanted = Signal(object)
    """A person wants a menu, at a point (`QPoint`) of the screen; the row there is current."""
    in_view_changed = Signal(object)
    """The documents whose rows can be seen now are these, from the top: a tuple of `Path`. Empty while it is hidden."""

    def __init__(self, suffixes: Mapping[str, Family], parent: QWidget | None = None, *, hidden: bool = False) -> None:
        super().__init__(parent)
        self._suffixes = suffixes
        self._hidden = hidden
        self._sort = Sort.NAME
        self._folder: Path | None = None
        self._files: tuple[Path, ...] = ()
        self._problem = ""
        self._last: Path | None = None
        """What was selected last in this folder, also while the filter hides it or the file is gone."""
        self.look = EntryLook(self)
        self.up = QToolButton(self)
        self._title = QLabel(self)
        self.filter = QLineEdit(self)
        self.order = QToolButton(self)
        self.list = EntryList(self.look, self)
        self.tree: FolderTree | None = None
        """Made when it is wanted."""
        self._sorts = QActionGroup(self)
        self._views = QStackedWidget(self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._tell_in_view)
        self.look.changed.connect(self._settle.start)
        self._message = QLabel(self)
        self._build()

    @property
    def folder(self) -> Path | None:
        """The folder that is listed."""
        return self._folder

    @property
    def documents(self) -> tuple[Path, ...]:
        """The documents as seen, in order, folders left out."""
        return self._view.documents()

    @property
    def current(self) -> Entry | None:
        """The entry of the current row, a document or a folder."""
        found = self.view.currentIndex().data(ENTRY_ROLE)
        return found if isinstance(found, Entry) else None

    @property
    def view(self) -> QAbstractItemView:
        """The list, or the tree that is there in its place."""
        return self.list if self.tree is None or self._views.currentWidget() is not self.tree else self.tree

    @property
    def _view(self) -> EntryView:
        return self.list if self.view is self.list or self.tree is None else self.tree

    @property
    def as_tree(self) -> bool:
        """Whether folders open in place."""
        return self.view is not self.list

    def set_as_tree(self, as_tree: bool) -> None:
        """Show a tree, or a list. What is selected stays so."""
        if as_tree == self.as_tree:
            return
        selected, had_focus = self.selected(), self.view.hasFocus()
        if as_tree and self.tree is None:
            self.tree = self._make_tree()
        former = self._view
        self._views.setCurrentWidget(self.tree if as_tree and self.tree is not None else self.list)
        former.set_entries(())
        former.set_filter("")
        self._view.set_filter(self.filter.text())
        self.refresh()
        if selected is not None:
            self.select(selected)
        if had_focus:
            self.view.setFocus()

    def shows(self, path: Path) -> bool:
        """Whether a document in this place is in the list, or could be seen in the tree."""
        return self._folder is not None and (
            path.parent == self._folder or (self.as_tree and path.is_relative_to(self._folder))
        )

    def show_folder(self, folder: Path) -> Listing:
        """List a folder."""
        self._folder, self._files, self._last = folder, (), None
        self.filter.clear()
        self._title.setText(one_line(folder.name or str(folder)))
        self._title.setToolTip(str(folder))
        self.up.setEnabled(folder.parent != folder)
        listing = self.refresh()
        self.folder_changed.emit(folder)
        return listing

    def show_files(self, files: Sequence[Path]) -> Listing:
        """List the files that a person named."""
        self._folder, self._files, self._last = None, tuple(files), None
        self.filter.clear()
        self._title.setText(tr("{} files").format(figures.whole(len(self._files))))
        self._title.setToolTip("")
        self.up.setEnabled(False)
        listing = self.refresh()
        self.folder_changed.emit(None)
        return listing

    def refresh(self) -> Listing:
        """Read the folder again; the selection stays."""
        selected = self._last or self.selected()
        listing = list_files(self._files, self._suffixes) if self._folder is None else self._list(self._folder)
        self._view.set_entries(listing.entries)
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
        for action in self._sorts.actions():
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
        return self._view.selected()

    def select(self, path: Path) -> None:
        """Make a row current without saying that it was chosen."""
        self._last = path
        self._view.select(path)

    def set_icons(self, icons: Mapping[Family | None, QIcon], up: QIcon, search: QIcon, order: QIcon) -> None:
        """Icons by family (`None`: folder), of the button to the folder above, of the filter, of the order."""
        self.order.setIcon(order)
        self.look.set_icons(icons)
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
        self.filter.setAcceptDrops(False)  # a file that is dropped there is to be opened
        self.filter.textChanged.connect(self._filter_changed)
        self.filter.installEventFilter(self)
        self._message.setWordWrap(True)
        self._message.setMargin(12)
        self._message.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._message.hide()
        self.up.setEnabled(False)
        self._build_order()
        self._views.addWidget(self.list)
        self._follow(self.list, self.list)
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
        column.addWidget(self._views, 1)
        self.setTabOrder(self.filter, self.list)

    def _build_order(self) -> None:
        self.order.setAutoRaise(True)
        self.order.setToolTip(tr("Order of the list"))
        self.order.setAccessibleName(tr("Order of the list"))
        self.order.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.order)
        for sort, text in _SORTS.items():
            action = self._sorts.addAction(tr(text))
            action.setCheckable(True)
            action.setChecked(sort is self._sort)
            action.setData(sort.value)
            action.triggered.connect(lambda _checked=False, sort=sort: self.set_sort(sort))
            menu.addAction(action)
        self.order.setMenu(menu)

    def _make_tree(self) -> FolderTree:
        tree = FolderTree(self.look, self._list, self)
        self._views.addWidget(tree)
        self._follow(tree, tree)
        tree.searched.connect(self._tell_problem)
        self.setTabOrder(self.list, tree)
        return tree

    def _follow(self, view: EntryView, widget: QAbstractItemView) -> None:
        use_look(widget, self.look)
        view.chosen.connect(self._chosen)
        view.entered.connect(self._enter)
        view.seen_changed.connect(self._seen_changed)
        rows = widget.selectionModel()
        # A view that is given the keyboard makes its first row current, and does not select it.
        rows.currentChanged.connect(lambda row, _former: rows.select(row, rows.SelectionFlag.ClearAndSelect))
        widget.verticalScrollBar().valueChanged.connect(lambda _value: self._settle.start())
        widget.viewport().installEventFilter(self)
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(widget.viewport().mapToGlobal(at)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """More rows, or fewer, may be in view; from the filter the keyboard goes on to what it has found."""
        if watched is self.filter:
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _INTO_LIST:
                self._go_into_list()
                return True
            return super().eventFilter(watched, event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide):
            self._settle.start()
        return super().eventFilter(watched, event)

    def stop(self) -> None:
        """Look no further. Idempotent."""
        self._settle.stop()
        if self.tree is not None:
            self.tree.stop()

    def _go_into_list(self) -> None:
        view = self.view
        first = view.model().index(0, 0)
        if first.isValid():
            if not view.currentIndex().isValid():
                view.setCurrentIndex(first)
            view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _list(self, folder: Path) -> Listing:
        return list_folder(folder, self._suffixes, hidden=self._hidden, sort=self._sort)

    def _chosen(self, entry: Entry) -> None:
        self._last = entry.path
        if not entry.is_folder:
            self.chosen.emit(entry.path)

    def _enter(self, entry: Entry) -> None:
        if not entry.is_folder:
            self.chosen.emit(entry.path)
        elif self.as_tree and self.tree is not None:
            self.tree.toggle(entry.path)
        else:
            self.show_folder(entry.path)

    def _filter_changed(self, text: str) -> None:
        selected = self._last or self.selected()
        self._view.set_filter(text)
        if selected is not None:
            self.select(selected)
        self._filtered()

    def _filtered(self) -> None:
        self._tell_problem()
        self._seen_changed()

    def _tell_problem(self) -> None:
        message = tr("No name here matches the filter.") if self._view.all_hidden() else self._problem
        if self.as_tree and self.tree is not None and self.tree.search_was_cut:
            message = tr("The filter looked into the first {} folders only.").format(
                figures.whole(SEARCHED_FOLDERS_MAX)
            )
        self._message.setText(message)
        self._message.setVisible(bool(message))

    def _seen_changed(self) -> None:
        self.documents_changed.emit(self.documents)
        opened = self.tree.open_folders[:WATCHED_FOLDERS_MAX] if self.as_tree and self.tree is not None else ()
        self.folders_changed.emit((*([self._folder] if self._folder is not None else ()), *opened))
        self._settle.start()

    def _tell_in_view(self) -> None:
        seen = rows_in_view(self.view) if self.isVisible() else ()
        self.in_view_changed.emit(tuple(entry.path for entry in seen if not entry.is_folder))
