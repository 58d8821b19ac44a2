"""A small event loop of its own, for programs that have none: the command line, benchmarks and tests."""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

_Callback = Callable[[], None]


class SelectTimer:
    """A callback that is still to come; a `preview_app.raster.loop.Timer`."""

    __slots__ = ("_callback",)

    def __init__(self, callback: _Callback) -> None:
        self._callback: _Callback | None = callback

    def cancel(self) -> None:
        """Do not run it."""
        self._callback = None

    def run(self) -> None:
        """Run it, once."""
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class SelectLoop:
    """A `preview_app.raster.loop.PumpingLoop` that runs inside `run_until`, on the thread that calls it.

    Single-threaded; may be run again from inside a callback. What a callback raises comes out of `run_until`.
    `clock` gives seconds, increasing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._callbacks: dict[tuple[int, int], _Callback] = {}
        self._soon: deque[SelectTimer] = deque()
        self._later: list[tuple[float, int, SelectTimer]] = []
        self._order = itertools.count()

    def add_reader(self, fd: int, callback: _Callback) -> None:
        """See `Loop`."""
        self._callbacks[fd, selectors.EVENT_READ] = callback
        self._watch(fd)

    def remove_reader(self, fd: int) -> None:
        """See `Loop`."""
        if self._callbacks.pop((fd, selectors.EVENT_READ), None) is not None:
            self._watch(fd)

    def add_writer(self, fd: int, callback: _Callback) -> None:
        """See `Loop`."""
        self._callbacks[fd, selectors.EVENT_WRITE] = callback
        self._watch(fd)

    def remove_writer(self, fd: int) -> None:
        """See `Loop`."""
        if self._callbacks.pop((fd, selectors.EVENT_WRITE), None) is not None:
            self._watch(fd)

    def call_soon(self, callback: _Callback) -> SelectTimer:
        """See `Loop`."""
        timer = SelectTimer(callback)
        self._soon.append(timer)
        return timer

    def call_later(self, delay_s: float, callback: _Callback) -> SelectTimer:
        """See `Loop`."""
        timer = SelectTimer(callback)
        heapq.heappush(self._later, (self._clock() + delay_s, next(self._order), timer))
        return timer

    def run_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """See `PumpingLoop`."""
        end = self._clock() + timeout_s
        while not condition():
            now = self._clock()
            if now >= end:
                return False
            self._turn(end - now)
        return True

    def close(self) -> None:
        """Release the selector. Idempotent."""
        self._selector.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _turn(self, wait_s: float) -> None:
        """Wait until something is due, at most `wait_s`, and run what is."""
        if self._soon:
            wait_s = 0.0
        elif self._later:
            wait_s = min(wait_s, max(0.0, self._later[0][0] - self._clock()))
        for key, events in self._selector.select(wait_s):
            for event in (selectors.EVENT_READ, selectors.EVENT_WRITE):
                callback = self._callbacks.get((key.fd, event))
                if events & event and callback is not None:
                    callback()
        self._run_due()

    def _run_due(self) -> None:
        while self._later and self._later[0][0] <= self._clock():
            self._soon.append(heapq.heappop(self._later)[2])
        for _ in range(len(self._soon)):
            if self._soon:  # a callback may have run the loop itself
                self._soon.popleft().run()

    def _watch(self, fd: int) -> None:
        events = sum(event for event in (selectors.EVENT_READ, selectors.EVENT_WRITE) if (fd, event) in self._callbacks)
        known = fd in self._selector.get_map()
        if events and known:
            self._selector.modify(fd, events)
        elif events:
            self._selector.register(fd, events)
        elif known:
            self._selector.unregister(fd)
