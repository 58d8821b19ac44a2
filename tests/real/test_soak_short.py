"""The short form of the soak (`make soak`), and that it sees what grows."""

from __future__ import annotations

import pytest

from engines.base import Engine
from tests.stress.soak_engines import MIB, Sample, Soak, soak


@pytest.mark.wasm
def test_twenty_documents_leave_the_engine_as_it_was(either_engine: Engine) -> None:
    starts = either_engine.starts  # type: ignore[attr-defined]
    seen = soak(either_engine, 20, samples=10)
    assert len(seen.samples) == 10
    assert not seen.troubles()
    assert either_engine.starts == starts  # type: ignore[attr-defined]


def test_what_grows_is_trouble() -> None:
    steady = Soak("none", samples=[Sample(100 * MIB, 40 * MIB, 20, 5)] * 20)
    assert not steady.troubles()
    for grown in (
        Sample(103 * MIB, 40 * MIB, 20, 5),
        Sample(100 * MIB, 45 * MIB, 20, 5),
        Sample(100 * MIB, 40 * MIB, 23, 5),
        Sample(100 * MIB, 40 * MIB, 20, 6),
    ):
        assert len(Soak("none", samples=[*steady.samples, *[grown] * 10]).troubles()) == 1
    assert Soak("none", strays=["a kit"], samples=steady.samples).troubles() == ["a kit"]


def test_what_gets_slower_is_seen() -> None:
    assert Soak("none", seconds=[0.1] * 30 + [0.3] * 10).slower() == pytest.approx(3.0)
