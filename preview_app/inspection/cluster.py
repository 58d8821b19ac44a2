"""Inspecting on the workers of a Dask cluster.

Theory. One thread runs an event loop that owns the client, the plan and everything about the cluster; other threads
only post to it. Each batch is a Dask task bound to the worker that the plan chose: Dask by itself would send a batch
whose worker died to worker after worker, whatever had killed it. What happens to workers is heard from the scheduler's
own events.

Guarantees: every file that is submitted is settled once, whatever becomes of workers and scheduler; after `close`
nothing of the run is left on the workers that are there.

Dask trusts whoever can reach the scheduler, and so do its users: see the README. What docpeek adds is that results are
JSON that is validated here; the client accepts no pickled results.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import dask
import msgspec
from dask.utils import parse_timedelta
from distributed import Client

from converter.errors import ConversionError, Outcome
from preview_app.inspection.cluster_files import as_asked, digest_here, lost_twice
from preview_app.inspection.cluster_paths import RootMap, name_there
from preview_app.inspection.cluster_plan import Batch, Plan
from preview_app.inspection.cluster_worker import (
    Answer,
    Greeting,
    Order,
    close_service,
    decode_answer,
    encode_files,
    encode_order,
    inspect_batch,
    open_service,
    told,
)
from preview_app.inspection.inspect_one import failed
from preview_app.inspection.pictures import Pictures, PictureStore
from preview_app.inspection.records import EngineUsed, FileInspection

_LOG = logging.getLogger(__name__)
_CONNECT_S_MAX = 15.0
_WELCOME_S = 180.0
"""A worker looks for its LibreOffice the first time, and tries it."""
_NO_WORKER_S = 60.0
"""How long a run waits for a worker when none is left: Dask's nannies start one anew within seconds."""
_LEAVE_S = 30.0

_Done = Callable[[FileInspection | None], None]


class ClusterError(Exception):
    """There is no cluster to be had; the message says why and what to do."""


@dataclass(slots=True, eq=False)
class _File:
    path: Path
    digest: str | None
    done: _Done


class ClusterRunner:
    """See `preview_app.inspection.inspector.Runner`. A context manager.

    Raises `ClusterError` where the scheduler does not answer or no worker can be used. `say` hears, on a thread of
    this object's, what a person should know. `pictures` gets those that the workers took, before a file is done.
    """

    def __init__(
        self,
        address: str,
        order: Order,
        *,
        roots: Sequence[RootMap] = (),
        pictures: PictureStore | None = None,
        say: Callable[[str], None] = _LOG.warning,
        no_worker_s: float = _NO_WORKER_S,
    ) -> None:
        self._address = address
        self._no_worker_s = no_worker_s
        self._order = order
        self._roots = roots
        self._pictures = pictures
        self._say = say
        self._name = f"docpeek-{uuid.uuid4().hex}"
        self._plan: Plan[_File] = Plan()
        self._read: tuple[Path, str | None] = (Path(), None)
        self._capacity = 1
        self._opened: Future[None] = Future()
        self.greetings: dict[str, Greeting] = {}
        """What each worker told that was there at the beginning."""
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._no_worker: asyncio.TimerHandle | None = None
        self._welcomes: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, set[asyncio.Task[None]]] = {}
        self._gave_up: ConversionError | None = None
        self._posting = threading.Lock()
        self._over = False
        self._living: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="docpeek-cluster")
        self._thread.start()
        try:
            self._opened.result()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def capacity(self) -> int:
        """See `Runner`. Half of what is submitted is with the workers, the other half is at hand for them."""
        return self._capacity

    @property
    def engine(self) -> EngineUsed:
        """The engine of most workers."""
        engines = [greeting.engine for greeting in self.greetings.values() if greeting.engine is not None]
        return max(engines, key=engines.count)

    def digest(self, file: Path) -> str | None:
        """The digest of a file's bytes as they are here, `None` if they cannot be read."""
        self._read = (file, digest_here(file, self._order.config.source_bytes_max))
        return self._read[1]

    def submit(self, file: Path, done: _Done) -> None:
        """See `Runner`. What `digest` gave last, if it was of this file, must be what the worker reads."""
        read, digest = self._read
        asked = _File(file, digest if read == file else None, done)
        if not self._post(self._add, asked):
            self._settle(asked, self._gave_up)

    def cancel(self) -> None:
        """See `Runner`."""
        self._post(self._cancel)

    def close(self) -> None:
        """Give up what is left, and leave the cluster as it was. Idempotent."""
        self._post(self._end)
        self._thread.join()

    def _post(self, act: Callable[..., None], *arguments: object) -> bool:
        """Have the loop do something; whether it still does. What it takes it does."""
        with self._posting:
            if not self._over:
                self._loop.call_soon_threadsafe(act, *arguments)
            return not self._over

    # All below runs on the loop's thread.

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(self._live())
            except asyncio.CancelledError:  # closed before it was there
                if not self._opened.done():
                    self._opened.set_exception(ClusterError("The connection with the cluster was given up."))
            except Exception as error:  # noqa: BLE001 - told to whoever waits for it
                self._fail(error)
            with self._posting:
                self._over = True
            runner.run(asyncio.sleep(0))  # what was posted before is done
            self._settle_all(self._gave_up)

    def _fail(self, error: Exception) -> None:
        """The connection ended by itself, or before it was there."""
        if not self._opened.done():
            self._opened.set_exception(error)
            return
        _LOG.error("The connection with the cluster failed unexpectedly", exc_info=error)
        self._give_up("The connection with the cluster failed.")

    async def _live(self) -> None:
        self._living = asyncio.current_task()
        self._client = client = await self._connect()
        try:
            client.subscribe_topic("all", self._hear)
            found = (await client.scheduler.identity(n_workers=-1))["workers"]
            # A welcome is cancelled when its worker goes meanwhile; that is not the others' business.
            await asyncio.gather(*map(self._meet, found), return_exceptions=True)
            self._refuse_if_nobody_can_work(len(found))
            self._opened.set_result(None)
            await self._ended.wait()
        finally:
            await self._leave(client)

    async def _connect(self) -> Any:
        timeout = min(_CONNECT_S_MAX, parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"), "s"))
        connecting: Any = Client(  # type: ignore[no-untyped-call]
            self._address,
            timeout=timeout,
            asynchronous=True,
            set_as_default=False,
            deserializers=["dask", "msgpack"],
        )
        try:
            return await asyncio.wait_for(connecting, 2 * timeout)
        except (OSError, ValueError, ImportError, RuntimeError, TimeoutError) as error:
            with contextlib.suppress(Exception):
                await connecting.close()
            reason = str(error).splitlines()[0] if str(error) else "it does not answer"
            raise ClusterError(
                f"The scheduler at {self._address} cannot be reached: {reason}. Is it running, and is the address "
                "right? TLS is set up in Dask's own configuration."
            ) from error

    def _refuse_if_nobody_can_work(self, found: int) -> None:
        if self._plan.workers:
            return
        if not found:
            raise ClusterError(f"The scheduler at {self._address} has no worker.")
        raise ClusterError(f"None of the {found} workers of {self._address} can be used.")

    def _meet(self, address: str) -> asyncio.Task[None]:
        """Welcome a worker, once."""
        if address not in self._welcomes:
            self._welcomes[address] = self._loop.create_task(self._welcome(address))
        return self._welcomes[address]

    async def _welcome(self, address: str) -> None:
        """Open a worker's service, and use it if it can work."""
        greeting = await self._ask(address)
        if greeting.trouble:
            self._say(f"The worker {address} is not used: {greeting.trouble}")
            return
        if not self._opened.done():
            self.greetings[address] = greeting
        elif greeting.engine != self.engine:
            self._say(f"The worker {address} came later, and has another engine: {told(greeting)}.")
        self._running[address] = set()
        self._plan.joined(address, greeting.at_once)
        self._go_on()

    async def _ask(self, address: str) -> Greeting:
        order = encode_order(self._order)
        try:
            opening = self._client.run(open_service, self._name, order, workers=[address], on_error="return")
            answer = (await asyncio.wait_for(opening, _WELCOME_S)).get(address)
            if isinstance(answer, ModuleNotFoundError | AttributeError):
                return Greeting("", trouble=f"it has no docpeek, or another version ({answer}).")
            if not isinstance(answer, bytes):
                return Greeting("", trouble=f"it does not answer ({answer}).")
            return msgspec.json.decode(answer, type=Greeting)
        except Exception as error:  # noqa: BLE001 - whatever it is, this worker is of no use
            return Greeting("", trouble=f"it does not answer ({error!r}).")

    async def _hear(self, event: tuple[float, object]) -> None:
        """What the scheduler tells all who listen."""
        match event[1]:
            case {"action": "add-worker", "worker": str(address)}:
                self._meet(address)
            case {"action": "remove-worker", "worker": str(address)}:
                self._lost(address)

    def _lost(self, address: str) -> None:
        if (welcome := self._welcomes.pop(address, None)) is not None:
            welcome.cancel()
        if address in self._plan.workers:
            self._say(f"The worker {address} is lost; its files go to others.")
        for task in self._running.pop(address, ()):
            task.cancel()
        for file in self._plan.lost(address):
            file.done(lost_twice(file.path))
        self._go_on()

    def _add(self, file: _File) -> None:
        if self._ended.is_set() or self._gave_up is not None:
            self._settle(file, self._gave_up)
        else:
            self._plan.add(file)
            self._go_on()

    def _go_on(self) -> None:
        """Send what can be sent; keep watch where nobody can work."""
        self._capacity = max(1, self._plan.room)
        for batch in self._plan.batches():
            task = self._loop.create_task(self._inspect(batch))
            self._running[batch.worker].add(task)
            task.add_done_callback(self._running[batch.worker].discard)
        if self._plan.workers:
            self._forget_watch()
        elif self._no_worker is None and self._opened.done():
            self._no_worker = self._loop.call_later(
                self._no_worker_s, self._give_up, "No worker of the cluster is left."
            )

    def _forget_watch(self) -> None:
        if self._no_worker is not None:
            self._no_worker.cancel()
            self._no_worker = None

    async def _inspect(self, batch: Batch[_File]) -> None:
        names = encode_files([name_there(file.path, self._roots) for file in batch.files])
        future = self._client.submit(
            inspect_batch,
            self._name,
            names,
            key=f"{self._name}-{batch.number}",
            workers=[batch.worker],
            allow_other_workers=False,
            pure=False,
        )
        try:
            answers = await self._answers(future, len(batch.items))
        except Exception as error:  # noqa: BLE001 - of whatever kind: these files have no result
            self._failed(batch, error)
            return
        finally:
            future.release()
        if self._plan.answered(batch):
            for file, answer in zip(batch.files, answers, strict=True):
                self._take(file, *answer)
        self._go_on()

    def _take(self, file: _File, record: FileInspection | None, pictures: Pictures) -> None:
        """A file is done. Pictures first: whoever hears of the record takes them."""
        asked = None if record is None else as_asked(file.path, file.digest, record)
        if self._pictures is not None and asked is not None and asked.outcome == Outcome.OK.value:
            self._pictures.put_all(str(file.path), pictures)
        file.done(asked)

    async def _answers(self, future: Any, count: int) -> list[Answer]:
        """What a task gave. Raises whatever went wrong; what a worker raised is not unpickled."""
        answers = await self._client.gather([future], errors="skip")
        if not answers or not isinstance(answers[0], bytes):
            raise ValueError(f"the task ended as {future.status}, without an answer")
        return decode_answer(answers[0], count)

    def _failed(self, batch: Batch[_File], error: Exception) -> None:
        _LOG.debug("A batch at %s failed: %r", batch.worker, error)
        if self._client.status != "running" and not self._ended.is_set():
            self._give_up("The connection with the scheduler is lost.")
            return
        for file in self._plan.failed(batch):
            file.done(lost_twice(file.path))
        self._go_on()

    def _give_up(self, why: str) -> None:
        """Nothing can be inspected any more: what is left, and what comes, is told so."""
        self._gave_up = ConversionError(Outcome.UNAVAILABLE, why)
        self._settle_all(self._gave_up)

    def _settle_all(self, error: ConversionError | None) -> None:
        for file in self._plan.drain():
            self._settle(file, error)

    @staticmethod
    def _settle(file: _File, error: ConversionError | None) -> None:
        """End a file without a look at it: given up, or told why."""
        file.done(None if error is None else failed(file.path, error))

    def _cancel(self) -> None:
        self._settle_all(None)
        self._end()

    def _end(self) -> None:
        self._forget_watch()
        self._ended.set()
        if self._living is not None and not self._opened.done():
            self._living.cancel()

    async def _leave(self, client: Any) -> None:
        """Leave nothing of this run on the cluster."""
        tasks = [*self._welcomes.values(), *(task for each in self._running.values() for task in each)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(Exception):
            if client.status == "running":
                closing = client.run(close_service, self._name, on_error="return")
                await asyncio.wait_for(closing, _LEAVE_S)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(client.close(), _LEAVE_S)
