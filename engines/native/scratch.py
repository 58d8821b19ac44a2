"""A private folder in memory for the documents and temporary files of one engine, and the clearing of old ones.

Whoever uses a folder holds a shared lock on it, which ends with the process whatever ends that. So a folder that can be
locked alone has no user left, and whoever comes next clears it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PREFIX = "docpeek-native-"
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it, with a name that nobody can know
_FREE_BYTES_MIN = 1 << 30
_AGE_S_MIN = 60.0
"""A folder this young may not be locked yet by whoever is making it."""


class Scratch:
    """A new folder, readable for us alone, until `remove`."""

    def __init__(self, root: Path | None = None) -> None:
        base = root or default_root()
        clear_old(base)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        self._lock = hold(self.path)

    def remove(self) -> None:
        """Remove it with all that is in it. Idempotent."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def default_root() -> Path:
    """A file system in memory where there is a roomy one, else the folder for temporary files."""
    with contextlib.suppress(OSError):
        status = os.statvfs(_SHARED_MEMORY)
        if status.f_bavail * status.f_frsize >= _FREE_BYTES_MIN and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK):
            return _SHARED_MEMORY
    return Path(tempfile.gettempdir())


def hold(folder: Path) -> int:
    """Mark the folder as in use for as long as the descriptor lives; a forked child shares it."""
    if sys.platform == "win32":
        return -1
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def clear_old(root: Path, *, now: float | None = None) -> list[Path]:
    """Remove folders of ours, and of this user, that nobody holds any more; gives what was removed."""
    removed: list[Path] = []
    if sys.platform == "win32":  # no such locks there: what is old cannot be told from what is in use
        return removed
    for folder in root.glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            age_s = (time.time() if now is None else now) - status.st_mtime
            if status.st_uid == os.geteuid() and age_s >= _AGE_S_MIN and _remove_unheld(folder):
                removed.append(folder)
    return removed


def _remove_unheld(folder: Path) -> bool:
    if sys.platform == "win32":
        return False
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        shutil.rmtree(folder, ignore_errors=True)
        return True
    finally:
        os.close(descriptor)
