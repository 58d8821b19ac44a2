"""The only place that wires objects together: settings in, a converter with its engine and its checker out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import platformdirs

from converter.cancellation import CancellationToken
from converter.errors import ConversionError
from converter.request import Lane, Limits, Locator, Request
from converter.service import Converter
from converter.ticket import Post, Ticket
from converter.workspace import Workspace
from engines import select
from engines.base import CancelToken, Engine, EngineInfo, ExportOptions
from engines.cachedir import default_cache_dir
from engines.decryption import Password
from engines.errors import EngineError, ErrorKind
from engines.native.engine import NativeLimits
from engines.wasm.engine import WasmLimits
from engines.wasm.prepare import prepare
from engines.wasm.prepared import PreparedEngine, find
from engines.wasm.progress import ProgressCallback
from preview_app.config import Config, EngineChoice, save_config
from preview_app.desktop_entry import DesktopEntry, DesktopEntryError
from preview_app.folder_inspection import InspectionEnd, InspectionMoment, InspectionOrder, lacking
from preview_app.preview_states import Extent
from preview_app.raster.blocking import PdfChecker
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings, prestart
from preview_app.raster.process import WorkerProcess
from preview_app.running_window import hand_over, socket_path
from preview_app.unlocking import Unlocker


def converter_limits(config: Config) -> Limits:
    """The bounds of the conversion service, as the settings have them."""
    return Limits(
        readers_max=config.readers_max,
        waiting_jobs_max=config.waiting_jobs_max,
        slots=config.slots,
        background_slots=config.background_slots,
        source_bytes_max=config.source_bytes_max,
        reserved_bytes_max=config.reserved_bytes_max,
        pdf_bytes_max=config.pdf_bytes_max,
        cached_pdfs_max=config.cached_pdfs_max,
        cached_bytes_max=config.cached_bytes_max,
        deadline_s=config.deadline_s,
        soft_limit_s=config.soft_limit_s,
    )


def choose_engine(config: Config, choice: EngineChoice | None = None) -> select.Decision:
    """Which engine to take, by the settings or by what `choice` names; only the WASM one needs preparing.

    Raises `EngineError` of kind `unavailable` where the native one is demanded and not to be had.
    """
    return select.decide(choice or config.engine, lambda: select.look(config.native_program))


def make_engine(config: Config, decision: select.Decision) -> Engine:
    """The engine that was decided on. Starts nothing; the WASM one must have been prepared.

    Raises `EngineError` of kind `unavailable`.
    """
    prepared = find() if decision.name == "native" else None
    return select.make(
        decision,
        native_limits=NativeLimits(config.kit_memory_bytes_max, config.pdf_bytes_max),
        wasm_limits=WasmLimits(config.kit_memory_bytes_max, config.kit_file_bytes_max, config.pdf_bytes_max),
        font_dirs=(prepared.fonts_dir,) if prepared else (),
    )


def ensure_prepared(progress: ProgressCallback, cancel: CancelToken | None = None) -> PreparedEngine:
    """The prepared engine; prepares it first where it is not there. Raises `EngineError`."""
    return find() or prepare(progress, cancel=cancel)


def whole_machine() -> Workspace:
    """The workspace of a person at this machine: whatever the person may read, links followed."""
    return Workspace([Path(Path.cwd().anchor)], links_may_leave=True, hidden_files=True)


def other_engines(config: Config, choice: EngineChoice, engine: Engine) -> list[Engine]:
    """The engine that was not decided on, where it is there and ready: it is started when somebody asks for it."""
    name: select.Choice = "wasm" if engine.info.name == "native" else "native"
    if choice == "wasm" or (name == "wasm" and find() is None):
        return []  # nobody has looked for an installed one: that takes seconds the first time
    try:
        return [make_engine(config, choose_engine(config, name))]
    except EngineError:
        return []


@contextmanager
def conversion_service(
    config: Config,
    engine: Engine,
    *,
    stop_engine: bool = True,
    others: Sequence[Engine] = (),
    workspace: Workspace | None = None,
) -> Iterator[Converter]:
    """A converter over `engine` with the checker that it needs; everything ends with the block.

    The engine too, unless somebody else has a use for it (`stop_engine=False`). It is started ahead of the first
    document, on a thread of its own. The `workspace` of `Converter.open` is the whole machine unless given.
    """
    checker = PdfChecker()
    converter = Converter(
        engine,
        checker,
        workspace=workspace or whole_machine(),
        unlock=Unlocker(checker),
        limits=converter_limits(config),
        others=others,
    )
    with ExitStack() as ends:  # from the last to the first, each whatever became of those before it
        ends.callback(checker.close)
        ends.callback(_start_ahead(engine))
        for each in (engine, *others) if stop_engine else others:
            ends.callback(each.stop)
        ends.callback(converter.close)
        checker.prepare()
        yield converter


def _start_ahead(engine: Engine) -> Callable[[], None]:
    """Start the engine on a thread; gives what waits for that. Whatever fails, the first document meets again."""

    def start() -> None:
        with suppress(EngineError, OSError, ImportError):
            engine.start()

    thread = threading.Thread(target=start, name="docpeek-engine-start")
    thread.start()
    return thread.join


def run_desktop(
    config: Config,
    choice: EngineChoice | None,
    paths: Sequence[Path],
    first_page_painted: Callable[[Path, float], None] | None = None,
) -> int:
    """Show documents in a window until it is closed; gives the exit status.

    A window that is open already takes them, unless it is to be measured. Raster workers are started before Qt is
    imported, so that they are ready when the window is.
    """
    instance = socket_path(choice or config.engine) if first_page_painted is None else None
    if instance is not None and hand_over(paths, instance):
        return 0
    pool = PoolSettings(workers=config.raster_workers)
    workers = prestart(pool)
    try:
        return _run_window(config, choice, paths, pool, workers, instance, first_page_painted)
    finally:
        for worker in workers:
            worker.reap()  # they are gone already, unless the window did not come up


def _run_window(
    config: Config,
    choice: EngineChoice | None,
    paths: Sequence[Path],
    pool: PoolSettings,
    workers: Sequence[WorkerProcess],
    instance: Path | None,
    first_page_painted: Callable[[Path, float], None] | None,
) -> int:
    desktop = _DesktopConverter(config, choice)

    # Qt is loaded for a window only.
    from preview_app.desktop import main  # noqa: PLC0415
    from preview_app.desktop.theme import Theme  # noqa: PLC0415
    from preview_app.desktop.window_services import WindowOptions  # noqa: PLC0415

    services = main.DesktopServices(
        connect=desktop.connect,
        make_rasterizer=lambda loop: RasterPool(loop, pool, prestarted=workers),
        close_converter=desktop.close,
        others=desktop.engines,
        instance=instance,
        thumbnails_folder=default_cache_dir() / "thumbnails",
        settings_file=platformdirs.user_config_path("docpeek") / "window.ini",
        options=WindowOptions(
            theme=Theme(config.theme),
            prefetch_neighbours=config.prefetch_neighbours,
            show_hidden_files=config.show_hidden_files,
            list_thumbnails=config.list_thumbnails,
            pixel_bytes_max=config.page_pixels_cache_bytes_max,
            motion=True,
        ),
        desktop_entry=_desktop_entry(),
        inspections=_Inspections(config, desktop),
        config=config,
        save_config=save_config,
        first_page_painted=first_page_painted,
    )
    return main.run(paths, services)


def _desktop_entry() -> DesktopEntry | None:
    try:
        return DesktopEntry.of_person()
    except DesktopEntryError:
        return None


THUMBNAIL_DEADLINE_S = 20.0
"""A small picture is not worth more of a processor's time."""
OpenTicket = Callable[[Path, Lane, Post, Password | None, str | None, Extent], Ticket]


def opener(converter: Converter, config: Config) -> OpenTicket:
    """What opens documents for a window (`preview_app.desktop.bridge.OpenTicket`), as the settings have it."""
    bounded = ExportOptions(single_page_sheets=config.single_page_sheets, pages_max=config.pages_max)
    options = {
        Extent.BOUNDED: bounded,
        Extent.ALL: replace(bounded, pages_max=None),
        Extent.FIRST_PAGE: replace(bounded, pages_max=None, page_range="1"),
    }

    def open_ticket(
        path: Path, lane: Lane, post: Post, password: Password | None, engine: str | None, extent: Extent
    ) -> Ticket:
        locator = Locator.of(path)
        if extent is Extent.FIRST_PAGE and converter.workspace is not None:
            with suppress(ConversionError):  # `open` below meets it again, and makes it the ticket's outcome
                source = converter.workspace.authorize(locator)
                deadline_s = min(config.deadline_s, THUMBNAIL_DEADLINE_S)
                request = Request(source, lane, options[extent], deadline_s, private=True)
                return converter.submit(request, post=post)
        return converter.open(locator, lane, options[extent], engine=engine, password=password, post=post)

    return open_ticket


class _DesktopConverter:
    """The converter of the window, made on a thread while the window is already there, or gone again.

    An engine that needs no preparing is started at once, while Qt is still being loaded.
    """

    def __init__(self, config: Config, choice: EngineChoice | None) -> None:
        self._config = config
        self._choice = choice
        self._lock = threading.Lock()
        self._closed = False
        self._ends = ExitStack()
        self._engines: tuple[EngineInfo, ...] = ()
        self.converter: Converter | None = None
        """There once `connect` has returned."""
        self._first: Future[Engine | None] | None = Future()
        thread = threading.Thread(target=self._begin, args=(self._first,), name="docpeek-begin")
        thread.start()
        self._ends.callback(thread.join)

    def _begin(self, first: Future[Engine | None]) -> None:
        try:
            decision = choose_engine(self._config, self._choice)
            ready = decision.name == "native" or find() is not None
            engine = make_engine(self._config, decision) if ready else None
        except BaseException as error:  # noqa: BLE001 - whoever waits for the engine must hear of it, whatever it is
            first.set_exception(error)
            return
        first.set_result(engine)
        if engine is not None:
            with suppress(EngineError, OSError):  # the first document meets it again, and is told
                engine.start()

    def engines(self) -> tuple[EngineInfo, ...]:
        """The engines that a document may be asked of."""
        return self._engines

    def connect(self, report: Callable[[str, float], None]) -> OpenTicket:
        """Prepare the engine where that has not been done, and give what opens documents. Raises `EngineError`."""
        with ExitStack() as ends:
            engine = self._engine(report)
            ends.callback(engine.stop)  # it may have been started already
            self._refuse_when_closed()
            others = other_engines(self._config, self._choice or self._config.engine, engine)
            converter = ends.enter_context(conversion_service(self._config, engine, others=others))
            with self._lock:
                self._refuse_when_closed()
                self._ends.push(ends.pop_all())
            self._engines = (engine.info, *(other.info for other in others))
            self.converter = converter
        return opener(converter, self._config)

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise EngineError(ErrorKind.CANCELLED, "The window was closed.")

    def _engine(self, report: Callable[[str, float], None]) -> Engine:
        first, self._first = self._first, None
        if first is not None and (engine := first.result()) is not None:
            return engine
        decision = choose_engine(self._config, self._choice)
        if decision.name == "wasm":
            ensure_prepared(lambda moment: report(moment.message, moment.percent))
        return make_engine(self._config, decision)

    def close(self) -> None:
        """End everything that `connect` has made, or is making."""
        with self._lock:
            self._closed = True
        first, self._first = self._first, None
        if first is not None and first.exception() is None and (engine := first.result()) is not None:
            engine.stop()
        self._ends.close()


class _Inspections:
    """Inspections of folders with the converter of the window (`preview_app.folder_inspection.FolderInspections`)."""

    def __init__(self, config: Config, desktop: _DesktopConverter) -> None:
        self._config = config
        self._desktop = desktop

    @property
    def lacks(self) -> str:
        """What an HTML report lacks."""
        return lacking()

    def run(
        self, order: InspectionOrder, told: Callable[[InspectionMoment], None], token: CancellationToken
    ) -> InspectionEnd:
        """Inspect. Loads the inspection, which a window is without until then."""
        from preview_app.inspection.folder_run import Service, inspect_folder  # noqa: PLC0415

        converter = self._desktop.converter
        if converter is None:
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine is not ready yet: wait for it, then try again.")
        return inspect_folder(Service(converter, self._desktop.engines()[0]), self._config, order, told, token)
