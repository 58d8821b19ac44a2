"""Whether a window keeps up with a screen of 60 Hz.

A *frame* is due every sixtieth of a second, on a fixed grid. Its **gap** is the time from when it was due until it is
painted: the wait for the event loop, the step that moves the view, the painting, all of it. A loop that is held up for
several frames has a gap for each of them, so a long pause counts as often as a person sees it. A frame with a gap under
16 ms is on screen in its turn. An **interval** is the time from one painted frame to the next.

On Linux each frame also says for how long its thread was ready to run and had no processor to run on: what the other
programs of the machine cost it, those of its own that work for it among them. And it says what it took of a processor
since the former frame was painted, which is the part of its gap that another machine could not spare it.

`python -m preview_app.desktop.benchmark_frames` is the control: an empty window with the same clock. What it shows is
the noise of the machine and of Qt.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

PERIOD_S = 1 / 60
_PAINTED = QEvent.Type.User


@dataclass(frozen=True, slots=True)
class Frame:
    """When a frame was due and when it was painted, in seconds of `time.perf_counter`."""

    due_s: float
    painted_s: float
    queued_s: float
    """For how long the thread waited for a processor meanwhile, at most."""
    busy_s: float
    """For how long the thread had one, since the former frame was painted."""


class ProcessorTimes:
    """For how long this thread has had a processor, and has waited for one, ever; 0 where the system does not say."""

    def __init__(self) -> None:
        self._statistics = -1
        with contextlib.suppress(OSError):
            self._statistics = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def seconds(self) -> tuple[float, float]:
        """Had, and waited, so far."""
        if self._statistics < 0:
            return 0.0, 0.0
        busy, queued = os.pread(self._statistics, 256, 0).split()[:2]
        return int(busy) / 1e9, int(queued) / 1e9

    def close(self) -> None:
        """Look no more. Idempotent."""
        if self._statistics >= 0:
            os.close(self._statistics)
            self._statistics = -1


class PaintWatch(QObject):
    """Tells when a widget has been painted, after every paint: in the loop's next turn, when the window is out."""

    def __init__(self, widget: QWidget, painted: Callable[[float, float], None]) -> None:
        """`painted` is told when the painting began and when it was over."""
        super().__init__(widget)
        self._painted = painted
        self._begun_s = 0.0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802, ARG002 - Qt's name and signature
        """See a paint begin. What is posted now is delivered when the event that paints the window is over."""
        if event.type() == QEvent.Type.Paint and not self._begun_s:
            self._begun_s = time.perf_counter()
            QCoreApplication.postEvent(self, QEvent(_PAINTED), Qt.EventPriority.HighEventPriority.value)
        return False

    def event(self, event: QEvent) -> bool:
        """The paint is over."""
        if event.type() != _PAINTED:
            return super().event(event)
        begun_s, self._begun_s = self._begun_s, 0.0
        self._painted(begun_s, time.perf_counter())
        return True


class FrameClock(QObject):
    """Asks a widget for a new frame 60 times a second, and notes what became of each."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._watch = PaintWatch(widget, self._painted)
        self._step: Callable[[], None] = _nothing
        self._frames: list[Frame] = []
        self._waiting: list[float] = []
        self._times = ProcessorTimes()
        self._former = 0.0, 0.0
        self._next_s = 0.0
        self._running = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self, step: Callable[[], None] | None = None) -> None:
        """Begin; `step` moves what is seen, once a frame."""
        self._step = step or _nothing
        self._frames, self._waiting = [], []
        self._running = True
        self._former = self._times.seconds()
        self._next_s = time.perf_counter() + PERIOD_S
        self._aim()

    def stop(self) -> list[Frame]:
        """The frames that were painted since the start."""
        self._running = False
        self._timer.stop()
        return self._frames

    def _aim(self) -> None:
        self._timer.start(max(0, math.ceil((self._next_s - time.perf_counter()) * 1000)))

    def _tick(self) -> None:
        now = time.perf_counter()
        while self._next_s <= now:
            self._waiting.append(self._next_s)
            self._next_s += PERIOD_S
        self._step()
        self._widget.update()
        self._aim()

    def _painted(self, begun_s: float, over_s: float) -> None:
        if not self._running:
            return
        former, self._former = self._former, self._times.seconds()
        busy_s, queued_s = (now - before for now, before in zip(self._former, former, strict=True))
        done = [due_s for due_s in self._waiting if due_s <= begun_s]
        self._frames += [Frame(due_s, over_s, min(queued_s, over_s - due_s), busy_s) for due_s in done]
        self._waiting = [due_s for due_s in self._waiting if due_s > begun_s]


def _nothing() -> None:
    """A frame in which nothing moves."""


class _Empty(QWidget):
    """A window with nothing in it."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """One colour."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#808080"))
        painter.end()


def main(arguments: list[str]) -> int:
    """The control: runs until the standard input ends, then prints its frames as JSON."""
    application = QApplication(["control"])
    window = _Empty()
    window.resize(int(arguments[0]), int(arguments[1]))
    window.show()
    clock = FrameClock(window)
    clock.start()
    ended = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    ended.activated.connect(lambda *_: application.quit())
    application.exec()
    print(json.dumps([astuple(frame) for frame in clock.stop()]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
