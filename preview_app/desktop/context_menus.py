"""What the right button offers, over the pages and in the list: commands that are elsewhere too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QMenu

from preview_app.desktop.language import tr

if TYPE_CHECKING:
    from preview_app.desktop.window import MainWindow

_PAGES = ("copy", "select_page", "copy_image", "", "find", "", "zoom_in", "zoom_out", "fit_width", "fit_page", "")
_PAGES_END = ("turn_right", "turn_left", "single_page", "night", "", "save_pdf", "print")
_LIST = ("copy_path", "", "open_outside", "open_with", "show_in_folder", "", "save_pdf", "print", "inspect_this", "")
_LIST_END = ("tree", "list_thumbnails")


class ContextMenus:
    """The two menus of a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._connect()

    def _connect(self) -> None:
        # Of the view itself, which takes the event from its viewport, and tells the place in that.
        pages = self._window.viewer.pages
        pages.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        pages.customContextMenuRequested.connect(
            lambda at: self._pop_up(self.for_pages(at), pages.viewport().mapToGlobal(at))
        )
        self._window.browser.menu_wanted.connect(lambda at: self._pop_up(self.for_list(at), at))

    def for_pages(self, at: QPoint) -> QMenu:
        """Over the pages, at a point of the viewport; a link there can be copied."""
        window = self._window
        menu = QMenu(window)
        link = window.viewer.reading.pointer.link_at(QPointF(at))
        if link is not None and link.uri:
            address = link.uri
            menu.addAction(tr("Open the link …"), lambda: window.output.ask_link(address))
            menu.addAction(tr("Copy the address"), lambda: window.copy(address))
            menu.addSeparator()
        self._fill(menu, _PAGES + _PAGES_END)
        return menu

    def for_list(self, _at: QPoint) -> QMenu:
        """In the list; the row under the mouse is the current one, since a press chooses it."""
        menu = QMenu(self._window)
        entry = self._window.browser.current
        if entry is not None and entry.is_folder:
            self._fill_for_folder(menu, entry.path)
            return menu
        self._fill(menu, _LIST + _LIST_END)
        self._window.tell_why_not(menu)
        return menu

    def _fill_for_folder(self, menu: QMenu, folder: Path) -> None:
        """The commands are those of the document that is shown, which this folder is not."""
        window = self._window
        menu.addAction(tr("&Open this folder"), lambda: window.open_paths([folder]))
        menu.addAction(tr("Copy &path"), lambda: window.copy(str(folder)))
        menu.addAction(tr("Show in the &file manager"), lambda: window.output.show_folder(folder))
        menu.addSeparator()
        self._fill(menu, _LIST_END)

    def _fill(self, menu: QMenu, names: tuple[str, ...]) -> None:
        for name in names:
            if name:
                menu.addAction(self._window.actions_by_name[name])
            else:
                menu.addSeparator()

    def _pop_up(self, menu: QMenu, at: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)
