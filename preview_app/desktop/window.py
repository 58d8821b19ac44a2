"""The main window: what is opened, what the preview says of it, what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication

from preview_app.config import Config
from preview_app.desktop.accessible_pages import tell_of_change
from preview_app.desktop.actions import make_actions
from preview_app.desktop.commands import Commands
from preview_app.desktop.context_menus import ContextMenus
from preview_app.desktop.file_watch import FileWatch
from preview_app.desktop.folder import one_line
from preview_app.desktop.inspecting import InspectCommands
from preview_app.desktop.language import tr
from preview_app.desktop.list_pictures import ListPictures
from preview_app.desktop.output_commands import OutputCommands
from preview_app.desktop.page_commands import PageCommands
from preview_app.desktop.reading import Spot
from preview_app.desktop.theme import Theme
from preview_app.desktop.thrift import Thrift
from preview_app.desktop.window_frame import WindowFrame
from preview_app.desktop.window_services import WindowServices
from preview_app.preview import Preview
from preview_app.preview_states import Failed, Opening, Showing, State

FOLDER_REFRESH_MS = 300


class MainWindow(WindowFrame):
    """A viewer of one document at a time, with the list of its neighbours."""

    first_page_painted = Signal(object, float)
    """Path of a document whose first pixels are on screen, and seconds since it was asked for."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__(services)
        self.watch = FileWatch(self)
        self.preview = Preview(
            services.conversions,
            services.rasterizer,
            publish=self._publish,
            clock=services.clock,
            prefetch=services.options.prefetch_neighbours,
        )
        self.pictures = ListPictures(self.browser, self.preview, services, self)
        self._config = services.config
        self._prefetch = services.options.prefetch_neighbours
        self.thrift = Thrift(self)
        self._pages_wanted = False
        """A single document was opened: the keyboard goes to its pages once they are there."""
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(FOLDER_REFRESH_MS)
        self._commands = Commands(self, services.suffixes)
        self.output = OutputCommands(self)
        self.inspecting = InspectCommands(self, services.inspections)
        handlers = {**self._commands.handlers(), **self.output.handlers(), **PageCommands(self).handlers()}
        self.actions_by_name = make_actions(self, handlers | self.inspecting.handlers())
        self._build()
        self._context_menus = ContextMenus(self)
        self._connect()
        self._restore()
        self._restore_list()
        self._set_colors()
        self._show_start()
        self.output.show_ways(None)
        self.actions_by_name["copy_path"].setEnabled(False)

    # ---- opening

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Show a folder, or a document in its folder, or several documents as a list."""
        paths = [path.absolute() for path in paths]
        if not paths:
            return
        if len(paths) == 1:
            self.places.opened(paths[0])
        if len(paths) == 1 and paths[0].is_dir():
            self._open_folder(paths[0])
        elif len(paths) == 1:
            self._open_file(paths[0])
        else:
            self._open_files(paths)

    def open_from_outside(self, paths: Sequence[Path]) -> None:
        """A second start of the program was given these: show them here, and the window itself."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()
        self.open_paths(paths)

    def _open_folder(self, folder: Path) -> None:
        listing = self.browser.show_folder(folder)
        documents = self.browser.documents
        if documents:
            self.browser.select(documents[0])
            self.preview.open(documents[0])
        elif listing.problem:
            self.viewer.message(tr("Nothing to show"), listing.problem)
        else:
            self.viewer.message(folder.name, tr("There is no document here. Choose a folder at the left."))
        self.browser.view.setFocus()

    def _open_file(self, path: Path) -> None:
        if not self.browser.shows(path):
            self.browser.show_folder(path.parent)
        self._pages_wanted = True
        self._choose(path)

    def _open_files(self, paths: Sequence[Path]) -> None:
        files: list[Path] = []
        for path in paths:
            if path.is_dir():
                self.browser.show_folder(path)
                files.extend(self.browser.documents)
            else:
                files.append(path)
        self.browser.show_files(files)
        if files:
            self._choose(files[0])

    def _choose(self, path: Path) -> None:
        self.browser.select(path)
        self.preview.open(path)

    def _go_elsewhere(self, spot: Spot) -> None:
        """Back or forward, to a place in another document."""
        if spot.place is not None:
            self.places.keep(spot.path, spot.place)
        if not self.browser.shows(spot.path) and spot.path not in self.browser.documents:
            self.browser.show_folder(spot.path.parent)
        self._choose(spot.path)

    def step(self, move: Callable[[], bool], end: str) -> None:
        """Go through the list by `move`, the list following; at its end say `end`."""
        if move():
            assert self.preview.path is not None
            self.browser.select(self.preview.path)
        else:
            self.say(end)

    # ---- what the preview says

    def _publish(self, state: State) -> None:
        self.viewer.apply(state)
        self.pictures.follow(state)
        if isinstance(state, Opening):
            if self._follow_file(state):
                self.watch.watch(state.path)
            return
        self._update_facts(state)

    def _follow_file(self, state: Opening | Showing | Failed) -> bool:
        """Whether the window was about another file."""
        if self.windowFilePath() == str(state.path):
            return False
        self.setWindowFilePath(str(state.path))
        self.setWindowTitle(f"{one_line(state.path.name)} – docpeek")
        return True

    def _update_facts(self, state: State) -> None:
        showing = state if isinstance(state, Showing) else None
        self.status.show_document(showing.converted if showing else None)
        self.details.show_state(state if isinstance(state, Showing | Failed) else None)
        self.enable_document_commands(enabled=showing is not None)
        path = state.path if isinstance(state, Showing | Failed) else None
        self.actions_by_name["copy_path"].setEnabled(path is not None)
        self.output.show_ways(path)
        self.actions_by_name["reload"].setEnabled(True)
        if isinstance(state, Showing | Failed):
            if self._follow_file(state):  # an opening was given up: the former document is back
                self.watch.go_back()
                self.browser.select(state.path)
            else:
                self.watch.note_shown()
        if isinstance(state, Showing | Failed) and self._pages_wanted:
            self._pages_wanted = False
            self.viewer.take_focus()
        if showing:
            self.status.page.show_page(max(0, self.viewer.pages.page), len(showing.document.pages))
        elif self.viewer.pages.presenting:
            self.toggle_presentation()

    def _file_gone(self, path: Path) -> None:
        if isinstance(self.preview.state, Showing) and self.preview.path == path:
            self.viewer.tell(tr("The file was moved or deleted; this is how it looked last."))

    def _file_changed(self, path: Path) -> None:
        if path == self.preview.path:
            self.preview.reload()

    # ---- settings

    def show_settings(self) -> None:
        """Let a person change the settings."""
        # Loaded when it is wanted: the first page does not wait for it.
        from preview_app.desktop.settings_dialog import SettingsDialog  # noqa: PLC0415

        save = self._services.save_config
        config = msgspec.structs.replace(self._config, theme=self.theme.value, list_thumbnails=self.pictures.shown)
        dialog = SettingsDialog(config, self, may_save=save is not None, desktop_entry=self._services.desktop_entry)
        dialog.forget.connect(self.places.forget)
        dialog.forget.connect(self.pictures.clear)
        dialog.accepted.connect(lambda: self.take_settings(dialog.config))
        dialog.open()

    def take_settings(self, config: Config) -> None:
        """Use what can be used at once, keep all for the next start."""
        changed, self._config = config != self._config, config
        if changed and self._services.save_config is not None:
            try:
                self._services.save_config(config)
            except OSError as error:
                self.say(tr("The settings could not be saved: {}").format(error.strerror or error))
        self._prefetch = config.prefetch_neighbours
        self._set_prefetch()
        self.browser.set_hidden(config.show_hidden_files)
        self.set_list_thumbnails(config.list_thumbnails)
        if config.theme != self.theme.value:
            self.set_theme(Theme(config.theme))

    def _restore_list(self) -> None:
        settings, shown = self._services.settings, self._services.options.list_thumbnails
        if settings is not None:
            shown = bool(settings.value("list_thumbnails", shown, type=bool))
        self.set_list_thumbnails(shown)

    def _set_prefetch(self) -> None:
        self.preview.set_prefetch(self._prefetch and self.thrift.plenty)
        self.pictures.set_allowed(self.thrift.plenty)

    def set_list_thumbnails(self, shown: bool) -> None:
        """Show first pages in the list, now and at the next start, or do not."""
        self.pictures.set_shown(shown)
        self.actions_by_name["list_thumbnails"].setChecked(shown)
        if self._services.settings is not None:
            self._services.settings.setValue("list_thumbnails", shown)

    # ---- building

    def _connect(self) -> None:
        pages, viewer, preview = self.viewer.pages, self.viewer, self.preview
        self.browser.chosen.connect(preview.open)
        self.browser.documents_changed.connect(preview.set_documents)
        self.browser.folders_changed.connect(self.watch.watch_folders)
        viewer.retry.connect(preview.retry)
        viewer.cancel.connect(preview.cancel)
        viewer.keep_waiting.connect(preview.keep_waiting)
        viewer.error.retry_with.connect(preview.retry_with)
        viewer.error.outside.connect(self.output.open_outside)
        viewer.unlock.connect(preview.unlock)
        viewer.show_all.connect(preview.show_all)
        viewer.copied.connect(self.copy)
        viewer.first_page_painted.connect(self.first_page_painted)
        viewer.reading.selection.changed.connect(self._selection_changed)
        viewer.reading.uri_clicked.connect(self.output.ask_link)
        viewer.reading.history_changed.connect(self.show_history)
        viewer.reading.elsewhere.connect(self._go_elsewhere)
        viewer.reading.pointer.link_hovered.connect(self._link_hovered)
        self.navigation.chosen.connect(viewer.reading.jump)
        pages.page_changed.connect(lambda _page, _count: tell_of_change(pages))
        viewer.reading.text_arrived.connect(lambda _page: tell_of_change(pages))
        self.details.copied.connect(self.copy)
        pages.page_changed.connect(self.status.page.show_page)
        pages.zoom_changed.connect(self.status.show_zoom)
        self.status.page.chosen.connect(viewer.reading.jump)
        self.status.page.left.connect(pages.setFocus)
        self.thrift.changed.connect(lambda _plenty: self._set_prefetch())
        self.thrift.start()
        self.watch.changed.connect(self._file_changed)
        self.watch.gone.connect(self._file_gone)
        self.watch.folder_changed.connect(self._refresh.start)
        self._refresh.timeout.connect(self.browser.refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_colors_changed)

    def _selection_changed(self) -> None:
        self.actions_by_name["copy"].setEnabled(not self.viewer.reading.selection.empty)

    def _link_hovered(self, target: str) -> None:
        if target:
            self.status.showMessage(target)
        else:
            self.status.clearMessage()

    def _fill_recent_menu(self) -> None:
        self._recent_menu.clear()
        for path in self.places.recent:
            name = one_line(path.name or str(path)).replace("&", "&&")
            self._recent_menu.addAction(name, partial(self.open_paths, [path])).setToolTip(one_line(str(path)))
        self._recent_menu.setToolTipsVisible(True)
        self._recent_menu.addSeparator()
        forget = self._recent_menu.addAction(tr("&Forget all"), self.places.forget)
        forget.setEnabled(bool(self.places.recent))

    def _show_start(self) -> None:
        self.viewer.welcome.add_button(tr("Open file …"), self._commands.ask_file)
        self.viewer.welcome.add_button(tr("Open folder …"), self._commands.ask_folder)
        self.viewer.message(tr("Drop a document or a folder here"), tr("F1 shows the keys."))
        self.show_history()
        self._selection_changed()
        self.browser.view.setFocus()

    # ---- Qt's events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Files and folders may be dropped anywhere."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            _accept_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Open what was dropped."""
        _accept_as_copy(event)
        self.activateWindow()
        self.open_paths([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Give up everything that is on its way; the window goes at once."""
        self.viewer.remember_place()
        self._save()
        self.stop()
        super().closeEvent(event)

    def stop(self) -> None:
        """Ask for nothing more, cancel what was asked, let the document go. Idempotent."""
        self._refresh.stop()
        self.watch.stop()
        self.browser.stop()
        self.pictures.stop()
        self.thrift.stop()
        self.output.stop()
        self.inspecting.stop()
        self.preview.close()
        self.viewer.stop()
        self.navigation.stop()
        self.details.stop()


def _accept_as_copy(event: QDropEvent) -> None:
    """Take what is dropped and leave it where it is: after a move the file manager would delete it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
