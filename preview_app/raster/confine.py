"""Take the file system and the network away from this process, for good, as far as the kernel offers it (Landlock).

What is open stays usable; nothing more can be opened, by no code that a hostile PDF might get to run. Standard library
only. Where the kernel has no Landlock the worker still has no descriptor but its own and its limits.
Source: `linux/landlock.h`, and the kernel's documentation `userspace-api/landlock`.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same numbers on every architecture
_VERSION_FLAG = 1


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def confine() -> bool:
    """Deny every access that the kernel can deny; whether the file system is among them."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1 or libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    attributes, size = _everything(version)
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    try:
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _everything(version: int) -> tuple[_RulesetAttributes, int]:
    """All that Landlock of this version handles, and the size of the structure that it knows."""
    files = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    attributes = _RulesetAttributes(
        handled_access_fs=(1 << files) - 1,
        handled_access_net=0b11 if version >= 4 else 0,  # bind and connect of TCP
        scoped=0b11 if version >= 6 else 0,  # abstract sockets and signals of others
    )
    return attributes, 24 if version >= 6 else 16 if version >= 4 else 8
