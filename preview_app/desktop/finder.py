"""Find: what is typed is looked for, all hits are marked, the current one is brought into view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from preview_app.desktop.find_bar import FindBar
from preview_app.desktop.page_marks import Mark
from preview_app.desktop.page_view import PageView
from preview_app.preview_search import DocumentSearch, Query
from preview_app.raster.api import Box, Hit

TYPING_MS = 60
"""A pause in typing after which the search begins."""
NEWS_MS = 30
"""Results are shown at most this often."""


class Finder(QObject):
    """Searches the document of a view for what stands in the find bar, as long as that is open."""

    def __init__(self, view: PageView, bar: FindBar) -> None:
        super().__init__(bar)
        self._view = view
        self._bar = bar
        self._search: DocumentSearch | None = None
        self._query = Query("")
        self._shown: Hit | None = None
        self._boxes: dict[int, list[Box]] = {}
        self._start_page = 0
        """Where the search began: while a person types, the view jumps, and the start must not."""
        self._typing = _timer(self, TYPING_MS, self._begin)
        self._news = _timer(self, NEWS_MS, self._show)
        bar.edited.connect(self._typing.start)
        bar.stepped.connect(self.step)
        bar.closed.connect(self.close)
        view.document_changed.connect(self._document_changed)

    @property
    def search(self) -> DocumentSearch | None:
        """The search that is on."""
        return self._search

    def open(self, phrase: str = "") -> None:
        """Open the bar; the search begins on the current page."""
        self._start_page = max(0, self._view.page)
        self._bar.open_with(phrase)
        if self._search is None:
            self._begin()

    def step(self, direction: int) -> None:
        """To the next hit, or the one before."""
        if self._bar.isHidden():
            self.open()
            return
        if self._typing.isActive() or self._search is None:
            self._begin()
        if self._search is not None:
            self._search.step(direction)
            self._show()

    def close(self) -> None:
        """Close the bar and take the marks away."""
        had_focus = self._bar.isAncestorOf(self._bar.focusWidget() or self._bar)
        self._bar.hide()
        self._end()
        self._query = Query("")
        if had_focus:
            self._view.setFocus()

    def _begin(self) -> None:
        """Search for what is typed, unless that is going on."""
        self._typing.stop()
        query, document = self._bar.query, self._view.document
        if query == self._query and self._search is not None:
            return
        self._end()
        self._query = query
        if document is not None and query.phrase.strip():
            page = min(self._start_page, len(document.pages) - 1)
            self._search = DocumentSearch(document, query, page, self._changed)
            self._search.start()
        self._show()

    def _end(self) -> None:
        self._typing.stop()
        self._news.stop()
        self._shown = None
        self._boxes = {}
        if self._search is not None:
            self._search.close()
            self._search = None
        self._view.mark(Mark.HIT, {})
        self._view.mark(Mark.CURRENT_HIT, {})

    def _document_changed(self) -> None:
        self._end()
        self._start_page = max(0, self._view.page)
        if self._bar.isVisible():
            self._begin()

    def _changed(self) -> None:
        if not self._news.isActive():
            self._news.start()

    def _show(self) -> None:
        self._news.stop()
        search = self._search
        if search is None:
            self._bar.show_result(0, 0, done=True)
            return
        self._bar.show_result(search.position, search.count, done=search.done)
        for page in search.pages:
            if page not in self._boxes:
                self._boxes[page] = [box for hit in search.hits(page) for box in hit.boxes]
        self._view.mark(Mark.HIT, self._boxes)
        current = search.current
        self._view.mark(Mark.CURRENT_HIT, {} if current is None else {current.page: current.boxes})
        if current is not None and current is not self._shown:
            self._shown = current
            self._view.reveal(current.page, current.boxes[0])


def _timer(parent: QObject, interval_ms: int, timeout: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(timeout)
    return timer
