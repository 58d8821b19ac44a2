"""Progress: honest estimates that never go backwards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engines.wasm.progress import DONE, Meter, PrepareProgress, estimated_fraction

_SECONDS = st.floats(0, 1e6)
_PHASES = ("fetch", "verify", "translate", "compile", "store")


@given(_SECONDS, _SECONDS, st.floats(0.01, 1e4))
def test_estimate_grows_and_stays_below_one(first: float, second: float, expected: float) -> None:
    low, high = sorted((first, second))
    assert 0 <= estimated_fraction(low, expected) <= estimated_fraction(high, expected) < 1


def test_estimate_at_the_usual_duration() -> None:
    assert estimated_fraction(0, 60) == 0
    assert estimated_fraction(60, 60) == 0.9


@given(
    st.lists(st.lists(_SECONDS, max_size=5), min_size=5, max_size=5),
    st.dictionaries(st.sampled_from(_PHASES), st.floats(0.1, 100)),
)
def test_meter_never_goes_backwards_and_reaches_100_only_at_the_end(
    ticks: list[list[float]], expected: dict[str, float]
) -> None:
    moments: list[PrepareProgress] = []
    meter = Meter(_PHASES, dict.fromkeys(_PHASES, 1.0) | expected, moments.append)
    for phase, elapsed in zip(_PHASES, ticks, strict=True):
        meter.start(phase)
        for seconds in elapsed:
            meter.tick(seconds)
    for phase in _PHASES:
        of_phase = [moment.phase_percent for moment in moments if moment.phase == phase]
        assert of_phase == sorted(of_phase)
    percents = [moment.percent for moment in moments]
    assert percents == sorted(percents)
    assert all(percent < 100 for percent in percents)
    meter.finish()
    assert moments[-1].phase == DONE
    assert moments[-1].percent == 100
    assert all(moment.message for moment in moments)
