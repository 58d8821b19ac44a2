"""The middle of the window: one document, or why there is none, or what is on its way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from engines.base import FontReplacement
from engines.fontsubstitution import metric_twins
from engines.notices import NoticeKind
from engines.symbolfonts import SYMBOL_FAMILIES
from preview_app import __version__
from preview_app.desktop import figures
from preview_app.desktop.find_bar import FindBar
from preview_app.desktop.finder import Finder
from preview_app.desktop.folder import one_line
from preview_app.desktop.language import tr
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX
from preview_app.desktop.page_view import PageView
from preview_app.desktop.panels import ErrorPanel, MessagePanel, NoticeBar, OpeningBar, PreparingPanel
from preview_app.desktop.password_panel import PasswordPanel
from preview_app.desktop.places import Places
from preview_app.desktop.reading import Reading
from preview_app.desktop.sentences import failed_text, failure_details, failure_text, notice_text, phase_text
from preview_app.desktop.theme import Icons
from preview_app.preview_states import LOCKED, Failed, Failure, Nothing, Opening, Showing, State

_NOT_RETRYABLE = frozenset({"unsupported", "corrupt", "empty"})
"""Outcomes that stay the same as long as the file does; the watch on the file opens it again when it changes."""
_FONTS_NAMED_MAX = 6


class Viewer(QWidget):
    """Shows each state of the preview, the last good view until the next one is ready."""

    retry = Signal()
    cancel = Signal()
    keep_waiting = Signal()
    first_page_painted = Signal(object, float)
    """Path of a document whose first pixels were just painted, and seconds since it was asked for."""
    copied = Signal(str)
    show_all = Signal()
    """The person wants all pages of a document of which only the first ones are shown."""
    unlock = Signal(object)
    """A `Password` for the document that needs one."""

    def __init__(
        self,
        clock: Callable[[], float],
        parent: QWidget | None = None,
        *,
        pixel_bytes_max: int = PIXEL_BYTES_MAX,
        places: Places | None = None,
    ) -> None:
        super().__init__(parent)
        self._state: State = Nothing()
        self._places = places or Places()
        self._shown_path: Path | None = None
        self.notices = NoticeBar(self)
        self.opening = OpeningBar(clock, self)
        self.pages = PageView(clock, self, pixel_bytes_max=pixel_bytes_max)
        self.find_bar = FindBar(self)
        self.finder = Finder(self.pages, self.find_bar)
        self.reading = Reading(self.pages)
        self.error = ErrorPanel(self)
        self.password = PasswordPanel(self)
        self.welcome = MessagePanel(tr("Welcome"), self)
        self.preparing = PreparingPanel(self)
        self.stack = QStackedWidget(self)
        for widget in (self.welcome, self.pages, self.error, self.password, self.preparing):
            self.stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notices)
        column.addWidget(self.find_bar)
        column.addWidget(self.stack, 1)
        # Not in the column: it lies over the pages, so that they do not move when it comes and goes.
        self.opening.raise_()
        self.opening.cancelled.connect(self.cancel)
        self.opening.extended.connect(self.keep_waiting)
        self.opening.appeared.connect(self._opening_is_slow)
        self.notices.show_all.connect(self.show_all)
        self.error.retry.connect(self.retry)
        self.error.copied.connect(self.copied)
        self.password.given.connect(self.unlock)
        # Queued: it is emitted while painting, and whoever hears of it may do anything.
        self.pages.first_painted.connect(self._painted, Qt.ConnectionType.QueuedConnection)

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self._state

    def set_icons(self, icons: Icons, colors: QPalette) -> None:
        """Take the icons in these colours; the widget's own follow the program's only later."""
        self.notices.set_icons(icons.get("information", colors), icons.get("close", colors))
        self.find_bar.set_icons(*(icons.get(name, colors) for name in ("previous", "next", "close")))
        self.error.set_icon(icons.get("warning", colors))
        self.password.set_icon(icons.get("docpeek", colors))
        self.welcome.set_icon(icons.get("docpeek", colors))
        self.preparing.set_icon(icons.get("docpeek", colors))

    def apply(self, state: State) -> None:
        """Show a state; whatever was shown before it is replaced, or stays until pixels come."""
        former, self._state = self._state, state
        if isinstance(state, Opening):
            self.pages.set_only_visible(True)
            self._show_opening(state, former)
            return
        self.opening.end()
        self.pages.set_veiled(False)
        if isinstance(state, Showing):
            self._show_document(state)
        elif isinstance(state, Failed):
            self._show_failure(state)
        else:
            self._clear_pages()
            self.stack.setCurrentWidget(self.welcome)
        # Last: the former document must not ask for anything again.
        self.pages.set_only_visible(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the bar of the opening across the top."""
        super().resizeEvent(event)
        self.opening.setGeometry(0, 0, self.width(), self.opening.sizeHint().height())

    def message(self, title: str, text: str) -> None:
        """Say something in place of the pages."""
        self.welcome.title.setText(title)
        self.welcome.text.setText(text)

    def show_preparation(self, message: str, percent: float) -> None:
        """The engine is being made ready: what is done, and percent of everything."""
        self.preparing.show_progress(message, percent)
        self.stack.setCurrentWidget(self.preparing)

    def end_preparation(self) -> None:
        """The engine is there, or there is none: back to what was asked for."""
        if self.stack.currentWidget() is self.preparing:
            self.stack.setCurrentWidget(self.pages if isinstance(self._state, Opening) else self.welcome)

    def tell(self, notice: str) -> None:
        """Add a notice to those of the document."""
        self.notices.add(notice)

    def take_focus(self) -> None:
        """Give the keyboard to what is shown."""
        if (shown := self.stack.currentWidget()) is not None:
            shown.setFocus()

    def stop(self) -> None:
        """Show nothing more and ask for no pixels. Idempotent."""
        self.opening.end()
        self.finder.close()
        self._clear_pages()

    def _show_opening(self, state: Opening, former: State) -> None:
        if isinstance(former, Opening) and former.generation == state.generation:
            self.opening.set_phase(phase_text(state.phase), slow=state.slow)
            return
        self.opening.begin(one_line(state.path.name), state.started_s)

    def _opening_is_slow(self) -> None:
        if not isinstance(self._state, Opening):
            return
        if self.stack.currentWidget() is self.preparing:
            return
        if self.pages.document is None:
            self.notices.tell(())
            self.pages.show_skeleton()
            self._turn_to_pages()
        elif not self._state.reload:
            self.pages.set_veiled(True)

    def _show_document(self, state: Showing) -> None:
        self.remember_place()
        self.reading.arrive(state.path)
        self.pages.set_document(state.document, keep_place=state.reload, place=self._places.get(state.path))
        self._shown_path = state.path
        self._turn_to_pages()
        kinds = {notice.kind for notice in state.converted.notices}
        self.notices.tell(notices_of(state), more_pages=NoticeKind.FIRST_PAGES in kinds)

    def _clear_pages(self) -> None:
        self.remember_place()
        self._shown_path = None
        self.pages.set_document(None)

    def remember_place(self) -> None:
        """Keep where a person is in the document that is shown."""
        place = self.pages.place
        if self._shown_path is not None and place is not None:
            self._places.keep(self._shown_path, place)

    def _turn_to_pages(self) -> None:
        """Show the pages; they take the focus over from what stood in their place."""
        had_focus = any(panel.isAncestorOf(self.focusWidget() or self) for panel in (self.error, self.password))
        self.stack.setCurrentWidget(self.pages)
        if had_focus:
            self.pages.setFocus()

    def _show_failure(self, state: Failed) -> None:
        failure = state.failure
        self.notices.tell(())
        self.reading.arrive(state.path)
        self._clear_pages()
        if failure.outcome in LOCKED:
            self._ask_for_password(state)
            return
        title = tr("“{}” cannot be shown").format(one_line(state.path.name))
        if failure.outcome == "cancelled":
            title = tr("“{}” was not opened").format(one_line(state.path.name))
        self.error.show_failure(title, failed_text(state), failure_details(failure), report_of(state))
        self.error.offer_engine(failure.others[0] if failure.others else None)
        self.error.retry_button.setVisible(failure.outcome not in _NOT_RETRYABLE)
        self.stack.setCurrentWidget(self.error)

    def _ask_for_password(self, state: Failed) -> None:
        self.password.ask(tr("“{}” is encrypted").format(one_line(state.path.name)), failure_text(state.failure))
        focused = QApplication.focusWidget()
        self.stack.setCurrentWidget(self.password)
        # Not while somebody goes through the list by its keys, unless it is the answer to what was typed here.
        if focused is None or self.isAncestorOf(focused) or state.failure.outcome == "bad_password":
            self.password.setFocus()

    def _painted(self, at_s: float) -> None:
        state = self._state
        if isinstance(state, Showing) and state.document is self.pages.document:
            self.first_page_painted.emit(state.path, at_s - state.started_s)


def notices_of(state: Showing) -> list[str]:
    """What a person should know of a document that is shown, a sentence each.

    A font whose stand-in has the same widths changes no layout, nor does one of bullets and signs; the status line
    counts them, no notice is made of them.
    """
    lines = [notice_text(notice) for notice in state.converted.notices]
    if state.stale is not None:
        lines.insert(0, tr("The file changed, but it could not be opened again: {}").format(failure_text(state.stale)))
    fonts = [font for font in state.converted.missing_fonts if _may_move_text(font)]
    if fonts:
        named = [tr("{} (shown in {})").format(font.requested, font.used) for font in fonts[:_FONTS_NAMED_MAX]]
        rest = len(fonts) - len(named)
        more = tr(" and {} more").format(figures.whole(rest)) if rest else ""
        one, many = tr("A font is missing"), tr("{} fonts are missing")
        missing = one if len(fonts) == 1 else many.format(figures.whole(len(fonts)))
        lines.append(tr("{}, the layout may differ: {}{}.").format(missing, ", ".join(named), more))
    return lines


def _may_move_text(font: FontReplacement) -> bool:
    return font.used not in metric_twins(font.requested) and font.requested not in SYMBOL_FAMILIES


def report_of(state: Failed) -> str:
    """What Copy details copies: all that helps to find the cause."""
    failure: Failure = state.failure
    lines = [f"docpeek {__version__}", f"file: {state.path}", f"outcome: {failure.outcome}", failure.message]
    return "\n".join([*lines, "", failure.diagnostics]).rstrip() + "\n"
