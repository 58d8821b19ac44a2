"""A kit: one document in its own process, then gone.

Forked from a zygote it is handed descriptors (`serve_forked`). Where a system has no fork or no memfd, this module is a
program of its own: it initialises an office ahead of time and then waits for its one document on standard input, with
the bytes in shared memory (`main`).
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO, NoReturn

from engines import sandbox
from engines.errors import EngineError, ErrorKind
from engines.notices import encoded
from engines.office import Office, load
from engines.protocol import (
    DIAGNOSTICS_CHARACTERS_MAX,
    Convert,
    Decoder,
    Failed,
    Frame,
    Init,
    Phase,
    Ready,
    Result,
    encode,
)
from engines.sandbox import SandboxPolicy

STACK_BYTES = 512 << 20


def failed(error: BaseException) -> Failed:
    """How an exception is told to the parent."""
    if isinstance(error, EngineError):
        return Failed(error.kind.value, error.message, error.diagnostics[-DIAGNOSTICS_CHARACTERS_MAX:])
    trace = "".join(traceback.format_exception(error))[-DIAGNOSTICS_CHARACTERS_MAX:]
    return Failed(ErrorKind.ENGINE.value, "The engine failed unexpectedly.", trace)


def convert(
    office: Office,
    request: Convert,
    source: memoryview,
    store: Callable[[memoryview], None],
    emit: Callable[[Frame], None],
) -> None:
    """Convert and tell the parent how it went; raises only when the parent cannot be told."""
    try:
        done = office.convert(source, request, lambda name: emit(Phase(name)))
        if len(done.pdf) > request.result_bytes_max:
            raise EngineError(ErrorKind.LIMIT, f"The PDF would be larger than {request.result_bytes_max >> 20} MiB.")
        store(done.pdf)
    except Exception as error:  # noqa: BLE001 - whatever happens here is an answer to the parent
        emit(failed(error))
    else:
        emit(Result(len(done.pdf), done.seconds, done.fonts, encoded(done.notices)))


def serve_forked(office: Office, socket_fd: int) -> NoReturn:
    """Wait for the one document of this forked process, convert it, and end without running anyone's clean-up."""
    from engines import memfd, process
    from engines.channel import adopt

    channel = adopt(socket_fd)
    request = channel.receive()
    if not isinstance(request, Convert):
        os._exit(0)  # the zygote has no use for this spare any more
    job_fd, source_fd, result_fd = channel.take_descriptors(3)
    process.limit(request.cpu_s, request.result_bytes_max)
    job = adopt(job_fd)
    try:
        convert(office, request, memfd.view(source_fd), lambda pdf: memfd.write(result_fd, pdf), job.send)
    except OSError:
        os._exit(1)  # the parent is gone, or does not want the answer any more
    os._exit(0)


class _Spawned:
    """A kit that was started by itself: the main thread reads frames, the owner's thread has the office."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source, self._sink = source, sink
        self._frames: SimpleQueue[Frame] = SimpleQueue()
        self._own_network = sandbox.leave_network()

    def read_until_the_parent_goes(self) -> None:
        decoder = Decoder()
        while data := os.read(self._source.fileno(), 1 << 16):
            for frame in decoder.feed(data):
                if isinstance(frame, Convert):
                    sandbox.enter(SandboxPolicy())  # the owner's thread does it for itself; this one needs no file
                self._frames.put(frame)

    def serve(self) -> NoReturn:
        try:
            self._serve()
        finally:
            os._exit(0)  # the guest's threads are not waited for

    def _serve(self) -> None:
        init = self._frames.get()
        if not isinstance(init, Init):
            return
        try:
            office = load(init.office, init.settings)
            office.initialise()
        except Exception as error:  # noqa: BLE001 - told to the parent
            self._send(failed(error))
            return
        while office.warm_up():
            pass
        self._send(Ready({}))
        request = self._frames.get()
        if isinstance(request, Convert):
            self._convert(office, request)

    def _convert(self, office: Office, request: Convert) -> None:
        from engines.sharedmem import attached

        with attached(request.source) as source, attached(request.result) as result:
            if policy := office.sandbox_policy():
                sandbox.enter(policy, network_namespace=self._own_network)
            convert(office, request, source[: request.source_bytes], _store_in(result), self._send)

    def _send(self, frame: Frame) -> None:
        self._sink.write(encode(frame))
        self._sink.flush()


def _store_in(result: memoryview) -> Callable[[memoryview], None]:
    def store(pdf: memoryview) -> None:
        if len(pdf) > len(result):
            raise EngineError(ErrorKind.LIMIT, f"The PDF would be larger than {len(result) >> 20} MiB.")
        result[: len(pdf)] = pdf

    return store


def main() -> NoReturn:
    """The program of a spawned kit."""
    if os.name == "posix":
        from engines import process

        process.forbid_core_dumps()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up among the frames
    spawned = _Spawned(sys.stdin.buffer, sink)
    # A thread, since no system but Linux lets a program enlarge the stack of its main thread.
    threading.stack_size(STACK_BYTES)
    threading.Thread(target=spawned.serve, name="owner", daemon=True).start()
    try:
        spawned.read_until_the_parent_goes()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
