"""The pages of one document on screen: pixels asked for as they come into view, marks laid over them.

What is on screen stays until something better is there: at a new zoom the old pixels are drawn scaled, and a new
document first shows when its first page has pixels (or after a short hold, as blank pages of the right size).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from preview_app.desktop import page_painter
from preview_app.desktop.language import tr
from preview_app.desktop.page_column import Place
from preview_app.desktop.page_layout import PageLayout
from preview_app.desktop.page_marks import Mark, Marks
from preview_app.desktop.page_painter import Scene
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX, PagePixels
from preview_app.desktop.page_plan import View, plan
from preview_app.desktop.page_scroll import PageScroll
from preview_app.raster.api import Box, Lane, TextDocument

HOLD_MS = 100
HOLD_RELOAD_MS = 1000
ZOOM_SETTLE_MS = 30
AGAIN_MS = 3000
"""After so long a page that could not be drawn for a passing reason is asked for again."""


class PageView(PageScroll):
    """A document's pages. Lengths in its interface are logical pixels, pages count from 0."""

    first_painted = Signal(float)
    """A document's first pixels were painted; the clock's time of it. Emitted while painting: connect it queued."""
    document_changed = Signal()
    """Another document is shown, or none."""

    def __init__(
        self, clock: Callable[[], float], parent: QWidget | None = None, *, pixel_bytes_max: int = PIXEL_BYTES_MAX
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._pixel_bytes_max = pixel_bytes_max
        self._document: TextDocument | None = None
        self._pixels: PagePixels | None = None
        self._former: Scene | None = None
        self._marks = Marks()
        self._announced = True
        self._veiled = False
        self._night = False
        self._only_visible = False
        self.accessible: object | None = None
        """What a screen reader holds of it; kept here, since Qt keeps a bare pointer."""
        self._skeleton = False
        self._replan = _single_shot(self, self._ask)
        self._hold = _single_shot(self, self._drop_former)
        self._again = _single_shot(self, lambda: self.retry_pages(passing=True))
        self.setAccessibleName(tr("Pages"))
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # ---- what is shown

    @property
    def document(self) -> TextDocument | None:
        """The document whose pages are shown."""
        return self._document

    @property
    def pixels(self) -> PagePixels | None:
        """The pixels of the document, for statistics."""
        return self._pixels

    @property
    def marks(self) -> Marks:
        """What is laid over the pages."""
        return self._marks

    @property
    def painted(self) -> bool:
        """Whether pixels of the document have been on screen."""
        return self._announced and self._document is not None

    @property
    def night(self) -> bool:
        """Whether pages are light on dark."""
        return self._night

    def set_document(
        self, document: TextDocument | None, *, keep_place: bool = False, place: Place | None = None
    ) -> None:
        """Show another document: from its start, at the same place, or at `place`; `None` clears the view."""
        if document is self._document:
            return
        anchor = self._top_anchor() if keep_place else None
        self._retire()
        self._again.stop()
        self._document = document
        self._pixels = None
        self._marks = Marks()
        self._announced = document is None
        self._skeleton = False
        if document is None or not document.pages:
            self._drop_former()
            self._replan.stop()
            self._set_pages((), None)
        else:
            self._pixels = PagePixels(document, self._arrived, bytes_max=self._pixel_bytes_max)
            self._hold.start(HOLD_RELOAD_MS if keep_place else HOLD_MS)
            if place is not None and not keep_place:
                self._take_look(place)
                anchor = place.anchor
            elif not keep_place:
                self._turns = 0
            self._set_pages(document.pages, anchor)
            self._ask()
        self.document_changed.emit()

    def set_night(self, night: bool) -> None:
        """Whether to show pages light on dark, pictures as they are."""
        if night != self._night:
            self._night = night
            self.viewport().update()
            self._ask()

    def mark(self, kind: Mark, boxes: Mapping[int, Sequence[Box]]) -> None:
        """Mark these places (by page; points, unturned) in place of those marked so before."""
        self._marks = self._marks.having(kind, boxes)
        self.viewport().update()

    def set_veiled(self, veiled: bool) -> None:
        """Whether what is shown is about to be replaced."""
        if veiled != self._veiled:
            self._veiled = veiled
            self.viewport().update()

    def set_only_visible(self, only: bool) -> None:
        """Whether to ask for no pixels ahead of need, since another document needs the workers."""
        self._only_visible = only
        self._ask()

    def show_skeleton(self) -> None:
        """Without a document: draw a page of grey lines, as something is coming."""
        if self._document is None:
            self._skeleton = True
            self.viewport().update()

    def retry_pages(self, *, passing: bool = False) -> None:
        """Ask again for pages that could not be drawn; with `passing` where the reason may be over."""
        if self._pixels is not None:
            self._pixels.forget_errors(passing=passing)
            self._ask()

    def _retire(self) -> None:
        """Let the document go; what it looked like stays on screen for the hold."""
        if self._pixels is not None and self._layout is not None:
            self._pixels.give_up()
            self._former = self._scene(self._layout, self._pixels)

    def _drop_former(self) -> None:
        self._hold.stop()
        self._former = None
        self.viewport().update()

    def _scene(self, layout: PageLayout, pixels: PagePixels) -> Scene:
        return Scene(layout, pixels, *self._offset(), night=self._night, marks=self._marks, bare=self.presenting)

    # ---- asking for pixels

    def _laid_out(self) -> None:
        self._replan.start(ZOOM_SETTLE_MS)

    def _seen(self) -> None:
        if not self._replan.isActive():
            self._replan.start(0)

    def _ask(self) -> None:
        self._replan.stop()
        if self._pixels is not None and self._layout is not None:
            view = View(*self._offset(), *self._view_size(), self._direction)
            wanted = plan(self._layout, view, night=self._night)
            if self._only_visible:
                wanted = [(piece, lane) for piece, lane in wanted if lane is Lane.CRITICAL]
            self._pixels.want(wanted, self._layout)

    def _arrived(self, page: int) -> None:
        if self._layout is None:
            return
        if page in self.visible_pages():
            self._drop_former()
        if not self._replan.isActive():
            self._replan.start(0)
        if self._pixels is not None and self._pixels.passing and not self._again.isActive():
            self._again.start(AGAIN_MS)

    # ---- painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name; the whole view is drawn
        """Draw what is in view."""
        painter = QPainter(self.viewport())
        ratio = page_painter.to_device_pixels(painter)
        width, height = self._view_size()
        painter.fillRect(-1, -1, width + 2, height + 2, self._desk())
        exact = False
        if self._former is not None:
            page_painter.paint_scene(painter, self._former, width, height, self.palette())
        elif self._layout is not None and self._pixels is not None:
            scene = self._scene(self._layout, self._pixels)
            exact = page_painter.paint_scene(painter, scene, width, height, self.palette())
        elif self._skeleton:
            page_painter.paint_skeleton(painter, width, height, ratio, self.palette())
        if self._veiled:
            page_painter.paint_veil(painter, width, height, self.palette())
        if self.hasFocus() and not self.presenting:
            page_painter.paint_focus(painter, width, height, ratio, self.palette())
        painter.end()
        if exact and not self._announced:
            self._announced = True
            self.first_painted.emit(self._clock())

    def _desk(self) -> QColor:
        if self.presenting:
            return page_painter.STAGE
        return page_painter.NIGHT_DESK if self._night else page_painter.desk_color(self.palette())


def _single_shot(parent: PageView, timeout: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.timeout.connect(timeout)
    return timer
