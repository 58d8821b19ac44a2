"""A reader's handle on what it asked for: one outcome, once.

Theory: a ticket is settled exactly once, by whoever comes first; everything that arrives later is dropped. What is to
be told is put into an outbox under the ticket's lock and told outside it by one thread at a time, each call guarded: so
listeners hear everything in the order in which it became so, whichever threads bring it, and may do anything with their
ticket or the converter. Calls go through the caller's `post` (a Qt bridge, `loop.call_soon_threadsafe`) or, without
one, run directly on a thread that brings news, where they must be short.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from converter.conversion import Conversion, Phase, PhaseChanged, PlaceChanged, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.request import Lane

_log = logging.getLogger(__name__)

Post = Callable[[Callable[[], None]], object]
"""Runs what it is given on the caller's thread, soon, in order; returns at once."""


class TicketOwner(Protocol):
    """What a ticket needs of the converter."""

    def leave(self, reader: int, message: str) -> bool:
        """Cancel one reader."""

    def move(self, reader: int, lane: Lane) -> bool:
        """Change a reader's lane."""

    def extend(self, reader: int, deadline_s: float) -> bool:
        """Give a reader more time."""


class Ticket:
    """Follow, wait for, or give up one request. Made by `Converter`; every method may be called from any thread."""

    def __init__(self, reader: int, name: str, lane: Lane, owner: TicketOwner, post: Post | None = None) -> None:
        self.reader = reader
        self.name = name
        self._lane = lane
        self._owner = owner
        self._post = post
        self._settled = threading.Condition()
        self._outcome: Conversion | ConversionError | None = None
        self._phase = Phase.WAITING
        self._ahead: int | None = None
        self._on_done: list[Callable[[Ticket], None]] = []
        self._on_event: list[Callable[[TicketEvent], None]] = []
        self._outbox: deque[Callable[[], None]] = deque()
        self._telling = False

    def __repr__(self) -> str:
        outcome = self.outcome
        state = self.phase.value if outcome is None else outcome.value
        return f"<Ticket {self.reader} {self.name!r} {self.lane.name} {state}>"

    @property
    def lane(self) -> Lane:
        """The reader's lane; its job may be in a stronger one."""
        return self._lane

    @property
    def phase(self) -> Phase:
        """Where the job is; `SETTLED` once the outcome is known."""
        return self._phase

    @property
    def ahead(self) -> int | None:
        """How many jobs are before this one in the line, `None` when it is not waiting."""
        return self._ahead if self._phase is Phase.WAITING else None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, `None` while it has not."""
        settled = self._outcome
        if settled is None:
            return None
        return settled.outcome if isinstance(settled, ConversionError) else Outcome.OK

    def done(self) -> bool:
        """Whether the outcome is known."""
        return self._outcome is not None

    def result(self, timeout_s: float | None = None) -> Conversion:
        """Wait for the conversion.

        Raises `ConversionError` with the outcome, or `TimeoutError` when `timeout_s` seconds passed first; the
        request then goes on.
        """
        with self._settled:
            if not self._settled.wait_for(self.done, timeout_s):
                raise TimeoutError(f"{self.name}: no outcome within {timeout_s} s; the request goes on")
        if isinstance(self._outcome, ConversionError):
            raise self._outcome.copy()
        assert self._outcome is not None
        return self._outcome

    def cancel(self, reason: str = "") -> bool:
        """Give up this reader alone; others that share its job keep it (C23). `False` if it was settled already."""
        return self._owner.leave(self.reader, reason)

    def promote(self, lane: Lane) -> bool:
        """Move this reader to another lane, up or down; its job follows (C19).

        `False` if it was settled or a bound forbids the lane.
        """
        return self._owner.move(self.reader, lane)

    def extend(self, deadline_s: float) -> bool:
        """Allow `deadline_s` seconds in all, counted from the slot, up to the converter's ceiling."""
        return self._owner.extend(self.reader, deadline_s)

    def add_done_callback(self, callback: Callable[[Ticket], None]) -> None:
        """Run `callback(ticket)` once the outcome is known, at once if it already is."""
        with self._settled:
            if self._outcome is None:
                self._on_done.append(callback)
                return
            self._outbox.append(partial(callback, self))
        self._tell()

    def on_event(self, callback: Callable[[TicketEvent], None]) -> None:
        """Run `callback(event)` for what happens on the way; begins with the present phase and place in the line."""
        with self._settled:
            if self._outcome is None:
                self._on_event.append(callback)
            self._outbox.append(partial(callback, PhaseChanged(self._phase)))
            if self.ahead is not None:
                self._outbox.append(partial(callback, PlaceChanged(self.ahead)))
        self._tell()

    # What follows is for the converter.

    def moved(self, lane: Lane) -> None:
        """The reader's lane changed."""
        self._lane = lane

    def notify(self, event: TicketEvent) -> None:
        """Tell the listeners; late news is dropped: phases never go back, and nothing follows the outcome."""
        with self._settled:
            if self._outcome is not None or not self._record(event):
                return
            self._outbox.extend(partial(listener, event) for listener in self._on_event)
        self._tell()

    def settle(self, outcome: Conversion | ConversionError) -> bool:
        """Set the outcome, once. `False` if there was one."""
        with self._settled:
            if self._outcome is not None:
                return False
            self._outcome, self._phase = outcome, Phase.SETTLED
            listeners, self._on_event = self._on_event, []
            callbacks, self._on_done = self._on_done, []
            self._outbox.extend(partial(listener, PhaseChanged(Phase.SETTLED)) for listener in listeners)
            self._outbox.extend(partial(callback, self) for callback in callbacks)
            self._settled.notify_all()
        self._tell()
        return True

    def _record(self, event: TicketEvent) -> bool:
        """Note what an event says; whether it is news. Actions of two steps may be carried out out of order."""
        if isinstance(event, PhaseChanged):
            if _ORDER[event.phase] <= _ORDER[self._phase]:
                return False
            self._phase = event.phase
        elif isinstance(event, PlaceChanged):
            if self._phase is not Phase.WAITING:
                return False
            self._ahead = event.ahead
        return True

    def _tell(self) -> None:
        """Tell what is in the outbox, unless somebody is at it, who then tells this too."""
        while (call := self._next_to_tell()) is not None:
            try:
                self._deliver(call)
            finally:
                self._telling = False

    def _next_to_tell(self) -> Callable[[], None] | None:
        with self._settled:
            if self._telling or not self._outbox:
                return None
            self._telling = True
            return self._outbox.popleft()

    def _deliver(self, call: Callable[[], None]) -> None:
        if self._post is None:
            _guarded(call)
        else:
            post = self._post
            _guarded(lambda: post(partial(_guarded, call)))


_ORDER = {phase: index for index, phase in enumerate(Phase)}


def _guarded(call: Callable[[], object]) -> None:
    try:
        call()
    except Exception:  # noqa: BLE001 - a reader's callback must not end the thread that serves the other readers
        _log.exception("A callback of a conversion ticket failed")
