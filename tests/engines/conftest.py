"""What the tests of the engines without LibreOffice share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines.kits_harness import Harness, Make

pytest.register_assert_rewrite("tests.engines.engine_life")


@pytest.fixture
def harness() -> Iterator[Make]:
    """Makes supervisors over the fake office, and stops them."""
    made: list[Harness] = []

    def make(way: str, result_bytes_max: int = 1 << 20, **settings: object) -> Harness:
        made.append(Harness(way, result_bytes_max, settings))
        return made[-1]

    yield make
    for one in made:
        one.supervisor.stop(2)
