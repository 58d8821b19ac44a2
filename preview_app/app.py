"""The only place that wires objects together: settings in, a converter with its engine and its checker out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from converter.request import Limits
from converter.service import Converter
from converter.workspace import Workspace
from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.wasm.engine import WasmEngine, WasmLimits
from engines.wasm.prepare import prepare
from engines.wasm.prepared import PreparedEngine, find
from engines.wasm.progress import ProgressCallback
from preview_app.config import Config, EngineChoice
from preview_app.raster.blocking import PdfChecker

NATIVE_MISSING = (
    "The native engine is not part of this version of docpeek: use `--engine wasm`, which needs nothing installed."
)


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


def make_engine(config: Config, choice: EngineChoice | None = None) -> WasmEngine:
    """The engine of the settings, or the one that `choice` names. Starts nothing; it must have been prepared.

    Raises `EngineError` of kind `unavailable`.
    """
    if (choice or config.engine) == "native":
        raise EngineError(ErrorKind.UNAVAILABLE, NATIVE_MISSING)
    limits = WasmLimits(
        memory_bytes_max=config.kit_memory_bytes_max,
        file_bytes_max=config.kit_file_bytes_max,
        result_bytes_max=config.pdf_bytes_max,
    )
    return WasmEngine.found(limits=limits)


def ensure_prepared(progress: ProgressCallback) -> PreparedEngine:
    """The prepared engine; prepares it first where it is not there. Raises `EngineError`."""
    return find() or prepare(progress)


def whole_machine() -> Workspace:
    """The workspace of a person at this machine: whatever the person may read, links followed."""
    return Workspace([Path(Path.cwd().anchor)], links_may_leave=True, hidden_files=True)


@contextmanager
def conversion_service(config: Config, engine: Engine) -> Iterator[Converter]:
    """A converter over `engine` with the checker that it needs; everything ends with the block."""
    checker = PdfChecker()
    converter = Converter(engine, checker, workspace=whole_machine(), limits=converter_limits(config))
    try:
        yield converter
    finally:
        converter.close()
        engine.stop()
        checker.close()


def start_ahead(engine: Engine) -> Callable[[], None]:
    """Start the engine on a thread of its own, so that it is ready when the first document comes.

    A failure is not reported here: the first document meets it again. Returns what waits for the thread.
    """

    def start() -> None:
        try:
            engine.start()
        except EngineError:
            return

    thread = threading.Thread(target=start, name="docpeek-engine-start")
    thread.start()
    return thread.join
