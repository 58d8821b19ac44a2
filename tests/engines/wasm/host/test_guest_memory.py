"""Every access of the host to the guest's memory is inside of it, or an error."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

import pytest

from engines.wasm.host import capi
from engines.wasm.host.errors import GuestFault
from engines.wasm.host.memory import PAGE_BYTES, GuestMemory

U64 = Struct("<Q")


@pytest.fixture
def shared() -> capi.SharedMemory:
    return capi.SharedMemory(capi.new_engine(1 << 20), 1, 8)


@pytest.fixture
def memory(shared: capi.SharedMemory) -> GuestMemory:
    return GuestMemory(shared, 8 * PAGE_BYTES)


def test_numbers_and_bytes_come_back(memory: GuestMemory) -> None:
    memory.put_u32(8, -1)
    memory.write(12, b"abc")
    assert memory.u32(8) == 0xFFFFFFFF
    assert bytes(memory.read(12, 3)) == b"abc"
    memory.clear(8, 4)
    assert memory.u32(8) == 0


@pytest.mark.parametrize("address", [PAGE_BYTES - 3, PAGE_BYTES, 0xFFFFFFFF, 1 << 40])
@pytest.mark.parametrize(
    "access",
    [
        lambda m, a: m.u32(a),
        lambda m, a: m.put_u32(a, 1),
        lambda m, a: m.write(a, b"1234"),
        lambda m, a: m.read(a, 4),
        lambda m, a: m.clear(a, 4),
        lambda m, a: m.pack(U64, a, 1),
        lambda m, a: m.unpack(U64, a),
    ],
)
def test_an_access_across_the_end_is_a_fault(
    memory: GuestMemory, access: Callable[[GuestMemory, int], object], address: int
) -> None:
    with pytest.raises(GuestFault):
        access(memory, address)


@pytest.mark.parametrize("length", [PAGE_BYTES + 1, 1 << 63, -1])
def test_a_huge_or_negative_length_is_a_fault(memory: GuestMemory, length: int) -> None:
    with pytest.raises(GuestFault):
        memory.read(0, length)


def test_nothing_is_written_by_a_write_that_faults(memory: GuestMemory) -> None:
    with pytest.raises(GuestFault):
        memory.write(PAGE_BYTES - 2, b"abc")
    assert bytes(memory.read(PAGE_BYTES - 2, 2)) == b"\0\0"


@pytest.mark.parametrize("length", [0, 5, 255, 256, 257, 1000])
def test_a_string_ends_at_the_zero(memory: GuestMemory, length: int) -> None:
    memory.write(100, b"x" * length + b"\0rest")
    assert memory.c_string(100) == b"x" * length


def test_a_string_without_an_end_is_a_fault(memory: GuestMemory) -> None:
    memory.write(PAGE_BYTES - 300, b"x" * 300)
    with pytest.raises(GuestFault):
        memory.c_string(PAGE_BYTES - 300)
    with pytest.raises(GuestFault):
        memory.c_string(PAGE_BYTES - 300, bytes_max=10)


@pytest.mark.parametrize("text", ["", "a", "Ā", "x" * 127, "x" * 128, "𝔸" * 200, "\u0100\u0001"])
def test_a_utf16_string_ends_at_an_aligned_zero_unit(memory: GuestMemory, text: str) -> None:
    memory.write(64, text.encode("utf-16-le") + b"\0\0rest")
    assert memory.utf16_string(64).decode("utf-16-le") == text


def test_a_utf16_string_without_an_end_is_a_fault(memory: GuestMemory) -> None:
    memory.write(PAGE_BYTES - 10, b"x" * 10)
    with pytest.raises(GuestFault):
        memory.utf16_string(PAGE_BYTES - 10)
    with pytest.raises(GuestFault):
        memory.utf16_string(PAGE_BYTES - 1)


def test_growth_by_another_is_seen(memory: GuestMemory, shared: capi.SharedMemory) -> None:
    assert shared.grow(1)
    memory.put_u32(2 * PAGE_BYTES - 4, 7)
    assert memory.u32(2 * PAGE_BYTES - 4) == 7


def test_growing_stops_at_the_limit(memory: GuestMemory, shared: capi.SharedMemory) -> None:
    assert not memory.grow_to(PAGE_BYTES)
    assert memory.grow_to(3 * PAGE_BYTES)
    assert memory.size >= 3 * PAGE_BYTES
    assert not memory.limit_reached
    assert memory.grow_to(8 * PAGE_BYTES)
    assert not memory.grow_to(8 * PAGE_BYTES + 1)
    assert memory.limit_reached
    assert memory.size == 8 * PAGE_BYTES
    assert not shared.grow(1)
