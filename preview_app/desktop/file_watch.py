"""Notices when the file that is shown changes, and tells when the change is over.

A save may write a file in many steps, or put another in its place, which ends a watch on the file itself. So the
folder is watched too, the file is added again, and a change counts as over when two looks, `QUIET_MS` apart, find
the same size and time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

QUIET_MS = 300

Stamp = tuple[int, int, int]
"""Inode, size, time of modification in ns."""


def stamp_of(path: Path) -> Stamp | None:
    """What a file looks like from outside, `None` when it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class FileWatch(QObject):
    """Watches one file and the folders of the list."""

    changed = Signal(object)
    """The file (a `Path`) has another content, and nobody is writing it any more."""
    gone = Signal(object)
    """The file is not there any more."""
    folder_changed = Signal()
    """Something in a watched folder changed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._something_happened)
        self._watcher.directoryChanged.connect(self._directory_changed)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self._look)
        self._path: Path | None = None
        self._folders: frozenset[Path] = frozenset()
        self._known: Stamp | None = None
        self._last: Stamp | None = None
        self._shown: tuple[Path | None, Stamp | None] = (None, None)

    def watch(self, path: Path | None) -> None:
        """Watch this file from now on, as it is now."""
        self._known = None if path is None else stamp_of(path)
        self._watch_as_known(path)

    def note_shown(self) -> None:
        """What is watched is what a person sees now: `go_back` returns to it."""
        self._shown = self._path, self._known

    def go_back(self) -> None:
        """Watch again what was last seen; tells of a change that came while another file was watched."""
        path, self._known = self._shown
        self._watch_as_known(path)
        if self._last != self._known:
            self._quiet.start()

    def watch_folders(self, folders: Iterable[Path]) -> None:
        """Tell when entries come and go in these folders."""
        wanted = frozenset(folders)
        if wanted != self._folders:
            self._folders = wanted
            self._set_paths()

    def stop(self) -> None:
        """Watch nothing."""
        self._folders = frozenset()
        self.watch(None)

    def _watch_as_known(self, path: Path | None) -> None:
        self._quiet.stop()
        self._path = path
        self._last = None if path is None else stamp_of(path)
        self._set_paths()

    def _set_paths(self) -> None:
        wanted = {str(path) for path in (*self._folders, self._path, self._path and self._path.parent) if path}
        present = {*self._watcher.files(), *self._watcher.directories()}
        if present - wanted:
            self._watcher.removePaths(list(present - wanted))
        # What may not be read may not be watched, and Qt would complain of it. The folder tells when that changes.
        missing = [path for path in wanted - present if os.access(path, os.R_OK)]
        if missing:
            self._watcher.addPaths(missing)

    def _directory_changed(self, directory: str) -> None:
        if Path(directory) in self._folders:
            self.folder_changed.emit()
        if self._path is not None and stamp_of(self._path) != self._known:
            self._something_happened()

    def _something_happened(self) -> None:
        if self._path is not None:
            self._set_paths()
            self._last = stamp_of(self._path)
            self._quiet.start()

    def _look(self) -> None:
        path = self._path
        if path is None:
            return
        stamp = stamp_of(path)
        self._set_paths()
        if stamp != self._last:
            self._last = stamp
            self._quiet.start()
        elif stamp != self._known:
            self._known = stamp
            (self.gone if stamp is None else self.changed).emit(path)
