"""Which pixels a view needs, and how urgently. Pure, no toolkit.

A page of up to `WHOLE_PAGE_PIXELS_MAX` pixels comes whole. A larger one comes in square tiles, only those in view
and their neighbours, over a small picture of the whole page that stands in for the tiles that are not there yet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from preview_app.desktop.page_layout import Box, PageLayout
from preview_app.raster.api import Clip, Lane

WHOLE_PAGE_PIXELS_MAX = 8_000_000
STAND_IN_PIXELS_MAX = 1_000_000
TILE_PIXELS = 1024
"""Side of a tile."""
PAGES_AHEAD = 2
PAGES_BEHIND = 1


@dataclass(frozen=True, slots=True)
class Tile:
    """Place of a tile in its page's grid."""

    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Pixels that can be asked for: a page at a scale, whole or one tile of it, unturned, for day or night."""

    page: int
    scale: float
    tile: Tile | None = None
    night: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The part of the column that is seen, in device pixels, and the direction of travel (1 down, -1 up)."""

    left: int
    top: int
    width: int
    height: int
    direction: int


def is_tiled(box: Box) -> bool:
    """Whether a page of this size comes in tiles."""
    return box.width * box.height > WHOLE_PAGE_PIXELS_MAX


def stand_in_piece(page: int, box: Box, scale: float, *, night: bool = False) -> Piece:
    """The small picture of a large page."""
    return Piece(page, scale * math.sqrt(STAND_IN_PIXELS_MAX / (box.width * box.height)), night=night)


def paper_view(layout: PageLayout, page: int, view: View) -> View:
    """What a view of the column sees, on the paper of a page."""
    ax, ay = layout.to_paper(page, view.left, view.top)
    bx, by = layout.to_paper(page, view.left + view.width, view.top + view.height)
    width, height = abs(bx - ax), abs(by - ay)
    return View(round(min(ax, bx)), round(min(ay, by)), round(width), round(height), view.direction)


def tile_box(box: Box, tile: Tile) -> Box:
    """Where a tile lies in the column."""
    x, y = tile.column * TILE_PIXELS, tile.row * TILE_PIXELS
    return Box(box.x + x, box.y + y, min(TILE_PIXELS, box.width - x), min(TILE_PIXELS, box.height - y))


def tile_clip(box: Box, tile: Tile, scale: float) -> Clip:
    """The part of the page that a tile shows, in points."""
    place = tile_box(box, tile)
    x, y = place.x - box.x, place.y - box.y
    return Clip(x / scale, y / scale, (x + place.width) / scale, (y + place.height) / scale)


def tiles_in(box: Box, view: View, margin: int = 0) -> list[Tile]:
    """The tiles of a page that a view shows, `margin` pixels around it included; nearest to its middle first."""

    def span(start: int, length: int, low: int, high: int) -> range:
        first = max(0, (low - start) // TILE_PIXELS)
        last = min(math.ceil(length / TILE_PIXELS), math.ceil((high - start) / TILE_PIXELS))
        return range(first, max(first, last))

    columns = span(box.x, box.width, view.left - margin, view.left + view.width + margin)
    rows = span(box.y, box.height, view.top - margin, view.top + view.height + margin)
    middle_x, middle_y = view.left + view.width / 2 - box.x, view.top + view.height / 2 - box.y

    def distance(tile: Tile) -> float:
        return math.hypot((tile.column + 0.5) * TILE_PIXELS - middle_x, (tile.row + 0.5) * TILE_PIXELS - middle_y)

    return sorted((Tile(column, row) for row in rows for column in columns), key=distance)


def plan(layout: PageLayout, view: View, *, night: bool = False) -> list[tuple[Piece, Lane]]:
    """Everything worth asking for, most urgent first; what is not in it is not needed now."""
    visible = layout.visible(view.top, view.height)
    pages = [(page, Lane.CRITICAL) for page in visible]
    down = [(page, Lane.HIGH) for page in range(visible.stop, visible.stop + PAGES_AHEAD)]
    up = [(page, Lane.HIGH) for page in range(visible.start - 1, visible.start - 1 - PAGES_AHEAD, -1)]
    ahead, behind = (down, up) if view.direction >= 0 else (up, down)
    pages += [*ahead, *((page, Lane.NORMAL) for page, _ in behind[:PAGES_BEHIND])]
    wanted: list[tuple[Piece, Lane]] = []
    for page, lane in pages:
        if 0 <= page < len(layout.boxes):
            wanted += _pieces(layout, page, view, lane, night=night)
    return wanted


def _pieces(layout: PageLayout, page: int, view: View, lane: Lane, *, night: bool) -> list[tuple[Piece, Lane]]:
    box, scale = layout.paper(page), layout.scale
    if not is_tiled(box):
        return [(Piece(page, scale, night=night), lane)]
    pieces = [(stand_in_piece(page, box, scale, night=night), lane)]
    seen = paper_view(layout, page, view)
    shown = tiles_in(box, seen)
    pieces += [(Piece(page, scale, tile, night), lane) for tile in shown]
    around = tiles_in(box, seen, margin=TILE_PIXELS // 2)
    pieces += [(Piece(page, scale, tile, night), Lane.HIGH) for tile in around if tile not in set(shown)]
    return pieces
