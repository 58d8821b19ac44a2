"""Fixtures of the converter's tests: a bench that proves at its end that nothing is left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.converter.bench import Bench


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(5.0)
    assert not [thread for thread in left if thread.is_alive()]


@pytest.fixture
def make_bench() -> Iterator[Callable[..., Bench]]:
    benches: list[Bench] = []

    def make(**how: Any) -> Bench:
        benches.append(Bench(**how))
        return benches[-1]

    yield make
    for bench in benches:
        bench.end()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
