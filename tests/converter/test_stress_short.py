"""The short form of the stress program."""

from __future__ import annotations

from tests.stress.stress_converter import stress


def test_a_crowd_of_readers_leaves_nothing() -> None:
    report = stress(readers=1_200, threads=12, seed=7)
    assert report.clean, report
    assert sum(report.outcomes.values()) == report.readers
    assert {"ok", "cancelled"} <= set(report.outcomes), report
    assert report.memory_growth_bytes < 512 * 1024
