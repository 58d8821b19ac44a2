"""On a worker of a cluster: one converter with its engine and tools for the whole run, and the task that uses it.

The client has it opened on each worker by itself, not through the scheduler: a cluster keeps nothing of docpeek, and
a worker without docpeek is merely not used. What goes back and forth is JSON in bytes; nothing of it is an object
that Dask would have to unpickle at the client's.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import msgspec
from distributed import Worker, WorkerPlugin, get_worker, secede

from engines.base import Engine, ExportOptions
from engines.errors import EngineError
from preview_app import __version__, app
from preview_app.config import Config, ConfigError, EngineChoice, load_config
from preview_app.inspection import pictures
from preview_app.inspection.cluster_checks import CheckOrder, made
from preview_app.inspection.comparison_wish import OTHER_ENGINE
from preview_app.inspection.inspect_one import InspectOptions
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.pictures import Pictures, PictureStore
from preview_app.inspection.records import EngineUsed, FileInspection, line, record_of
from preview_app.inspection.session import for_bulk
from preview_app.outputs import OutputError

_IDLE_S = 300.0
"""After so long without a file the engine is ended: its client may have vanished. The next file starts it again."""
_LOOK_S = 30.0


@dataclass(frozen=True, slots=True)
class Order:
    """What holds for a run: the settings, which engine, the options, conversions at once (those of the worker's threads
    unless given), and what is done beside inspecting."""

    config: Config
    choice: EngineChoice
    export: ExportOptions
    deadline_s: float | None
    jobs: int | None = None
    checks: CheckOrder = field(default_factory=CheckOrder)


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a worker tells when it is opened: its docpeek, its engine and how many files it works on at once; or why it
    cannot work."""

    docpeek: str
    engine: EngineUsed | None = None
    at_once: int = 0
    trouble: str = ""


def told(greeting: Greeting) -> str:
    """A worker's docpeek and engine, in few words."""
    engine = greeting.engine
    if engine is None:
        return f"docpeek {greeting.docpeek}"
    return f"docpeek {greeting.docpeek}, {engine.name} {engine.version} (generation {engine.generation[:8]})"


def encode_files(files: list[str]) -> bytes:
    """Names of files; they may hold bytes that no encoding has."""
    return json.dumps(files).encode("ascii")


Answer = tuple[FileInspection | None, Pictures]
"""A file's record, `None` if it was given up, and its pictures."""


def encode_order(order: Order) -> bytes:
    """An order; names in it may hold bytes that no encoding has."""
    return json.dumps(msgspec.to_builtins(order)).encode("ascii")


def decode_order(text: bytes) -> Order:
    """The order again. Raises `ValueError`."""
    return msgspec.convert(json.loads(text), Order)


def encode_answer(answers: Iterable[Answer]) -> bytes:
    """Two lines a file: the record, as in a report, and the pictures."""
    told = (("null\n" if record is None else line(record)) + pictures.encode(taken) for record, taken in answers)
    return "".join(told).encode("ascii")


def decode_answer(answer: bytes, count: int) -> list[Answer]:
    """What a worker tells of `count` files. Raises `ValueError`."""
    lines = answer.decode("ascii").split("\n")[:-1]
    if len(lines) != 2 * count:
        raise ValueError("this is no answer to what was asked")
    return [(_record(record), pictures.decode(taken)) for record, taken in zip(lines[::2], lines[1::2], strict=True)]


def _record(text: str) -> FileInspection | None:
    record = None if text == "null" else record_of(text)
    if not (record is None or isinstance(record, FileInspection)):
        raise ValueError("this is no answer to what was asked")
    return record


class InspectionService(WorkerPlugin):
    """The converter of a run on this worker. Closed by the client, or with the worker.

    Dask's own names for its callbacks; all else is called on threads of tasks.
    """

    def __init__(self, order: Order, nthreads: int) -> None:
        """Raises `OutputError` where this worker lacks what the checks need."""
        self._order = order
        # Paths are the machine's own.
        self._config = for_bulk(
            msgspec.structs.replace(order.config, native_program=load_config().native_program), order.jobs or nthreads
        )
        self._store = PictureStore()
        self._checks = made(order.checks, self._store if order.checks.pictures else None)
        self._lock = threading.Lock()
        self._closed = False
        self._ends = ExitStack()
        self._runner: LocalRunner | None = None
        self._under_way = 0
        self._used_at = time.monotonic()
        self._watch: asyncio.Task[None] | None = None

    async def setup(self, worker: Worker) -> None:  # noqa: ARG002
        """Of Dask: watch for idleness."""
        self._watch = asyncio.create_task(self._rest_when_idle())

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002
        """Of Dask: the run or the worker is at its end."""
        if self._watch is not None:
            self._watch.cancel()
        await asyncio.to_thread(self.close)

    def open(self) -> Greeting:
        """Start the engine. Raises `EngineError`."""
        with self._lock:
            runner = self._opened()
            return Greeting(__version__, self._engine, runner.capacity)

    def inspect(self, files: list[str]) -> list[Answer]:
        """What is told of files, in their order. Raises `EngineError`."""
        done: SimpleQueue[tuple[int, FileInspection | None]] = SimpleQueue()
        with self._lock:
            if self._closed:
                return [(None, Pictures())] * len(files)
            runner = self._opened()
            self._under_way += len(files)
            for number, name in enumerate(files):
                runner.submit(Path(name), lambda record, number=number: done.put((number, record)))  # type: ignore[misc]
        records = dict(done.get() for _ in files)
        with self._lock:
            self._under_way -= len(files)
            self._used_at = time.monotonic()
        return [(records[number], self._store.take(name)) for number, name in enumerate(files)]

    def rest(self) -> None:
        """End the engine until there is something to do again, unless there is."""
        with self._lock:
            if not self._under_way:
                self._end()

    def close(self) -> None:
        """Give up what is under way and end everything. Idempotent."""
        with self._lock:
            self._closed = True
            self._end()

    def _opened(self) -> LocalRunner:
        if self._runner is None:
            engine = app.make_engine(self._config, app.choose_engine(self._config, self._order.choice))
            self._engine = EngineUsed(engine.info.name, engine.info.version, engine.info.fingerprint)
            converter = self._ends.enter_context(app.conversion_service(self._config, engine, others=self._others()))
            options = InspectOptions(self._order.export, self._order.deadline_s)
            self._runner = self._ends.enter_context(LocalRunner(converter, options, checks=self._checks))
        return self._runner

    def _others(self) -> list[Engine]:
        """The engine that results are compared with, if any are. Raises `EngineError`."""
        if not self._order.checks.engines:
            return []
        return [app.make_engine(self._config, app.choose_engine(self._config, OTHER_ENGINE))]

    def _end(self) -> None:
        self._runner = None
        self._ends.close()

    async def _rest_when_idle(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            if time.monotonic() - self._used_at > _IDLE_S:
                await asyncio.to_thread(self.rest)


async def open_service(name: str, order: bytes, dask_worker: Worker) -> bytes:
    """Open the service of a run; gives a `Greeting`. Runs on the worker's event loop."""
    try:
        service = await asyncio.to_thread(InspectionService, decode_order(order), dask_worker.state.nthreads)
        await dask_worker.plugin_add(service, name=name)
        greeting = await asyncio.to_thread(service.open)
    except (EngineError, ConfigError, OutputError, OSError, ValueError) as error:
        await close_service(name, dask_worker)
        greeting = Greeting(__version__, trouble=str(error) or type(error).__name__)
    return msgspec.json.encode(greeting)


async def close_service(name: str, dask_worker: Worker) -> bytes:
    """Close it, and what it has under way."""
    if name in dask_worker.plugins:
        await dask_worker.plugin_remove(name=name)
    return b""


def inspect_batch(name: str, files: bytes) -> bytes:
    """The task. An answer without any if the service is not there."""
    service = get_worker().plugins.get(name)
    if not isinstance(service, InspectionService):
        return b""
    # The threads that work are the service's own: another batch shall be at hand when this one comes to its end.
    secede()  # type: ignore[no-untyped-call]
    with suppress(EngineError, OSError):
        return encode_answer(service.inspect(json.loads(files)))
    return b""
