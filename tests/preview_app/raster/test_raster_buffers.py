"""Memory for pictures: a copy for as long as anybody looks, then memory for the next one."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator

import pytest

from preview_app.raster.buffers import PICTURE_BYTES_MIN, Buffers

SIZE = 2 * PICTURE_BYTES_MIN


@pytest.fixture
def slot() -> Iterator[mmap.mmap]:
    """What a worker writes into."""
    with mmap.mmap(-1, 2 * SIZE) as made:
        yield made


def fill(slot: mmap.mmap, byte: bytes) -> None:
    slot[:] = byte * len(slot)


@pytest.mark.parametrize("size", [0, 1, PICTURE_BYTES_MIN - 1, PICTURE_BYTES_MIN, SIZE + 1])
def test_a_copy_is_what_the_source_was(slot: mmap.mmap, size: int) -> None:
    fill(slot, b"a")
    copy = Buffers().copy(slot, size)
    fill(slot, b"b")
    assert bytes(copy) == b"a" * size


def test_a_copy_cannot_be_written(slot: mmap.mmap) -> None:
    copy = Buffers().copy(slot, SIZE)
    assert isinstance(copy, memoryview)
    assert copy.readonly


def test_memory_is_used_again_once_nobody_looks(slot: mmap.mmap) -> None:
    buffers = Buffers()
    for _ in range(5):
        copy = buffers.copy(slot, SIZE)
        assert repr(buffers) == "<Buffers rooms=1 spare_bytes=0>"
        del copy
        assert buffers.spare_bytes == SIZE


@pytest.mark.parametrize(
    "look",
    [
        lambda copy: copy[5:10],
        memoryview,
        lambda copy: copy.cast("B", (2, SIZE // 2)),
    ],
)
def test_memory_stays_while_a_view_of_it_lives(slot: mmap.mmap, look: Callable[[memoryview], memoryview]) -> None:
    buffers = Buffers()
    fill(slot, b"a")
    copy = buffers.copy(slot, SIZE)
    assert isinstance(copy, memoryview)
    view = look(copy)
    del copy
    fill(slot, b"b")
    other = buffers.copy(slot, SIZE)
    assert set(view.tobytes()) == {ord("a")}
    assert set(bytes(other)) == {ord("b")}
    assert repr(buffers) == "<Buffers rooms=2 spare_bytes=0>"


def test_a_picture_takes_no_memory_that_is_much_too_large(slot: mmap.mmap) -> None:
    buffers = Buffers()
    large = buffers.copy(slot, 2 * SIZE)
    del large
    small = buffers.copy(slot, SIZE)
    assert repr(buffers) == f"<Buffers rooms=2 spare_bytes={2 * SIZE}>"
    del small


def test_what_is_to_spare_has_a_bound(slot: mmap.mmap) -> None:
    buffers = Buffers(spare_bytes_max=2 * SIZE)
    copies = [buffers.copy(slot, SIZE) for _ in range(5)]
    buffers.trim()
    assert repr(buffers) == "<Buffers rooms=5 spare_bytes=0>", "what is looked at is not to spare"
    kept = copies.pop()
    copies.clear()
    buffers.trim()
    assert repr(buffers) == f"<Buffers rooms=3 spare_bytes={2 * SIZE}>"
    del kept


def test_a_copy_outlives_its_buffers(slot: mmap.mmap) -> None:
    buffers = Buffers()
    fill(slot, b"a")
    copy = buffers.copy(slot, SIZE)
    buffers.clear()
    fill(slot, b"b")
    buffers.copy(slot, SIZE)
    assert set(bytes(copy)) == {ord("a")}
