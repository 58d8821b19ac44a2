"""Runs the desktop app: one application object, one window, and a shutdown in a fixed order."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings, QSocketNotifier
from PySide6.QtWidgets import QApplication

from engines.assets import assets_dir
from preview_app.desktop.bridge import ConverterBridge, MainThreadPost, OpenTicket, QtLoop
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.window import MainWindow, WindowServices
from preview_app.raster.api import Rasterizer
from preview_app.raster.loop import Loop


@dataclass(frozen=True, slots=True)
class DesktopServices:
    """What `app.py` hands over. None of it knows Qt, so it may be built before Qt is imported."""

    open_ticket: OpenTicket
    """Asks the converter for a document."""
    make_rasterizer: Callable[[Loop], Rasterizer]
    """Puts the rasterizer on an event loop. `run` closes what it gives."""
    close_converter: Callable[[], None]
    """Ends the converter with all its processes and threads; called once, last, when the window is gone."""
    settings_file: Path | None = None
    """Where sizes and the theme are remembered (INI); nothing is without it."""
    clock: Callable[[], float] = time.perf_counter
    first_page_painted: Callable[[Path, float], None] | None = None
    """Told when the first pixels of a document are on screen, with the seconds since it was asked for."""


def run(paths: Sequence[Path], services: DesktopServices) -> int:
    """Show the window until it is closed; gives the exit status.

    Ends in this order: requests cancelled and the document let go, raster workers, answers that are still on their
    way, the converter. Nothing is left when it returns.
    """
    application = _application()
    post = MainThreadPost()
    loop = QtLoop()
    rasterizer = services.make_rasterizer(loop)
    window: MainWindow | None = None
    try:
        window = MainWindow(_window_services(services, post, rasterizer))
        if services.first_page_painted is not None:
            window.first_page_painted.connect(services.first_page_painted)
        window.show()
        window.open_paths(paths)
        with _quit_on_signal(window):
            return application.exec()
    finally:
        if window is not None:
            window.stop()
            window.deleteLater()
        rasterizer.close()
        post.close()
        loop.close()
        services.close_converter()


def _application() -> QApplication:
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["docpeek"])
    application.setApplicationName("docpeek")
    application.setApplicationDisplayName("docpeek")
    application.setDesktopFileName("docpeek")
    return application


def _window_services(services: DesktopServices, post: MainThreadPost, rasterizer: Rasterizer) -> WindowServices:
    settings = None
    if services.settings_file is not None:
        settings = QSettings(str(services.settings_file), QSettings.Format.IniFormat)
    return WindowServices(
        conversions=ConverterBridge(services.open_ticket, post),
        rasterizer=rasterizer,
        suffixes=suffix_families(),
        icons=assets_dir() / "icons",
        clock=services.clock,
        settings=settings,
    )


@contextmanager
def _quit_on_signal(window: MainWindow) -> Iterator[None]:
    """Close the window on Ctrl+C in the terminal and on SIGTERM.

    Python runs its handlers between bytecodes, and Qt's loop runs none while it waits: a byte through a socket wakes
    it up.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: window.close())
    former_fd = signal.set_wakeup_fd(writer.fileno())
    former = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_fd)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
