"""Rasterizing for callers that may wait: the command line, and the converter's threads that check a PDF.

Every wait has an end. A worker that dies or does not answer in time is killed and fails the one request that it was
serving; the next request gets a fresh one.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from engines.base import CancelToken
from engines.errors import EngineError, ErrorKind
from preview_app.raster.api import PageSize, Pixels, RasterError, Word
from preview_app.raster.buffers import Buffers
from preview_app.raster.facts import PageFacts, PdfFacts, page_facts, pdf_facts
from preview_app.raster.process import WorkerGoneError, WorkerLimits, WorkerProcess
from preview_app.raster.protocol import Frame, ProtocolError
from preview_app.raster.replies import page_count, page_sizes, pixels, refusal, words
from preview_app.raster.source import share

_T = TypeVar("_T")

_DEADLINE_S = 60.0
_CHECK_DEADLINE_S = 10.0
_SLOW_MESSAGE = "The page renderer did not answer in {:.0f} s."
_DEAD_MESSAGE = "The page renderer crashed."
_NO_ROOM_MESSAGE = "The PDF could not be handed to the page renderer: there is no memory or no descriptor for it."


class WorkerLostError(Exception):
    """The worker died, or was not done in time (`timed_out`). It is of no use any more but for `close`."""

    def __init__(self, message: str, *, timed_out: bool) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class BlockingWorker:
    """One worker, asked one thing at a time by one thread."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._process = WorkerProcess(limits)
        self._identity = 0
        self._buffers = Buffers()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def request(
        self, op: str, *, deadline_s: float, pdf: bytes | memoryview | None = None, **arguments: object
    ) -> Frame:
        """Ask and wait. Raises `RasterError` for a refusal, `WorkerLostError`."""
        self._identity += 1
        head = {"id": self._identity, "op": op, **arguments}
        deadline = time.monotonic() + deadline_s
        try:
            self._send(head, pdf, deadline)
            return self._answer(deadline)
        except TimeoutError as error:
            raise WorkerLostError(_SLOW_MESSAGE.format(deadline_s), timed_out=True) from error
        except (WorkerGoneError, ProtocolError) as error:
            raise WorkerLostError(_DEAD_MESSAGE, timed_out=False) from error
        except OSError as error:
            raise WorkerLostError(_NO_ROOM_MESSAGE, timed_out=False) from error

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.alive

    def kill(self) -> None:
        """End the process now, from any thread: a request that waits raises `WorkerLostError`."""
        self._process.kill()

    def payload(self, frame: Frame) -> bytes:
        """The bytes that came with an answer. Raises `WorkerLostError`."""
        try:
            return bytes(self._process.payload(frame, self._buffers))
        except ProtocolError as error:
            raise WorkerLostError(_DEAD_MESSAGE, timed_out=False) from error

    def close(self) -> None:
        """End the process. Idempotent."""
        self._process.reap()

    def _send(self, head: dict[str, object], pdf: bytes | memoryview | None, deadline: float) -> None:
        fd = -1
        if pdf is not None and self._process.shared_memory:
            fd = share(pdf)
        try:
            sent = self._process.send(head, pdf_fd=fd, blob=pdf if pdf is not None and fd < 0 else b"")
        finally:
            if fd >= 0:
                os.close(fd)
        while not sent:
            self._wait(deadline, write=True)
            sent = self._process.flush()

    def _answer(self, deadline: float) -> Frame:
        while True:
            self._wait(deadline, write=False)
            for frame in self._process.receive():
                if frame.head.get("id") == self._identity:
                    if (error := refusal(frame)) is not None:
                        raise error
                    return frame

    def _wait(self, deadline: float, *, write: bool) -> None:
        poll = select.poll()
        poll.register(self._process.fileno(), select.POLLOUT if write else select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError


class PageRenderer:
    """Pages of one PDF as PNG, for the command line. Used by one thread; a context manager."""

    def __init__(self, limits: WorkerLimits | None = None, *, deadline_s: float = _DEADLINE_S) -> None:
        self._limits = limits or WorkerLimits()
        self._deadline_s = deadline_s
        self._pdf: bytes | memoryview | None = None
        self._password: str | None = None
        self._worker: BlockingWorker | None = BlockingWorker(self._limits)

    def open(self, pdf: bytes | memoryview, password: str | None = None) -> tuple[PageSize, ...]:
        """Open a PDF in place of the last one; its pages. Raises `RasterError`."""
        self._pdf = None
        sizes = self._ask(lambda worker: page_sizes(self._open(worker, pdf, password)))
        self._pdf, self._password = pdf, password
        return sizes

    def png(self, page: int, dpi: float) -> bytes:
        """The page (counted from 0) as a PNG that states its resolution. Raises `RasterError`, `ValueError`."""
        if self._pdf is None:
            raise ValueError("no PDF is open")
        if dpi <= 0 or page < 0:
            raise ValueError("no such page or resolution")
        return self._ask(lambda worker: self._png(worker, page, dpi))

    def pixels(self, page: int, scale: float) -> Pixels:
        """The page (counted from 0) at `scale` device pixels a point. Raises `RasterError`, `ValueError`."""
        if self._pdf is None:
            raise ValueError("no PDF is open")
        if scale <= 0 or page < 0:
            raise ValueError("no such page or scale")
        return self._ask(lambda worker: self._pixels(worker, page, scale))

    def words(self, page: int) -> tuple[Word, ...]:
        """The words of the page (counted from 0). Raises `RasterError`, `ValueError`."""
        if self._pdf is None:
            raise ValueError("no PDF is open")
        return self._ask(lambda worker: words(worker.request("words", deadline_s=self._deadline_s, page=page)))

    def page_facts(self, page: int) -> PageFacts:
        """What stands on the page (counted from 0), and what is wrong with it. Raises `RasterError`, `ValueError`."""
        if self._pdf is None:
            raise ValueError("no PDF is open")
        return self._ask(
            lambda worker: page_facts(worker.request("page_facts", deadline_s=self._deadline_s, page=page))
        )

    def pdf_facts(self) -> PdfFacts:
        """What the PDF says of itself. Raises `RasterError`, `ValueError`."""
        if self._pdf is None:
            raise ValueError("no PDF is open")
        return self._ask(lambda worker: pdf_facts(worker.request("document_facts", deadline_s=self._deadline_s)))

    def kill(self) -> None:
        """End the worker now, from any thread: a request that waits raises `RasterError`; the next has a new one."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def close(self) -> None:
        """End the worker. Idempotent."""
        self._pdf = None
        self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _png(self, worker: BlockingWorker, page: int, dpi: float) -> bytes:
        return worker.payload(worker.request("png", deadline_s=self._deadline_s, page=page, dpi=dpi))

    def _pixels(self, worker: BlockingWorker, page: int, scale: float) -> Pixels:
        arguments: dict[str, Any] = {"page": page, "scale": scale, "clip": None, "night": False}
        frame = worker.request("render", deadline_s=self._deadline_s, **arguments)
        return pixels(frame, page, scale, worker.payload(frame))

    def _open(self, worker: BlockingWorker, pdf: bytes | memoryview, password: str | None) -> Frame:
        return worker.request("open", deadline_s=self._deadline_s, pdf=pdf, password=password)

    def _ask(self, question: Callable[[BlockingWorker], _T]) -> _T:
        try:
            return question(self._ready())
        except WorkerLostError as error:
            self._drop()
            raise RasterError("crashed", str(error)) from error

    def _ready(self) -> BlockingWorker:
        """The worker; a fresh one with the same document open if the last one is gone."""
        if self._worker is None:
            self._worker = BlockingWorker(self._limits)
            if self._pdf is not None:
                self._open(self._worker, self._pdf, self._password)
        return self._worker

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


class PdfChecker:
    """Counts the pages of PDFs, to see that they can be opened, and opens those with a password. Thread-safe.

    One idle worker is kept. Threads that ask at the same time get a worker each, so that a PDF that hangs its worker
    delays no other.
    """

    def __init__(self, limits: WorkerLimits | None = None, *, deadline_s: float = _CHECK_DEADLINE_S) -> None:
        self._limits = limits or WorkerLimits(warm_bytes=0)
        self._deadline_s = deadline_s
        self._lock = threading.Lock()
        self._idle: BlockingWorker | None = None
        self._busy: set[BlockingWorker] = set()
        self._closed = False

    def prepare(self) -> None:
        """Start the worker ahead of time; does not wait for it."""
        self._give_back(self._take())

    def count_pages(self, pdf: bytes | memoryview) -> int:
        """How many pages `pdf` has, at least 1.

        Raises `EngineError`: `corrupt`, `encrypted`, `limit`; `timeout` or `engine` where the worker did not survive.
        """
        return self._ask(lambda worker: page_count(worker.request("count", deadline_s=self._deadline_s, pdf=pdf)))

    def decrypt(self, pdf: bytes, password: str, cancel: CancelToken) -> bytes:
        """The PDF without its encryption; as it is if it opens without a password.

        Raises `EngineError`: `bad_password`, `cancelled`, and what `count_pages` raises.
        """

        def ask(worker: BlockingWorker) -> bytes:
            revoke = cancel.on_cancel(worker.kill)
            try:
                return worker.payload(
                    worker.request("decrypt", deadline_s=self._deadline_s, pdf=pdf, password=password)
                )
            finally:
                revoke()

        try:
            return self._ask(ask) or pdf
        except EngineError as error:
            if cancel.cancelled:  # it killed the worker
                raise EngineError(ErrorKind.CANCELLED, "The conversion was cancelled.") from error
            raise

    def close(self) -> None:
        """End every worker; a count that still runs raises `EngineError`. Idempotent."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, None
            for worker in self._busy:
                worker.kill()
        if idle is not None:
            idle.close()

    def _ask(self, question: Callable[[BlockingWorker], _T]) -> _T:
        worker = self._take()
        try:
            answer = question(worker)
        except RasterError as error:
            self._give_back(worker)
            raise EngineError(_KINDS.get(error.kind, ErrorKind.ENGINE), error.message) from error
        except WorkerLostError as error:
            self._discard(worker)
            raise EngineError(ErrorKind.TIMEOUT if error.timed_out else ErrorKind.ENGINE, str(error)) from error
        except BaseException:
            self._discard(worker)
            raise
        self._give_back(worker)
        return answer

    def _take(self) -> BlockingWorker:
        with self._lock:
            if self._closed:
                raise EngineError(ErrorKind.CANCELLED, "The program is closing.")
            worker, self._idle = self._idle, None
            if worker is None or not worker.alive:
                worker, dead = self._start(), worker
            else:
                dead = None
            self._busy.add(worker)
        if dead is not None:
            dead.close()
        return worker

    def _start(self) -> BlockingWorker:
        try:
            return BlockingWorker(self._limits)
        except OSError as error:
            raise EngineError(ErrorKind.UNAVAILABLE, "The page renderer cannot be started.", str(error)) from error

    def _give_back(self, worker: BlockingWorker) -> None:
        with self._lock:
            self._busy.discard(worker)
            keep = self._idle is None and not self._closed
            if keep:
                self._idle = worker
        if not keep:
            worker.close()

    def _discard(self, worker: BlockingWorker) -> None:
        with self._lock:
            self._busy.discard(worker)
        worker.close()


_KINDS = {
    "corrupt": ErrorKind.CORRUPT,
    "encrypted": ErrorKind.ENCRYPTED,
    "bad_password": ErrorKind.BAD_PASSWORD,
    "limit": ErrorKind.LIMIT,
}
