"""The window that `docpeek benchmark viewer` measures: the whole desktop app, driven as a person would drive it.

`python -m preview_app.desktop.benchmark_session OPTIONS`, with `Options` as JSON. It works through the measurements one
after the other, prints one JSON object and ends. All times are of `time.perf_counter`, so that they can be held against
those of the control (see `benchmark_frames`).
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from converter.request import Lane, Locator, Request
from converter.service import Converter
from converter.ticket import Ticket
from preview_app import app
from preview_app.config import Config
from preview_app.desktop import main as desktop
from preview_app.desktop.benchmark_frames import FrameClock, PaintWatch
from preview_app.desktop.bridge import OpenTicket
from preview_app.desktop.page_layout import Fit
from preview_app.desktop.page_pixels import Picture
from preview_app.desktop.preparation import Report
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowOptions
from preview_app.preview_states import Failed, Showing
from preview_app.raster import api
from preview_app.raster.loop import Loop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings, prestart

WIDTH, HEIGHT = 1400, 1000
_PATIENCE_S = 120.0
_SCROLL_PX = 4000 / 60
"""Pixels a frame, of 4,000 a second."""
_SLOW_SCROLL_PX = 10
_SWITCH_EVERY = 6
_TYPE_EVERY = 6
"""Frames from one key to the next: ten keys a second."""
_TYPED = "the river bank"
_SETTLE_S = 0.3
_PAGES_HELD = range(20)
_TIMES_AGAIN = 15


@dataclass(frozen=True, slots=True)
class Options:
    """Which documents, made by whoever starts the session, and how often."""

    engine: str
    rounds: int
    frames_s: float
    visited: str
    """Folder of documents to visit one after the other."""
    neighbours: str
    """Folder of documents that are converted before they are wanted."""
    long: str
    """A PDF of many pages."""
    crowd: str
    """Folder of ten thousand files."""


@dataclass(slots=True)
class Parts:
    """What the app was put together from, to be looked at from outside."""

    options: Options
    config: Config
    ends: ExitStack = field(default_factory=ExitStack)
    converter: Converter | None = None
    pool: RasterPool | None = None

    def connect(self, report: Report) -> OpenTicket:
        """See `DesktopServices.connect`."""
        choice: Any = self.options.engine
        decision = app.choose_engine(self.config, choice)
        if decision.name == "wasm":
            app.ensure_prepared(lambda moment: report(moment.message, moment.percent))
        engine = app.make_engine(self.config, decision)
        converter = self.converter = self.ends.enter_context(app.conversion_service(self.config, engine))
        return app.opener(converter, self.config)


class Session:
    """One run through everything. `result` is what was measured; `failure` is why it ended early."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._options = parts.options
        self._begun = False
        self._painted_s: float | None = None
        self.result: dict[str, Any] = {}
        self.failure = ""

    def begin(self, _path: Path, _seconds: float) -> None:
        """The first page is painted: measure, in a turn of the loop of its own."""
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self._run)

    def _run(self) -> None:
        window = self._window = next(w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow))
        window.resize(WIDTH, HEIGHT)
        try:
            self._measure()
        except Exception:  # noqa: BLE001 - Qt would print it and wait for ever
            self.failure = traceback.format_exc()
        window.close()

    def _measure(self) -> None:
        pages = self._window.viewer.pages
        pages.first_painted.connect(self._note_paint)
        self._clock = FrameClock(pages.viewport())
        self._wait(1.0)
        self._visit()
        self._walk_back()
        self._walk_on()
        self._open(Path(self._options.long))
        pages.set_fit(Fit.WIDTH)
        self.result["overhead"] = self._overhead()
        self.result["frames"] = {name: [] for name in ("idle", "scrolling", "converting", "typing", "switching")}
        for _round in range(self._options.rounds):
            self._frames("idle", lambda: None)
            self._frames("scrolling", self._scroller(_SCROLL_PX))
            with self._conversions() as more:
                self._frames("converting", self._together(self._scroller(_SLOW_SCROLL_PX), more))
            self._frames("typing", self._typist())
            self._window.viewer.finder.close()
        self._switching()
        self._crowd()

    # ---- from the selection to the first page

    def _visit(self) -> None:
        """Documents that nobody has converted, one after the other; memory at the first and at the last."""
        self._settle()
        self.result["memory"] = {"1": self._memory()}
        count = len(list(Path(self._options.visited).iterdir())) - 1
        self.result["cold"] = [self._step("next_file") for _ in range(count)]
        self._settle()
        self.result["memory"][str(count)] = self._memory()

    def _walk_back(self) -> None:
        """Documents that were converted a moment ago."""
        steps = (["previous_file"] * 5 + ["next_file"] * 5) * self._options.rounds
        self.result["converted"] = [self._step(action, from_cache=True) for action in steps]

    def _walk_on(self) -> None:
        """Documents whose neighbour was in view for long enough to have them converted ahead of time."""
        folder = Path(self._options.neighbours)
        self._window.take_settings(msgspec.structs.replace(self._parts.config, prefetch_neighbours=True))
        self._open(folder)
        times = []
        for _ in range(len(list(folder.iterdir())) - 1):
            self._settle()
            times.append(self._step("next_file", from_cache=True))
        self._window.take_settings(msgspec.structs.replace(self._parts.config, prefetch_neighbours=False))
        self.result["prefetched"] = times

    def _step(self, action: str, *, from_cache: bool = False) -> float:
        """Seconds from the key to the painted page of the next document."""
        self._painted_s = None
        begun = time.perf_counter()
        self._window.actions_by_name[action].trigger()
        self._until(lambda: self._painted_s is not None)
        assert self._painted_s is not None
        state = self._window.preview.state
        if not isinstance(state, Showing) or (from_cache and not state.converted.from_cache):
            raise RuntimeError(f"{state} is not what was to be measured")
        return self._painted_s - begun

    def _open(self, path: Path) -> None:
        self._painted_s = None
        self._window.open_paths([path])
        self._until(lambda: self._painted_s is not None)
        self._settle()

    def _note_paint(self, at_s: float) -> None:
        self._painted_s = at_s

    # ---- pixels

    def _overhead(self) -> dict[str, list[float]]:
        """Milliseconds of each page at 144 dpi, through the pool to a QImage and bare, in turns.

        The first time, and the best of some more times, which a busy machine disturbs least.
        """
        state, figures = self._window.preview.state, {}
        assert isinstance(state, Showing)
        pool = self._parts.pool
        assert pool is not None
        with _bare(Path(self._options.long)) as bare, self._fresh(state.converted.pdf) as document:
            for name, times in (("first", 1), ("again", _TIMES_AGAIN)):
                passes = [[(self._pooled(document, page), bare(page)) for page in _PAGES_HELD] for _ in range(times)]
                for side, who in enumerate(("pool", "bare")):
                    figures[f"{who}_{name}"] = [
                        min(pair[side] for pair in pairs) for pairs in zip(*passes, strict=True)
                    ]
        return figures

    @contextmanager
    def _fresh(self, pdf: bytes | memoryview) -> Iterator[api.RasterDocument]:
        """The PDF opened once more, so that no page of it is known yet."""
        found: list[api.TextDocument] = []
        assert self._parts.pool is not None
        self._parts.pool.open(pdf, lane=api.Lane.CRITICAL, opened=found.append, failed=_raise)
        self._until(lambda: bool(found))
        try:
            yield found[0]
        finally:
            found[0].close()

    def _pooled(self, document: api.RasterDocument, page: int) -> float:
        took: list[float] = []

        def done(pixels: api.Pixels) -> None:
            Picture.of(pixels)
            took.append((time.perf_counter() - begun) * 1000)

        begun = time.perf_counter()
        document.render(page, 2.0, lane=api.Lane.CRITICAL, done=done, failed=_raise)
        self._until(lambda: bool(took))
        return took[0]

    # ---- frames

    def _frames(self, name: str, step: Callable[[], None]) -> None:
        self._settle()
        with _collections() as pauses_ms:
            begun = time.perf_counter()
            self._clock.start(step)
            self._wait(self._options.frames_s)
            frames, ended = self._clock.stop(), time.perf_counter()
        self.result["frames"][name].append(
            {
                "begun_s": begun,
                "ended_s": ended,
                "collections_ms": pauses_ms,
                "frames": [astuple(frame) for frame in frames],
            }
        )

    def _scroller(self, distance: float) -> Callable[[], None]:
        """Down and up again between the ends of the document."""
        bar, place, way = self._window.viewer.pages.verticalScrollBar(), 0.0, distance

        def step() -> None:
            nonlocal place, way
            if not bar.minimum() <= place + way <= bar.maximum():
                way = -way
            place += way
            bar.setValue(round(place))

        return step

    @staticmethod
    def _together(*steps: Callable[[], None]) -> Callable[[], None]:
        def step() -> None:
            for each in steps:
                each()

        return step

    @contextmanager
    def _conversions(self) -> Iterator[Callable[[], None]]:
        """Keeps two conversions going in the background, none of them known to the cache."""
        converter = self._parts.converter
        assert converter is not None
        assert converter.workspace is not None
        source = converter.workspace.authorize(Locator.of(min(Path(self._options.visited).iterdir())))
        tickets: list[Ticket] = []

        def more() -> None:
            tickets[:] = [ticket for ticket in tickets if not ticket.done()]
            while len(tickets) < 2:
                tickets.append(converter.submit(Request(source, Lane.NORMAL, private=True)))

        try:
            yield more
        finally:
            for ticket in tickets:
                ticket.cancel()

    def _typist(self) -> Callable[[], None]:
        """Types into the find bar, and begins again at the end."""
        self._window.viewer.finder.open()
        box, count = self._window.viewer.find_bar.field, 0

        def step() -> None:
            nonlocal count
            count += 1
            if count % _TYPE_EVERY == 0:
                letter = count // _TYPE_EVERY % (len(_TYPED) + 1)
                _type(box, _TYPED[letter - 1]) if letter else box.clear()

        return step

    def _switching(self) -> None:
        """Ten documents a second, all of them converted already."""
        self._open(Path(self._options.visited))
        for _ in range(8):
            self._step("next_file")
        for _round in range(self._options.rounds):
            count = 0

            def step() -> None:
                nonlocal count
                count += 1
                if count % _SWITCH_EVERY == 0:
                    back = count // _SWITCH_EVERY % 12 >= 6
                    self._window.actions_by_name["previous_file" if back else "next_file"].trigger()

            self._frames("switching", step)

    # ---- the list

    def _crowd(self) -> None:
        """Ten thousand files: listed and painted, one step on, filtered."""
        window, times = self._window, []
        painted: list[float] = []
        watch = PaintWatch(window.browser.list.viewport(), lambda _begun, over: painted.append(over))
        for _round in range(self._options.rounds):
            window.open_paths([Path(self._options.visited)])
            self._settle()
            painted.clear()
            times.append(self._blocked(lambda: window.open_paths([Path(self._options.crowd)]), painted))
        step = [self._blocked(window.actions_by_name["next_file"].trigger, painted) for _ in range(5)]
        typed = [self._blocked(partial(window.browser.filter.setText, text), painted) for text in ("9", "99", "9")]
        watch.deleteLater()
        self.result["crowd"] = {"listed_s": times, "step_s": step, "filtered_s": typed}

    def _blocked(self, act: Callable[[], object], painted: list[float]) -> float:
        """Seconds from an action on the list until it is painted."""
        painted.clear()
        begun = time.perf_counter()
        act()
        self._until(lambda: bool(painted))
        return painted[0] - begun

    # ---- memory

    def _memory(self) -> dict[str, int]:
        """Proportional set sizes in bytes: this process, its raster workers, the engine with all that belongs to it."""
        assert self._parts.pool is not None
        workers, own = set(self._parts.pool.worker_pids), psutil.Process()
        sizes = {"app": _pss(own), "raster": 0, "engine": 0}
        for child in own.children(recursive=True):
            sizes["raster" if child.pid in workers else "engine"] += _pss(child)
        return sizes

    # ---- waiting

    def _settle(self) -> None:
        """Wait until nothing is on its way, and a little longer."""
        self._until(self._quiet)
        self._wait(_SETTLE_S)
        self._until(self._quiet)

    def _quiet(self) -> bool:
        converter, pool = self._parts.converter, self._parts.pool
        assert converter is not None
        assert pool is not None
        statistics = converter.statistics()
        busy = statistics.running or statistics.waiting or not pool.idle
        return not busy and isinstance(self._window.preview.state, Showing | Failed)

    def _wait(self, seconds: float) -> None:
        over: list[bool] = []
        QTimer.singleShot(round(seconds * 1000), lambda: over.append(True))
        self._until(lambda: bool(over))

    def _until(self, condition: Callable[[], bool]) -> None:
        """Run the loop until it holds. It is looked at after every event, and every few milliseconds."""
        end = time.perf_counter() + _PATIENCE_S
        wake = QTimer()
        wake.start(10)
        while not condition():
            if time.perf_counter() > end or not self._window.isVisible():
                raise TimeoutError(f"waited in vain, in {self._window.preview!r}")
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def _type(box: QWidget, letter: str) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(box, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter))


def _raise(error: Exception) -> None:
    raise error


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.NoSuchProcess:
        return 0


@contextmanager
def _collections() -> Iterator[list[float]]:
    """Milliseconds of each garbage collection meanwhile."""
    pauses: list[float] = []
    begun = 0.0

    def note(phase: str, _info: dict[str, int]) -> None:
        nonlocal begun
        if phase == "start":
            begun = time.perf_counter()
        else:
            pauses.append((time.perf_counter() - begun) * 1000)

    gc.callbacks.append(note)
    try:
        yield pauses
    finally:
        gc.callbacks.remove(note)


@contextmanager
def _bare(pdf: Path) -> Iterator[Callable[[int], float]]:
    """What gives the milliseconds of a page in bare PyMuPDF."""
    command = [sys.executable, "-m", "preview_app.raster.bare", str(pdf)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asks, answers = process.stdin, process.stdout
        answers.readline()

        def ask(page: int) -> float:
            print(page, file=asks, flush=True)
            return float(answers.readline().split()[0])

        yield ask
        asks.close()


def main(arguments: list[str]) -> int:
    """Measure, print, end."""
    options = Options(**json.loads(arguments[0]))
    config = Config(prefetch_neighbours=False)
    parts = Parts(options, config)
    session = Session(parts)
    workers = prestart(PoolSettings())

    def make_rasterizer(loop: Loop) -> RasterPool:
        parts.pool = RasterPool(loop, PoolSettings(), prestarted=workers)
        return parts.pool

    services = desktop.DesktopServices(
        connect=parts.connect,
        make_rasterizer=make_rasterizer,
        close_converter=parts.ends.close,
        options=WindowOptions(prefetch_neighbours=False, motion=True),
        config=config,
        first_page_painted=session.begin,
    )
    try:
        status = desktop.run([Path(options.visited)], services)
    finally:
        for worker in workers:
            worker.reap()
    print(json.dumps({"failure": session.failure, **session.result}), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
