"""Documents looked at in a process of their own, since what stands in them may be hostile. The parent's side.

One server process for each thread that inspects; it has no network, and forks a child for each document, which may
read no file, has bounded memory and time, and is gone with its document. Whatever happens to it, an inspection goes
on and says what was not looked at.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass

import msgspec

from preview_app.inspection.source_facts import SourceFacts
from preview_app.raster.protocol import Decoder, Frame, ProtocolError, encode

_READ_BYTES = 1 << 16
_ENVIRONMENT = ("LD_LIBRARY_PATH", "PATH")
FAILED = "The document itself was not looked at: reading it failed."
TOO_SLOW = "The document itself was not looked at: reading it took too long."


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Bounds of reading one document: wall time, processor time, address space, bytes unpacked of a package."""

    deadline_s: float = 40.0
    cpu_s: int = 20
    memory_bytes_max: int = 1 << 30
    unpacked_bytes_max: int = 256 << 20


class SourceReader:
    """Reads one document after another; used by one thread. `program` is what the interpreter is told to run."""

    def __init__(
        self,
        limits: ReaderLimits | None = None,
        program: tuple[str, ...] = ("-m", "preview_app.inspection.source_child"),
    ) -> None:
        self._limits = limits or ReaderLimits()
        self._program = program
        self._server: _Server | None = None

    def read(self, data: bytes | memoryview, name: str) -> SourceFacts:
        """What a document tells. `name` helps to detect its type. Raises nothing: what could not be read is said."""
        order: dict[str, object] = {"name": name.encode("utf-8", "replace").decode(), "limits": asdict(self._limits)}
        try:
            if self._server is None:
                self._server = _Server(self._program)
            return _facts(self._server.ask(order, data, self._limits.deadline_s))
        except TimeoutError:
            self.close()
            return SourceFacts(not_read=(TOO_SLOW,))
        except (OSError, ProtocolError, msgspec.ValidationError):
            self.close()
            return SourceFacts(not_read=(FAILED,))

    def close(self) -> None:
        """End the server and what it has forked. Idempotent."""
        server, self._server = self._server, None
        if server is not None:
            server.close()


def _facts(answer: Frame) -> SourceFacts:
    if "facts" not in answer.head:
        return SourceFacts(not_read=(FAILED,))
    return msgspec.convert(answer.head["facts"], SourceFacts)


class _Server:
    """A running server."""

    def __init__(self, program: tuple[str, ...]) -> None:
        self._socket, theirs = socket.socketpair()
        self._decoder = Decoder()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", *program, str(os.getpid()), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name in _ENVIRONMENT},
                cwd="/",
                start_new_session=True,  # Ctrl+C on the terminal is for us alone
            )
        except BaseException:
            self._socket.close()
            raise
        finally:
            theirs.close()

    def ask(self, order: dict[str, object], data: bytes | memoryview, deadline_s: float) -> Frame:
        """Raises `TimeoutError`, `OSError`, `ProtocolError`."""
        self._socket.settimeout(deadline_s)
        self._socket.sendall(encode(order))
        self._socket.sendall(encode({}, data))
        while True:
            received = self._socket.recv(_READ_BYTES)
            if not received:
                raise ProtocolError("the reader is gone")
            if frames := self._decoder.feed(received):
                return frames[0]

    def close(self) -> None:
        self._socket.close()
        # The whole group: a child that reads a document must not outlive its server.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
