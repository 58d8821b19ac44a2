"""The frame of the window: bars, panes, colours, full screen, and what of all that lasts. It shows no document."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QSplitter, QStyle, QToolBar, QWidget

from engines.formats import Family
from preview_app.desktop import figures, theme
from preview_app.desktop.actions import COMMANDS, OF_A_DOCUMENT, TOOLBAR, make_menus
from preview_app.desktop.browser import Browser
from preview_app.desktop.details_pane import DetailsPane
from preview_app.desktop.folder import Sort
from preview_app.desktop.language import tr
from preview_app.desktop.navigation import Navigation
from preview_app.desktop.page_layout import ZOOM_STEPS
from preview_app.desktop.places import Places
from preview_app.desktop.status import StatusLine
from preview_app.desktop.theme import Icons, Theme
from preview_app.desktop.viewer import Viewer
from preview_app.desktop.window_services import WindowServices
from preview_app.raster.api import TextRasterizer

LIST_WIDTH_PX = 250
NAVIGATION_WIDTH_PX = 190
DETAILS_WIDTH_PX = 290
PANE_WIDTH_MIN_PX = 160
SCREEN_SHARE_MAX = 0.94
MESSAGE_MS = 4000
_ICON_PX = 20
_PANES = ("toggle_list", "toggle_navigation", "toggle_details")


class WindowFrame(QMainWindow):
    """Everything around the pages."""

    actions_by_name: dict[str, QAction]

    def __init__(self, services: WindowServices) -> None:
        super().__init__()
        self._services = services
        self._icons = Icons(services.icons)
        options = services.options
        self._theme = options.theme
        self.places = Places(services.settings)
        self.browser = Browser(services.suffixes, self, hidden=options.show_hidden_files)
        self.viewer = Viewer(services.clock, self, pixel_bytes_max=options.pixel_bytes_max, places=self.places)
        self.navigation = Navigation(self.viewer.pages, self)
        self.details = DetailsPane(self)
        self.status = StatusLine(self)
        self._theme_actions: dict[Theme, QAction] = {}
        self._before_presenting: tuple[bool, list[QWidget]] | None = None
        """Whether the screen was full, and what was seen, before a presentation."""

    # ---- messages

    def say(self, message: str) -> None:
        """Tell something in passing."""
        self.status.showMessage(message, MESSAGE_MS)

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        QGuiApplication.clipboard().setText(text)
        self.say(tr("Copied."))

    @property
    def rasterizer(self) -> TextRasterizer:
        """Draws pages."""
        return self._services.rasterizer

    @property
    def remembered(self) -> QSettings | None:
        """What is remembered from one run to the next; nothing is without it."""
        return self._services.settings

    # ---- panes

    def set_tree(self, as_tree: bool) -> None:
        """Show folders as a tree, or one at a time."""
        self.browser.set_as_tree(as_tree)
        self.actions_by_name["tree"].setChecked(as_tree)

    def pane(self, name: str) -> QWidget:
        """The pane that a command shows and hides."""
        panes: dict[str, QWidget] = {
            "toggle_list": self.browser,
            "toggle_navigation": self.navigation,
            "toggle_details": self.details,
        }
        return panes[name]

    def show_pane(self, name: str, *, shown: bool) -> None:
        """Show or hide a pane; the keyboard never stays in a hidden one."""
        pane = self.pane(name)
        had_focus = pane.isAncestorOf(self.focusWidget() or self)
        pane.setVisible(shown)
        self.actions_by_name[name].setChecked(shown)
        if had_focus and not shown:
            self.viewer.take_focus()

    def toggle_full_screen(self) -> None:
        """Fill the screen with the panes, or leave that."""
        self._set_full_screen(not self.isFullScreen())

    def toggle_presentation(self) -> None:
        """Fill the screen with one page, or go back to how it was."""
        pages = self.viewer.pages
        if self._before_presenting is None:
            if pages.document is None:
                self.actions_by_name["present"].setChecked(False)
                return
            panes: list[QWidget] = [
                pane for pane in (self.browser, self.navigation, self.details) if pane.isVisibleTo(self)
            ]
            self._before_presenting = self.isFullScreen(), panes
            self._set_full_screen(True)
            pages.setFocus()
        else:
            (full, panes), self._before_presenting = self._before_presenting, None
            self._set_full_screen(full)
        presenting = self._before_presenting is not None
        for pane in panes:
            pane.setVisible(not presenting)
        self.viewer.notices.setVisible(bool(self.viewer.notices.text) and not presenting)
        pages.set_presenting(presenting)
        pages.viewport().setCursor(Qt.CursorShape.BlankCursor if presenting else Qt.CursorShape.ArrowCursor)
        self.actions_by_name["present"].setChecked(presenting)

    def _set_full_screen(self, full: bool) -> None:
        for widget in (self.menuBar(), self._toolbar, self.status):
            widget.setVisible(not full)
        state = Qt.WindowState.WindowFullScreen
        self.setWindowState(self.windowState() | state if full else self.windowState() & ~state)
        self.actions_by_name["full_screen"].setChecked(full)

    # ---- building

    def _build(self) -> None:
        """Put everything in its place; the actions are there."""
        self.setAcceptDrops(True)
        self.resize(QSize(1280, 880).boundedTo(self.screen().availableSize() * SCREEN_SHARE_MAX))
        self.setWindowTitle("docpeek")
        self._build_toolbar()
        self._splitter = QSplitter(self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        for pane in (self.browser, self.navigation, self.viewer, self.details):
            self._splitter.addWidget(pane)
        self.browser.setMinimumWidth(PANE_WIDTH_MIN_PX)
        self.navigation.setMinimumWidth(NAVIGATION_WIDTH_PX)
        self.details.setMinimumWidth(PANE_WIDTH_MIN_PX)
        self.navigation.hide()
        self.details.hide()
        self._splitter.setStretchFactor(2, 1)
        middle = self.width() - LIST_WIDTH_PX - NAVIGATION_WIDTH_PX - DETAILS_WIDTH_PX
        self._splitter.setSizes([LIST_WIDTH_PX, NAVIGATION_WIDTH_PX, middle, DETAILS_WIDTH_PX])
        self.setCentralWidget(self._splitter)
        self.setStatusBar(self.status)
        self.actions_by_name["toggle_list"].setChecked(True)
        menus = make_menus(self, self.actions_by_name)
        self._recent_menu = QMenu(tr("Open re&cent"), self)
        self._recent_menu.aboutToShow.connect(self._fill_recent_menu)
        menus["File"].insertMenu(self.actions_by_name["reload"], self._recent_menu)
        menus["File"].aboutToShow.connect(lambda: self.tell_why_not(menus["File"]))
        self.browser.order.menu().addSeparator()
        self.browser.order.menu().addActions([self.actions_by_name[name] for name in ("tree", "list_thumbnails")])
        self._fill_zoom_menu()
        self._add_theme_menu(menus["View"])
        self.enable_document_commands(enabled=False)

    def _build_toolbar(self) -> None:
        self._toolbar = QToolBar(tr("Commands"), self)
        self._toolbar.setObjectName("commands")
        self._toolbar.setMovable(False)
        self._toolbar.setIconSize(QSize(_ICON_PX, _ICON_PX))
        self._toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in TOOLBAR:
            if name:
                self._toolbar.addAction(self.actions_by_name[name])
            else:
                self._toolbar.addSeparator()
        self.addToolBar(self._toolbar)

    def _fill_zoom_menu(self) -> None:
        menu = self.status.zoom.menu()
        for name in ("fit_automatic", "fit_width", "fit_page", "actual_size"):
            menu.addAction(self.actions_by_name[name])
        menu.addSeparator()
        for step in ZOOM_STEPS:
            menu.addAction(figures.percent(step), partial(self.viewer.pages.set_zoom, step))

    def _fill_recent_menu(self) -> None:
        """Filled by the window, which can open them."""

    def _add_theme_menu(self, menu: QMenu) -> None:
        choices = QMenu(tr("&Theme"), self)
        menu.addMenu(choices)
        group = QActionGroup(self)
        names = {
            Theme.SYSTEM: tr("Like the &system"),
            Theme.LIGHT: tr("&Light"),
            Theme.DARK: tr("&Dark"),
            Theme.CONTRAST: tr("High &contrast"),
        }
        for choice, text in names.items():
            action = group.addAction(text)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, choice=choice: self.set_theme(choice))
            choices.addAction(action)
            self._theme_actions[choice] = action

    def enable_document_commands(self, *, enabled: bool) -> None:
        """Whether there is a document for the commands that need one."""
        for name in OF_A_DOCUMENT:
            self.actions_by_name[name].setEnabled(enabled)

    def tell_why_not(self, menu: QMenu) -> None:
        """Let a menu show tips where one of them says why another program cannot be asked for."""
        menu.setToolTipsVisible(not self.actions_by_name["open_outside"].isEnabled())

    def show_history(self) -> None:
        """Whether there is a place to go back or forward to."""
        history = self.viewer.reading.history
        self.actions_by_name["back"].setEnabled(history.can_go_back)
        self.actions_by_name["forward"].setEnabled(history.can_go_forward)

    # ---- colours and motion

    @property
    def theme(self) -> Theme:
        """The theme that was chosen."""
        return self._theme

    def set_theme(self, choice: Theme) -> None:
        """Take a theme now and at the next start."""
        self._theme = choice
        self._set_colors()
        if self._services.settings is not None:
            self._services.settings.setValue("theme", choice.value)

    def set_night(self, night: bool) -> None:
        """Show pages light on dark, or as they are."""
        self.viewer.pages.set_night(night)
        self.navigation.set_look()
        self.actions_by_name["night"].setChecked(night)

    def _set_motion(self) -> None:
        moving = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        self.viewer.pages.set_motion(moving and self._services.options.motion)

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
        self.browser.set_icons(types, *(self._icons.get(name, colors) for name in ("folder-up", "search", "order")))
        self.viewer.set_icons(self._icons, colors)

    # ---- what lasts

    def _restore(self) -> None:
        settings = self._services.settings
        self._set_motion()
        if settings is None:
            return
        self._theme = _theme_named(settings.value("theme"), self._theme)
        if isinstance(geometry := settings.value("geometry"), QByteArray):
            self.restoreGeometry(geometry)
        if isinstance(panes := settings.value("panes"), QByteArray):
            self._splitter.restoreState(panes)
        for name in _PANES:
            shown = settings.value(name, name == "toggle_list", type=bool)
            self.show_pane(name, shown=bool(shown))
        self.browser.set_sort(_sort_named(settings.value("sort")))
        self.set_tree(bool(settings.value("tree", False, type=bool)))
        self.set_night(bool(settings.value("night", False, type=bool)))

    def _save(self) -> None:
        settings: QSettings | None = self._services.settings
        if settings is None:
            return
        if self._before_presenting is not None:
            self.toggle_presentation()
        settings.setValue("geometry", self.saveGeometry())
        settings.setValue("panes", self._splitter.saveState())
        settings.setValue("sort", self.browser.sort.value)
        settings.setValue("tree", self.browser.as_tree)
        settings.setValue("night", self.viewer.pages.night)
        for name in _PANES:
            settings.setValue(name, self.pane(name).isVisibleTo(self))
        self.places.save()
        settings.sync()


def _theme_named(value: object, default: Theme) -> Theme:
    try:
        return Theme(value)
    except ValueError:
        return default


def _sort_named(value: object) -> Sort:
    try:
        return Sort(value)
    except ValueError:
        return Sort.NAME
