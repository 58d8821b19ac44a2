"""A raster pool on a loop of its own, and a way to ask it and wait; no descriptor may be left behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from preview_app.raster.api import Lane, RasterError, RasterTask, TextDocument
from preview_app.raster.loop_select import SelectLoop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings

PATIENCE_S = 30.0
"""A bound on waits that a correct program never reaches."""


@dataclass
class Answer:
    """What came of a question."""

    values: list[Any] = field(default_factory=list)
    errors: list[RasterError] = field(default_factory=list)
    task: RasterTask | None = None

    @property
    def there(self) -> bool:
        """Whether it has come."""
        return bool(self.values or self.errors)


@dataclass
class Bench:
    """A pool and its loop. `ask` puts a question, `wait` runs the loop until the answer is there."""

    loop: SelectLoop
    pool: RasterPool

    def ask(
        self, method: Callable[..., RasterTask], *arguments: Any, lane: Lane = Lane.CRITICAL, **options: Any
    ) -> Answer:
        answer = Answer()
        success = "opened" if method == self.pool.open else "done"
        callbacks: dict[str, Any] = {success: answer.values.append, "failed": answer.errors.append}
        answer.task = method(*arguments, lane=lane, **callbacks, **options)
        return answer

    def wait(self, answer: Answer) -> Any:
        """The value; an error is raised."""
        self.until(lambda: answer.there)
        if answer.errors:
            raise answer.errors[0]
        return answer.values[0]

    def get(self, method: Callable[..., RasterTask], *arguments: Any, **options: Any) -> Any:
        return self.wait(self.ask(method, *arguments, **options))

    def open(self, pdf: bytes, **options: Any) -> TextDocument:
        document: TextDocument = self.get(self.pool.open, pdf, **options)
        return document

    def until(self, condition: Callable[[], bool]) -> None:
        assert self.loop.run_until(condition, PATIENCE_S), f"waited too long: {self.pool!r}"

    def settle(self) -> None:
        assert self.pool.wait_for_idle(PATIENCE_S), f"not idle: {self.pool!r}"


def open_descriptors() -> set[str]:
    """What this process has open."""
    return set(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def no_descriptor_left() -> Iterator[None]:
    """After each test as many descriptors are open as before it."""
    before = open_descriptors()
    yield
    assert len(open_descriptors()) <= len(before)


@pytest.fixture
def make_bench(no_descriptor_left: None) -> Iterator[Callable[..., Bench]]:
    """Makes a bench with the settings given; closed afterwards."""
    benches: list[Bench] = []

    def make(**settings: Any) -> Bench:
        loop = SelectLoop()
        bench = Bench(loop, RasterPool(loop, PoolSettings(**{"workers": 1, **settings})))
        benches.append(bench)
        return bench

    yield make
    for bench in benches:
        bench.pool.close()
        bench.loop.close()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    """A bench with one worker and the default bounds."""
    return make_bench()
