"""The long form of the stress program: ten thousand readers, three times."""

from __future__ import annotations

import pytest

from tests.stress.stress_converter import stress


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_ten_thousand_readers(seed: int) -> None:
    report = stress(readers=10_000, threads=32, seed=seed)
    assert report.clean, report
    assert sum(report.outcomes.values()) >= 9_900
    assert report.memory_growth_bytes < 1 << 20, report
