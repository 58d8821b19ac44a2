"""What a file that could not be shown holds: its type by its bytes, and their digest. Read on a thread of its own."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engines.errors import EngineError
from engines.sniffing import detect
from preview_app.desktop.bridge import MainThreadPost

READ_BYTES_MAX = 64 << 20
"""Larger files are not read for this."""


@dataclass(frozen=True, slots=True)
class FileLook:
    """`type_id` is one of `engines.formats`, `sha256` hexadecimal; both are empty where they are not known."""

    type_id: str = ""
    sha256: str = ""

    @classmethod
    def at(cls, path: Path) -> FileLook:
        """Look now. Blocks while the file is read; raises nothing."""
        try:
            # Sized first: a pipe or a device is never opened, nor is what would fill the memory.
            if not is_there(path) or path.stat().st_size > READ_BYTES_MAX:
                return cls()
            data = path.read_bytes()
        except OSError:
            return cls()
        return cls(_type_of(data, path.name), hashlib.sha256(data).hexdigest())


class FileLooks(QObject):
    """Looks at one file at a time; `found` comes on the thread of this object."""

    found = Signal(object, object)
    """The `Path`, and its `FileLook`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._post = MainThreadPost(self)
        self._thread: threading.Thread | None = None
        self._next: Path | None = None

    def ask(self, path: Path) -> None:
        """Look at this one, after the one that is being read; what else waits is given up for it."""
        self._next = path
        if self._thread is None:
            self._start()

    def stop(self) -> None:
        """Look at nothing more. Waits for the file that is being read. Idempotent."""
        self._post.close()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        path, self._next = self._next, None
        if path is not None:
            self._thread = threading.Thread(target=self._run, args=(path,), name="docpeek-look")
            self._thread.start()

    def _run(self, path: Path) -> None:
        look = FileLook.at(path)
        self._post(lambda: self._end(path, look))

    def _end(self, path: Path, look: FileLook) -> None:
        if self._thread is not None:
            self._thread.join()
        self._thread = None
        self.found.emit(path, look)
        if self._thread is None:
            self._start()


def is_there(path: Path) -> bool:
    """Whether there is a regular file, as far as this program may know. Raises nothing."""
    try:
        return path.is_file()
    except OSError:  # a folder on the way there may not be entered
        return False


def _type_of(data: bytes, name: str) -> str:
    try:
        return detect(data, name).type.id
    except (EngineError, MemoryError):
        return ""
