"""Pages in a column, as geometry: zoom, turns, one page at a time or all, where one is. No pixels, no input.

Everything is reckoned in device pixels (see `page_layout`), scroll bars included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from preview_app.desktop.page_layout import (
    ZOOM_MAX,
    ZOOM_MIN,
    Anchor,
    Fit,
    Mode,
    PageLayout,
    fit_scale,
    next_step,
    turned,
)
from preview_app.raster.api import Box, PageSize

GAP_PX = 12
SCROLL_STEP_PX = 40
KEPT_OF_A_SCREEN_PX = 48
"""How much of the old screen stays visible when a screen is scrolled."""
POINTS_PER_INCH = 72
REVEAL_SHARE = 0.3
"""How far from the edge, of the view's size, a place comes to lie when it has to be scrolled to."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person is in a document and how they look at it; independent of the window's size."""

    anchor: Anchor
    fit: Fit = Fit.AUTOMATIC
    zoom: float = 1.0
    turns: int = 0


class PageColumn(QAbstractScrollArea):
    """The geometry of a page view. Lengths in its interface are logical pixels, pages count from 0."""

    page_changed = Signal(int, int)
    """Current page and number of pages."""
    zoom_changed = Signal(float)
    """1.0 is actual size."""
    moved = Signal()
    """Another part is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: Sequence[PageSize] = ()
        self._layout: PageLayout | None = None
        self._fit = Fit.AUTOMATIC
        self._mode = Mode.CONTINUOUS
        self._former_look: tuple[Mode, Fit, float] | None = None
        """What a presentation will go back to."""
        self._zoom = 1.0
        self._turns = 0
        self._direction = 1
        self._page = -1
        self._arranging = False
        self._ratio = self.devicePixelRatioF()
        self._top = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)

    # ---- what is shown

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
    def mode(self) -> Mode:
        """One page at a time, or all below each other."""
        return self._mode

    @property
    def turns(self) -> int:
        """Quarter turns to the right."""
        return self._turns

    @property
    def presenting(self) -> bool:
        """Whether a page fills the view, and nothing else is there."""
        return self._former_look is not None

    # ---- for what is built on it

    def _stop_gliding(self) -> None:
        """Something else moves the view."""

    def _laid_out(self) -> None:
        """The pages lie elsewhere."""

    def _seen(self) -> None:
        """Another part is in view."""

    def _set_pages(self, sizes: Sequence[PageSize], place: Anchor | None) -> None:
        """Show these at a place, or from the start of the first."""
        self._stop_gliding()
        self._sizes = sizes
        self._layout = None
        self._page = -1
        if place is not None:
            self._arrange(place)
        else:
            self._arrange_at_start(0)

    # ---- zoom, turns, mode

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the window (`Fit.FREE`: leave it as it is)."""
        self._fit = fit
        self._arrange(self._top_anchor())

    def set_zoom(self, zoom: float, at: QPointF | None = None) -> None:
        """Zoom so that the place at `at` (in the viewport; its middle by default) stays where it is."""
        self._stop_gliding()
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

    def turn(self, quarters: int) -> None:
        """Turn every page to the right; to the left if negative."""
        self._turns = (self._turns + quarters) % 4
        self._arrange(self._page_anchor())

    def set_mode(self, mode: Mode) -> None:
        """Show one page at a time, or all below each other."""
        if mode is not self._mode:
            self._mode = mode
            self._arrange(self._page_anchor())

    def set_presenting(self, presenting: bool) -> None:
        """Show one whole page on a dark stage; afterwards everything is as it was before."""
        if presenting == self.presenting:
            return
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if presenting else Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        anchor = self._page_anchor()
        if presenting:
            self._former_look = self._mode, self._fit, self._zoom
            self._mode, self._fit = Mode.SINGLE, Fit.PAGE
        elif self._former_look is not None:
            (self._mode, self._fit, self._zoom), self._former_look = self._former_look, None
        self.setVerticalScrollBarPolicy(policy)
        self._arrange(anchor)

    def _actual_scale(self) -> float:
        """Device pixels a point at 100 %."""
        return self.logicalDpiX() / POINTS_PER_INCH * self._ratio

    def _scale(self) -> float:
        if self._fit is Fit.FREE or not self._sizes:
            return self._zoom * self._actual_scale()
        page = min(max(self._page, 0), len(self._sizes) - 1)
        sizes = turned(self._sizes, self._turns)
        scale = fit_scale(self._fit, sizes, page, self._view_size(), self._gap(), self._actual_scale())
        self._zoom = scale / self._actual_scale()
        return scale

    # ---- place

    @property
    def place(self) -> Place | None:
        """Where one is, to come back to."""
        anchor = self._top_anchor()
        if anchor is None:
            return None
        fit, zoom = (self._fit, self._zoom) if self._former_look is None else self._former_look[1:]
        return Place(anchor, fit, zoom, self._turns)

    def _take_look(self, place: Place) -> None:
        """Zoom and turn as there; a presentation keeps its own zoom."""
        self._turns = place.turns
        if self._former_look is None:
            self._fit, self._zoom = place.fit, place.zoom
        else:
            self._former_look = self._former_look[0], place.fit, place.zoom

    def go_to_anchor(self, anchor: Anchor) -> None:
        """Bring a place to the top of the view."""
        self._stop_gliding()
        self._arrange(anchor)

    def go_to_page(self, page: int, y_pt: float | None = None) -> None:
        """Bring the top of a page, or a height on it (points, unturned), to the top of the view."""
        if self._layout is None or not self._layout.boxes:
            return
        self._stop_gliding()
        page = min(max(page, 0), len(self._layout.boxes) - 1)
        if self._mode is Mode.SINGLE:
            self._enter_slot(page)
        top = self._layout.boxes[page].y
        if y_pt is not None:
            top = round(self._layout.rectangle(page, 0, y_pt, 0, y_pt)[1])
        self.verticalScrollBar().setValue(top - self._gap())

    def step_page(self, step: int) -> None:
        """Go some pages on or back."""
        self.go_to_page(self._page + step)

    def reveal(self, page: int, box: Box) -> None:
        """Scroll as little as is needed for a place (points, unturned) to be seen well."""
        if self._layout is None:
            return
        self._stop_gliding()
        if self._mode is Mode.SINGLE and page != self._page:
            self._enter_slot(page)
        x0, y0, x1, y1 = self._layout.rectangle(page, box.x0, box.y0, box.x1, box.y1)
        width, height = self._view_size()
        for bar, start, end, length in (
            (self.horizontalScrollBar(), x0, x1, width),
            (self.verticalScrollBar(), y0, y1, height),
        ):
            if not bar.value() <= start <= end <= bar.value() + length:
                bar.setValue(round(start - length * REVEAL_SHARE))

    def go_to_start(self) -> None:
        """To the top of the first page."""
        self.go_to_page(0)

    def go_to_end(self) -> None:
        """To the bottom of the last page."""
        self.go_to_page(len(self._sizes) - 1)
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def anchor_at(self, at: QPointF) -> Anchor | None:
        """What lies at a point of the viewport."""
        if self._layout is None or not self._layout.boxes:
            return None
        left, top = self._offset()
        return self._layout.anchor(left + round(at.x() * self._ratio), top + round(at.y() * self._ratio))

    def spot_at(self, at: QPointF) -> tuple[int, float, float] | None:
        """The page at a point of the viewport, or the nearest one above, and the point on it (points, unturned)."""
        if self._layout is None or not self._layout.boxes:
            return None
        left, top = self._offset()
        x, y = left + at.x() * self._ratio, top + at.y() * self._ratio
        page = self._layout.page_at(int(y))
        paper_x, paper_y = self._layout.to_paper(page, x, y)
        return page, paper_x / self._layout.scale, paper_y / self._layout.scale

    def rectangle_of(self, page: int, box: Box) -> QRectF:
        """Where a place on a page (points, unturned) lies in the viewport."""
        if self._layout is None:
            return QRectF()
        (left, top), ratio = self._offset(), self._ratio
        x0, y0, x1, y1 = self._layout.rectangle(page, box.x0, box.y0, box.x1, box.y1)
        return QRectF((x0 - left) / ratio, (y0 - top) / ratio, (x1 - x0) / ratio, (y1 - y0) / ratio)

    def visible_pages(self) -> range:
        """The pages in view."""
        if self._layout is None:
            return range(0)
        return self._layout.visible(self._offset()[1], self._view_size()[1])

    def _gap(self) -> int:
        return 0 if self.presenting else round(GAP_PX * self._ratio)

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

    def _page_anchor(self) -> Anchor | None:
        return Anchor(self._page, 0.5, 0.0) if self._page >= 0 else None

    # ---- one page at a time

    def _enter_slot(self, page: int) -> None:
        """Show this page, from its top."""
        self._page = page
        self._arrange_at_start(page)
        self._tell_page()

    # ---- arranging

    def _arrange(self, anchor: Anchor | None, *, beside: int | None = None, above: int = 0) -> None:
        """Lay the pages out afresh and bring `anchor` to (`beside`, `above`) in the view."""
        width, height = self._view_size()
        if not self._sizes:
            self._layout = None
            self._set_bars(0, (0, 0))
            self.viewport().update()
            return
        single = self._mode is Mode.SINGLE
        layout = self._layout = PageLayout(
            self._sizes, self._scale(), self._gap(), width, turns=self._turns, slot_height=height if single else 0
        )
        page = max(0, self._page if anchor is None else min(anchor.page, len(self._sizes) - 1))
        self._set_bars(layout.width, layout.slot(page))
        if anchor is not None:
            x, y = layout.position(anchor)
            self._arranging = True
            self.horizontalScrollBar().setValue(x - (width // 2 if beside is None else beside))
            self.verticalScrollBar().setValue(y - above)
            self._arranging = False
        self._update_page()
        self.zoom_changed.emit(self._zoom)
        self.viewport().update()
        self._laid_out()
        self.moved.emit()

    def _arrange_at_start(self, page: int) -> None:
        """Lay the pages out afresh and show a page from its top, and from its left edge where not all goes in."""
        self._arrange(Anchor(page, 0.5, 0.0), above=self._gap())
        if self._layout is not None and (box := self._layout.boxes[page]).width > self._view_size()[0]:
            self.horizontalScrollBar().setValue(box.x - self._gap())

    def _set_bars(self, width: int, rows: tuple[int, int]) -> None:
        step = round(SCROLL_STEP_PX * self._ratio)
        view_width, view_height = self._view_size()
        self._arranging = True
        for bar, (first, last), view in (
            (self.horizontalScrollBar(), (0, width), view_width),
            (self.verticalScrollBar(), rows, view_height),
        ):
            bar.setRange(first, max(first, last - view))
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
        self._seen()
        self.moved.emit()

    def _update_page(self) -> None:
        if self._layout is None:
            return
        page = self._layout.current(self._offset()[1], self._view_size()[1])
        if page != self._page:
            self._page = page
            self._tell_page()

    def _tell_page(self) -> None:
        self.page_changed.emit(self._page, len(self._sizes))

    # ---- Qt's events

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep what is at the top left there: a side pane that comes or goes takes its room at the right."""
        super().resizeEvent(event)
        self._stop_gliding()
        whole = self._mode is Mode.SINGLE and self._fit is Fit.PAGE
        if whole:
            self._arrange(self._page_anchor())
        else:
            self._arrange(self.anchor_at(QPointF(0, 0)), beside=0)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follow the screen's scale."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            anchor = self._top_anchor()
            self._ratio = self.devicePixelRatioF()
            self._arrange(anchor)
        return super().viewportEvent(event)
