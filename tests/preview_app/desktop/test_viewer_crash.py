"""What happens around the window: workers and the engine are killed under its hands, and it goes on.

A warning of Qt fails a test, and whatever is left behind does.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from converter.request import Locator
from engines.assets import assets_dir
from engines.wasm.engine import WasmEngine
from engines.wasm.prepared import find
from preview_app import app
from preview_app.benchmark_documents import long_pdf
from preview_app.config import Config
from preview_app.desktop.bridge import ConverterBridge, MainThreadPost, QtLoop
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowOptions, WindowServices
from preview_app.preview_states import Failed, Opening, Showing
from preview_app.raster.pool import RasterPool
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.conftest import appear
from tests.real.household import zygote_of

pytestmark = pytest.mark.wasm
PATIENCE_MS = 60_000


class Desk:
    """The window on the real engine, the real converter and the real raster workers."""

    def __init__(self, qtbot: QtBot, folder: Path, ends: ExitStack) -> None:
        self.qtbot = qtbot
        self.engine = WasmEngine.found()
        self.engine.start()
        converter = ends.enter_context(app.conversion_service(Config(), self.engine))
        self.post, self.loop = MainThreadPost(), QtLoop()
        ends.callback(self.loop.close)
        ends.callback(self.post.close)
        self.pool = RasterPool(self.loop)
        ends.callback(self.pool.close)
        bridge = ConverterBridge(self.post)
        bridge.connect(
            lambda path, lane, post, _password, _engine, _extent: converter.open(Locator.of(path), lane, post=post)
        )
        self.pdf, self.slides = folder / "long.pdf", folder / "slides.pptx"
        self.pdf.write_bytes(long_pdf(20, 20))
        shutil.copyfile(assets_dir() / "samples" / "slides.pptx", self.slides)
        icons, options = REPOSITORY / "assets" / "icons", WindowOptions(prefetch_neighbours=False)
        self.window = MainWindow(
            WindowServices(bridge, self.pool, suffix_families(), icons, time.perf_counter, options=options)
        )
        ends.callback(self.window.deleteLater)
        ends.callback(self.window.close)
        self.window.resize(900, 700)
        appear(qtbot, self.window)

    def open(self, path: Path) -> None:
        """Open a document, and wait for its first page."""
        with self.qtbot.waitSignal(self.window.first_page_painted, timeout=PATIENCE_MS):
            self.window.open_paths([path])

    def until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until it holds."""
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MS)

    def scroll(self, screens: int) -> None:
        """Scroll so many screens, a turn of the loop for each."""
        for _ in range(screens):
            self.window.viewer.pages.scroll_screens(1)
            self.qtbot.wait(1)

    def sharp(self) -> bool:
        """Whether all that is in view has its own pixels."""
        pages = self.window.viewer.pages
        return pages.pixels is not None and pages.painted and "pending=0" in repr(pages.pixels) and self.pool.idle


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    """Everything, at work; all of it ends with the test."""
    if find() is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    with ExitStack() as ends:
        yield Desk(qtbot, tmp_path, ends)


def test_raster_workers_that_are_killed_while_a_person_scrolls_are_replaced(desk: Desk) -> None:
    desk.open(desk.pdf)
    for _ in range(3):
        desk.scroll(3)
        for pid in desk.pool.worker_pids:
            os.kill(pid, signal.SIGKILL)
        desk.scroll(3)
        desk.until(desk.sharp)
    pages = desk.window.viewer.pages
    assert desk.pool.statistics().starts >= 5
    assert pages.page > 0
    assert pages.pixels is not None
    assert not pages.pixels._errors
    assert isinstance(desk.window.preview.state, Showing)


def test_an_engine_that_is_killed_while_a_person_scrolls_fails_one_document_at_most(desk: Desk) -> None:
    desk.open(desk.pdf)
    zygote = zygote_of(desk.engine)
    assert zygote is not None
    family = [*zygote.children(recursive=True), zygote]
    for process in family:  # so that the conversion is on its way and cannot be over when they are killed
        process.suspend()
    desk.window.open_paths([desk.slides])
    desk.scroll(10)
    assert isinstance(desk.window.preview.state, Opening)
    assert desk.window.viewer.pages.page > 0, "the former document is there to be scrolled meanwhile"
    for process in family:
        process.kill()
    desk.scroll(5)
    desk.until(lambda: not isinstance(desk.window.preview.state, Opening))
    state = desk.window.preview.state
    if isinstance(state, Failed):
        assert state.failure.outcome == "engine"
        assert desk.window.viewer.error.retry_button.isVisible()
        desk.window.viewer.error.retry_button.click()
        desk.until(lambda: isinstance(desk.window.preview.state, Showing))
    desk.until(desk.sharp)
    assert isinstance(desk.window.preview.state, Showing)
    assert desk.window.preview.path == desk.slides


class Program:
    """`docpeek` as a process of its own, with the sample open in its window."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder)}
        command = [sys.executable, "-m", "preview_app.benchmark_window", str(assets_dir() / "samples" / "welcome.docx")]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, text=True, cwd=REPOSITORY)
        assert self.process.stdout is not None
        self.told = self.process.stdout.readline()
        self.family = psutil.Process(self.process.pid).children(recursive=True)

    def end_with(self, number: signal.Signals) -> str:
        """Send a signal; gives what it said on its standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=30)
        _gone, alive = psutil.wait_procs(self.family, timeout=10)
        assert not alive
        return "\n".join(line for line in said.splitlines() if "This plugin does not support" not in line)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """The program, its first page painted."""
    if find() is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    made = Program(tmp_path)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()


def test_a_program_that_is_told_to_end_leaves_nothing_and_says_nothing(program: Program) -> None:
    assert program.told.startswith("painted")
    assert len(program.family) >= 3, "raster workers, a checker, the engine"
    assert program.end_with(signal.SIGTERM) == ""
    assert program.process.returncode == 0


def test_a_program_that_is_killed_leaves_nothing(program: Program) -> None:
    assert program.told.startswith("painted")
    program.end_with(signal.SIGKILL)
