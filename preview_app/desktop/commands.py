"""What the commands of the window do; `actions` has their names and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QInputDialog

from preview_app.desktop.actions import key_rows
from preview_app.desktop.dialogs import about_dialog, keys_dialog
from preview_app.desktop.page_layout import Fit
from preview_app.preview_states import Opening

if TYPE_CHECKING:
    from preview_app.desktop.window import MainWindow

MESSAGE_MS = 4000


class Commands:
    """The commands of one window."""

    def __init__(self, window: MainWindow, suffixes: Iterable[str]) -> None:
        self._window = window
        self._pages = window.viewer.pages
        self._suffixes = tuple(suffixes)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each command does, by its name."""
        window, pages, preview = self._window, self._pages, self._window.preview
        return {
            "open_file": self.ask_file,
            "open_folder": self.ask_folder,
            "reload": self._reload,
            "quit": window.close,
            "copy_path": self._copy_path,
            "filter": self._focus_filter,
            "zoom_in": pages.zoom_in,
            "zoom_out": pages.zoom_out,
            "actual_size": lambda: pages.set_zoom(1.0),
            "fit_automatic": lambda: pages.set_fit(Fit.AUTOMATIC),
            "fit_width": lambda: pages.set_fit(Fit.WIDTH),
            "fit_page": lambda: pages.set_fit(Fit.PAGE),
            "toggle_list": self._toggle_list,
            "full_screen": self._toggle_full_screen,
            "previous_file": lambda: window.step(preview.previous, "This is the first document."),
            "next_file": lambda: window.step(preview.next, "This is the last document."),
            "folder_above": window.browser.show_parent,
            "screen_down": self._space_or_down,
            "screen_up": lambda: pages.scroll_screens(-1),
            "first_page": pages.go_to_start,
            "last_page": pages.go_to_end,
            "go_to_page": self.ask_page,
            "keys": lambda: keys_dialog(key_rows(), window).open(),
            "about": lambda: about_dialog(window).open(),
            "escape": self._escape,
        }

    def ask_file(self) -> None:
        """Let a person choose documents."""
        pattern = " ".join(f"*.{suffix}" for suffix in sorted(self._suffixes))
        start = str(self._window.browser.folder or Path.home())
        filters = f"Documents ({pattern});;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self._window, "Open documents", start, filters)
        self._window.open_paths([Path(name) for name in names])

    def ask_folder(self) -> None:
        """Let a person choose a folder."""
        name = QFileDialog.getExistingDirectory(
            self._window, "Open a folder", str(self._window.browser.folder or Path.home())
        )
        if name:
            self._window.open_paths([Path(name)])

    def ask_page(self) -> None:
        document = self._pages.document
        if document is None:
            return
        count = len(document.pages)
        page, accepted = QInputDialog.getInt(
            self._window, "Go to page", f"Page (1 to {count}):", self._pages.page + 1, 1, count
        )
        if accepted:
            self._pages.go_to_page(page - 1)

    def _reload(self) -> None:
        self._pages.retry_pages()
        self._window.preview.reload()

    def _copy_path(self) -> None:
        if self._window.preview.path is not None:
            self.copy(str(self._window.preview.path))

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        QGuiApplication.clipboard().setText(text)
        self._window.status.showMessage("Copied.", MESSAGE_MS)

    def _focus_filter(self) -> None:
        self._show_list(shown=True)
        self._window.browser.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._window.browser.filter.selectAll()

    def _toggle_list(self) -> None:
        self._show_list(shown=not self._window.browser.isVisibleTo(self._window))

    def _show_list(self, *, shown: bool) -> None:
        self._window.browser.setVisible(shown)
        self._window.actions_by_name["toggle_list"].setChecked(shown)
        if not shown:
            self._pages.setFocus()

    def _toggle_full_screen(self) -> None:
        full = not self._window.isFullScreen()
        for widget in self._window.furniture():
            widget.setVisible(not full)
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)
        self._window.actions_by_name["full_screen"].setChecked(full)

    def _space_or_down(self) -> None:
        # Space on a button must press it, though the key is a command of the window.
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton):
            focused.click()
        else:
            self._pages.scroll_screens(1)

    def _escape(self) -> None:
        if isinstance(self._window.preview.state, Opening):
            self._window.preview.cancel()
        elif self._window.browser.filter.text():
            self._window.browser.filter.clear()
            self._window.browser.list.setFocus()
        elif self._window.isFullScreen():
            self._toggle_full_screen()
        elif self._window.browser.filter.hasFocus():
            self._window.browser.list.setFocus()
        else:
            self._window.viewer.notices.hide()
