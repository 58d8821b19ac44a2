"""The raster pool on asyncio (Jupyter Server)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from preview_app.raster.loop import Timer


class AsyncioLoop:
    """A `preview_app.raster.loop.Loop`. To be used on the thread of the asyncio loop only."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        """See `Loop`."""
        self._loop.add_reader(fd, callback)

    def remove_reader(self, fd: int) -> None:
        """See `Loop`."""
        if not self._loop.is_closed():
            self._loop.remove_reader(fd)

    def add_writer(self, fd: int, callback: Callable[[], None]) -> None:
        """See `Loop`."""
        self._loop.add_writer(fd, callback)

    def remove_writer(self, fd: int) -> None:
        """See `Loop`."""
        if not self._loop.is_closed():
            self._loop.remove_writer(fd)

    def call_soon(self, callback: Callable[[], None]) -> Timer:
        """See `Loop`."""
        return self._loop.call_soon(callback)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """See `Loop`."""
        return self._loop.call_later(delay_s, callback)
