"""The selected text of the pages: begun by mouse or keyboard, marked on them, copied."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from preview_app.desktop.page_marks import Mark
from preview_app.desktop.page_view import PageView
from preview_app.preview_selection import (
    Caret,
    Unit,
    boxes_between,
    caret_at,
    line_around,
    moved,
    page_ends,
    span_box,
    text_between,
    word_around,
)
from preview_app.preview_text import DocumentText

Spot = tuple[int, float, float]
"""A page and a point on it, in points."""


class Selection(QObject):
    """What is selected between an anchor and a head that moves."""

    changed = Signal()

    def __init__(self, view: PageView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._text: DocumentText | None = None
        self._anchor: tuple[Caret, Caret] | None = None
        """Where it began: a caret twice, or the word or the line that was clicked."""
        self._head: Caret | None = None
        self._around: Callable[..., tuple[Caret, Caret]] | None = None
        """Words or lines, where it grows by them."""

    @property
    def empty(self) -> bool:
        """Whether nothing is selected."""
        ends = self.ends
        return ends is None or ends[0] == ends[1]

    @property
    def ends(self) -> tuple[Caret, Caret] | None:
        """The first caret and the last."""
        if self._anchor is None or self._head is None:
            return None
        return min(self._anchor[0], self._head), max(self._anchor[1], self._head)

    def set_text(self, text: DocumentText | None) -> None:
        """Another document, or none: nothing is selected in it."""
        self._text = text
        self.clear()

    def clear(self) -> None:
        """Select nothing."""
        self._anchor = self._head = self._around = None
        self._show()

    def press(self, spot: Spot, *, extend: bool = False) -> None:
        """Begin at a spot, or go on to it."""
        caret = self._caret(spot)
        if caret is None:
            self.clear()
        elif extend and self._anchor is not None:
            self._head = caret
        else:
            self._around, self._anchor, self._head = None, (caret, caret), caret
        self._show()

    def press_word(self, spot: Spot) -> None:
        """Select the word at a spot, and grow by words from now on."""
        self._press_around(spot, word_around)

    def press_line(self, spot: Spot) -> None:
        """Select the line at a spot, and grow by lines from now on."""
        self._press_around(spot, line_around)

    def drag(self, spot: Spot) -> None:
        """Go on to a spot."""
        caret = self._caret(spot)
        if caret is None or self._anchor is None or self._text is None:
            return
        if self._around is not None:
            start, end = self._around(self._text.lines(caret.page), caret)
            caret = start if start < self._anchor[0] else max(end, self._anchor[1])
        self._head = caret
        self._show()

    def select(self, start: Caret, end: Caret) -> None:
        """Select what lies between two carets."""
        self._around, self._anchor, self._head = None, (start, start), end
        self._show()

    def select_page(self, page: int) -> None:
        """Select all of a page, once its text is there."""
        text = self._text
        if text is None or page < 0:
            return

        def select() -> None:
            ends = page_ends(page, text.lines(page))
            if ends is not None and text is self._text:
                self.select(*ends)

        text.ensure([page], select)

    def move(self, unit: Unit, direction: int) -> None:
        """Let the head go on by the keyboard; without a selection it begins at the top of the current page."""
        text = self._text
        if text is None:
            return
        if self._head is None or self._anchor is None:
            ends = page_ends(self._view.page, text.lines(self._view.page)) if self._view.page >= 0 else None
            if ends is None:
                return
            self._anchor, self._head = (ends[0], ends[0]), ends[0]
        self._around = None
        self._head = moved(text, self._head, unit, direction)
        self._show()
        self._reveal(text, self._head)

    def copy(self, then: Callable[[str], None]) -> None:
        """Give the selected text, once all of it is there."""
        text, ends = self._text, self.ends
        if text is None or ends is None or self.empty:
            return
        text.ensure(range(ends[0].page, ends[1].page + 1), lambda: then(text_between(text, *ends)))

    def refresh(self) -> None:
        """Mark again: more text has come."""
        if not self.empty:
            self._mark()

    def _press_around(self, spot: Spot, around: Callable[..., tuple[Caret, Caret]]) -> None:
        caret = self._caret(spot)
        if caret is None or self._text is None:
            return
        self._around = around
        self._anchor = around(self._text.lines(caret.page), caret)
        self._head = self._anchor[1]
        self._show()

    def _caret(self, spot: Spot) -> Caret | None:
        page, x, y = spot
        return None if self._text is None else caret_at(page, self._text.lines(page), x, y)

    def _reveal(self, text: DocumentText, caret: Caret) -> None:
        lines = text.lines(caret.page)
        if caret.line < len(lines):
            line = lines[caret.line]
            first = min(caret.index, len(line.text) - 1)
            self._view.reveal(caret.page, span_box(line, max(0, first), first + 1))

    def _show(self) -> None:
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        text, ends = self._text, self.ends
        if text is None or ends is None:
            self._view.mark(Mark.SELECTION, {})
            return
        pages = range(ends[0].page, ends[1].page + 1)
        self._view.mark(Mark.SELECTION, {page: boxes_between(page, text.lines(page), *ends) for page in pages})
