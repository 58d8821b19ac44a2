"""Where each page lies: pure geometry in device pixels, no toolkit.

Pages stand in one column, centred. All numbers are whole device pixels, so that a page's pixels land on the screen's
pixels whatever the scale factor of the screen. `scale` is device pixels a point, as in `preview_app.raster.api`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from preview_app.raster.api import PageSize

ZOOM_STEPS = (0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
ZOOM_MIN, ZOOM_MAX = ZOOM_STEPS[0], ZOOM_STEPS[-1]
AUTOMATIC_MIN, AUTOMATIC_MAX = 0.5, 1.5
"""Bounds of the automatic zoom: small text stays readable, small pages are not blown up."""
OUTLIER = 1.5
"""A page this much wider than the current one does not count when fitting to the width."""


class Fit(Enum):
    """How the zoom follows the window."""

    AUTOMATIC = "automatic"
    WIDTH = "width"
    PAGE = "page"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Box:
    """A page's place: left, top, width, height in device pixels of the whole column."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """The first row below the page."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the document, independent of zoom: a page and the fractions of its width and height."""

    page: int
    x: float
    y: float


class PageLayout:
    """The column of pages at one scale, `gap` pixels apart, in a view at least `view_width` wide."""

    def __init__(self, sizes: Sequence[PageSize], scale: float, gap: int, view_width: int) -> None:
        self.scale = scale
        self.gap = gap
        widths = [max(1, round(size.width_pt * scale)) for size in sizes]
        heights = [max(1, round(size.height_pt * scale)) for size in sizes]
        self.width = max(view_width, max(widths, default=0) + 2 * gap)
        boxes, y = [], gap
        for width, height in zip(widths, heights, strict=True):
            boxes.append(Box((self.width - width) // 2, y, width, height))
            y += height + gap
        self.boxes: tuple[Box, ...] = tuple(boxes)
        self.height = y if boxes else 0
        self._tops = [box.y for box in boxes]

    def visible(self, top: int, height: int) -> range:
        """The pages that a view of `height` pixels shows when scrolled to `top`."""
        if not self.boxes:
            return range(0)
        first = max(0, bisect_right(self._tops, top) - 1)
        if self.boxes[first].bottom <= top:
            first += 1
        last = bisect_right(self._tops, top + height - 1)
        return range(first, max(first, last))

    def page_at(self, y: int) -> int:
        """The page at height `y`, or the one above the gap there."""
        return max(0, bisect_right(self._tops, y) - 1)

    def current(self, top: int, height: int) -> int:
        """The page that a person would say they are on: the first that is half in view, or fills half of the view."""
        pages = self.visible(top, height)
        if not pages:
            return self.page_at(top) if self.boxes else 0

        def is_it(page: int) -> bool:
            box = self.boxes[page]
            rows = min(box.bottom, top + height) - max(box.y, top)
            return 2 * rows >= min(box.height, height)

        return next((page for page in pages if is_it(page)), pages.start)

    def anchor(self, x: int, y: int) -> Anchor:
        """What lies at a point of the column; fractions outside 0..1 lie beside the page."""
        page = self.page_at(y)
        box = self.boxes[page]
        return Anchor(page, (x - box.x) / box.width, (y - box.y) / box.height)

    def position(self, anchor: Anchor) -> tuple[int, int]:
        """Where an anchor lies in the column; a page that is gone counts as the last one."""
        box = self.boxes[min(anchor.page, len(self.boxes) - 1)]
        return round(box.x + anchor.x * box.width), round(box.y + anchor.y * box.height)


def fit_scale(
    fit: Fit, sizes: Sequence[PageSize], page: int, view: tuple[int, int], gap: int, actual_scale: float
) -> float:
    """The scale at which the pages suit a view of `view` (width, height) pixels. `actual_scale` is that of 100 %."""
    current = sizes[page]
    fitting = [size.width_pt for size in sizes if size.width_pt <= OUTLIER * current.width_pt]
    by_width = max(1, view[0] - 2 * gap) / max(fitting)
    by_height = max(1, view[1] - 2 * gap) / current.height_pt
    if fit is Fit.PAGE:
        scale = min(max(1, view[0] - 2 * gap) / current.width_pt, by_height)
    elif fit is Fit.AUTOMATIC:
        slides = current.width_pt > current.height_pt
        scale = min(by_width, by_height) if slides else by_width
        scale = min(max(scale, AUTOMATIC_MIN * actual_scale), AUTOMATIC_MAX * actual_scale)
    else:
        scale = by_width
    return min(max(scale, ZOOM_MIN * actual_scale), ZOOM_MAX * actual_scale)


def next_step(zoom: float, direction: int) -> float:
    """The next zoom above (`direction` > 0) or below `zoom` in the row of steps."""
    if direction > 0:
        return next((step for step in ZOOM_STEPS if step > zoom * 1.005), ZOOM_MAX)
    return next((step for step in reversed(ZOOM_STEPS) if step < zoom * 0.995), ZOOM_MIN)
