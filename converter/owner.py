"""Where the replies of an executor go: the thread that asked, with its loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol


class OwnerGone(Exception):  # noqa: N818 - a fact about the owner
    """The owner's loop had ended, so a reply was dropped."""


class Owner(Protocol):
    """A thread with a loop that runs what is posted to it. Hashable by identity."""

    def post(self, callback: Callable[[], None], dropped: Callable[[], None]) -> bool:
        """Have `callback` run on the owner's thread, in order.

        `False` when its loop has ended, and then neither is called. Otherwise exactly one of the two is called, once:
        `dropped` (on any thread) when the loop ends before the callback's turn.
        """

    def is_current(self) -> bool:
        """Whether the calling thread is the owner's."""

    def pump(self, timeout_s: float) -> None:
        """On the owner's thread: run what was posted; wait at most `timeout_s` for something to run."""


class Mailbox:
    """The owner of a plain thread: it runs what was posted whenever it pumps. Qt and asyncio have their own kinds."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._arrived = threading.Condition()
        self._calls: deque[tuple[Callable[[], None], Callable[[], None]]] = deque()
        self._closed = False

    def __repr__(self) -> str:
        return f"<Mailbox {len(self._calls)} waiting{', closed' if self._closed else ''}>"

    def post(self, callback: Callable[[], None], dropped: Callable[[], None]) -> bool:
        """See `Owner`."""
        with self._arrived:
            if self._closed:
                return False
            self._calls.append((callback, dropped))
            self._arrived.notify_all()
            return True

    def is_current(self) -> bool:
        """See `Owner`."""
        return threading.get_ident() == self._thread

    def pump(self, timeout_s: float) -> None:
        """See `Owner`."""
        with self._arrived:
            self._arrived.wait_for(lambda: bool(self._calls) or self._closed, timeout_s)
            turns = len(self._calls)
        for _ in range(turns):  # taken one by one: a callback may pump, or close
            with self._arrived:
                if not self._calls:
                    return
                callback, _ = self._calls.popleft()
            callback()

    def close(self) -> None:
        """The loop has ended: what waits is dropped, and nothing more is taken."""
        with self._arrived:
            self._closed = True
            calls, self._calls = self._calls, deque()
            self._arrived.notify_all()
        for _, dropped in calls:
            dropped()
