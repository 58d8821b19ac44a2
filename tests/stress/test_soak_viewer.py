"""The long form of the session in the window, for `make soak-ui`."""

from __future__ import annotations

import random

import pytest

from tests.stress.soak_viewer import OBJECTS_GROWTH_MAX, OPERATIONS_AN_HOUR, show, soak

HOURS = 2


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("qapp")
def test_two_hours_in_the_window_change_nothing() -> None:
    seed = random.randrange(1 << 32)
    print(f"\nseed {seed}")
    report, reopened = soak(HOURS * OPERATIONS_AN_HOUR, seed, windows=20)
    show(report, reopened)
    assert report.operations == HOURS * OPERATIONS_AN_HOUR
    assert not report.troubles()
    assert reopened[-1].objects <= reopened[0].objects + OBJECTS_GROWTH_MAX
    assert reopened[-1].descriptors <= reopened[0].descriptors
