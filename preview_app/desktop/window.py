"""The main window: list, viewer and status line, and every command of a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QSize, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QMenu,
    QSplitter,
    QToolBar,
    QWidget,
)

from engines.formats import Family
from preview_app.desktop import theme
from preview_app.desktop.actions import COMMANDS, TOOLBAR, make_actions
from preview_app.desktop.browser import Browser
from preview_app.desktop.commands import MESSAGE_MS, Commands
from preview_app.desktop.file_watch import FileWatch
from preview_app.desktop.page_layout import ZOOM_STEPS
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX
from preview_app.desktop.status import StatusLine
from preview_app.desktop.theme import Icons, Theme
from preview_app.desktop.viewer import Viewer
from preview_app.preview import Preview
from preview_app.preview_states import Conversions, Failed, Opening, Showing, State
from preview_app.raster.api import TextRasterizer

LIST_WIDTH_PX = 260
FOLDER_REFRESH_MS = 300
SCREEN_SHARE_MAX = 0.94
_ICON_PX = 20


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """What a person may set."""

    theme: Theme = Theme.SYSTEM
    """The theme as long as none was chosen in the window."""
    prefetch_neighbours: bool = True
    show_hidden_files: bool = False
    pixel_bytes_max: int = PIXEL_BYTES_MAX
    """Bytes of pixels kept of a document."""


@dataclass(frozen=True, slots=True)
class WindowServices:
    """What the window needs of the rest of the program. It closes none of it."""

    conversions: Conversions
    rasterizer: TextRasterizer
    suffixes: Mapping[str, Family]
    """Families by suffix, without a dot, in small letters: what the list shows."""
    icons: Path
    """Folder of the SVG files."""
    clock: Callable[[], float]
    """Seconds, monotonic."""
    settings: QSettings | None = None
    """Where sizes and the theme are remembered; nothing is without it."""
    options: WindowOptions = field(default_factory=WindowOptions)


class MainWindow(QMainWindow):
    """A viewer of one document at a time, with the list of its neighbours."""

    first_page_painted = Signal(object, float)
    """Path of a document whose first pixels are on screen, and seconds since it was asked for."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__()
        self._services = services
        self._icons = Icons(services.icons)
        options = services.options
        self._theme = options.theme
        self.browser = Browser(services.suffixes, self, hidden=options.show_hidden_files)
        self.viewer = Viewer(services.clock, self, pixel_bytes_max=options.pixel_bytes_max)
        self.status = StatusLine(self)
        self.watch = FileWatch(self)
        self.preview = Preview(
            services.conversions,
            services.rasterizer,
            publish=self._publish,
            clock=services.clock,
            prefetch=options.prefetch_neighbours,
        )
        self._pages_wanted = False
        """A single document was opened: the keyboard goes to its pages once they are there."""
        self._theme_actions: dict[Theme, QAction] = {}
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(FOLDER_REFRESH_MS)
        self._commands = Commands(self, services.suffixes)
        self.actions_by_name = make_actions(self, self._commands.handlers())
        self._build()
        self._connect()
        self._restore()
        self._set_colors()
        self._show_start()

    # ---- opening

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Show a folder, or a document in its folder, or several documents as a list."""
        paths = [path.absolute() for path in paths]
        if not paths:
            return
        if len(paths) == 1 and paths[0].is_dir():
            self._open_folder(paths[0])
        elif len(paths) == 1:
            self._open_file(paths[0])
        else:
            self._open_files(paths)

    def _open_folder(self, folder: Path) -> None:
        listing = self.browser.show_folder(folder)
        documents = self.browser.documents
        if documents:
            self.browser.select(documents[0])
            self.preview.open(documents[0])
        elif listing.problem:
            self.viewer.message("Nothing to show", listing.problem)
        else:
            self.viewer.message(folder.name, "There is no document here. Choose a folder at the left.")
        self.browser.list.setFocus()

    def _open_file(self, path: Path) -> None:
        if self.browser.folder != path.parent:
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

    def step(self, move: Callable[[], bool], end: str) -> None:
        """Go through the list by `move`, the list following; at its end say `end`."""
        if move():
            assert self.preview.path is not None
            self.browser.select(self.preview.path)
        else:
            self.status.showMessage(end, MESSAGE_MS)

    # ---- what the preview says

    def _publish(self, state: State) -> None:
        self.viewer.apply(state)
        if isinstance(state, Opening):
            self._follow_file(state)
            return
        self._update_facts(state)

    def _follow_file(self, state: Opening) -> None:
        if self.windowFilePath() != str(state.path):
            self.setWindowFilePath(str(state.path))
            self.setWindowTitle(f"{state.path.name} – docpeek")
            self.watch.watch(state.path)

    def _update_facts(self, state: State) -> None:
        self.status.show_document(state.converted if isinstance(state, Showing) else None)
        if isinstance(state, Showing | Failed) and self.windowFilePath() != str(state.path):
            # An opening was given up: the former document is back.
            self.setWindowFilePath(str(state.path))
            self.setWindowTitle(f"{state.path.name} – docpeek")
            self.watch.watch(state.path)
            self.browser.select(state.path)
        if isinstance(state, Showing | Failed) and self._pages_wanted:
            self._pages_wanted = False
            self.viewer.take_focus()
        if isinstance(state, Showing):
            self.status.show_page(max(0, self.viewer.pages.page), len(state.document.pages))

    def _file_gone(self, path: Path) -> None:
        if isinstance(self.preview.state, Showing) and self.preview.path == path:
            self.viewer.tell("The file was moved or deleted; this is how it looked last.")

    def furniture(self) -> tuple[QWidget, ...]:
        """What a full screen goes without."""
        return self.menuBar(), self._toolbar, self.status

    # ---- building

    def _build(self) -> None:
        self.setAcceptDrops(True)
        screen = self.screen().availableSize() * SCREEN_SHARE_MAX
        self.resize(QSize(1200, 860).boundedTo(screen))
        self.setWindowTitle("docpeek")
        self._toolbar = QToolBar("Commands", self)
        self._toolbar.setObjectName("commands")
        self._toolbar.setMovable(False)
        self._toolbar.setIconSize(QSize(_ICON_PX, _ICON_PX))
        for name in TOOLBAR:
            if name:
                self._toolbar.addAction(self.actions_by_name[name])
            else:
                self._toolbar.addSeparator()
        self.addToolBar(self._toolbar)
        self._splitter = QSplitter(self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        self._splitter.addWidget(self.browser)
        self._splitter.addWidget(self.viewer)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([LIST_WIDTH_PX, self.width() - LIST_WIDTH_PX])
        self.setCentralWidget(self._splitter)
        self.setStatusBar(self.status)
        self.actions_by_name["toggle_list"].setChecked(True)
        self._fill_zoom_menu()
        self._add_theme_menu()

    def _fill_zoom_menu(self) -> None:
        menu = self.status.zoom.menu()
        for name in ("fit_automatic", "fit_width", "fit_page", "actual_size"):
            menu.addAction(self.actions_by_name[name])
        menu.addSeparator()
        for step in ZOOM_STEPS:
            menu.addAction(f"{step * 100:.0f} %", partial(self.viewer.pages.set_zoom, step))

    def _add_theme_menu(self) -> None:
        choices = QMenu("&Theme", self)
        full_screen = self.actions_by_name["full_screen"]
        menu = full_screen.associatedObjects()[-1]
        assert isinstance(menu, QMenu)
        menu.addMenu(choices)
        group = QActionGroup(self)
        for choice, text in ((Theme.SYSTEM, "Like the &system"), (Theme.LIGHT, "&Light"), (Theme.DARK, "&Dark")):
            action = group.addAction(text)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, choice=choice: self.set_theme(choice))
            choices.addAction(action)
            self._theme_actions[choice] = action

    def _connect(self) -> None:
        pages = self.viewer.pages
        self.browser.chosen.connect(self.preview.open)
        self.browser.documents_changed.connect(self.preview.set_documents)
        self.browser.folder_changed.connect(self.watch.watch_folder)
        self.viewer.retry.connect(self.preview.retry)
        self.viewer.cancel.connect(self.preview.cancel)
        self.viewer.keep_waiting.connect(self.preview.keep_waiting)
        self.viewer.unlock.connect(self.preview.unlock)
        self.viewer.copied.connect(self._commands.copy)
        self.viewer.first_page_painted.connect(self.first_page_painted)
        pages.page_changed.connect(self.status.show_page)
        pages.zoom_changed.connect(self.status.show_zoom)
        self.watch.changed.connect(self._file_changed)
        self.watch.gone.connect(self._file_gone)
        self.watch.folder_changed.connect(self._refresh.start)
        self._refresh.timeout.connect(self.browser.refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_colors_changed)

    def _file_changed(self, path: Path) -> None:
        if path == self.preview.path:
            self.preview.reload()

    def _show_start(self) -> None:
        self.viewer.welcome.add_button("Open file …", self._commands.ask_file)
        self.viewer.welcome.add_button("Open folder …", self._commands.ask_folder)
        self.viewer.message("Drop a document or a folder here", "F1 shows the keys.")
        self.browser.list.setFocus()

    # ---- colours

    def set_theme(self, choice: Theme) -> None:
        """Take a theme now and at the next start."""
        self._theme = choice
        self._set_colors()
        if self._services.settings is not None:
            self._services.settings.setValue("theme", choice.value)

    def _system_colors_changed(self) -> None:
        if self._theme is Theme.SYSTEM:
            self._set_colors()

    def _set_colors(self) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        theme.apply(application, self._theme)
        colors = application.palette()
        self._theme_actions[self._theme].setChecked(True)
        self.setWindowIcon(self._icons.get("docpeek", colors))
        for command in COMMANDS:
            if command.icon:
                self.actions_by_name[command.name].setIcon(self._icons.get(command.icon, colors))
        types: dict[Family | None, QIcon] = {
            family: self._icons.get(f"type-{family.value}", colors) for family in Family
        }
        types[None] = self._icons.get("type-folder", colors)
        self.browser.set_icons(types, self._icons.get("folder-up", colors), self._icons.get("search", colors))
        self.viewer.set_icons(self._icons, colors)

    # ---- what lasts

    def _restore(self) -> None:
        settings = self._services.settings
        if settings is None:
            return
        self._theme = _theme_named(settings.value("theme"), self._theme)
        if isinstance(geometry := settings.value("geometry"), QByteArray):
            self.restoreGeometry(geometry)
        if isinstance(splitter := settings.value("splitter"), QByteArray):
            self._splitter.restoreState(splitter)

    def _save(self) -> None:
        settings = self._services.settings
        if settings is not None:
            settings.setValue("geometry", self.saveGeometry())
            settings.setValue("splitter", self._splitter.saveState())
            settings.sync()

    # ---- Qt's events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Files and folders may be dropped anywhere."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Open what was dropped."""
        event.acceptProposedAction()
        self.open_paths([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Give up everything that is on its way; the window goes at once."""
        self._save()
        self.stop()
        super().closeEvent(event)

    def stop(self) -> None:
        """Ask for nothing more, cancel what was asked, let the document go. Idempotent."""
        self._refresh.stop()
        self.watch.stop()
        self.preview.close()
        self.viewer.stop()


def _theme_named(value: object, default: Theme) -> Theme:
    try:
        return Theme(value)
    except ValueError:
        return default
