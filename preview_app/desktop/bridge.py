"""Qt's side of the seams: its event loop for the rasterizer, its main thread for the converter's answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSocketNotifier, QTimer

from converter.conversion import Conversion, PhaseChanged, PlaceChanged, StillWorking, TicketEvent
from converter.errors import ConversionError
from converter.request import Lane as ConverterLane
from converter.ticket import Post, Ticket
from preview_app.preview import Converted, Failure
from preview_app.raster.api import Lane

OpenTicket = Callable[[Path, ConverterLane, Post], Ticket]
"""Asks the converter for a document's PDF; callbacks of the ticket run through the `Post`.

May raise `ConversionError` when the request is refused at once.
"""

_PHASES = {
    "waiting": "waiting for its turn",
    "reading": "reading the file",
    "identified": "looking at the file",
    "screened": "handing it to LibreOffice",
    "converting": "converting",
    "checked": "checking the pages",
    "settled": "reading the pages",
}


class MainThreadPost(QObject):
    """Runs calls from any thread on the thread that made it, later and in order; drops them once closed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._calls: deque[Callable[[], None]] = deque()
        self._closed = False

    def __call__(self, call: Callable[[], None]) -> None:
        """Run `call` later. Thread-safe; returns at once."""
        with self._lock:
            if self._closed:
                return
            self._calls.append(call)
            # Under the lock: `close` on the main thread, and the end of this object after it, cannot come between.
            if len(self._calls) == 1:
                QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))

    def close(self) -> None:
        """Drop what waits and all that comes. Idempotent."""
        with self._lock:
            self._closed = True
            self._calls.clear()

    def event(self, event: QEvent) -> bool:
        """Run what has been posted so far."""
        if event.type() != QEvent.Type.User:
            return super().event(event)
        with self._lock:
            calls, self._calls = self._calls, deque()
        for call in calls:
            call()
        return True


class QtTimer:
    """A call that is due later; `cancel` revokes it."""

    def __init__(self, delay_s: float, callback: Callable[[], None], parent: QObject) -> None:
        self._timer = QTimer(parent)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(callback)
        self._timer.timeout.connect(self._timer.deleteLater)
        self._timer.start(max(0, round(delay_s * 1000)))

    def cancel(self) -> None:
        """Do not run it. Idempotent; also after it ran."""
        try:
            self._timer.stop()
            self._timer.deleteLater()
        except RuntimeError:
            # Qt deleted it after it ran.
            return


class QtLoop(QObject):
    """The event loop of this thread, as the rasterizer wants it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._readers: dict[int, QSocketNotifier] = {}
        self._post = MainThreadPost(self)

    def __repr__(self) -> str:
        return f"<QtLoop readers={len(self._readers)}>"

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        """Run `callback` whenever `fd` can be read; one callback a descriptor, a second one replaces it."""
        self.remove_reader(fd)
        notifier = QSocketNotifier(fd, QSocketNotifier.Type.Read, self)
        notifier.activated.connect(lambda *_: callback())
        self._readers[fd] = notifier

    def remove_reader(self, fd: int) -> None:
        """Watch `fd` no longer; call it before closing `fd`. Nothing happens if it is not watched."""
        notifier = self._readers.pop(fd, None)
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Run `callback` in the next turn of the loop."""
        self._post(callback)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> QtTimer:
        """Run `callback` after `delay_s` seconds, unless its `cancel` is called."""
        return QtTimer(delay_s, callback, self)

    def close(self) -> None:
        """Watch nothing, run nothing more."""
        self._post.close()
        for fd in list(self._readers):
            self.remove_reader(fd)


class _TicketRequest:
    """A ticket as the preview sees it: silent after `cancel`."""

    def __init__(
        self, phase: Callable[[str], None], done: Callable[[Converted], None], failed: Callable[[Failure], None]
    ) -> None:
        self._phase = phase
        self._done = done
        self._failed = failed
        self._ticket: Ticket | None = None
        self._cancelled = False

    def follow(self, ticket: Ticket) -> None:
        self._ticket = ticket
        ticket.on_event(self._on_event)
        ticket.add_done_callback(self._on_done)

    def refuse(self, error: ConversionError) -> None:
        if not self._cancelled:
            self._failed(failure_of(error))

    def cancel(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            if self._ticket is not None:
                self._ticket.cancel("superseded")

    def _on_event(self, event: TicketEvent) -> None:
        text = describe(event)
        if text and not self._cancelled:
            self._phase(text)

    def _on_done(self, ticket: Ticket) -> None:
        if self._cancelled:
            return
        try:
            conversion = ticket.result(0)
        except ConversionError as error:
            self._failed(failure_of(error))
        else:
            self._done(converted_of(conversion))


class ConverterBridge:
    """The converter as the preview's source of PDFs. Lanes of both have the same names and order."""

    def __init__(self, open_ticket: OpenTicket, post: MainThreadPost) -> None:
        self._open_ticket = open_ticket
        self._post = post

    def request(
        self,
        path: Path,
        lane: Lane,
        *,
        phase: Callable[[str], None],
        done: Callable[[Converted], None],
        failed: Callable[[Failure], None],
    ) -> _TicketRequest:
        """Ask for the PDF of the document at `path`; a refusal too comes by `failed`, later."""
        request = _TicketRequest(phase, done, failed)
        try:
            request.follow(self._open_ticket(path, ConverterLane[lane.name], self._post))
        except ConversionError as error:
            refusal = error
            self._post(lambda: request.refuse(refusal))
        return request


def describe(event: TicketEvent) -> str:
    """What a person is told while waiting; empty for what is no news."""
    if isinstance(event, PhaseChanged):
        return _PHASES[event.phase.value]
    if isinstance(event, PlaceChanged):
        return f"waiting, {event.ahead} before it" if event.ahead else _PHASES["waiting"]
    if isinstance(event, StillWorking):
        return "still converting; large documents take a while"
    return ""


def converted_of(conversion: Conversion) -> Converted:
    """A conversion in the preview's words."""
    engine = conversion.engine
    return Converted(
        pdf=conversion.pdf,
        engine=f"{engine.name} {engine.version}".strip() if engine.fingerprint else "",
        seconds=conversion.seconds.convert,
        missing_fonts=conversion.missing_fonts,
        notices=conversion.notices,
        from_cache=conversion.from_cache,
    )


def failure_of(error: ConversionError) -> Failure:
    """An error in the preview's words."""
    return Failure(error.outcome.value, error.message, error.diagnostics)
