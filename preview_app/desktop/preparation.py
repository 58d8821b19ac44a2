"""Makes the converter on a thread of its own, since the first time it takes minutes, and tells the window about it."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from engines.errors import EngineError, ErrorKind
from preview_app.desktop.bridge import MainThreadPost, OpenTicket
from preview_app.desktop.language import tr

Report = Callable[[str, float], None]
"""Told what is being done, and percent of everything. May raise `EngineError` to make the preparation end."""
Connect = Callable[[Report], OpenTicket]
"""Makes what opens documents; blocks, for minutes where the engine has to be fetched. Raises `EngineError`."""

_END_S = 10.0
"""How long a preparation that was told to end may take; it reports several times a second."""


class Preparation(QObject):
    """One `Connect` at a time. Signals come on the main thread; none after `stop`."""

    progressed = Signal(str, float)
    """What is being done, and percent of everything."""
    ready = Signal(object)
    """The converter is there: the `OpenTicket`."""
    failed = Signal(str, str)
    """It is not to be had: message for a person, diagnostics."""

    def __init__(self, connect: Connect, post: MainThreadPost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._connect = connect
        self._post = post
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin, or begin again after a failure."""
        if self._thread is not None:
            self._thread.join()
        self._thread = threading.Thread(target=self._run, name="docpeek-prepare")
        self._thread.start()

    def stop(self) -> bool:
        """Make it end and wait for that; whether it did, within ten seconds. Idempotent."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_END_S)
        return self._thread is None or not self._thread.is_alive()

    # On the thread:

    def _run(self) -> None:
        try:
            open_ticket = self._connect(self._report)
        except EngineError as error:
            message, diagnostics = error.message, error.diagnostics
            self._tell(lambda: self.failed.emit(message, diagnostics))
        except Exception:  # noqa: BLE001 - whatever it is, a window that waits for ever would hide it
            trace = traceback.format_exc()
            self._tell(lambda: self.failed.emit(tr("The engine could not be made ready."), trace))
        else:
            self._tell(lambda: self.ready.emit(open_ticket))

    def _report(self, message: str, percent: float) -> None:
        if self._stopped.is_set():
            raise EngineError(ErrorKind.CANCELLED, tr("Preparing the engine was cancelled."))
        self._tell(lambda: self.progressed.emit(message, percent))

    def _tell(self, emit: Callable[[], None]) -> None:
        def unless_stopped() -> None:
            if not self._stopped.is_set():
                emit()

        self._post(unless_stopped)
