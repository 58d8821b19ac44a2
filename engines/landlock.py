"""Landlock: a process gives up every file but those that it names, and TCP, for good (Linux 5.13 and later).

Standard library only, for child processes. The raster worker has a few lines of its own for the simpler case of giving
up everything, since its process loads nothing of the engines.
Source: `linux/landlock.h` and the kernel's documentation `userspace-api/landlock`.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_MAKE_CHAR, _MAKE_SOCK, _MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_READ = _READ_FILE | _READ_DIR
_OF_A_FILE = _WRITE_FILE | _READ_FILE | _TRUNCATE
_NEVER = _EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_BLOCK | _IOCTL_DEV
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract Unix sockets and signals, out of this process


class Ruleset:
    """What stays allowed. Raises `OSError` where the kernel refuses; close it, or use it as a context manager."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.abi = abi()
        self._handled = _handled_file_rights(self.abi)
        attributes = struct.pack("QQQ", self._handled, _TCP, _SCOPES)
        size = 24 if self.abi >= 6 else 16 if self.abi >= 4 else 8
        self._descriptor = self._call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)

    def __enter__(self) -> Ruleset:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)

    def allow(self, paths: Iterable[str], *, write: bool = False, execute: bool = False, sockets: bool = False) -> None:
        """Allow each file, and whatever is below each folder. What is not there is left out.

        With `sockets`, only that sockets with a name may be made there.
        """
        rights = (self._handled & ~_NEVER) if write else _MAKE_SOCK if sockets else _READ
        rights |= _EXECUTE if execute else 0
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # nothing is allowed then, which is the safe side
            try:
                self._allow(descriptor, rights)
            finally:
                os.close(descriptor)

    def _allow(self, descriptor: int, rights: int) -> None:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_A_FILE | _EXECUTE
        self._call(
            _ADD_RULE, self._descriptor, _PATH_BENEATH, struct.pack("=Qi", rights & self._handled, descriptor), 0
        )

    def restrict_self(self) -> None:
        """From now on, for this thread and all that it starts. It must be the only one to speak for the process."""
        if self._libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")
        self._call(_RESTRICT_SELF, self._descriptor, 0)

    def _call(self, number: int, *arguments: object) -> int:
        result: int = self._libc.syscall(number, *arguments)
        if result < 0:
            raise OSError(ctypes.get_errno(), f"Landlock call {number}")
        return result


def abi() -> int:
    """The version that the kernel has; 0 where there is none, or it is off, or not to be had in this container."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def _handled_file_rights(version: int) -> int:
    """Every right that Landlock of this version knows: REFER came with 2, TRUNCATE with 3, IOCTL_DEV with 5."""
    return (1 << 13 + (version >= 2) + (version >= 3) + (version >= 5)) - 1
