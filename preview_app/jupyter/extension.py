"""docpeek as an extension of Jupyter Server: what an administrator can set, and when things start and end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, Enum, Float, Int, Unicode, default

from preview_app import __version__
from preview_app.config import Config, EngineChoice
from preview_app.jupyter.engine_source import EngineSource, MachineEngines
from preview_app.jupyter.metrics import register
from preview_app.jupyter.routes import routes
from preview_app.jupyter.service import PreviewService
from preview_app.jupyter.settings import ServerSettings

MIB = 1 << 20


def _bytes(default: int, text: str) -> Any:
    return Int(default, min=1, help=f"{text}, in bytes.").tag(config=True)


def _count(default: int, text: str) -> Any:
    return Int(default, min=1, help=text).tag(config=True)


def _seconds(default: float, text: str) -> Any:
    return Float(default, min=0.1, help=f"{text}, in seconds.").tag(config=True)


def _by_processors() -> int:
    """How much to do at a time: for ten users more than for one, and never more than the machine can."""
    return min(4, max(2, os.cpu_count() or 2))


def _nothing() -> None:
    """Where there are no figures to take back."""


class DocpeekExtension(ExtensionApp):
    """Previews of office documents in JupyterLab."""

    name = "docpeek"
    version = __version__
    description = "Previews of office documents: one engine and a few page renderers serve the whole server."
    extension_url = "/lab"
    load_other_extensions = True

    engine = Enum(
        ("auto", "native", "wasm"),
        "auto",
        help="Which LibreOffice converts: the installed one, the one in WebAssembly, or the first if it can do it all.",
    ).tag(config=True)
    native_program = Unicode("", help="The installed LibreOffice's `soffice`, where it is not found.").tag(config=True)
    start_ahead = Bool(
        True,
        help="Start engine and renderers with the server, not at the first document. "
        "An engine that must be prepared first, which takes minutes, waits for somebody who wants a document.",
    ).tag(config=True)
    prefetch = Bool(True, help="Let clients have documents converted that will probably be opened next.").tag(
        config=True
    )
    single_page_sheets = Bool(True, help="Spreadsheets as one page a sheet.").tag(config=True)
    source_url = Unicode(
        "", help="Where this program's source is offered; empty: the server packs what is installed."
    ).tag(config=True)

    metrics = Bool(True, help="Show figures where Jupyter Server shows its own, at /metrics.").tag(config=True)

    links_may_leave = Bool(
        False, help="Follow symbolic links that lead out of the root directory, as Jupyter's file browser does."
    ).tag(config=True)
    read_directly = Bool(
        True, help="Read files of a local root directory from disk; False: through the contents manager, as base64."
    ).tag(config=True)
    remote_read_seconds = _seconds(60.0, "How long a contents manager that is not local may take for one file")

    large_file_bytes = _bytes(32 * MIB, "Size from which on a person is asked before a file is opened")
    source_bytes_max = _bytes(64 * MIB, "Largest document")
    reserved_bytes_max = _bytes(128 * MIB, "Documents that are being converted at a time, together")
    pdf_bytes_max = _bytes(256 * MIB, "Largest PDF that a document may become")
    pages_max = _count(2000, "Pages of a document that are shown.")
    image_pixels_max = _count(32 << 20, "Pixels of one picture of a page.")
    dpi_max = Float(1200.0, min=72.0, help="Finest resolution of a picture, in dots an inch.").tag(config=True)

    slots = Int(min=1, help="Conversions at a time; 2 to 4 by the number of processors.").tag(config=True)
    background_slots = _count(1, "Of these, conversions that nobody waits for yet.")
    raster_workers = Int(
        min=1, max=8, help="Processes that draw pages, each with one document open; 2 to 4 by the number of processors."
    ).tag(config=True)
    readers_max = _count(128, "Openings that are on their way at a time.")
    waiting_jobs_max = _count(64, "Conversions that wait for their turn.")
    deadline_seconds = _seconds(60.0, "How long a conversion may take unless its reader wants to wait")
    soft_limit_seconds = _seconds(15.0, "When a reader is asked whether to wait")

    documents_max = _count(64, "Documents that are kept open.")
    documents_bytes_max = _bytes(512 * MIB, "PDFs of open documents, together")
    documents_idle_seconds = _seconds(1800.0, "How long a document stays open that nobody asks for")
    idle_seconds = Float(
        1800.0,
        min=0.0,
        help="How long engine and renderers are kept with no document open, in seconds; 0: as long as the server runs.",
    ).tag(config=True)
    cached_pdfs_max = _count(16, "Finished PDFs that are kept for the next reader.")
    cached_bytes_max = _bytes(256 * MIB, "Those, together")
    kit_memory_bytes_max = _bytes(2048 * MIB, "Memory of one conversion")
    kit_file_bytes_max = _bytes(1024 * MIB, "Scratch files of one conversion")

    service: PreviewService | None = None
    _take_back_metrics: Callable[[], None] = staticmethod(_nothing)

    @default("slots")
    def _slots_default(self) -> int:
        return _by_processors()

    @default("raster_workers")
    def _raster_workers_default(self) -> int:
        return _by_processors()

    def server_settings(self) -> ServerSettings:
        """The traits as one value. Raises `ValueError` where they contradict each other."""
        config = Config(
            engine=cast("EngineChoice", self.engine),
            native_program=self.native_program,
            prefetch_neighbours=self.prefetch,
            deadline_s=self.deadline_seconds,
            soft_limit_s=self.soft_limit_seconds,
            **{name: getattr(self, name) for name in _SAME_NAME},
        )
        return ServerSettings(
            config=config,
            large_file_bytes=self.large_file_bytes,
            documents_max=self.documents_max,
            documents_bytes_max=self.documents_bytes_max,
            documents_idle_s=self.documents_idle_seconds,
            idle_s=self.idle_seconds,
            dpi_max=self.dpi_max,
            image_pixels_max=self.image_pixels_max,
            links_may_leave=self.links_may_leave,
            read_directly=self.read_directly,
            remote_read_s=self.remote_read_seconds,
            start_ahead=self.start_ahead,
            source_url=self.source_url,
        )

    def engine_source(self) -> EngineSource:
        """Where the engines come from."""
        return MachineEngines()

    def initialize_handlers(self) -> None:
        """Mount the routes. Starts nothing; with `start_ahead`, once the server's loop runs."""
        settings, server = self.server_settings(), self.serverapp
        assert server is not None
        self.service = PreviewService(settings, server.contents_manager, self.engine_source())
        self.handlers.extend(routes(self.service))
        if self.metrics:
            self._take_back_metrics = register(self.service)
        if settings.start_ahead:
            server.io_loop.add_callback(self.service.machinery.begin)

    async def stop_extension(self) -> None:
        """End everything with the server."""
        self._take_back_metrics()
        self._take_back_metrics = _nothing
        if self.service is not None:
            await self.service.close()


_SAME_NAME = (
    "single_page_sheets",
    "slots",
    "background_slots",
    "readers_max",
    "waiting_jobs_max",
    "source_bytes_max",
    "reserved_bytes_max",
    "pdf_bytes_max",
    "pages_max",
    "cached_pdfs_max",
    "cached_bytes_max",
    "kit_memory_bytes_max",
    "kit_file_bytes_max",
    "raster_workers",
)
"""Settings that are called the same here and in `config.py`."""
