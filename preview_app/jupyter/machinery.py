"""The one engine, converter and raster pool of a server: started once, when they are needed or ahead of that.

Lives on the server's event loop. Whatever takes time (finding and preparing an engine, starting and ending processes)
happens on threads of its own. A start that failed is tried again by whoever needs it next. What nobody has needed for a
long time ends, and is started again when somebody does: a server may live for weeks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from converter.cancellation import CancellationToken
from converter.errors import ConversionError, Outcome
from converter.service import Converter
from converter.workspace import Workspace
from engines.base import EngineInfo
from preview_app import app
from preview_app.config import Config
from preview_app.jupyter.engine_source import EngineSource, Report
from preview_app.raster.loop_asyncio import AsyncioLoop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings, prestart
from preview_app.raster.process import WorkerLimits, WorkerProcess

_LOG = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")

_THREADS = 8
_LOOKS_AN_IDLE_TIME = 4
_WARM_BYTES = 1 << 20
"""Pictures leave a renderer as PNG files here."""


@dataclass(frozen=True, slots=True)
class Machines:
    """What runs."""

    converter: Converter
    pool: RasterPool
    engines: tuple[EngineInfo, ...]
    """The default one first."""
    ends: ExitStack
    """Ends converter and engines; blocks."""


class Machinery:
    """Starts and ends what converts and draws. Every method is for the loop's thread."""

    def __init__(
        self,
        config: Config,
        workspace: Workspace | None,
        pixels_max: int,
        source: EngineSource,
        *,
        needed: Callable[[], bool],
        idle_s: float,
    ) -> None:
        """What runs ends when it has not been `needed` for `idle_s` seconds; 0: never."""
        self._config = config
        self._workspace = workspace
        self._pool_settings = PoolSettings(
            workers=config.raster_workers, limits=WorkerLimits(pixels_max=pixels_max, warm_bytes=_WARM_BYTES)
        )
        self._source = source
        self._threads = ThreadPoolExecutor(_THREADS, "docpeek")
        self._give_up = CancellationToken()
        self._needed = needed
        self._idle_s = idle_s
        self._needed_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Future[None]] = set()
        self._starting: asyncio.Task[Machines] | None = None
        self._reports: set[Report] = set()
        self._closed = False

    def __repr__(self) -> str:
        return f"<Machinery {self.state}>"

    @property
    def state(self) -> str:
        """`idle`, `starting`, `ready`, `failed` or `closed`."""
        if self._closed:
            return "closed"
        if self._starting is None:
            return "idle"
        if not self._starting.done():
            return "starting"
        return "failed" if self._failed(self._starting) else "ready"

    @property
    def machines(self) -> Machines | None:
        """What runs, if it does."""
        return self._starting.result() if self._starting is not None and self.state == "ready" else None

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call something that blocks, on a thread."""
        if self._closed:
            raise ConversionError(Outcome.CLOSED)
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *args, **kwargs))

    async def begin(self) -> None:
        """Start ahead of need, unless an engine would have to be prepared for minutes, which nobody has asked for.

        Who needs it meets what fails.
        """
        if self._closed or not await self.run(self._source.prepared, self._config):
            return
        if not self._closed and self._starting is None:
            self._starting = self._begin()

    async def ready(self, report: Report = lambda _message, _percent: None) -> Machines:
        """What runs, started first where it does not. Raises `EngineError`, `ConversionError`, `OSError`."""
        if self._closed:
            raise ConversionError(Outcome.CLOSED)
        if self._starting is None or (self._starting.done() and self._failed(self._starting)):
            self._starting = self._begin()
        self._reports.add(report)
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._reports.discard(report)

    def look(self, now_s: float) -> None:
        """End what has not been needed for long. Called now and then; `now_s` is monotonic."""
        machines = self.machines
        if machines is None or self._needed():
            self._needed_s = now_s
        elif now_s - self._needed_s >= self._idle_s:
            _LOG.info("docpeek has not been needed for %g s: its engine and renderers end", self._idle_s)
            self._starting = None
            self._end(machines)
            return
        if self._starting is not None:
            self._look_again()

    async def close(self) -> None:
        """End everything and wait for that. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._give_up.cancel("the server is closing")
        if self._timer is not None:
            self._timer.cancel()
        if self._starting is not None:
            with suppress(Exception):
                self._end(await self._starting)
        if self._ending:
            await asyncio.wait(self._ending)
        await asyncio.to_thread(self._threads.shutdown)

    def _end(self, machines: Machines) -> None:
        machines.pool.close()
        ending = asyncio.get_running_loop().run_in_executor(self._threads, machines.ends.close)
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _look_again(self) -> None:
        if self._idle_s > 0:
            loop = asyncio.get_running_loop()
            delay_s = self._idle_s / _LOOKS_AN_IDLE_TIME
            self._timer = loop.call_later(delay_s, lambda: self.look(time.monotonic()))

    def _begin(self) -> asyncio.Task[Machines]:
        starting = asyncio.ensure_future(self._start())
        starting.add_done_callback(self._failed)  # an error that nobody waits for is not one more line in the log
        return starting

    async def _start(self) -> Machines:
        loop = asyncio.get_running_loop()
        ends = ExitStack()
        workers: list[WorkerProcess] = []

        def report(message: str, percent: float) -> None:
            with suppress(RuntimeError):  # the loop has ended: nobody is left to be told
                loop.call_soon_threadsafe(self._tell, message, percent)

        try:
            workers = await loop.run_in_executor(self._threads, prestart, self._pool_settings)
            converter, engines = await loop.run_in_executor(self._threads, self._make_converter, ends, report)
            if self._closed:
                raise ConversionError(Outcome.CLOSED)
        except BaseException as error:
            for worker in workers:
                worker.kill()
            ends.callback(_reap, workers)
            await loop.run_in_executor(self._threads, ends.close)
            _LOG.warning("docpeek cannot start: %s", error)
            raise
        self._needed_s = time.monotonic()
        self._look_again()
        pool = RasterPool(AsyncioLoop(loop), self._pool_settings, prestarted=workers)
        return Machines(converter, pool, engines, ends)

    def _make_converter(self, ends: ExitStack, report: Report) -> tuple[Converter, tuple[EngineInfo, ...]]:
        engines = self._source.make(self._config, report, self._give_up)
        converter = ends.enter_context(
            app.conversion_service(self._config, engines.default, others=engines.others, workspace=self._workspace)
        )
        converter.set_background(self._config.prefetch_neighbours)
        return converter, tuple(engine.info for engine in (engines.default, *engines.others))

    def _tell(self, message: str, percent: float) -> None:
        for report in tuple(self._reports):
            report(message, percent)

    @staticmethod
    def _failed(task: asyncio.Task[Machines]) -> bool:
        return task.cancelled() or task.exception() is not None


def _reap(workers: Sequence[WorkerProcess]) -> None:
    for worker in workers:
        worker.reap()
