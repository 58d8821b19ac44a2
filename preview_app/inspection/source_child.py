"""The server that reads documents: `python -I -m preview_app.inspection.source_child PARENT_PID SOCKET`.

Single-threaded. For each document that comes by the socket it forks a child, which shuts every door behind itself,
reads the document, writes its facts into a pipe and ends. See `preview_app.inspection.source_reader`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from dataclasses import asdict
from typing import Any, NoReturn

from engines import process, sandbox
from engines.sandbox import SandboxPolicy
from preview_app.inspection.reading import document
from preview_app.raster.protocol import Decoder, Frame, encode

_READ_BYTES = 1 << 20
_ANSWER_BYTES_MAX = 1 << 20
_FAILURE = b"{}"


class Server:
    """Serves one parent until it is gone."""

    def __init__(self, connection: socket.socket, *, network_left: bool) -> None:
        self._connection = connection
        self._network_left = network_left
        self._decoder = Decoder()
        self._frames: list[Frame] = []

    def serve(self) -> None:
        """Answer until the socket closes."""
        while (order := self._next()) is not None and (source := self._next()) is not None:
            answer = self._in_child(order.head, source.blob)
            del source
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._connection.sendall(encode(json.loads(answer)))

    def _next(self) -> Frame | None:
        while not self._frames:
            received = self._connection.recv(_READ_BYTES)
            if not received:
                return None
            self._frames = self._decoder.feed(received)
        return self._frames.pop(0)

    def _in_child(self, order: Any, data: bytes) -> bytes:
        ours, theirs = os.pipe()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            self._connection.close()
            os.close(ours)
            _read_and_end(parent, theirs, order, data, network_left=self._network_left)
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            answer = pipe.read(_ANSWER_BYTES_MAX + 1)
        _pid, status = os.waitpid(child, 0)
        return answer if status == 0 and 0 < len(answer) <= _ANSWER_BYTES_MAX else _FAILURE


def _read_and_end(parent: int, pipe: int, order: Any, data: bytes, *, network_left: bool) -> NoReturn:
    """In the child. It ends here, whatever happens."""
    try:
        process.die_with_parent(parent)
        limits = order["limits"]
        process.limit(limits["cpu_s"], 0)
        sandbox.enter(SandboxPolicy(address_space_bytes_max=limits["memory_bytes_max"]), network_namespace=network_left)
        facts = document.read(memoryview(data), order["name"], limits["unpacked_bytes_max"])
        rest = memoryview(json.dumps({"facts": asdict(facts)}).encode())
        while rest:
            rest = rest[os.write(pipe, rest) :]
    except BaseException:  # noqa: BLE001 - nothing may come back from the fork
        os._exit(1)
    os._exit(0)


def main() -> None:
    """Serve the parent."""
    process.die_with_parent(int(sys.argv[1]))
    process.forbid_new_privileges()
    process.set_name("docpeek-reader")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    network_left = sandbox.leave_network()
    with socket.socket(fileno=int(sys.argv[2])) as connection:
        Server(connection, network_left=network_left).serve()


if __name__ == "__main__":
    main()
