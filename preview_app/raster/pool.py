"""The rasterizer of the program: a scheduler and a set of worker processes on one event loop.

Single-threaded by design: every method and every callback runs on the loop's thread, nothing blocks and nothing is
locked. The scheduler decides, `_perform` carries out; answers are delivered before the next job starts, so that
what a callback asks for is already in the line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from preview_app.raster import replies
from preview_app.raster.actions import (
    Action,
    Interrupt,
    Kill,
    Outcome,
    QueueFullError,
    SchedulerClosedError,
    Settle,
    Start,
    Unload,
)
from preview_app.raster.api import Lane, RasterError, RasterTask, TextDocument
from preview_app.raster.document import PooledDocument, Question
from preview_app.raster.loop import Loop, PumpingLoop, Timer
from preview_app.raster.pool_records import Reader, Running, Task
from preview_app.raster.pool_settings import PoolSettings, PoolStatistics
from preview_app.raster.process import WorkerLimits, WorkerProcess
from preview_app.raster.protocol import Frame, ProtocolError
from preview_app.raster.scheduler import Scheduler
from preview_app.raster.source import Source
from preview_app.raster.workerset import WorkerSet

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

_TRIM_S = 1.0
_CRASHED = "The page renderer crashed on this document."
_SLOW = "The page takes too long to draw."
_UNAVAILABLE = "The page renderer cannot be started."
_CLOSED = "The document is closed."
_NO_MEMORY = "There is no memory for this page."
_BUSY = "Too many pages are waiting to be drawn."


class RasterPool:
    """A `preview_app.raster.api.TextRasterizer`. It starts its workers when it is made, and must be closed."""

    def __init__(
        self,
        loop: Loop,
        settings: PoolSettings | None = None,
        *,
        prestarted: Iterable[WorkerProcess] = (),
        start: Callable[[WorkerLimits], WorkerProcess] = WorkerProcess,
    ) -> None:
        self._loop = loop
        self._settings = settings or PoolSettings()
        self._scheduler = Scheduler(self._settings.queue_capacity)
        self._workers = WorkerSet(loop, self._settings.limits, self._settings.workers, self, start)
        self._sources: dict[int, Source] = {}
        self._running: dict[int, Running] = {}
        self._answered: dict[int, Running] = {}
        self._failures: dict[int, RasterError] = {}
        self._deferred: dict[int, tuple[Settle, Timer]] = {}
        self._readers: dict[int, Reader] = {}
        self._idle_callbacks: list[Callable[[], None]] = []
        self._trims: list[Timer] = []
        self._opened = 0
        self._reply_errors = 0
        self._closed = False
        self._workers.fill(prestarted)

    # What callers do

    def open(
        self,
        pdf: bytes | memoryview | Source,
        *,
        lane: Lane,
        opened: Callable[[TextDocument], None],
        failed: Callable[[RasterError], None],
        password: str | None = None,
    ) -> RasterTask:
        """See `TextRasterizer`. The bytes are copied; a `Source` becomes the pool's, which closes it."""
        if self._closed:
            if isinstance(pdf, Source):
                pdf.close()
            return self._fail_soon(failed, "closed", _CLOSED)
        self._opened += 1
        document = self._opened
        try:
            self._sources[document] = pdf if isinstance(pdf, Source) else self.copy(pdf, password)
        except OSError as error:
            return self._fail_soon(failed, "limit", f"There is no memory for this PDF: {error.strerror}.")

        def refused(error: RasterError) -> None:
            self.forget(document)
            failed(error)

        password = self._sources[document].password
        question = Question(("open",), {"op": "open", "password": password}, lambda frame, _: replies.page_sizes(frame))
        return self.ask(
            document, question, lane, lambda pages: opened(PooledDocument(self, document, pages)), refused, opens=True
        )

    def copy(self, pdf: bytes | memoryview, password: str | None = None) -> Source:
        """What `open` makes of the bytes first. Takes time for large ones; may run on any thread. Raises `OSError`."""
        return Source.of(pdf, password, shared_memory=self._workers.shared_memory)

    def ask(
        self,
        document: int,
        question: Question[_T],
        lane: Lane,
        done: Callable[[_T], None],
        failed: Callable[[RasterError], None],
        *,
        opens: bool = False,
    ) -> RasterTask:
        """See `preview_app.raster.document.Asker`. To cancel the question that `opens` a document forgets it."""
        if document not in self._sources:
            return self._fail_soon(failed, "closed", _CLOSED)
        try:
            admission, actions = self._scheduler.submit(document, question, lane)
        except (QueueFullError, SchedulerClosedError) as error:  # a callback may ask while `close` tells of the end
            if opens:  # now: `failed` is not called when the caller gives up before
                self.forget(document)
            full = isinstance(error, QueueFullError)
            return self._fail_soon(failed, *(("busy", _BUSY) if full else ("closed", _CLOSED)))
        reader = admission.reader
        self._readers[reader] = Reader(document, done, failed)
        self._perform(actions)
        if self._workers.given_up:
            self._workers.fill()
        return Task(
            lambda: self._cancel(reader, forget=document if opens else None), lambda lane: self._promote(reader, lane)
        )

    def forget(self, document: int) -> None:
        """See `Asker`."""
        source = self._sources.pop(document, None)
        if source is None:
            return
        source.close()
        for reader in [reader for reader, entry in self._readers.items() if entry.document == document]:
            del self._readers[reader]
        self._perform(self._scheduler.drop_document(document))
        # Whoever shows its pictures lets them go about now.
        _cancel_all(self._trims)
        self._trims = [self._loop.call_later(_TRIM_S, self._workers.trim_buffers)]

    def close(self) -> None:
        """See `Rasterizer`. Callbacks run inside this call; every process is gone when it returns."""
        if self._closed:
            return
        self._closed = True
        settled = [action for action in self._scheduler.close() if isinstance(action, Settle)]
        for running in self._running.values():
            _cancel_all(running.timers)
        _cancel_all(self._trims)
        self._running.clear()
        self._workers.close()
        for deferred, timer in list(self._deferred.values()):
            timer.cancel()
            settled.append(deferred)
        for settle in settled:
            self._deliver(settle)
        for source in self._sources.values():
            source.close()
        self._sources.clear()

    # What can be seen

    @property
    def idle(self) -> bool:
        """Nothing waits, nothing runs, every answer has been delivered."""
        return self._scheduler.idle

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Run `callback` once, in a turn of the loop of its own, when the pool is idle."""
        self._idle_callbacks.append(callback)
        self._announce_idle()

    def wait_for_idle(self, timeout_s: float) -> bool:
        """Run the loop until the pool is idle, at most `timeout_s`; whether it is. Needs a `PumpingLoop`."""
        if not isinstance(self._loop, PumpingLoop):
            raise TypeError("this event loop cannot be run from inside: use when_idle")
        return self._loop.run_until(lambda: self.idle, timeout_s)

    def statistics(self) -> PoolStatistics:
        """A snapshot."""
        return PoolStatistics(
            lanes=self._scheduler.statistics(),
            workers_alive=len(self._workers.pids()),
            workers_ready=self._workers.ready_count(),
            starts=self._workers.starts,
            documents=len(self._sources),
            reply_errors=self._reply_errors,
        )

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The worker processes."""
        return self._workers.pids()

    def __repr__(self) -> str:
        return f"<RasterPool workers={self._workers.ready_count()} documents={len(self._sources)} {self._scheduler!r}>"

    # What workers do (`WorkerEvents`)

    def worker_added(self) -> int:
        """See `WorkerEvents`."""
        return self._scheduler.add_worker()

    def worker_ready(self, worker: int) -> None:
        """See `WorkerEvents`."""
        self._perform(self._scheduler.worker_ready(worker))

    def worker_answered(self, worker: int, frame: Frame) -> None:
        """See `WorkerEvents`."""
        identity, running = frame.head.get("id"), self._running.get(worker)
        if identity == 0:  # it has closed a document
            return
        if running is None or identity not in (running.job, -running.job):
            raise ProtocolError("an answer to nothing that was asked")
        refusal = replies.refusal(frame)
        if identity == -running.job:
            running.load_error = refusal
            return
        del self._running[worker]
        _cancel_all(running.timers)
        running.answer = worker, frame
        self._answered[running.job] = running
        self._perform(self._scheduler.finished(worker))
        self._answered.pop(running.job, None)

    def worker_lost(self, worker: int) -> None:
        """See `WorkerEvents`."""
        running = self._running.pop(worker, None)
        if running is not None:
            _cancel_all(running.timers)
        unread = running is not None and running.unread
        self._perform(self._scheduler.worker_died(worker, unread=unread))

    def workers_unavailable(self) -> None:
        """See `WorkerEvents`."""
        actions = self._scheduler.fail_waiting()
        error = RasterError("crashed", _UNAVAILABLE, passing=True)
        self._failures.update((action.job, error) for action in actions if isinstance(action, Settle))
        self._perform(actions)

    # Carrying out

    def _perform(self, actions: Iterable[Action]) -> None:
        for action in actions:
            match action:
                case Start():
                    self._start(action)
                case Interrupt(worker, job):
                    self._interrupt(worker, job)
                case Unload(worker):
                    self._workers.send(worker, {"op": "close", "id": 0})
                case Kill(worker):
                    self._workers.kill(worker)
                case Settle(job) if job in self._answered:
                    self._deliver(action)
                case Settle(job):  # never from inside the call that caused it
                    timer = self._loop.call_soon(lambda action=action: self._deliver(action))  # type: ignore[misc]
                    self._deferred[job] = action, timer
        self._announce_idle()

    def _start(self, start: Start) -> None:
        question: Question[Any] = start.question
        source = self._sources[start.document]
        opens = question.arguments["op"] == "open"
        sent = True
        if start.load and not opens:
            again = {"op": "open", "id": -start.job, "password": source.password, "measure": False}
            sent = self._open_in(start.worker, source, again)
        timer = self._loop.call_later(self._settings.deadline_s, lambda: self._deadline_over(start.job))
        running = self._running[start.worker] = Running(start.job, question, [timer])
        head = {**question.arguments, "id": start.job}
        if sent:
            sent = self._open_in(start.worker, source, head) if opens else self._workers.send(start.worker, head)
        running.unread = not sent

    def _open_in(self, worker: int, source: Source, head: Mapping[str, object]) -> bool:
        blob = source.pdf if source.fd < 0 else b""
        return self._workers.send(worker, head, pdf_fd=source.fd, blob=blob)

    def _interrupt(self, worker: int, job: int) -> None:
        self._workers.send(worker, {"op": "cancel", "id": job})
        timer = self._loop.call_later(
            self._settings.cancel_grace_s, lambda: self._perform(self._scheduler.grace_over(job))
        )
        self._running[worker].timers.append(timer)

    def _deadline_over(self, job: int) -> None:
        self._failures[job] = RasterError("crashed", _SLOW)
        self._perform(self._scheduler.deadline_over(job))
        if job not in self._deferred:  # nobody waits for it any more
            self._failures.pop(job, None)

    def _deliver(self, settle: Settle) -> None:
        """Give a job's outcome to those of its readers that are still there."""
        self._deferred.pop(settle.job, None)
        answer = self._outcome(settle)
        for number in settle.readers:
            reader = self._readers.pop(number, None)
            if reader is not None:
                self._reply(answer, reader)
        self._perform(self._scheduler.delivered(settle.job))

    def _outcome(self, settle: Settle) -> Callable[[Reader], None]:
        running = self._answered.pop(settle.job, None)
        failure = self._failures.pop(settle.job, None) or RasterError("crashed", _CRASHED)
        if settle.outcome is Outcome.CLOSED:
            failure = RasterError("closed", _CLOSED)
        if running is not None and running.answer is not None:
            worker, frame = running.answer
            try:
                return self._decode(running, worker, frame)
            except ProtocolError as error:
                _LOG.warning("a raster worker sent nonsense: %s", error)
                self._loop.call_soon(lambda: self._workers.kill(worker))
            except (MemoryError, OSError) as error:
                _LOG.warning("an answer of a raster worker cannot be kept: %s", error)
                failure = RasterError("limit", _NO_MEMORY)
            except Exception:  # noqa: BLE001 - a fault of ours must end this question only
                _LOG.exception("an answer of a raster worker cannot be understood")
        return lambda reader: reader.failed(failure)

    def _decode(self, running: Running, worker: int, frame: Frame) -> Callable[[Reader], None]:
        if (refusal := replies.refusal(frame)) is not None:
            error = running.load_error or refusal
            return lambda reader: reader.failed(error)
        payload = self._workers.payload(worker, frame) if running.question.has_payload else b""
        value = running.question.decode(frame, payload)
        return lambda reader: reader.done(value)

    def _reply(self, answer: Callable[[Reader], None], reader: Reader) -> None:
        try:
            answer(reader)
        except Exception:  # noqa: BLE001 - whatever a caller's callback raises must not change what happens to others
            self._reply_errors += 1
            _LOG.exception("a callback of the rasterizer raised")

    def _cancel(self, reader: int, forget: int | None) -> None:
        if self._readers.pop(reader, None) is None:
            return
        self._perform(self._scheduler.cancel(reader))
        if forget is not None:
            self.forget(forget)

    def _promote(self, reader: int, lane: Lane) -> None:
        self._perform(self._scheduler.promote(reader, lane))

    def _fail_soon(self, failed: Callable[[RasterError], None], kind: str, message: str) -> RasterTask:
        timer = self._loop.call_soon(lambda: failed(RasterError(kind, message)))
        return Task(timer.cancel, lambda _: None)

    def _announce_idle(self) -> None:
        if self._idle_callbacks and self._scheduler.idle:
            callbacks, self._idle_callbacks = self._idle_callbacks, []
            for callback in callbacks:
                self._loop.call_soon(callback)


def _cancel_all(timers: Iterable[Timer]) -> None:
    for timer in timers:
        timer.cancel()
