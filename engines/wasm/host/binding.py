"""How a module of the host declares the imports that it provides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Failure(Enum):
    """How a call tells the guest of an `ErrnoError` (and of a bad pointer, which is EFAULT)."""

    NEGATED = "negated"
    """A system call: the result is the negated number."""
    POSITIVE = "positive"
    """A WASI call: the result is the number."""
    TRAP = "trap"
    """The call has no such result: the guest is ended."""


@dataclass(frozen=True, slots=True)
class HostFunction:
    """One import. `signature` is `params:results` in `i` (32-bit), `j` (64-bit), `d` (double).

    `call` gets the parameters (`i` unsigned, `j` signed) and returns the result. Where `raw` is set it gets the
    argument array itself instead (words, or doubles if the result is one) and puts the result at index 0: for the
    hot ones. `locked` calls run under the file tree's lock.
    """

    signature: str
    call: Callable[..., Any]
    failure: Failure = Failure.TRAP
    locked: bool = False
    raw: bool = False


def system_call(signature: str, call: Callable[..., int]) -> HostFunction:
    """An import that answers like a Linux system call, under the tree's lock."""
    return HostFunction(signature, call, Failure.NEGATED, locked=True)


def wasi_call(signature: str, call: Callable[..., int]) -> HostFunction:
    """An import that answers like a WASI call, under the tree's lock."""
    return HostFunction(signature, call, Failure.POSITIVE, locked=True)


Bindings = dict[str, HostFunction]
