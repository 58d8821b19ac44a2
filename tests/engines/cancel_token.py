"""A cancel token for tests of engines: the contract of `engines.base.CancelToken`, as small as can be."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Token:
    """Cancelled once, by anyone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        with self._lock:
            if not self.cancelled:
                self._callbacks.append(callback)
                return lambda: self._callbacks.remove(callback) if callback in self._callbacks else None
        callback()
        return lambda: None

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
