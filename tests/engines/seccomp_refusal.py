"""Filters that take a protection away, as some containers and old kernels do, to see what is made of it."""

from __future__ import annotations

import errno

from engines.seccomp import Instruction

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_PRCTL = {"x86_64": 157, "aarch64": 167}


def refusal(what: str) -> list[Instruction]:
    """A filter under which there is no `landlock` or no further `seccomp`, and no new namespace either."""
    import os

    prctl = _PRCTL[os.uname().machine]
    unshare = {157: 272, 167: 97}[prctl]
    if what == "landlock":
        refused = [(_EQUAL, 0, 1, 444), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    else:
        refused = [
            (_EQUAL, 0, 3, prctl),
            (_LOAD, 0, 0, 16),
            (_EQUAL, 0, 1, 22),  # PR_SET_SECCOMP
            (_RETURN, 0, 0, _ERRNO | errno.EINVAL),
            (_LOAD, 0, 0, 0),
        ]
    refused += [(_EQUAL, 0, 1, unshare), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    return [(_LOAD, 0, 0, 0), *refused, (_RETURN, 0, 0, _ALLOW)]
