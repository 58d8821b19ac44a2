"""The window's end of `preview_app.running_window`: it listens, and opens what a second start hands over."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier

from preview_app.running_window import MESSAGE_BYTES_MAX, OK, decode

CONNECTIONS_MAX = 8
_CHUNK_BYTES = 1 << 16


class Instance(QObject):
    """Listens at a path until it is closed; a window that listens there already keeps it."""

    def __init__(self, path: Path, opened: Callable[[Sequence[Path]], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._opened = opened
        self._connections: dict[socket.socket, tuple[QSocketNotifier, bytearray]] = {}
        self._listener: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        with suppress(OSError):
            self._listen()

    @property
    def listening(self) -> bool:
        """Whether a second start finds this window."""
        return self._listener is not None

    def close(self) -> None:
        """Listen no more. Idempotent."""
        for connection in list(self._connections):
            self._drop(connection)
        if self._notifier is not None and self._listener is not None:
            self._notifier.setEnabled(False)
            self._listener.close()
            self._notifier = self._listener = None
            self._path.unlink(missing_ok=True)

    def _listen(self) -> None:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if not _is_free(self._path):
                listener.close()
                return
            self._path.unlink(missing_ok=True)
            listener.setblocking(False)
            listener.bind(str(self._path))
            listener.listen(CONNECTIONS_MAX)
        except OSError:
            listener.close()
            raise
        self._listener = listener
        self._notifier = QSocketNotifier(listener.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda *_: self._accept())

    def _accept(self) -> None:
        if self._listener is None:
            return
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if len(self._connections) >= CONNECTIONS_MAX:
            connection.close()
            return
        connection.setblocking(False)
        notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._connections[connection] = notifier, bytearray()
        notifier.activated.connect(lambda *_: self._read(connection))

    def _read(self, connection: socket.socket) -> None:
        if connection not in self._connections:
            return
        message = self._connections[connection][1]
        try:
            chunk = connection.recv(_CHUNK_BYTES)
        except OSError:
            chunk = b""
        message += chunk
        if message.endswith(b"\n"):
            self._take(connection, bytes(message))
        elif not chunk or len(message) > MESSAGE_BYTES_MAX:
            self._drop(connection)

    def _take(self, connection: socket.socket, message: bytes) -> None:
        paths = decode(message)
        if paths is not None:
            with suppress(OSError):
                connection.send(OK)
        self._drop(connection)
        if paths is not None:
            self._opened(paths)

    def _drop(self, connection: socket.socket) -> None:
        notifier, _ = self._connections.pop(connection)
        notifier.setEnabled(False)
        notifier.deleteLater()
        connection.close()


def _is_free(path: Path) -> bool:
    """Whether nobody listens at a path: what is left there of a window that was killed does not."""
    if not path.exists():
        return True
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.2)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False
