"""The pages of one document in a scrolled column: zoom, scrolling, and pixels asked for as they come into view.

Everything is reckoned in device pixels (see `page_layout`), scroll bars included. What is on screen stays until
something better is there: at a new zoom the old pixels are drawn scaled, and a new document first shows when its
first page has pixels (or after a short hold, as blank pages of the right size).
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QNativeGestureEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from preview_app.desktop import page_painter
from preview_app.desktop.page_layout import (
    ZOOM_MAX,
    ZOOM_MIN,
    Anchor,
    Fit,
    PageLayout,
    fit_scale,
    next_step,
)
from preview_app.desktop.page_painter import Scene
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX, PagePixels
from preview_app.desktop.page_plan import View, plan
from preview_app.raster.api import Lane, RasterDocument

GAP_PX = 12
SCROLL_STEP_PX = 40
KEPT_OF_A_SCREEN_PX = 48
"""How much of the old screen stays visible when a screen is scrolled."""
POINTS_PER_INCH = 72
HOLD_MS = 100
HOLD_RELOAD_MS = 1000
ZOOM_SETTLE_MS = 30
WHEEL_NOTCH = 120
WHEEL_ZOOM = 1.2
"""Zoom factor of one notch of the wheel."""


class PageView(QAbstractScrollArea):
    """A document's pages. Lengths in its interface are logical pixels, pages count from 0."""

    page_changed = Signal(int, int)
    """Current page and number of pages."""
    zoom_changed = Signal(float)
    """1.0 is actual size."""
    first_painted = Signal(float)
    """A document's first pixels were painted; the clock's time of it. Emitted while painting: connect it queued."""

    def __init__(
        self, clock: Callable[[], float], parent: QWidget | None = None, *, pixel_bytes_max: int = PIXEL_BYTES_MAX
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._pixel_bytes_max = pixel_bytes_max
        self._document: RasterDocument | None = None
        self._pixels: PagePixels | None = None
        self._layout: PageLayout | None = None
        self._fit = Fit.AUTOMATIC
        self._zoom = 1.0
        self._direction = 1
        self._former: Scene | None = None
        self._announced = True
        self._veiled = False
        self._only_visible = False
        self._skeleton = False
        self._page = -1
        self._arranging = False
        self._wheel_rest = 0
        self._ratio = self.devicePixelRatioF()
        self._top = 0
        self._replan = _single_shot(self, self._ask)
        self._hold = _single_shot(self, self._drop_former)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Pages")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    # ---- what is shown

    @property
    def document(self) -> RasterDocument | None:
        """The document whose pages are shown."""
        return self._document

    @property
    def page(self) -> int:
        """The current page, -1 without a document."""
        return self._page

    @property
    def zoom(self) -> float:
        """1.0 is actual size."""
        return self._zoom

    @property
    def fit(self) -> Fit:
        """How the zoom follows the window."""
        return self._fit

    @property
    def pixels(self) -> PagePixels | None:
        """The pixels of the document, for statistics."""
        return self._pixels

    def set_document(self, document: RasterDocument | None, *, keep_place: bool = False) -> None:
        """Show another document, from its start or at the same place; `None` clears the view."""
        if document is self._document:
            return
        place = self._top_anchor() if keep_place else None
        self._retire()
        self._document = document
        self._layout = self._pixels = None
        self._page = -1
        self._announced = document is None
        self._skeleton = False
        if document is None or not document.pages:
            self._drop_former()
            self._replan.stop()
            self._arrange(None)
            return
        self._pixels = PagePixels(document, self._arrived, bytes_max=self._pixel_bytes_max)
        self._hold.start(HOLD_RELOAD_MS if keep_place else HOLD_MS)
        self._arrange(place or Anchor(0, 0.5, 0.0), above=0 if place else self._gap())
        self._ask()

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

    def retry_pages(self) -> None:
        """Ask again for pages that could not be drawn."""
        if self._pixels is not None:
            self._pixels.forget_errors()
            self._ask()

    def _retire(self) -> None:
        """Let the document go; what it looked like stays on screen for the hold."""
        if self._pixels is not None and self._layout is not None:
            self._pixels.give_up()
            self._former = Scene(self._layout, self._pixels, *self._offset())

    def _drop_former(self) -> None:
        self._hold.stop()
        self._former = None
        self.viewport().update()

    # ---- zoom

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the window (`Fit.FREE`: leave it as it is)."""
        self._fit = fit
        self._arrange(self._top_anchor())

    def set_zoom(self, zoom: float, at: QPointF | None = None) -> None:
        """Zoom so that the place at `at` (in the viewport; its middle by default) stays where it is."""
        zoom = min(max(zoom, ZOOM_MIN), ZOOM_MAX)
        if at is None:
            at = QPointF(self.viewport().width() / 2, self.viewport().height() / 2)
        self._fit = Fit.FREE
        if self._layout is None or not self._layout.boxes:
            self._zoom = zoom
            self.zoom_changed.emit(zoom)
            return
        x, y = round(at.x() * self._ratio), round(at.y() * self._ratio)
        left, top = self._offset()
        anchor = self._layout.anchor(left + x, top + y)
        self._zoom = zoom
        self._arrange(anchor, beside=x, above=y)

    def zoom_in(self) -> None:
        """One step larger."""
        self.set_zoom(next_step(self._zoom, 1))

    def zoom_out(self) -> None:
        """One step smaller."""
        self.set_zoom(next_step(self._zoom, -1))

    def _actual_scale(self) -> float:
        """Device pixels a point at 100 %."""
        return self.logicalDpiX() / POINTS_PER_INCH * self._ratio

    def _scale(self) -> float:
        document = self._document
        if self._fit is Fit.FREE or document is None or not document.pages:
            return self._zoom * self._actual_scale()
        page = min(max(self._page, 0), len(document.pages) - 1)
        scale = fit_scale(self._fit, document.pages, page, self._view_size(), self._gap(), self._actual_scale())
        self._zoom = scale / self._actual_scale()
        return scale

    # ---- place

    def go_to_page(self, page: int) -> None:
        """Bring the top of a page to the top of the view."""
        if self._layout is not None and self._layout.boxes:
            page = min(max(page, 0), len(self._layout.boxes) - 1)
            self.verticalScrollBar().setValue(self._layout.boxes[page].y - self._gap())

    def scroll_screens(self, screens: int) -> None:
        """Scroll by whole screens, a little of the old one kept in view."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + screens * bar.pageStep())

    def go_to_start(self) -> None:
        """To the top of the first page."""
        self.verticalScrollBar().setValue(0)

    def go_to_end(self) -> None:
        """To the bottom of the last page."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def anchor_at(self, at: QPointF) -> Anchor | None:
        """What lies at a point of the viewport."""
        if self._layout is None or not self._layout.boxes:
            return None
        left, top = self._offset()
        return self._layout.anchor(left + round(at.x() * self._ratio), top + round(at.y() * self._ratio))

    def _gap(self) -> int:
        return round(GAP_PX * self._ratio)

    def _view_size(self) -> tuple[int, int]:
        size = self.viewport().size()
        return round(size.width() * self._ratio), round(size.height() * self._ratio)

    def _offset(self) -> tuple[int, int]:
        return self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def _top_anchor(self) -> Anchor | None:
        if self._layout is None or not self._layout.boxes:
            return None
        left, top = self._offset()
        return self._layout.anchor(left + self._view_size()[0] // 2, top)

    # ---- arranging

    def _arrange(self, anchor: Anchor | None, *, beside: int | None = None, above: int = 0) -> None:
        """Lay the pages out afresh and bring `anchor` to (`beside`, `above`) in the view."""
        document = self._document
        width, height = self._view_size()
        if document is None or not document.pages:
            self._set_bars(0, 0, width, height)
            self.viewport().update()
            return
        layout = self._layout = PageLayout(document.pages, self._scale(), self._gap(), width)
        self._set_bars(layout.width, layout.height, width, height)
        if anchor is not None:
            x, y = layout.position(anchor)
            self._arranging = True
            self.horizontalScrollBar().setValue(x - (width // 2 if beside is None else beside))
            self.verticalScrollBar().setValue(y - above)
            self._arranging = False
        self._update_page()
        self.zoom_changed.emit(self._zoom)
        self.viewport().update()
        self._replan.start(ZOOM_SETTLE_MS)

    def _set_bars(self, width: int, height: int, view_width: int, view_height: int) -> None:
        step = round(SCROLL_STEP_PX * self._ratio)
        self._arranging = True
        for bar, length, view in (
            (self.horizontalScrollBar(), width, view_width),
            (self.verticalScrollBar(), height, view_height),
        ):
            bar.setRange(0, max(0, length - view))
            bar.setPageStep(max(step, view - round(KEPT_OF_A_SCREEN_PX * self._ratio)))
            bar.setSingleStep(step)
        self._arranging = False

    def _scrolled(self) -> None:
        if self._arranging or self._layout is None:
            return
        top = self._offset()[1]
        self._direction = -1 if top < self._top else 1
        self._top = top
        self._update_page()
        self.viewport().update()
        if not self._replan.isActive():
            self._replan.start(0)

    def _update_page(self) -> None:
        if self._layout is None or self._document is None:
            return
        page = self._layout.current(self._offset()[1], self._view_size()[1])
        if page != self._page:
            self._page = page
            self.page_changed.emit(page, len(self._document.pages))

    def _ask(self) -> None:
        self._replan.stop()
        if self._pixels is not None and self._layout is not None:
            view = View(*self._offset(), *self._view_size(), self._direction)
            wanted = plan(self._layout, view)
            if self._only_visible:
                wanted = [(piece, lane) for piece, lane in wanted if lane is Lane.CRITICAL]
            self._pixels.want(wanted, self._layout)

    def _arrived(self, page: int) -> None:
        if self._layout is None:
            return
        if page in self._layout.visible(self._offset()[1], self._view_size()[1]):
            self._drop_former()
        if not self._replan.isActive():
            self._replan.start(0)

    # ---- Qt's events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name; the whole view is drawn
        """Draw what is in view."""
        painter = QPainter(self.viewport())
        ratio = page_painter.to_device_pixels(painter)
        width, height = self._view_size()
        painter.fillRect(-1, -1, width + 2, height + 2, page_painter.desk_color(self.palette()))
        exact = False
        if self._former is not None:
            page_painter.paint_scene(painter, self._former, width, height, self.palette())
        elif self._layout is not None and self._pixels is not None:
            scene = Scene(self._layout, self._pixels, *self._offset())
            exact = page_painter.paint_scene(painter, scene, width, height, self.palette())
        elif self._skeleton:
            page_painter.paint_skeleton(painter, width, height, ratio, self.palette())
        if self._veiled:
            page_painter.paint_veil(painter, width, height, self.palette())
        if self.hasFocus():
            page_painter.paint_focus(painter, width, height, ratio, self.palette())
        painter.end()
        if exact and not self._announced:
            self._announced = True
            self.first_painted.emit(self._clock())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep what is at the top there."""
        super().resizeEvent(event)
        self._arrange(self._top_anchor())

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follow the screen's scale and pinches."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            anchor = self._top_anchor()
            self._ratio = self.devicePixelRatioF()
            self._arrange(anchor)
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.set_zoom(self._zoom * (1 + event.value()), event.position())
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll; with Ctrl zoom at the mouse."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = WHEEL_ZOOM ** (event.angleDelta().y() / WHEEL_NOTCH)
            self.set_zoom(self._zoom * factor, event.position())
            event.accept()
            return
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Up and Down scroll; all else is an action of the window."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for a page."""
        return QSize(900, 700)


def _single_shot(parent: PageView, timeout: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.timeout.connect(timeout)
    return timer
