"""What the commands of the window do; `actions` has their names and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from preview_app.desktop.actions import key_rows
from preview_app.desktop.language import tr
from preview_app.preview_states import Opening

if TYPE_CHECKING:
    from preview_app.desktop.window import MainWindow


class Commands:
    """Commands about files, panes and the window itself."""

    def __init__(self, window: MainWindow, suffixes: Iterable[str]) -> None:
        self._window = window
        self._pages = window.viewer.pages
        self._suffixes = tuple(suffixes)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each command does, by its name."""
        window = self._window
        return {
            "open_file": self.ask_file,
            "open_folder": self.ask_folder,
            "reload": self._reload,
            "quit": window.close,
            "copy_path": self._copy_path,
            "filter": self._focus_filter,
            "settings": window.show_settings,
            "toggle_list": self._toggle_list,
            "tree": lambda: window.set_tree(not window.browser.as_tree),
            "list_thumbnails": lambda: window.set_list_thumbnails(not window.pictures.shown),
            "toggle_navigation": lambda: self._toggle("toggle_navigation"),
            "toggle_details": lambda: self._toggle("toggle_details"),
            "full_screen": window.toggle_full_screen,
            "present": window.toggle_presentation,
            "previous_file": lambda: self._step(-1),
            "next_file": lambda: self._step(1),
            "folder_above": window.browser.show_parent,
            "keys": self._show_keys,
            "about": self._show_about,
            "escape": self._escape,
        }

    def ask_file(self) -> None:
        """Let a person choose documents."""
        pattern = " ".join(f"*.{suffix}" for suffix in sorted(self._suffixes))
        start = str(self._window.browser.folder or Path.home())
        filters = f"{tr('Documents')} ({pattern});;{tr('All files')} (*)"
        names, _ = QFileDialog.getOpenFileNames(self._window, tr("Open documents"), start, filters)
        self._window.open_paths([Path(name) for name in names])

    def ask_folder(self) -> None:
        """Let a person choose a folder."""
        name = QFileDialog.getExistingDirectory(
            self._window, tr("Open a folder"), str(self._window.browser.folder or Path.home())
        )
        if name:
            self._window.open_paths([Path(name)])

    def _show_keys(self) -> None:
        # Loaded when it is wanted: the first page does not wait for it.
        from preview_app.desktop.dialogs import keys_dialog  # noqa: PLC0415

        keys_dialog(key_rows(), self._window).open()

    def _show_about(self) -> None:
        from preview_app.desktop.dialogs import about_dialog  # noqa: PLC0415 - as above

        about_dialog(self._window).open()

    def _step(self, step: int) -> None:
        """To a file before or after this one; in a presentation to a page."""
        preview = self._window.preview
        if self._pages.presenting:
            self._pages.step_page(step)
        elif step > 0:
            self._window.step(preview.next, tr("This is the last document."))
        else:
            self._window.step(preview.previous, tr("This is the first document."))

    def _reload(self) -> None:
        self._pages.retry_pages()
        self._window.preview.reload()

    def _copy_path(self) -> None:
        if self._window.preview.path is not None:
            self._window.copy(str(self._window.preview.path))

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

    def _toggle(self, name: str) -> None:
        self._window.show_pane(name, shown=not self._window.pane(name).isVisibleTo(self._window))

    def _escape(self) -> None:
        """Undo the last thing that was opened or begun."""
        window, viewer = self._window, self._window.viewer
        if isinstance(window.preview.state, Opening):
            window.preview.cancel()
        elif window.output.print_job is not None:
            window.output.stop()
        elif self._pages.presenting:
            window.toggle_presentation()
        elif not viewer.find_bar.isHidden():
            viewer.finder.close()
        elif window.browser.filter.text():
            window.browser.filter.clear()
            window.browser.view.setFocus()
        elif window.browser.filter.hasFocus():
            window.browser.view.setFocus()
        elif window.status.page.field.hasFocus():
            self._pages.setFocus()
        elif not viewer.reading.selection.empty:
            viewer.reading.selection.clear()
        elif window.isFullScreen():
            window.toggle_full_screen()
        else:
            viewer.notices.hide()
