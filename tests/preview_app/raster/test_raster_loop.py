"""The loop for programs that have none."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from preview_app.raster.loop import PumpingLoop
from preview_app.raster.loop_select import SelectLoop


class Clock:
    """A clock that moves on by itself a little whenever it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def loop() -> Iterator[SelectLoop]:
    """A loop whose time flies."""
    with SelectLoop(Clock()) as made:
        yield made


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The two ends of a pipe."""
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_it_is_a_loop_that_can_be_pumped(loop: SelectLoop) -> None:
    assert isinstance(loop, PumpingLoop)
    assert not loop.run_until(lambda: False, 0.01)


def test_what_is_called_soon_runs_in_order_and_in_the_next_turn(loop: SelectLoop) -> None:
    ran: list[str] = []

    def first() -> None:
        ran.append("first")
        loop.call_soon(lambda: ran.append("later"))

    loop.call_soon(first)
    dropped = loop.call_soon(lambda: ran.append("never"))
    loop.call_soon(lambda: ran.append("second"))
    dropped.cancel()
    dropped.cancel()
    assert ran == []
    assert loop.run_until(lambda: "later" in ran, 1)
    assert ran == ["first", "second", "later"]


def test_timers_run_in_the_order_of_their_times(loop: SelectLoop) -> None:
    ran: list[str] = []
    loop.call_later(0.02, lambda: ran.append("late"))
    loop.call_later(0.01, lambda: ran.append("early"))
    loop.call_later(0.015, lambda: ran.append("never")).cancel()
    assert loop.run_until(lambda: len(ran) == 2, 1)
    assert ran == ["early", "late"]


def test_readers_and_writers_of_one_descriptor_come_and_go(pipe: tuple[int, int]) -> None:
    with SelectLoop() as loop:
        readers_and_writers(loop, *pipe)


def readers_and_writers(loop: SelectLoop, read: int, write: int) -> None:
    seen: list[str] = []
    loop.add_reader(read, lambda: seen.append(os.read(read, 1).decode()))
    loop.add_writer(write, lambda: seen.append("writable"))
    assert loop.run_until(lambda: bool(seen), 1)
    loop.remove_writer(write)
    loop.remove_writer(write)
    assert seen == ["writable"]
    os.write(write, b"ab")
    assert loop.run_until(lambda: len(seen) == 3, 1)
    assert seen == ["writable", "a", "b"]
    loop.remove_reader(read)
    os.write(write, b"c")
    assert not loop.run_until(lambda: len(seen) > 3, 0.05)


def test_it_can_be_run_from_inside_a_callback(loop: SelectLoop) -> None:
    ran: list[str] = []

    def outer() -> None:
        loop.call_soon(lambda: ran.append("inner"))
        assert loop.run_until(lambda: "inner" in ran, 1)
        ran.append("outer")

    loop.call_soon(outer)
    loop.call_soon(lambda: ran.append("next"))
    assert loop.run_until(lambda: len(ran) == 3, 1)
    assert ran == ["next", "inner", "outer"]
