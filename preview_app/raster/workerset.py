"""Keeps a number of raster workers alive on an event loop: starts, watches, replaces and buries them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from preview_app.raster.buffers import Buffers
from preview_app.raster.loop import Loop, Timer
from preview_app.raster.process import WorkerGoneError, WorkerLimits, WorkerProcess
from preview_app.raster.protocol import Frame, ProtocolError
from preview_app.raster.source import memory_files

_LOG = logging.getLogger(__name__)

_START_DEADLINE_S = 30.0
_FAILED_STARTS_MAX = 3
_RETRY_S = 0.1
_BURY_S = 0.05


class WorkerEvents(Protocol):
    """What the owner of the set is told. Worker numbers are those that `worker_added` gives."""

    def worker_added(self) -> int:
        """A process was started; the number that it shall have."""

    def worker_ready(self, worker: int) -> None:
        """It has said hello."""

    def worker_answered(self, worker: int, frame: Frame) -> None:
        """A frame has come. May raise `ProtocolError`, which ends the worker."""

    def worker_lost(self, worker: int) -> None:
        """It is gone, or counts as gone. A replacement follows."""

    def workers_unavailable(self) -> None:
        """There is no worker, and several starts in a row have failed; none will be tried before `WorkerSet.fill`."""


@dataclass(slots=True)
class _Watched:
    process: WorkerProcess
    ready: bool = False
    start_timer: Timer | None = None


@dataclass(slots=True)
class WorkerSet:
    """`count` workers. Every method is to be called on the loop's thread."""

    loop: Loop
    limits: WorkerLimits
    count: int
    events: WorkerEvents
    start: Callable[[WorkerLimits], WorkerProcess] = WorkerProcess
    starts: int = 0
    """How many processes have been started in all."""
    _buffers: Buffers = field(default_factory=Buffers)
    _alive: dict[int, _Watched] = field(default_factory=dict)
    _dead: list[WorkerProcess] = field(default_factory=list)
    _failed_starts: int = 0
    _retry: Timer | None = None
    _closed: bool = False

    @property
    def shared_memory(self) -> bool:
        """Whether PDFs and pixels travel through shared memory."""
        return self.limits.shared_memory and memory_files()

    @property
    def given_up(self) -> bool:
        """Whether workers are missing and no start is planned."""
        return len(self._alive) < self.count and self._retry is None

    def fill(self, prestarted: Iterable[WorkerProcess] = ()) -> None:
        """Start as many workers as are missing; `prestarted` ones are taken over first."""
        for process in prestarted:
            self._watch(process)
        self._failed_starts = min(self._failed_starts, _FAILED_STARTS_MAX - 1)
        self._replace()

    def send(
        self, worker: int, head: Mapping[str, object], *, pdf_fd: int = -1, blob: bytes | memoryview = b""
    ) -> bool:
        """Send a request. False: the worker is gone, and will be reported lost in a later turn of the loop.

        One that cannot be given all of a request is of no use either, since it may have got a part: it is killed.
        """
        process = self._alive[worker].process
        try:
            sent = process.send(head, pdf_fd=pdf_fd, blob=blob)
        except (WorkerGoneError, OSError):
            process.kill()
            return False
        if not sent:
            self.loop.add_writer(process.fileno(), lambda: self._flush(process))
        return True

    def payload(self, worker: int, frame: Frame) -> bytes | memoryview:
        """The bytes that came with a frame. Raises `ProtocolError`."""
        return self._alive[worker].process.payload(frame, self._buffers)

    def trim_buffers(self) -> None:
        """Give back most of the memory of pictures that were let go."""
        self._buffers.trim()

    def pids(self) -> tuple[int, ...]:
        """The processes that are watched."""
        return tuple(watched.process.pid for watched in self._alive.values())

    def ready_count(self) -> int:
        """How many of them have said hello."""
        return sum(watched.ready for watched in self._alive.values())

    def kill(self, worker: int) -> None:
        """End a worker; it counts as lost at once."""
        if worker in self._alive:
            self._lose(worker)

    def close(self) -> None:
        """End every process and wait until they are gone (bounded). Idempotent."""
        self._closed = True
        if self._retry is not None:
            self._retry.cancel()
        processes = [self._unwatch(worker) for worker in list(self._alive)] + self._dead
        self._dead = []
        for process in processes:
            process.kill()
        for process in processes:
            process.reap()

    def _replace(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        while not self._closed and len(self._alive) < self.count:
            try:
                process = self.start(self.limits)
            except OSError as error:
                _LOG.warning("a raster worker cannot be started: %s", error)
                self._start_failed()
                return
            self._watch(process)

    def _start_failed(self) -> None:
        """Try again soon, but not for ever. A worker that lives serves what waits."""
        self._failed_starts += 1
        if self._failed_starts < _FAILED_STARTS_MAX:
            self._retry = self.loop.call_later(_RETRY_S * self._failed_starts, self._replace)
        elif not self._alive:
            self.events.workers_unavailable()

    def _watch(self, process: WorkerProcess) -> None:
        self.starts += 1
        worker = self.events.worker_added()
        watched = self._alive[worker] = _Watched(process)
        watched.start_timer = self.loop.call_later(_START_DEADLINE_S, lambda: self.kill(worker))
        self.loop.add_reader(process.fileno(), lambda: self._read(worker))

    def _unwatch(self, worker: int) -> WorkerProcess:
        watched = self._alive.pop(worker)
        if watched.start_timer is not None:
            watched.start_timer.cancel()
        self.loop.remove_reader(watched.process.fileno())
        self.loop.remove_writer(watched.process.fileno())
        return watched.process

    def _read(self, worker: int) -> None:
        watched = self._alive.get(worker)
        if watched is None:
            return
        try:
            for frame in watched.process.receive():
                self._take(worker, watched, frame)
        except WorkerGoneError:
            self._lose(worker)
        except ProtocolError as error:
            _LOG.warning("raster worker %d sent nonsense: %s", watched.process.pid, error)
            self._lose(worker)

    def _take(self, worker: int, watched: _Watched, frame: Frame) -> None:
        if worker not in self._alive:  # lost while an earlier frame was being handled
            return
        if watched.ready:
            self.events.worker_answered(worker, frame)
            return
        if frame.head.get("op") != "ready":
            raise ProtocolError("a worker must say hello first")
        watched.ready = True
        self._failed_starts = 0
        if watched.start_timer is not None:
            watched.start_timer.cancel()
        self.events.worker_ready(worker)

    def _lose(self, worker: int) -> None:
        if worker not in self._alive:
            return
        was_ready = self._alive[worker].ready
        process = self._unwatch(worker)
        process.kill()
        self._dead.append(process)
        self._bury()
        # Before a replacement is tried: where there is none to be had, everything that waits must be in the line.
        self.events.worker_lost(worker)
        if was_ready:
            self._replace()
        elif not self._closed:
            self._start_failed()

    def _bury(self) -> None:
        """Reap what is dead; look again soon for what is still dying."""
        dying = []
        for process in self._dead:
            if process.alive:
                dying.append(process)
            else:
                process.reap()
        self._dead = dying
        if dying and not self._closed:
            self.loop.call_later(_BURY_S, self._bury)

    def _flush(self, process: WorkerProcess) -> None:
        try:
            if not process.flush():
                return
        except WorkerGoneError:  # its reader reports the end
            pass
        self.loop.remove_writer(process.fileno())
