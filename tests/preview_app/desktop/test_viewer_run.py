"""The whole desktop app: start, the engine on its way, signals, and an end that leaves nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from converter.conversion import Conversion, Seconds
from converter.errors import ConversionError, Outcome
from converter.request import Lane as ConverterLane
from converter.ticket import Post, Ticket
from engines.base import EngineInfo
from engines.decryption import Password
from engines.errors import EngineError, ErrorKind
from preview_app.desktop.bridge import OpenTicket
from preview_app.desktop.main import DesktopServices, run
from preview_app.desktop.preparation import Report
from preview_app.desktop.window import MainWindow
from preview_app.preview_states import Extent, Opening
from preview_app.raster.api import TextRasterizer
from preview_app.raster.loop import Loop
from tests.preview_app.desktop.viewer_fakes import FakeRasterizer, fake_pdf

pytestmark = [
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # what offscreen says of real windows
]
ENGINE = EngineInfo("LibreOffice", "1", "fingerprint")


class Service:
    """A converter that answers at once, on the thread that asks; and what became of it all."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.docx"
        self.path.write_bytes(b"x")
        self.tickets: list[Ticket] = []
        self.painted: list[tuple[Path, float]] = []
        self.ended: list[str] = []
        self.rasterizer: FakeRasterizer | None = None

    def connect(self, report: Report) -> OpenTicket:
        return self.open_ticket

    def open_ticket(
        self, path: Path, lane: ConverterLane, post: Post, password: Password | None, engine: str | None, extent: Extent
    ) -> Ticket:
        ticket = Ticket(len(self.tickets), path.name, lane, self, post)
        self.tickets.append(ticket)
        pdf = fake_pdf()
        ticket.settle(Conversion(pdf, 1, "digest", "docx", ENGINE, "fingerprint", 1, Seconds(0, 0.1, 0.1)))
        return ticket

    def leave(self, reader: int, message: str) -> bool:
        return self.tickets[reader].settle(ConversionError(Outcome.CANCELLED))

    def move(self, reader: int, lane: ConverterLane) -> bool:
        return False

    def extend(self, reader: int, deadline_s: float) -> bool:
        return False

    def make_rasterizer(self, loop: Loop) -> TextRasterizer:
        self.rasterizer = FakeRasterizer(loop.call_soon)
        return self.rasterizer

    def close(self) -> None:
        assert self.rasterizer is not None
        assert self.rasterizer.closed
        self.ended.append("converter")

    def services(self, connect: Callable[[Report], OpenTicket] | None = None, **more: object) -> DesktopServices:
        return DesktopServices(
            connect or self.connect,
            self.make_rasterizer,
            self.close,
            settings_file=self.path.parent / "window.ini",
            **more,  # type: ignore[arg-type]
        )


def the_window() -> MainWindow:
    """The one main window that is shown."""
    return next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))


def soon(call: Callable[[], object]) -> None:
    """Run `call` in a later turn of Qt's loop."""
    QTimer.singleShot(0, call)


def test_runs_until_the_window_is_closed_and_ends_in_order(tmp_path: Path) -> None:
    service = Service(tmp_path)

    def painted(path: Path, seconds: float) -> None:
        service.painted.append((path, seconds))
        soon(the_window().close)

    assert run([tmp_path], service.services(first_page_painted=painted)) == 0
    assert [path for path, _ in service.painted] == [service.path]
    assert service.ended == ["converter"]
    assert service.rasterizer is not None
    assert service.rasterizer.open_documents == 0
    assert (tmp_path / "window.ini").is_file()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window(tmp_path: Path, number: signal.Signals) -> None:
    service = Service(tmp_path)
    former = signal.getsignal(number)
    services = service.services(first_page_painted=lambda *_: os.kill(os.getpid(), number))
    assert run([tmp_path], services) == 0
    assert signal.getsignal(number) is former
    assert service.ended == ["converter"]


def test_the_first_start_shows_how_the_engine_is_made_and_opens_afterwards(tmp_path: Path) -> None:
    service = Service(tmp_path)
    seen: list[str] = []
    shown = threading.Event()

    def look() -> None:
        window = the_window()
        seen.append(window.viewer.preparing.phase.text())
        assert isinstance(window.preview.state, Opening)
        assert window.viewer.stack.currentWidget() is window.viewer.preparing
        shown.set()

    def connect(report: Report) -> OpenTicket:
        report("Compiling", 42.0)
        soon_on_main.append(None)
        assert shown.wait(30)
        return service.open_ticket

    soon_on_main: list[None] = []

    def poll() -> None:
        if soon_on_main and the_window().viewer.preparing.isVisible():
            timer.stop()
            look()

    timer = QTimer()
    timer.timeout.connect(poll)
    timer.start(1)
    assert run([tmp_path], service.services(connect, first_page_painted=lambda *_: soon(the_window().close))) == 0
    assert seen == ["Compiling … 42 %"]


def test_a_missing_engine_is_told_and_can_be_tried_again(tmp_path: Path) -> None:
    service = Service(tmp_path)
    attempts: list[int] = []

    def connect(report: Report) -> OpenTicket:
        attempts.append(1)
        if len(attempts) == 1:
            raise EngineError(ErrorKind.UNAVAILABLE, "There is no network.", "details")
        return service.open_ticket

    def poll() -> None:
        error = the_window().viewer.error
        if error.isVisible():
            timer.stop()
            assert error.text.text() == "There is no network."
            error.retry_button.click()

    timer = QTimer()
    timer.timeout.connect(poll)
    timer.start(1)
    assert run([tmp_path], service.services(connect, first_page_painted=lambda *_: soon(the_window().close))) == 0
    assert len(attempts) == 2


def test_closing_ends_a_preparation_that_is_under_way(tmp_path: Path) -> None:
    service = Service(tmp_path)
    ended: list[str] = []

    def connect(report: Report) -> OpenTicket:
        pause = threading.Event()
        try:
            while True:
                report("Fetching", 1.0)
                pause.wait(0.005)
        except EngineError as error:
            ended.append(error.kind.value)
            raise

    def poll() -> None:
        if the_window().viewer.preparing.isVisible():
            timer.stop()
            the_window().close()

    timer = QTimer()
    timer.timeout.connect(poll)
    timer.start(1)
    assert run([tmp_path], service.services(connect)) == 0
    assert ended == ["cancelled"]
    assert service.tickets == []


def test_an_unexpected_error_of_the_preparation_is_told(tmp_path: Path) -> None:
    service = Service(tmp_path)

    def connect(report: Report) -> OpenTicket:
        raise ZeroDivisionError("a mistake")

    def poll() -> None:
        error = the_window().viewer.error
        if error.isVisible():
            timer.stop()
            assert "a mistake" in error._details.toPlainText()
            the_window().close()

    timer = QTimer()
    timer.timeout.connect(poll)
    timer.start(1)
    assert run([tmp_path], service.services(connect)) == 0
