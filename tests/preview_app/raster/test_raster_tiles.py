"""The tile cache against a model, and by example."""

from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from preview_app.raster.api import Clip, Pixels
from preview_app.raster.tiles import TileCache, TileKey


def image(size: int, page: int = 0, scale: float = 1.0) -> Pixels:
    return Pixels(page, scale, 1, 1, size, memoryview(bytes(size)))


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["put", "get", "forget"]), st.integers(0, 2), st.integers(0, 3), st.integers(1, 60)),
    max_size=60,
)


@given(OPERATIONS)
def test_it_is_a_least_recently_used_cache_bounded_by_bytes(operations: list[tuple[str, int, int, int]]) -> None:
    cache, model = TileCache(100), OrderedDict[TileKey, int]()
    for what, document, page, size in operations:
        key = TileKey(document, page, 1.0)
        if what == "put":
            cache.put(key, image(size))
            model.pop(key, None)
            model[key] = size
            while sum(model.values()) > 100:
                model.popitem(last=False)
        elif what == "get":
            found = cache.get(key)
            assert (found.data.nbytes if found else None) == model.get(key)
            if key in model:
                model.move_to_end(key)
        else:
            cache.forget(document)
            for other in [other for other in model if other.document == document]:
                del model[other]
        assert cache.statistics().bytes == sum(model.values()) <= 100
        assert len(cache) == len(model)


def test_an_image_larger_than_the_cache_is_not_kept_and_displaces_nothing() -> None:
    cache = TileCache(100)
    cache.put(TileKey("a", 0, 1.0), image(90))
    cache.put(TileKey("a", 1, 1.0), image(101))
    assert len(cache) == 1
    assert TileKey("a", 0, 1.0) in cache


def test_it_tells_scales_and_clips_apart_and_knows_the_nearest_scale() -> None:
    cache = TileCache(1000)
    small, large = image(10, scale=0.5), image(20, scale=2.0)
    cache.put(TileKey("a", 0, 0.5), small)
    cache.put(TileKey("a", 0, 2.0), large)
    cache.put(TileKey("a", 0, 1.5, Clip(0, 0, 1, 1)), image(30, scale=1.5))
    assert cache.get(TileKey("a", 0, 1.5)) is None
    assert cache.nearest("a", 0, 1.5) is large
    assert cache.nearest("a", 0, 0.6) is small
    assert cache.nearest("a", 1, 1.0) is None
    assert cache.statistics().misses == 1
    assert "tiles=3" in repr(cache)
