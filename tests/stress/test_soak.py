"""The long form of the soak, for `make soak`: a thousand documents into each engine that is there."""

from __future__ import annotations

import pytest

from engines.base import Engine
from tests.fuzz.fuzz_engines import engines_there
from tests.stress.soak_engines import SLOWER_MAX, show, soak

COUNT = 1000


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["native", "wasm"])
def test_a_thousand_documents_change_nothing(name: str) -> None:
    engines: list[Engine] = engines_there(name)
    if not engines:
        pytest.skip(f"the engine {name} is not there")
    try:
        seen = soak(engines[0], COUNT)
    finally:
        engines[0].stop()
    show(seen)
    assert len(seen.seconds) == COUNT
    assert not seen.troubles()
    assert seen.slower() <= SLOWER_MAX
