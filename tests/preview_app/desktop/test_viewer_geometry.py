"""Layout of pages and the plan of pixels: pure arithmetic in device pixels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preview_app.desktop.page_layout import (
    ZOOM_MAX,
    ZOOM_MIN,
    ZOOM_STEPS,
    Anchor,
    Fit,
    PageLayout,
    fit_scale,
    next_step,
)
from preview_app.desktop.page_plan import (
    WHOLE_PAGE_PIXELS_MAX,
    Piece,
    Tile,
    View,
    is_tiled,
    plan,
    tile_box,
    tile_clip,
    tiles_in,
)
from preview_app.raster.api import Lane, PageSize

A4 = PageSize(595, 842)
SLIDE = PageSize(960, 540)
SIZES = st.lists(st.builds(PageSize, st.floats(10, 5000), st.floats(10, 5000)), min_size=1, max_size=30)
SCALES = st.floats(0.1, 8)


@given(sizes=SIZES, scale=SCALES, gap=st.integers(0, 40), width=st.integers(1, 3000))
def test_pages_lie_below_each_other_inside_the_column(
    sizes: list[PageSize], scale: float, gap: int, width: int
) -> None:
    layout = PageLayout(sizes, scale, gap, width)
    for former, box in zip(layout.boxes, layout.boxes[1:], strict=False):
        assert box.y == former.bottom + gap
    assert all(box.x >= min(gap, 0) and box.x + box.width <= layout.width for box in layout.boxes)
    assert layout.height == layout.boxes[-1].bottom + gap


@given(sizes=SIZES, scale=SCALES, top=st.integers(0, 50_000), height=st.integers(1, 3000))
def test_visible_pages_are_those_that_overlap_the_view(
    sizes: list[PageSize], scale: float, top: int, height: int
) -> None:
    layout = PageLayout(sizes, scale, 12, 800)
    overlapping = [index for index, box in enumerate(layout.boxes) if box.y < top + height and box.bottom > top]
    assert list(layout.visible(top, height)) == overlapping
    assert 0 <= layout.current(top, height) < len(sizes)


@given(sizes=SIZES, scales=st.tuples(SCALES, SCALES), x=st.integers(0, 2000), y=st.integers(0, 20_000))
def test_an_anchor_survives_a_zoom(sizes: list[PageSize], scales: tuple[float, float], x: int, y: int) -> None:
    before, after = (PageLayout(sizes, scale, 12, 800) for scale in scales)
    y = min(y, before.height)
    anchor = before.anchor(x, y)
    assert before.position(anchor) == (x, y)
    there = after.position(anchor)
    box = after.boxes[anchor.page]
    assert there[1] == pytest.approx(box.y + anchor.y * box.height, abs=1)


def test_an_anchor_on_a_page_that_is_gone_is_on_the_last_one() -> None:
    layout = PageLayout([A4], 1.0, 12, 800)
    assert layout.position(Anchor(7, 0.0, 0.0)) == (layout.boxes[0].x, layout.boxes[0].y)


def test_the_current_page_is_the_first_that_is_half_in_view() -> None:
    layout = PageLayout([PageSize(600, 100), PageSize(600, 900), PageSize(600, 100)], 1.0, 10, 800)
    assert layout.current(0, 600) == 0
    assert layout.current(70, 600) == 1
    assert layout.current(layout.height - 600, 600) == 1
    assert layout.current(layout.height - 100, 100) == 2


def test_nothing_to_lay_out() -> None:
    layout = PageLayout([], 1.0, 12, 800)
    assert (layout.height, list(layout.visible(0, 100)), layout.current(0, 100)) == (0, [], 0)


def test_fit_width_and_fit_page() -> None:
    view = (624, 866)
    assert fit_scale(Fit.WIDTH, [A4], 0, view, 12, 1.0) == pytest.approx(600 / 595)
    assert fit_scale(Fit.PAGE, [A4], 0, view, 12, 1.0) == pytest.approx(842 / 842)
    assert fit_scale(Fit.PAGE, [SLIDE], 0, view, 12, 1.0) == pytest.approx(600 / 960)


def test_one_sheet_that_is_far_wider_does_not_shrink_the_others() -> None:
    scale = fit_scale(Fit.WIDTH, [A4, PageSize(5000, 842)], 0, (624, 866), 12, 1.0)
    assert scale == pytest.approx(600 / 595)


def test_automatic_zoom_is_bounded_and_shows_whole_slides() -> None:
    assert fit_scale(Fit.AUTOMATIC, [A4], 0, (5000, 800), 12, 1.0) == 1.5
    assert fit_scale(Fit.AUTOMATIC, [PageSize(9000, 9500)], 0, (800, 800), 12, 1.0) == 0.5
    assert fit_scale(Fit.AUTOMATIC, [SLIDE], 0, (984, 424), 12, 1.0) == pytest.approx(400 / 540)


def test_zoom_steps_end_at_their_ends() -> None:
    assert next_step(1.0, 1) == 1.1
    assert next_step(1.0, -1) == 0.9
    assert next_step(1.04, -1) == 1.0
    assert next_step(ZOOM_MAX, 1) == ZOOM_MAX
    assert next_step(ZOOM_MIN, -1) == ZOOM_MIN
    assert list(ZOOM_STEPS) == sorted(ZOOM_STEPS)


def test_visible_pages_are_critical_and_the_next_ones_in_the_direction_of_travel_high() -> None:
    layout = PageLayout([A4] * 20, 1.0, 12, 800)
    down = plan(layout, View(0, layout.boxes[10].y, 800, 600, 1))
    assert [(piece.page, lane) for piece, lane in down] == [
        (10, Lane.CRITICAL),
        (11, Lane.HIGH),
        (12, Lane.HIGH),
        (9, Lane.NORMAL),
    ]
    up = plan(layout, View(0, layout.boxes[10].y, 800, 600, -1))
    assert [(piece.page, lane) for piece, lane in up][1:] == [(9, Lane.HIGH), (8, Lane.HIGH), (11, Lane.NORMAL)]


def test_a_plan_ends_where_the_document_ends() -> None:
    layout = PageLayout([A4], 1.0, 12, 800)
    assert plan(layout, View(0, 0, 800, 600, 1)) == [(Piece(0, 1.0), Lane.CRITICAL)]


def test_a_large_page_comes_in_tiles_over_a_small_picture() -> None:
    layout = PageLayout([A4], 6.0, 12, 800)
    assert is_tiled(layout.boxes[0])
    wanted = plan(layout, View(0, 1000, 1500, 900, 1))
    first, lane = wanted[0]
    assert first.tile is None
    assert first.scale < 6.0
    assert lane is Lane.CRITICAL
    tiles = [piece.tile for piece, lane in wanted if piece.tile is not None and lane is Lane.CRITICAL]
    assert set(tiles) == set(tiles_in(layout.boxes[0], View(0, 1000, 1500, 900, 1)))
    assert len(wanted) == len({piece for piece, _ in wanted})


@given(width=st.floats(500, 4000), height=st.floats(500, 4000), scale=st.floats(2, 8))
def test_tiles_cover_a_page_without_overlap(width: float, height: float, scale: float) -> None:
    layout = PageLayout([PageSize(width, height)], scale, 12, 800)
    box = layout.boxes[0]
    tiles = tiles_in(box, View(0, 0, layout.width, layout.height, 1))
    assert sum(tile_box(box, tile).width * tile_box(box, tile).height for tile in tiles) == box.width * box.height
    for tile in tiles:
        clip, spot = tile_clip(box, tile, scale), tile_box(box, tile)
        assert round((clip.x1 - clip.x0) * scale) == spot.width
        assert round((clip.y1 - clip.y0) * scale) == spot.height


def test_tiles_out_of_view_are_not_wanted() -> None:
    layout = PageLayout([PageSize(4000, 4000)], 2.0, 12, 800)
    tiles = tiles_in(layout.boxes[0], View(100, 100, 500, 500, 1))
    assert tiles == [Tile(0, 0)]
    assert layout.boxes[0].width * layout.boxes[0].height > WHOLE_PAGE_PIXELS_MAX
