"""What this machine has left for preparing the engine: disk space and memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import psutil

from engines.errors import EngineError, ErrorKind

_CGROUP = Path("/sys/fs/cgroup")


def free_disk_bytes(directory: Path) -> int:
    """What may still be written to the file system of `directory`."""
    return shutil.disk_usage(directory).free


def free_memory_bytes(cgroup: Path = _CGROUP) -> int:
    """Memory and swap that can be had, within the limit of a container if there is one."""
    free = int(psutil.virtual_memory().available + psutil.swap_memory().free)
    try:
        limit = int((cgroup / "memory.max").read_text(encoding="ascii"))
        used = int((cgroup / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no container, or "max"
        return free
    return min(free, max(0, limit - used))


def require_disk(directory: Path, free: int, needed: int) -> None:
    """Raise `EngineError` with the remedy if less than `needed` bytes are free."""
    if free < needed:
        raise EngineError(
            ErrorKind.UNAVAILABLE,
            f"Preparing the engine needs {_gigabytes(needed)} of disk space and {directory} has {_gigabytes(free)}:"
            " free some, or set DOCPEEK_CACHE_DIR to a directory on another disk.",
        )


def require_memory(free: int, needed: int) -> None:
    """Raise `EngineError` with the remedy if less than `needed` bytes are free."""
    if free < needed:
        raise EngineError(
            ErrorKind.UNAVAILABLE,
            f"Compiling the engine (once) needs {_gigabytes(needed)} of memory and {_gigabytes(free)} are free:"
            " close other programs or add swap, then try again.",
        )


def _gigabytes(amount: int) -> str:
    return f"{amount / 1e9:.1f} GB"
