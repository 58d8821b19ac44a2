"""Writing a file without holding up the window: a few megabytes a turn of the event loop, then all at once in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QObject, QSaveFile, QTimer

CHUNK_BYTES = 4 << 20


class Saving(QObject):
    """One file being written. The old file stays until the new one is complete."""

    def __init__(
        self,
        path: Path,
        data: bytes | memoryview,
        done: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        """`done` gets an empty text, or what went wrong, once, later."""
        super().__init__(parent)
        self._data = memoryview(data).cast("B")
        self._done = done
        self._written = 0
        self._file = QSaveFile(str(path), self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        self._timer.start(0)

    def cancel(self) -> None:
        """Leave everything as it was."""
        self._timer.stop()
        self._file.cancelWriting()

    def _step(self) -> None:
        if not self._file.isOpen() and not self._file.open(QIODevice.OpenModeFlag.WriteOnly):
            self._end(self._file.errorString())
            return
        chunk = self._data[self._written : self._written + CHUNK_BYTES]
        if self._file.write(bytes(chunk)) != len(chunk):
            error = self._file.errorString()
            self._file.cancelWriting()
            self._end(error)
            return
        self._written += len(chunk)
        if self._written >= len(self._data):
            self._end("" if self._file.commit() else self._file.errorString())

    def _end(self, error: str) -> None:
        self._timer.stop()
        self._done(error)
        self.deleteLater()
