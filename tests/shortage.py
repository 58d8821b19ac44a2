"""What a system may refuse, taken away for the length of a block: descriptors and threads."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def open_descriptors() -> set[str]:
    """What this process has open."""
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}


@contextmanager
def descriptors_left(count: int) -> Iterator[None]:
    """So many more descriptors can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = set(map(int, open_descriptors()))
    free = (number for number in range(soft) if number not in used)
    bound = next(number for place, number in enumerate(free) if place == count)
    resource.setrlimit(resource.RLIMIT_NOFILE, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def no_threads() -> Iterator[None]:
    """The system gives no thread: there is no address space for such a stack."""
    former = threading.stack_size(1 << 46)
    try:
        yield
    finally:
        threading.stack_size(former)
