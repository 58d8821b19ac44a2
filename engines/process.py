"""What a child process does to itself: name, limits, stack, dying with its parent (Linux; a no-op where unknown)."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_NO_NEW_PRIVS = 38
STACK_BYTES = 512 << 20
"""Address space for the main thread's stack: the guest's 64 MiB and the host's frames between them, with room."""


def _prctl(option: int, argument: int | bytes) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def set_name(name: str) -> None:
    """Show `name` (15 characters) in `ps` and `top`."""
    _prctl(_PR_SET_NAME, name.encode()[:15])


def forbid_new_privileges() -> None:
    """No program that this process starts can gain rights (setuid)."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent's thread that forked us ends; at once if `parent` is gone already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


@contextmanager
def tied_to(descriptor: int) -> Iterator[None]:
    """Meanwhile, be killed when the other end of a socket closes, whatever this process is busy with.

    Nothing may come by the socket meanwhile: that would count as its end.
    """
    if not hasattr(fcntl, "F_SETSIG"):
        yield
        return
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if poll.poll(0):  # it closed before the signal was armed
        os._exit(1)
    try:
        yield
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


def ensure_stack(arguments: list[str]) -> None:
    """Give the main thread a stack of `STACK_BYTES`, which takes effect at exec only: so start over once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    enough = soft == resource.RLIM_INFINITY or soft >= STACK_BYTES
    if enough or (hard != resource.RLIM_INFINITY and hard < STACK_BYTES):
        return
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, hard))
    os.execv(sys.executable, arguments)  # noqa: S606 - the same program again


def limit(cpu_s: int, file_bytes_max: int) -> None:
    """Bound processor time and the size of what is written; no core dumps."""
    _lower(resource.RLIMIT_CPU, cpu_s)
    _lower(resource.RLIMIT_FSIZE, file_bytes_max)
    forbid_core_dumps()


def forbid_core_dumps() -> None:
    """Leave nothing of a document behind when this process crashes.

    One byte rather than none: no dump fits into it, and it is the one value for which the kernel does not call a
    program that collects dumps either, to which it passes them whatever the limit (core(5), `coredump.c`).
    """
    _lower(resource.RLIMIT_CORE, 1)


def limit_address_space(size_bytes: int) -> None:
    """Bound the address space: a backstop, since a program that is refused memory may go on with less content."""
    _lower(resource.RLIMIT_AS, size_bytes)


def _lower(kind: int, value: int) -> None:
    _soft, hard = resource.getrlimit(kind)
    wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (wanted, wanted))
