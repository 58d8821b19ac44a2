"""Cancellation tokens, and the one thread on which all deadlines hang.

Theory: a token goes from live to cancelled once. One caller wins; it writes reason, message and time *before* it sets
the flag, so that whoever sees the flag sees them whole (X9). Callbacks are collected and cleared under the lock and
run outside it, each guarded, on the thread that cancelled (X10).

Guarantees: `cancel` returns `True` to one caller ever. A callback runs at most once, and never after its registration
was revoked before the cancellation. Ten thousand pending deadlines cost one thread (X14).
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

_log = logging.getLogger(__name__)


class Cancelled(Exception):  # noqa: N818 - an ending, not an error
    """Raised by a task at a point where it may stop."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.message = message


class Flag(Protocol):
    """What a token needs of `threading.Event`; tests hand in one that looks at the token when it is set."""

    def set(self) -> None:
        """Set it and wake who waits."""

    def is_set(self) -> bool:
        """Whether it was set."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set."""


class CancellationToken:
    """A cancellation that can be asked for, waited for and listened to. Satisfies `engines.base.CancelToken`."""

    def __init__(self, *, flag: Flag | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._flag: Flag = flag or threading.Event()
        self._now = now
        self._lock = threading.Lock()
        self._won = False
        self._callbacks: dict[int, Callable[[], object]] = {}
        self._ids = itertools.count()
        self._reason: str | None = None
        self._message = ""
        self._cancelled_at_s: float | None = None

    def __repr__(self) -> str:
        state = f"cancelled: {self._reason}" if self.cancelled else f"live, {len(self._callbacks)} callbacks"
        return f"<CancellationToken {state}>"

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled; then reason, message and time are set."""
        return self._flag.is_set()

    @property
    def reason(self) -> str | None:
        """The winner's reason, one word."""
        return self._reason

    @property
    def message(self) -> str:
        """The winner's message; may be empty."""
        return self._message

    @property
    def cancelled_at_s(self) -> float | None:
        """The time of the cancellation on the token's clock."""
        return self._cancelled_at_s

    def cancel(self, reason: str, message: str = "") -> bool:
        """Cancel; `False` if another was first, and then nothing changes (X9)."""
        with self._lock:
            if self._won:
                return False
            self._won = True
            self._reason, self._message, self._cancelled_at_s = reason, message, self._now()
            self._flag.set()
            callbacks, self._callbacks = self._callbacks, {}
        for callback in callbacks.values():
            _guarded(callback)
        return True

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Run `callback` once when cancelled, at once if it already is; returns a function that revokes it (X10)."""
        with self._lock:
            if not self._won:
                key = next(self._ids)
                self._callbacks[key] = callback
                return lambda: self._revoke(key)
        _guarded(callback)
        return lambda: None

    def _revoke(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until it is cancelled; whether it was."""
        return self._flag.wait(timeout_s)

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` if it was: where a task may stop (X12)."""
        if self.cancelled:
            raise Cancelled(str(self._reason), self._message)


def _guarded(callback: Callable[[], object]) -> None:
    try:
        callback()
    except Exception:  # noqa: BLE001 - one listener must not keep the others from hearing
        _log.exception("A cancellation callback failed")


class Alarm:
    """One pending call of a clock; revocable."""

    __slots__ = ("callback", "when_s")

    def __init__(self, when_s: float, callback: Callable[[], object]) -> None:
        self.when_s = when_s
        self.callback: Callable[[], object] | None = callback


class Clock(Protocol):
    """Monotonic time, and calls at a time. Tests advance one by hand."""

    def now(self) -> float:
        """Seconds since an arbitrary start; never goes back."""

    def call_at(self, when_s: float, callback: Callable[[], object]) -> Alarm:
        """Run `callback` at that time or soon after, on a thread of the clock. It must be short."""

    def revoke(self, alarm: Alarm) -> None:
        """Take a call back; does nothing if it has run."""

    def close(self) -> None:
        """Forget all pending calls and end. Idempotent."""


class DeadlineClock:
    """The system's monotonic clock with one timer thread, started at the first call that is pending (X14)."""

    def __init__(self, name: str = "deadlines") -> None:
        self._name = name
        self._wake = threading.Condition()
        self._heap: list[tuple[float, int, Alarm]] = []
        self._ids = itertools.count()
        self._revoked = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"<DeadlineClock {self.pending} pending>"

    @property
    def pending(self) -> int:
        """How many calls are still to come."""
        return len(self._heap) - self._revoked

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    def call_at(self, when_s: float, callback: Callable[[], object]) -> Alarm:
        """See `Clock`. After `close` nothing is run any more."""
        alarm = Alarm(when_s, callback)
        with self._wake:
            if self._closed:
                return alarm
            heapq.heappush(self._heap, (when_s, next(self._ids), alarm))
            if self._thread is None:
                self._start()
            elif self._heap[0][2] is alarm:
                self._wake.notify()
        return alarm

    def _start(self) -> None:
        """Start the thread. Where the system gives none now, the next call tries again: calls wait till then."""
        thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _log.warning("There is no thread for deadlines: they wait", exc_info=True)
        else:
            self._thread = thread

    def revoke(self, alarm: Alarm) -> None:
        """See `Clock`. Revoked calls are swept when they are the greater part, so they cannot pile up."""
        with self._wake:
            if alarm.callback is None:
                return
            alarm.callback = None
            self._revoked += 1
            if self._revoked * 2 > len(self._heap):
                self._heap = [entry for entry in self._heap if entry[2].callback is not None]
                heapq.heapify(self._heap)
                self._revoked = 0

    def close(self) -> None:
        """Forget all pending calls and end the thread."""
        with self._wake:
            self._closed = True
            self._heap.clear()
            self._revoked = 0
            self._wake.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while (callback := self._next()) is not None:
            _guarded(callback)

    def _next(self) -> Callable[[], object] | None:
        """Wait for the next due call; `None` when closed."""
        with self._wake:
            while not self._closed:
                wait_s = self._heap[0][0] - time.monotonic() if self._heap else None
                if wait_s is None or wait_s > 0:
                    self._wake.wait(wait_s)
                    continue
                alarm = heapq.heappop(self._heap)[2]
                callback, alarm.callback = alarm.callback, None
                if callback is not None:
                    return callback
                self._revoked -= 1
        return None
