"""The converter's benchmark, in its shortest form: that it measures what it says. No figure is judged here."""

from __future__ import annotations

import json

from preview_app import benchmark_converter
from tests.fakes import FakeChecker, FakeEngine


def test_admission_is_measured_in_the_line_at_the_number_of_aliases() -> None:
    rows = benchmark_converter.admission_cost([3, 20], requests=5)
    assert [row["aliases"] for row in rows] == [3, 20]
    assert all(row["requests"] == 5 for row in rows)


def test_ready_hits_are_hits() -> None:
    figures = benchmark_converter.ready_hit_cost(requests=5)
    assert set(figures) == {"requests", "source", "path"}


def test_the_whole_benchmark_gives_json_and_a_table() -> None:
    engine, said = FakeEngine(), list[str]()
    figures = benchmark_converter.benchmark(
        engine, FakeChecker(), rounds=2, prefetches=4, alias_counts=[10], say=said.append
    )
    assert json.loads(json.dumps(figures)) == figures
    assert len(said) == 2
    text = benchmark_converter.as_text(figures)
    assert "beside 4 prefetches, one slot kept for people" in text
    assert "on the engine fake" in text
    assert len(set(engine.converted)) == len(engine.converted), "every document is new"
