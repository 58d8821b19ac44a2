"""Commands about the pages that are shown: zoom, turns, find, selection, places, presentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QInputDialog

from preview_app.desktop.language import tr
from preview_app.desktop.page_layout import Fit, Mode
from preview_app.desktop.page_pixels import Picture
from preview_app.desktop.sentences import raster_text
from preview_app.raster.api import Lane, Pixels, RasterError

if TYPE_CHECKING:
    from preview_app.desktop.window import MainWindow

COPY_DPI = 200
FOUND_PHRASE_MAX = 100


class PageCommands:
    """What a person does with the pages of one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._pages = window.viewer.pages
        self._reading = window.viewer.reading

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each command does, by its name."""
        pages, reading, finder = self._pages, self._reading, self._window.viewer.finder
        return {
            "copy": self.copy,
            "copy_image": self.copy_image,
            "select_page": lambda: reading.selection.select_page(pages.page),
            "find": self.find,
            "find_next": lambda: finder.step(1),
            "find_previous": lambda: finder.step(-1),
            "zoom_in": pages.zoom_in,
            "zoom_out": pages.zoom_out,
            "actual_size": lambda: pages.set_zoom(1.0),
            "fit_automatic": lambda: pages.set_fit(Fit.AUTOMATIC),
            "fit_width": lambda: pages.set_fit(Fit.WIDTH),
            "fit_page": lambda: pages.set_fit(Fit.PAGE),
            "turn_right": lambda: self._turn(1),
            "turn_left": lambda: self._turn(-1),
            "single_page": self._toggle_single,
            "night": self._toggle_night,
            "back": reading.back,
            "forward": reading.forward,
            "screen_down": self._space_or_down,
            "screen_up": lambda: pages.scroll_screens(-1),
            "first_page": lambda: self._jump(pages.go_to_start),
            "last_page": lambda: self._jump(pages.go_to_end),
            "go_to_page": self.ask_page,
        }

    def find(self) -> None:
        """Open the find bar, with what is selected on one line."""
        finder = self._window.viewer.finder
        if self._pages.document is None:
            return
        finder.open()
        ends = self._reading.selection.ends
        if ends is not None and (ends[0].page, ends[0].line) == (ends[1].page, ends[1].line):
            self._reading.selection.copy(lambda text: finder.open(text[:FOUND_PHRASE_MAX]))

    def copy(self) -> None:
        """Put the selected text on the clipboard."""
        self._reading.selection.copy(self._window.copy)

    def copy_image(self) -> None:
        """Put the current page on the clipboard, as by day and unturned."""
        document = self._pages.document
        if document is None:
            return

        def copied(pixels: Pixels) -> None:
            image: QImage = Picture.of(pixels).image.copy()
            QGuiApplication.clipboard().setImage(image)
            self._window.say(tr("Page {} was copied as an image.").format(pixels.page + 1))

        def failed(error: RasterError) -> None:
            self._window.say(raster_text(error))

        document.render(self._pages.page, COPY_DPI / 72, lane=Lane.HIGH, done=copied, failed=failed)

    def ask_page(self) -> None:
        """Let a person type a page."""
        document = self._pages.document
        if document is None:
            return
        if self._window.status.page.isVisible():
            self._window.status.page.begin()
            return
        count = len(document.pages)
        question = tr("Page (1 to {}):").format(count)
        page, accepted = QInputDialog.getInt(self._window, tr("Go to page"), question, self._pages.page + 1, 1, count)
        if accepted:
            self._reading.jump(page - 1)

    def _jump(self, go: Callable[[], None]) -> None:
        self._reading.leave()
        go()

    def _turn(self, quarters: int) -> None:
        if self._pages.document is not None:
            self._pages.turn(quarters)
            self._window.navigation.set_look()

    def _toggle_single(self) -> None:
        single = self._pages.mode is not Mode.SINGLE
        if not self._pages.presenting:
            self._pages.set_mode(Mode.SINGLE if single else Mode.CONTINUOUS)
        self._window.actions_by_name["single_page"].setChecked(self._pages.mode is Mode.SINGLE)

    def _toggle_night(self) -> None:
        self._window.set_night(not self._pages.night)

    def _space_or_down(self) -> None:
        # Space on a button must press it, though the key is a command of the window.
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and focused.focusPolicy() != Qt.FocusPolicy.NoFocus:
            focused.click()
        else:
            self._pages.scroll_screens(1)
