"""Runs the desktop app: one application object, one window, and a shutdown in a fixed order."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QSettings, QSocketNotifier
from PySide6.QtWidgets import QApplication

from engines.assets import assets_dir
from engines.base import EngineInfo
from preview_app.config import Config
from preview_app.desktop import accessible_pages, language
from preview_app.desktop.bridge import ConverterBridge, MainThreadPost, OpenTicket, QtLoop
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.instance import Instance
from preview_app.desktop.preparation import Connect, Preparation
from preview_app.desktop.steadiness import paint_alone, steady
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowOptions, WindowServices
from preview_app.desktop_entry import DesktopEntry
from preview_app.folder_inspection import FolderInspections
from preview_app.preview_states import Failure
from preview_app.raster.api import TextRasterizer
from preview_app.raster.loop import Loop


@dataclass(frozen=True, slots=True)
class DesktopServices:
    """What `app.py` hands over. None of it knows Qt, so it may be built before Qt is imported."""

    connect: Connect
    """Makes the converter and gives what opens documents with it; called on a thread of its own, again after a
    failure. It may take minutes, and raises `EngineError`."""
    make_rasterizer: Callable[[Loop], TextRasterizer]
    """Puts the rasterizer on an event loop. `run` closes what it gives."""
    close_converter: Callable[[], None]
    """Ends the converter, if one was made, with all its processes and threads; called once, last, when the window
    is gone."""
    others: Callable[[], Sequence[EngineInfo]] = tuple
    """The engines that a person may ask for, the default one among them; known once `connect` has returned."""
    instance: Path | None = None
    """Where a second start finds this window; nowhere without it."""
    thumbnails_folder: Path | None = None
    """Where pictures of first pages are kept; nowhere without it."""
    settings_file: Path | None = None
    """Where sizes and the theme are remembered (INI); nothing is without it."""
    options: WindowOptions = field(default_factory=WindowOptions)
    desktop_entry: DesktopEntry | None = None
    """docpeek's place on the desktop, where there is one to be had."""
    inspections: FolderInspections | None = None
    """Inspects folders with the converter; what runs has ended before that is closed."""
    config: Config = field(default_factory=Config)
    save_config: Callable[[Config], None] | None = None
    """Keeps changed settings for the next start; raises `OSError`."""
    clock: Callable[[], float] = time.perf_counter
    first_page_painted: Callable[[Path, float], None] | None = None
    """Told when the first pixels of a document are on screen, with the seconds since it was asked for."""


def run(paths: Sequence[Path], services: DesktopServices) -> int:
    """Show the window until it is closed; gives the exit status.

    Ends in this order: requests cancelled and the document let go, the preparation, an inspection, raster workers,
    answers that are still on their way, the converter. Nothing is left when it returns.
    """
    application = _application()
    post = MainThreadPost()
    loop = QtLoop()
    bridge = ConverterBridge(post, services.others)
    preparation = Preparation(services.connect, post)
    preparation.start()
    rasterizer: TextRasterizer | None = None
    window: MainWindow | None = None
    instance: Instance | None = None
    try:
        rasterizer = services.make_rasterizer(loop)
        window = MainWindow(_window_services(services, bridge, rasterizer))
        _follow(preparation, bridge, window)
        if services.first_page_painted is not None:
            window.first_page_painted.connect(services.first_page_painted)
        window.show()
        window.open_paths(paths)
        if services.instance is not None:
            instance = Instance(services.instance, window.open_from_outside)
        with _quit_on_signal(window), steady():
            return application.exec()
    finally:
        if instance is not None:
            instance.close()
        _end(preparation, window, rasterizer)
        post.close()
        loop.close()
        services.close_converter()


def _follow(preparation: Preparation, bridge: ConverterBridge, window: MainWindow) -> None:
    """Say what is going on until there is a converter. Requests wait for it in the bridge."""

    def ready(open_ticket: OpenTicket) -> None:
        window.viewer.end_preparation()
        bridge.connect(open_ticket)

    def failed(message: str, diagnostics: str) -> None:
        window.viewer.end_preparation()
        bridge.fail(Failure("unavailable", message, diagnostics), preparation.start)

    preparation.progressed.connect(window.viewer.show_preparation)
    preparation.failed.connect(failed)
    preparation.ready.connect(ready)


def _end(preparation: Preparation, window: MainWindow | None, rasterizer: TextRasterizer | None) -> None:
    if window is not None:
        window.stop()
        window.hide()
    preparation.stop()
    if window is not None:
        window.inspecting.wait()
    if rasterizer is not None:
        rasterizer.close()
    if window is not None:
        window.deleteLater()


def _application() -> QApplication:
    paint_alone()
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["docpeek"])
    application.setApplicationName("docpeek")
    application.setApplicationDisplayName("docpeek")
    application.setDesktopFileName("docpeek")
    accessible_pages.install()
    language.install(application, assets_dir() / "translations")
    return application


def _window_services(services: DesktopServices, bridge: ConverterBridge, rasterizer: TextRasterizer) -> WindowServices:
    settings = None
    if services.settings_file is not None:
        settings = QSettings(str(services.settings_file), QSettings.Format.IniFormat)
    return WindowServices(
        conversions=bridge,
        rasterizer=rasterizer,
        suffixes=suffix_families(),
        icons=assets_dir() / "icons",
        clock=services.clock,
        thumbnails_folder=services.thumbnails_folder,
        settings=settings,
        options=services.options,
        desktop_entry=services.desktop_entry,
        inspections=services.inspections,
        config=services.config,
        save_config=services.save_config,
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
