"""One engine, converter and raster pool for all previews of a kernel, on an event loop in a thread of its own.

Started by the first preview. A preview that waits is a future of another thread, so a person can interrupt it. What
nobody has looked at for a while is let go, and opened again from its file when somebody does.

At the kernel's end the engine and the renderers are ended by a handler of the interpreter's exit; where the kernel is
killed they notice that their parent is gone. No new work can be given to threads when that handler runs, so it asks
the loop for what must happen there and does the rest itself.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from converter.errors import ConversionError, Outcome
from converter.request import Lane, Locator, Request, Source, Version
from engines.base import EngineInfo, ExportOptions
from engines.decryption import Password
from preview_app import app
from preview_app.config import Config, load_config
from preview_app.jupyter.bridge import AsyncTicket
from preview_app.jupyter.documents import DocumentTable, OpenDocument, Opened, TableBounds
from preview_app.jupyter.engine_source import EngineSource, MachineEngines, Report
from preview_app.jupyter.machinery import Machinery, Machines

_T = TypeVar("_T")

IMAGE_PIXELS_MAX = 32 << 20
_BOUNDS = TableBounds(documents_max=32, bytes_max=256 << 20, idle_s=1800.0)
_IDLE_S = 600.0
_CACHED_PDFS_MAX = 4
_CACHED_BYTES_MAX = 64 << 20
_END_S = 3.0
"""A kernel is killed some seconds after it was asked to end."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document as a preview asks for it. Where there are `data`, the `path` is no more than a name."""

    path: str
    data: bytes | None = field(default=None, repr=False)
    options: ExportOptions = field(default_factory=ExportOptions)
    engine: str | None = None
    deadline_s: float | None = None

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


class NotebookService:
    """See the theory above. Methods are for any thread, coroutines for the loop's own (see `submit`)."""

    def __init__(self, config: Config, engines: EngineSource) -> None:
        self.config = _for_a_kernel(config)
        self._workspace = app.whole_machine()
        self._openings = 0
        self.machinery = Machinery(
            self.config,
            self._workspace,
            IMAGE_PIXELS_MAX,
            engines,
            needed=lambda: bool(self._openings or len(self.documents)),
            idle_s=_IDLE_S,
        )
        self.documents = DocumentTable(_BOUNDS, self.machinery.run)
        self.loop = asyncio.new_event_loop()
        # A daemon: the interpreter runs its exit handlers only once all other threads have ended.
        self._thread = threading.Thread(target=self._run, name="docpeek-notebook", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<NotebookService {self.machinery!r}, {self.documents!r}>"

    @property
    def engines(self) -> tuple[EngineInfo, ...]:
        """The engines that can be asked, the default one first; none before they are started."""
        machines = self.machinery.machines
        return machines.engines if machines else ()

    def submit(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Have the loop run a coroutine; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def call_soon(self, function: Callable[..., object], *args: object) -> None:
        """Have the loop call something, in order."""
        with suppress(RuntimeError):  # it has ended, and with it what was to be told
            self.loop.call_soon_threadsafe(partial(function, *args))

    async def open(self, wanted: Wanted, password: Password | None, report: Report) -> OpenDocument:
        """A document, open. Raises `ConversionError`, `EngineError`, `RasterError`, `OSError`."""
        self._openings += 1
        try:
            source = await self._source(wanted)
            machines = await self.machinery.ready(report)
            return await self._open(machines, wanted, source, password)
        finally:
            self._openings -= 1

    def close(self) -> None:
        """End everything; nothing of it is left when this returns. Not for the loop's thread."""
        self.submit(self._close()).result()
        self._stop()

    def end_with_the_interpreter(self) -> None:
        """See the theory above: ends what runs, without asking any thread for something new."""
        with suppress(Exception):
            machines = self.submit(self._let_go()).result(_END_S)
            if machines is not None:
                machines.ends.close()
        with suppress(RuntimeError):
            self._stop()

    async def _source(self, wanted: Wanted) -> Source:
        if wanted.data is None:
            return await self.machinery.run(self._workspace.authorize, Locator(wanted.path))
        data = wanted.data

        def read(_capacity_bytes: int) -> tuple[bytes, Version | None]:
            return data, None

        return Source(wanted.name, len(data), None, read)

    async def _open(
        self, machines: Machines, wanted: Wanted, source: Source, password: Password | None
    ) -> OpenDocument:
        if wanted.engine is not None and wanted.engine not in [info.name for info in machines.engines]:
            raise ConversionError(Outcome.UNAVAILABLE, f"The engine “{wanted.engine}” is not there.")
        request = Request(source, Lane.CRITICAL, wanted.options, wanted.deadline_s, engine=wanted.engine)
        conversion = await AsyncTicket(machines.converter, request, password).result()
        opened = Opened(
            wanted.path.strip("/"),
            conversion,
            source.version,
            "",
            print_layout=not wanted.options.single_page_sheets,
            protected=password is not None,
        )
        return await self.documents.open(machines.pool, opened)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()

    def _stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_END_S)

    async def _close(self) -> None:
        self.documents.close()
        await self.machinery.close()
        await self.loop.shutdown_default_executor()

    async def _let_go(self) -> Machines | None:
        self.documents.close()
        machines = self.machinery.machines
        if machines is not None:
            machines.pool.close()
        return machines


def _for_a_kernel(config: Config) -> Config:
    """Less is kept than in a program that shows nothing else, and nothing is converted that nobody has asked for."""
    return msgspec.structs.replace(
        config,
        prefetch_neighbours=False,
        cached_pdfs_max=min(config.cached_pdfs_max, _CACHED_PDFS_MAX),
        cached_bytes_max=min(config.cached_bytes_max, _CACHED_BYTES_MAX),
    )


def kernel_service() -> NotebookService:
    """The one service of this process, made when it is first asked for. Raises `ConfigError`.

    A process that was forked has none of its parent's threads, and gets a service of its own.
    """
    return _service_of(os.getpid())


@functools.cache
def _service_of(_process: int) -> NotebookService:
    service = NotebookService(load_config(), MachineEngines())
    atexit.register(service.end_with_the_interpreter)
    return service
