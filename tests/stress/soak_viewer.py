"""A long session in the window with the pauses left out: thousands of things a person does, and nothing may grow.

Run it with `python -m tests.stress.soak_viewer`. One window, on the real raster workers, is used at random: documents
opened and left before they are there, scrolled, zoomed, turned, searched, selected from, presented, changed on disk;
the window resized; a worker killed now and then. Twenty times the window is brought back to the same document and the
same look and measured at rest: memory of this process and of its workers (proportional set size), descriptors, threads,
Qt's objects. Afterwards windows are opened and closed one after the other, with the same bounds.

A seed gives the same operations again; how they fall between what the workers answer is the machine's.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engines.decryption import Password
from preview_app.benchmark_documents import long_pdf
from preview_app.desktop.bridge import QtLoop
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.page_layout import Fit
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowServices
from preview_app.preview_states import Converted, Extent, Failure, Opening, Showing
from preview_app.raster.api import Lane
from preview_app.raster.child import trim_heap
from preview_app.raster.pool import RasterPool
from tests.conftest import REPOSITORY

OPERATIONS_AN_HOUR = 7200
"""Two a second, without a pause."""
MIB = 1 << 20
GROWTH_BYTES_MAX = 8 * MIB
"""Of the medians of the middle and the last third of the session."""
SAMPLES = 20
REST_MS = 1500
"""Until what was let go is given back, and the watch on the files is quiet."""
OBJECTS_GROWTH_MAX = 2
"""A timer or two may be waiting."""
_REST_S = 20.0
_PHRASES = ("river", "the quick", "it is dark", "no such words", "r")
_SWITCHES = (
    "night", "single_page", "toggle_navigation", "toggle_details", "present", "toggle_list", "tree", "list_thumbnails",
)  # fmt: skip
_ACTIONS = (
    "zoom_in", "zoom_out", "actual_size", "fit_automatic", "fit_width", "fit_page", "turn_right", "turn_left", "back",
    "forward", "screen_down", "screen_up", "first_page", "last_page", "select_page", "copy", "copy_image", "find_next",
    "find_previous", "escape", "reload",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """What there was when everything was at rest."""

    operation: int
    app_bytes: int
    worker_bytes: int
    descriptors: int
    threads: int
    objects: int
    """Of Qt: those below the window and those that Python knows."""


@dataclass(slots=True)
class Report:
    """What a session did, and what it left."""

    seed: int
    operations: int = 0
    samples: list[Sample] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """What Qt or Python had to say."""

    def troubles(self, growth_bytes_max: int = GROWTH_BYTES_MAX) -> list[str]:
        """Why the session was not flat; empty if it was."""
        middle, last = self._third(1), self._third(2)
        found = list(self.complaints)
        for name in ("app_bytes", "worker_bytes"):
            before, after = (statistics.median(getattr(sample, name) for sample in part) for part in (middle, last))
            if after - before > growth_bytes_max:
                found.append(f"{name} grew from {before / MIB:.1f} to {after / MIB:.1f} MiB")
        for name in ("descriptors", "threads", "objects"):
            before, after = (min(getattr(sample, name) for sample in part) for part in (middle, last))
            if after - before > (OBJECTS_GROWTH_MAX if name == "objects" else 0):
                found.append(f"{name} grew from {before} to {after}")
        return found

    def _third(self, number: int) -> list[Sample]:
        size = len(self.samples) // 3
        return self.samples[number * size : (number + 1) * size]


@dataclass(slots=True)
class _Request:
    """A conversion on its way; silent once it is cancelled."""

    cancelled: bool = False

    def cancel(self) -> None:
        """See `ConversionRequest`."""
        self.cancelled = True

    def extend(self) -> None:
        """See `ConversionRequest`."""


class Library:
    """A source of PDFs that answers after a while, by what the file says: the name of a PDF, or that it is damaged."""

    def __init__(self, folder: Path, loop: QtLoop, dice: random.Random) -> None:
        self._loop = loop
        self._dice = dice
        self._pdfs = {f"{pages}": long_pdf(pages, 30) for pages in (1, 3, 12, 40)}
        self.paths = [folder / f"{number}.docx" for number in range(8)]
        for number, path in enumerate(self.paths):
            path.write_text(["1", "3", "12", "40"][number % 4])

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
    ) -> _Request:
        """See `Conversions`."""
        request = _Request()

        def answer() -> None:
            if request.cancelled:
                return
            pdf = self._pdfs.get(path.read_text())
            if pdf is None:
                failed(Failure("corrupt", "The file is damaged."))
            else:
                done(Converted(pdf, "LibreOffice 1", 0.1))

        self._loop.call_later(self._dice.choice((0, 0, 0.001, 0.005, 0.02)), answer)
        return request

    def change(self, path: Path) -> None:
        """Somebody saves the file."""
        path.write_text(self._dice.choice([*self._pdfs, "damaged"]))


class Session:
    """A window and what a person does to it."""

    def __init__(self, folder: Path, seed: int, samples: int = SAMPLES, rest_ms: int = REST_MS) -> None:
        self.dice = random.Random(seed)
        self.report = Report(seed)
        self._samples = samples
        self._rest_ms = rest_ms
        self.loop = QtLoop()
        self.pool = RasterPool(self.loop)
        self.library = Library(folder, self.loop, self.dice)
        self.window = self._new_window()
        self._doing = [
            (12, self._switch), (4, self._open), (10, self._scroll), (10, self._act), (3, self._zoom), (3, self._find),
            (3, self._drag), (2, self._resize), (3, self._flip), (2, self._change), (2, self._jump), (0.05, self._kill),
        ]  # fmt: skip

    def run(self, operations: int) -> None:
        """Do so many things, and measure now and then."""
        weights = [weight for weight, _ in self._doing]
        every = max(1, operations // self._samples)
        self._warm_up()
        self._measure()
        for number in range(1, operations + 1):
            (doing,) = self.dice.choices(self._doing, weights)
            doing[1]()
            self.report.operations += 1
            self._pass_time()
            if number % every == 0:
                self._measure()

    def _warm_up(self) -> None:
        """Have everything made that the window makes only when it is wanted."""
        for name in [*_SWITCHES, *_ACTIONS, *_SWITCHES]:
            self._trigger(name)
            QTest.qWait(20)
        for path in self.library.paths:
            self.window.open_paths([path])
            self._until(lambda: not isinstance(self.window.preview.state, Opening))
        self._find()

    def reopen(self, times: int) -> list[Sample]:
        """Close the window and open another, so many times; what there was each time."""
        samples = []
        for _ in range(times):
            self._close_window()
            self.window = self._new_window()
            for _ in range(5):
                self._switch()
                self._pass_time()
            samples.append(self._sample())
        return samples

    def close(self) -> None:
        """End everything."""
        self._close_window()
        self.pool.close()
        self.loop.close()

    # ---- what a person does

    def _switch(self) -> None:
        self._trigger(self.dice.choice(("next_file", "next_file", "previous_file")))

    def _open(self) -> None:
        self.window.open_paths([self.dice.choice(self.library.paths)])

    def _scroll(self) -> None:
        pages = self.window.viewer.pages
        delta = QPoint(0, self.dice.choice((-360, -120, -120, 120, 360)))
        middle = QPointF(pages.viewport().rect().center())
        wheel = QWheelEvent(
            middle, pages.viewport().mapToGlobal(middle), QPoint(), delta, Qt.MouseButton.NoButton,
            self.dice.choice((Qt.KeyboardModifier.NoModifier,) * 5 + (Qt.KeyboardModifier.ControlModifier,)),
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(pages.viewport(), wheel)

    def _act(self) -> None:
        self._trigger(self.dice.choice(_ACTIONS))

    def _zoom(self) -> None:
        self.window.viewer.pages.set_zoom(self.dice.choice((0.3, 0.8, 1.0, 1.7, 4.0)))

    def _find(self) -> None:
        self._trigger("find")
        self.window.viewer.find_bar.field.setText(self.dice.choice(_PHRASES))

    def _drag(self) -> None:
        viewport = self.window.viewer.pages.viewport()
        if viewport.isVisible():
            left, right = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
            QTest.mousePress(viewport, left, right, QPoint(200, 150))
            QTest.mouseMove(viewport, QPoint(self.dice.randrange(50, 600), self.dice.randrange(50, 500)))
            QTest.mouseRelease(viewport, left, right, QPoint(300, 300))

    def _resize(self) -> None:
        self.window.resize(self.dice.randrange(500, 1300), self.dice.randrange(400, 900))

    def _flip(self) -> None:
        self._trigger(self.dice.choice(_SWITCHES))

    def _change(self) -> None:
        self.library.change(self.dice.choice(self.library.paths))

    def _jump(self) -> None:
        self.window.viewer.pages.go_to_page(self.dice.randrange(40))

    def _kill(self) -> None:
        for pid in self.pool.worker_pids[:1]:
            psutil.Process(pid).kill()

    def _trigger(self, name: str) -> None:
        action = self.window.actions_by_name[name]
        if action.isEnabled():
            action.trigger()

    def _pass_time(self) -> None:
        """Mostly none at all: the next thing is done before the last one is there."""
        for _ in range(self.dice.randrange(4)):
            QApplication.processEvents()
        if self.dice.random() < 0.1:
            self.loop.run_until(lambda: isinstance(self.window.preview.state, Showing), 0.05)

    # ---- measuring

    def _measure(self) -> None:
        self.report.samples.append(self._sample())

    def _sample(self) -> Sample:
        self._come_to_rest()
        own = psutil.Process()
        workers = [psutil.Process(pid) for pid in self.pool.worker_pids]
        below = _count_below(self.window) + _count_below(self.loop)
        known = sum(isinstance(each, QObject) for each in gc.get_objects())
        return Sample(
            self.report.operations,
            own.memory_full_info().pss,
            sum(worker.memory_full_info().pss for worker in workers),
            len(os.listdir("/proc/self/fd")),
            threading.active_count(),
            below + known,
        )

    def _come_to_rest(self) -> None:
        """The same document at the same place, nothing else open, nothing on its way."""
        window, first = self.window, self.library.paths[1]
        for name in _SWITCHES:
            if window.actions_by_name[name].isChecked() is not (name == "toggle_list"):
                window.actions_by_name[name].trigger()
        window.viewer.finder.close()
        window.browser.filter.clear()
        window.resize(1000, 700)
        for number, path in enumerate(self.library.paths):
            path.write_text(["1", "3", "12", "40"][number % 4])
        self._until(lambda: not isinstance(window.preview.state, Opening))
        window.open_paths([first])
        self._until(lambda: self._shows(first))
        window.viewer.pages.set_fit(Fit.WIDTH)
        window.viewer.pages.turn(-window.viewer.pages.turns)
        window.viewer.pages.go_to_start()
        self._trigger("toggle_details")  # it keeps what it told last, of whatever document
        self._trigger("toggle_details")
        # Once more from the start: what was kept of other zooms goes.
        window.open_paths([self.library.paths[2]])
        self._until(lambda: self._shows(self.library.paths[2]))
        window.open_paths([first])
        self._until(lambda: self._shows(first) and window.viewer.pages.painted)
        QTest.qWait(self._rest_ms)
        self._until(lambda: self._shows(first))
        gc.collect()
        QApplication.processEvents()
        # What is kept for the next picture, and what the allocator keeps, have bounds of their own.
        self.pool._workers._buffers.clear()
        trim_heap()

    def _shows(self, path: Path) -> bool:
        state = self.window.preview.state
        ready = self.pool.statistics().workers_ready == 2
        return isinstance(state, Showing) and state.path == path and self.pool.idle and ready

    def _until(self, condition: Callable[[], bool]) -> None:
        if not self.loop.run_until(condition, _REST_S):
            raise TimeoutError(f"it does not come to rest: {self.window.preview!r}, {self.pool!r}")

    # ---- windows

    def _new_window(self) -> MainWindow:
        icons = REPOSITORY / "assets" / "icons"
        window = MainWindow(WindowServices(self.library, self.pool, suffix_families(), icons, time.perf_counter))
        window.resize(1000, 700)
        window.show()
        window.open_paths([self.library.paths[0].parent])
        return window

    def _close_window(self) -> None:
        self.window.close()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, 0)
        QApplication.processEvents()


def _count_below(top: QObject) -> int:
    """How many objects Qt has there; counted by Qt, since each that Python is shown it keeps something of."""
    lines: list[str] = []
    former = qInstallMessageHandler(lambda _kind, _context, message: lines.extend(message.splitlines()))
    top.dumpObjectTree()
    qInstallMessageHandler(former)
    return len(lines)


@contextmanager
def _complaints(report: Report) -> Iterator[None]:
    """Note what Qt warns of and what no callback may raise."""

    def note(kind: QtMsgType, _context: object, message: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and "This plugin does not support" not in message:
            report.complaints.append(message)

    former_handler, former_hook = qInstallMessageHandler(note), sys.excepthook
    sys.excepthook = lambda kind, error, trace: report.complaints.append(f"{kind.__name__}: {error}")
    try:
        yield
    finally:
        sys.excepthook = former_hook
        qInstallMessageHandler(former_handler)


def soak(
    operations: int, seed: int, *, windows: int, samples: int = SAMPLES, rest_ms: int = REST_MS
) -> tuple[Report, list[Sample]]:
    """A session of so many operations, then so many windows; needs an application."""
    with tempfile.TemporaryDirectory(prefix="docpeek-soak-") as folder:
        session = Session(Path(folder), seed, samples, rest_ms)
        try:
            with _complaints(session.report):
                session.run(operations)
                reopened = session.reopen(windows)
        finally:
            session.close()
    return session.report, reopened


def show(report: Report, reopened: list[Sample]) -> None:
    """Print what was measured."""
    print(f"\nseed {report.seed}, {report.operations} operations")
    for sample in [*report.samples, *reopened]:
        print(
            f"{sample.operation:>7} operations: app {sample.app_bytes / MIB:6.1f} MiB, workers "
            f"{sample.worker_bytes / MIB:6.1f} MiB, {sample.descriptors} descriptors, {sample.threads} threads, "
            f"{sample.objects} objects"
        )


def main() -> int:
    """Run it; the exit status says whether it was flat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QApplication([])
    report, reopened = soak(round(arguments.hours * OPERATIONS_AN_HOUR), arguments.seed, windows=10)
    show(report, reopened)
    for trouble in report.troubles():
        print(trouble)
    return bool(report.troubles())


if __name__ == "__main__":
    sys.exit(main())
