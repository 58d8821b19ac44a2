"""Fixtures of the converter's tests: a bench that proves at its end that nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.converter.bench import Bench


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
