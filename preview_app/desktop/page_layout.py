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


class Mode(Enum):
    """How pages follow each other."""

    CONTINUOUS = "continuous"
    SINGLE = "single"


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
    """The column of pages at one scale, `gap` pixels apart, in a view at least `view_width` wide.

    `turns` are quarter turns to the right of every page. With a `slot_height` each page stands in the middle of a
    slot of at least that height: shown a page at a time, the view is one slot.
    """

    def __init__(
        self,
        sizes: Sequence[PageSize],
        scale: float,
        gap: int,
        view_width: int,
        *,
        turns: int = 0,
        slot_height: int = 0,
    ) -> None:
        self.scale = scale
        self.gap = gap
        self.turns = turns % 4
        shown = turned(sizes, turns)
        widths = [max(1, round(size.width_pt * scale)) for size in shown]
        heights = [max(1, round(size.height_pt * scale)) for size in shown]
        self.width = max(view_width, max(widths, default=0) + 2 * gap)
        boxes, slots, y = [], [], 0
        for width, height in zip(widths, heights, strict=True):
            slot = max(slot_height, height + 2 * gap if slot_height else height + gap)
            above = (slot - height) // 2 if slot_height else gap
            boxes.append(Box((self.width - width) // 2, y + above, width, height))
            slots.append(y)
            y += slot
        self.boxes: tuple[Box, ...] = tuple(boxes)
        self.height = y + (0 if slot_height else gap) if boxes else 0
        self._tops = [box.y for box in boxes]
        self._slots = [*slots, y] if slot_height else []

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
        starts = self._slots[:-1] or self._tops
        return max(0, bisect_right(starts, y) - 1)

    def slot(self, page: int) -> tuple[int, int]:
        """Where the slot of a page begins and ends; the whole column where there are no slots."""
        return (self._slots[page], self._slots[page + 1]) if self._slots else (0, self.height)

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

    # ---- the paper: a page before it is turned, its corner at (0, 0)

    def paper(self, page: int) -> Box:
        """The page as it would lie unturned, in device pixels."""
        box = self.boxes[page]
        return Box(0, 0, box.height, box.width) if self.turns % 2 else Box(0, 0, box.width, box.height)

    def to_paper(self, page: int, x: float, y: float) -> tuple[float, float]:
        """A point of the column on the paper of a page."""
        box = self.boxes[page]
        x, y = x - box.x, y - box.y
        return ((x, y), (y, box.width - x), (box.width - x, box.height - y), (box.height - y, x))[self.turns]

    def from_paper(self, page: int, x: float, y: float) -> tuple[float, float]:
        """Where a point on the paper of a page lies in the column."""
        box = self.boxes[page]
        x, y = ((x, y), (box.width - y, x), (box.width - x, box.height - y), (y, box.height - x))[self.turns]
        return box.x + x, box.y + y

    def rectangle(self, page: int, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """Where a rectangle of a page (points, unturned) lies in the column: left, top, right, bottom."""
        ax, ay = self.from_paper(page, x0 * self.scale, y0 * self.scale)
        bx, by = self.from_paper(page, x1 * self.scale, y1 * self.scale)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def turned(sizes: Sequence[PageSize], turns: int) -> Sequence[PageSize]:
    """Sizes of pages after quarter turns."""
    return [PageSize(size.height_pt, size.width_pt) for size in sizes] if turns % 2 else sizes


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
