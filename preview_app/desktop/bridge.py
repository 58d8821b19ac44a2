"""Qt's side of the seams: its event loop for the rasterizer, its main thread for the converter's answers."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QSocketNotifier, QTimer

from converter.conversion import Conversion, PhaseChanged, PlaceChanged, StillWorking, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.request import Lane as ConverterLane
from converter.ticket import Post, Ticket
from engines.base import EngineInfo
from engines.decryption import Password
from preview_app.desktop import figures
from preview_app.desktop.language import mark, tr
from preview_app.facts import facts_of
from preview_app.preview_states import Converted, EngineOffer, Extent, Failure
from preview_app.raster.api import Lane

OpenTicket = Callable[[Path, ConverterLane, Post, Password | None, str | None, Extent], Ticket]
"""Asks the converter for a document's PDF, with the password that opens it, of the engine named or of the default one,
to the extent wanted; callbacks of the ticket run through the `Post`."""

EXTENDED_DEADLINE_S = 600.0
"""For a conversion that a person wants to wait for; the converter has a ceiling of its own."""
_ENGINES = {"wasm": mark("LibreOffice {} in WebAssembly"), "native": "LibreOffice {}"}
_ENGINES_DIFFER = frozenset({Outcome.ENGINE, Outcome.TIMEOUT, Outcome.CORRUPT})
"""Outcomes that may be others with another engine, if one was at work."""
_PHASES = {
    "waiting": mark("waiting for its turn"),
    "reading": mark("reading the file"),
    "identified": mark("looking at the file"),
    "screened": mark("handing it to LibreOffice"),
    "converting": mark("converting"),
    "checked": mark("checking the pages"),
    "settled": mark("reading the pages"),
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
            # An event for each call: one that raises, or turns the loop inside, keeps none of the others waiting.
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))

    def close(self) -> None:
        """Drop what waits and all that comes. Idempotent."""
        with self._lock:
            self._closed = True
            self._calls.clear()

    def event(self, event: QEvent) -> bool:
        """Run the next of what has been posted."""
        if event.type() != QEvent.Type.User:
            return super().event(event)
        with self._lock:
            call = self._calls.popleft() if self._calls else None
        if call is not None:
            call()
        return True


class QtTimer:
    """A call that is due later; `cancel` revokes it."""

    def __init__(self, delay_s: float, callback: Callable[[], None], parent: QObject) -> None:
        self._callback: Callable[[], None] | None = callback
        self._timer: QTimer | None = QTimer(parent)
        self._timer.setSingleShot(True)
        # A closure keeps this object until the timer ends; a connection to its method would not.
        self._timer.timeout.connect(lambda: self._run())  # noqa: PLW0108
        self._timer.start(max(0, math.ceil(delay_s * 1000)))

    def cancel(self) -> None:
        """Do not run it. Idempotent, also after it has run."""
        self._callback = None
        if self._timer is not None:
            timer, self._timer = self._timer, None
            timer.stop()
            timer.deleteLater()

    def _run(self) -> None:
        callback = self._callback
        self.cancel()
        if callback is not None:
            callback()


class _Soon:
    """A call of the next turn; `cancel` revokes it."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def __call__(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class QtLoop(QObject):
    """The event loop of this thread, as the rasterizer wants it (`preview_app.raster.loop.PumpingLoop`)."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._readers: dict[int, QSocketNotifier] = {}
        self._writers: dict[int, QSocketNotifier] = {}
        self._post = MainThreadPost(self)

    def __repr__(self) -> str:
        return f"<QtLoop readers={len(self._readers)} writers={len(self._writers)}>"

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        """Run `callback` whenever `fd` can be read, or its other end is gone; replaces an earlier one."""
        self._add(self._readers, fd, QSocketNotifier.Type.Read, callback)

    def remove_reader(self, fd: int) -> None:
        """Stop watching `fd` for reading; before it is closed. Idempotent."""
        self._remove(self._readers, fd)

    def add_writer(self, fd: int, callback: Callable[[], None]) -> None:
        """Run `callback` whenever `fd` can be written; replaces an earlier one."""
        self._add(self._writers, fd, QSocketNotifier.Type.Write, callback)

    def remove_writer(self, fd: int) -> None:
        """Stop watching `fd` for writing; before it is closed. Idempotent."""
        self._remove(self._writers, fd)

    def call_soon(self, callback: Callable[[], None]) -> _Soon:
        """Run `callback` in the next turn of the loop, in the order of the calls."""
        soon = _Soon(callback)
        self._post(soon)
        return soon

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> QtTimer:
        """Run `callback` once, not earlier than `delay_s` seconds from now."""
        return QtTimer(delay_s, callback, self)

    def run_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Run until `condition()` holds or the time is over; whether it holds. A person's clicks and keys wait."""
        end_s = time.monotonic() + timeout_s
        flags = QEventLoop.ProcessEventsFlag
        loop = QEventLoop()
        while not condition():
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                return False
            wake = QtTimer(left_s, lambda: None, self)
            loop.processEvents(flags.WaitForMoreEvents | flags.ExcludeUserInputEvents)
            wake.cancel()
        return True

    def close(self) -> None:
        """Watch nothing, run nothing more."""
        self._post.close()
        for watched in (self._readers, self._writers):
            for fd in list(watched):
                self._remove(watched, fd)

    def _add(
        self,
        watched: dict[int, QSocketNotifier],
        fd: int,
        kind: QSocketNotifier.Type,
        callback: Callable[[], None],
    ) -> None:
        self._remove(watched, fd)
        notifier = watched[fd] = QSocketNotifier(fd, kind, self)
        notifier.activated.connect(lambda *_: callback())

    @staticmethod
    def _remove(watched: dict[int, QSocketNotifier], fd: int) -> None:
        notifier = watched.pop(fd, None)
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()


class _TicketRequest:
    """A ticket as the preview sees it: silent after `cancel`. There is none yet while the converter is being made."""

    def __init__(
        self,
        path: Path,
        lane: ConverterLane,
        phase: Callable[[str], None],
        slow: Callable[[], None],
        done: Callable[[Converted], None],
        failed: Callable[[Failure], None],
        password: Password | None,
        engine: str | None,
        extent: Extent,
        others: Callable[[], Sequence[EngineInfo]],
    ) -> None:
        self.path = path
        self.lane = lane
        self._phase = phase
        self._slow = slow
        self._done = done
        self._failed = failed
        self._password = password
        self._engine = engine
        self._extent = extent
        self._others = others
        self._ticket: Ticket | None = None
        self._cancelled = False

    def ask(self, open_ticket: OpenTicket, post: MainThreadPost) -> None:
        if not self._cancelled:
            self._ticket = open_ticket(self.path, self.lane, post, self._password, self._engine, self._extent)
            self._ticket.on_event(self._on_event)
            self._ticket.add_done_callback(self._on_done)

    def wait(self) -> None:
        if not self._cancelled:
            self._phase(tr("getting LibreOffice ready"))

    def refuse(self, failure: Failure) -> None:
        if not self._cancelled:
            self._failed(failure)

    def cancel(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            if self._ticket is not None:
                self._ticket.cancel("superseded")

    def extend(self) -> None:
        if self._ticket is not None:
            self._ticket.extend(EXTENDED_DEADLINE_S)

    def _on_event(self, event: TicketEvent) -> None:
        if self._cancelled:
            return
        if isinstance(event, StillWorking):
            self._slow()
        elif text := describe(event):
            self._phase(text)

    def _on_done(self, ticket: Ticket) -> None:
        if self._cancelled:
            return
        try:
            conversion = ticket.result(0)
        except ConversionError as error:
            self._failed(failure_of(error, self._others()))
        else:
            self._done(converted_of(conversion))


class ConverterBridge:
    """The converter as the preview's source of PDFs. Lanes of both have the same names and order.

    Until `connect` requests wait; `fail` answers those that do, and the next one asks for another attempt.
    """

    def __init__(self, post: MainThreadPost, others: Callable[[], Sequence[EngineInfo]] = tuple) -> None:
        """`others` gives the engines that a request may name beside the default one."""
        self._post = post
        self._others = others
        self._open_ticket: OpenTicket | None = None
        self._prepare: Callable[[], None] | None = None
        self._waiting: list[_TicketRequest] = []
        self._failed = False

    def connect(self, open_ticket: OpenTicket) -> None:
        """The converter is there: ask it what waits."""
        self._open_ticket, self._failed = open_ticket, False
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            request.ask(open_ticket, self._post)

    def fail(self, failure: Failure, prepare: Callable[[], None]) -> None:
        """There will be no converter, unless the next request's call of `prepare` makes one."""
        self._failed, self._prepare = True, prepare
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            request.refuse(failure)

    def request(
        self,
        path: Path,
        lane: Lane,
        *,
        phase: Callable[[str], None],
        slow: Callable[[], None],
        done: Callable[[Converted], None],
        failed: Callable[[Failure], None],
        password: Password | None = None,
        engine: str | None = None,
        extent: Extent = Extent.BOUNDED,
    ) -> _TicketRequest:
        """Ask for the PDF of the document at `path`; a refusal comes by `failed`, later."""
        request = _TicketRequest(
            path, ConverterLane[lane.name], phase, slow, done, failed, password, engine, extent, self._others
        )
        if self._open_ticket is not None:
            request.ask(self._open_ticket, self._post)
            return request
        self._waiting.append(request)
        self._post(request.wait)
        if self._failed and lane is Lane.CRITICAL and self._prepare is not None:
            self._failed = False
            self._prepare()
        return request


def describe(event: TicketEvent) -> str:
    """What a person is told while waiting; empty for what is no news."""
    if isinstance(event, PhaseChanged):
        return tr(_PHASES[event.phase.value])
    if isinstance(event, PlaceChanged):
        return tr("waiting, {} before it").format(figures.whole(event.ahead)) if event.ahead else tr(_PHASES["waiting"])
    return ""


def converted_of(conversion: Conversion) -> Converted:
    """A conversion in the preview's words."""
    engine = conversion.engine
    return Converted(
        pdf=conversion.pdf,
        engine=_engine_name(engine) if engine.fingerprint else "",
        seconds=conversion.seconds.convert,
        missing_fonts=conversion.missing_fonts,
        notices=conversion.notices,
        from_cache=conversion.from_cache,
        facts=facts_of(conversion),
    )


def _engine_name(engine: EngineInfo) -> str:
    return tr(_ENGINES.get(engine.name, engine.name + " {}")).format(engine.version).strip()


def failure_of(error: ConversionError, engines: Sequence[EngineInfo] = ()) -> Failure:
    """An error in the preview's words; `engines` are all that could be asked."""
    tried = error.engine
    failed = tried.name if tried else None
    others = [each for each in engines if each.name != failed] if failed and error.outcome in _ENGINES_DIFFER else []
    choices = tuple(EngineOffer(each.name, _engine_name(each)) for each in others)
    return Failure(
        error.outcome.value,
        error.message,
        error.diagnostics,
        choices,
        error.bound,
        engine=_engine_name(tried) if tried else "",
        engine_name=tried.name if tried else "",
        engine_version=tried.version if tried else "",
    )
