"""The event loop that the raster pool runs on, whoever owns it: Qt, asyncio or a plain `select`.

The pool is driven by the one thread that runs this loop; it starts no thread and takes no lock. An adapter calls every
callback on that thread and never from inside the call that registered it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable


class Timer(Protocol):
    """A callback that is still to come."""

    def cancel(self) -> object:
        """Do not run it. Idempotent, also after it has run."""


class Loop(Protocol):
    """What the pool asks of an event loop. `asyncio.AbstractEventLoop` has the same methods.

    Readers and writers are level-triggered: the callback runs again for as long as the descriptor stays ready.
    There is at most one reader and one writer a descriptor; both are removed before the descriptor is closed.
    """

    def add_reader(self, fd: int, callback: Callable[[], None]) -> object:
        """Run `callback` whenever `fd` can be read, or its other end is gone."""

    def remove_reader(self, fd: int) -> object:
        """Stop watching `fd` for reading. Idempotent."""

    def add_writer(self, fd: int, callback: Callable[[], None]) -> object:
        """Run `callback` whenever `fd` can be written."""

    def remove_writer(self, fd: int) -> object:
        """Stop watching `fd` for writing. Idempotent."""

    def call_soon(self, callback: Callable[[], None]) -> Timer:
        """Run `callback` once in the next turn of the loop, in the order of the calls."""

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` once, not earlier than `delay_s` seconds from now."""


@runtime_checkable
class PumpingLoop(Loop, Protocol):
    """A loop that can be run from inside a callback until something holds (Qt and `select` can, asyncio cannot)."""

    def run_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Run until `condition()` holds or the time is over; whether it holds."""
