"""Shared memory by name, for systems without memfd: the parent creates and removes, the kit attaches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory


@dataclass(frozen=True, slots=True)
class Block:
    """A block of shared memory: the name by which another process attaches, and its bytes."""

    name: str
    buffer: memoryview


@contextmanager
def created(size: int) -> Iterator[Block]:
    """A block of at least `size` bytes (a system may round up), removed at the end."""
    block = SharedMemory(create=True, size=max(1, size))
    view = _bytes(block)
    try:
        yield Block(block.name, view)
    finally:
        view.release()
        block.close()
        block.unlink()


@contextmanager
def attached(name: str) -> Iterator[memoryview]:
    """The bytes of the block called `name`, which its creator removes. For a process that creates none itself."""
    # Before Python 3.13 attaching starts a tracker process, which would remove the block when *this* process ends.
    setattr(resource_tracker, "register", _ignore)  # noqa: B010 - a plain assignment is refused by the type checker
    block = SharedMemory(name=name)
    view = _bytes(block)
    try:
        yield view
    finally:
        view.release()
        block.close()


def _bytes(block: SharedMemory) -> memoryview:
    assert block.buf is not None  # it is None once closed
    return block.buf


def _ignore(name: str, kind: str) -> None:
    """Stand in for `resource_tracker.register` in a kit."""
