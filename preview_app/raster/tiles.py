"""A cache of rasterized pages and tiles, bounded by bytes: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from preview_app.raster.api import Clip, Pixels


@dataclass(frozen=True, slots=True)
class TileKey:
    """What an image shows; `document` tells documents and their generations apart."""

    document: Hashable
    page: int
    scale: float
    clip: Clip | None = None


@dataclass(frozen=True, slots=True)
class TileStatistics:
    """A snapshot."""

    tiles: int
    bytes: int
    hits: int
    misses: int
    evicted: int


class TileCache:
    """Holds at most `bytes_max` bytes of pixels. Not thread-safe: it belongs to the thread of the event loop."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._tiles: OrderedDict[TileKey, Pixels] = OrderedDict()
        self._bytes = 0
        self._hits = 0
        self._misses = 0
        self._evicted = 0

    def get(self, key: TileKey) -> Pixels | None:
        """The image, which counts as used now."""
        pixels = self._tiles.get(key)
        if pixels is None:
            self._misses += 1
            return None
        self._hits += 1
        self._tiles.move_to_end(key)
        return pixels

    def nearest(self, document: Hashable, page: int, scale: float) -> Pixels | None:
        """The whole page at the scale nearest to `scale` (by ratio), to show until the right one is there."""
        whole = [key for key in self._tiles if key.document == document and key.page == page and key.clip is None]
        best = min(whole, key=lambda key: max(key.scale / scale, scale / key.scale), default=None)
        return None if best is None else self._tiles[best]

    def put(self, key: TileKey, pixels: Pixels) -> None:
        """Keep an image, in place of an earlier one. One that is larger than the whole cache is not kept."""
        self._drop(key)
        size = pixels.data.nbytes
        if size > self._bytes_max:
            return
        self._tiles[key] = pixels
        self._bytes += size
        while self._bytes > self._bytes_max:
            _, oldest = self._tiles.popitem(last=False)
            self._bytes -= oldest.data.nbytes
            self._evicted += 1

    def forget(self, document: Hashable) -> None:
        """Drop every image of a document."""
        for key in [key for key in self._tiles if key.document == document]:
            self._drop(key)

    def statistics(self) -> TileStatistics:
        """A snapshot."""
        return TileStatistics(len(self._tiles), self._bytes, self._hits, self._misses, self._evicted)

    def __contains__(self, key: TileKey) -> bool:
        return key in self._tiles

    def __len__(self) -> int:
        return len(self._tiles)

    def __repr__(self) -> str:
        return f"<TileCache tiles={len(self._tiles)} bytes={self._bytes} of {self._bytes_max}>"

    def _drop(self, key: TileKey) -> None:
        pixels = self._tiles.pop(key, None)
        if pixels is not None:
            self._bytes -= pixels.data.nbytes
