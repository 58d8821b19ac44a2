"""The short form of the long session in the window (`make soak-ui`)."""

from __future__ import annotations

import pytest

from tests.stress.soak_viewer import MIB, OBJECTS_GROWTH_MAX, soak


@pytest.mark.usefixtures("qapp")
def test_a_session_at_random_leaves_nothing() -> None:
    report, reopened = soak(240, seed=7, windows=3, samples=6, rest_ms=350)
    assert report.operations == 240
    # What allocators keep comes and goes by more than a short session could leave; objects and descriptors do not.
    assert not report.troubles(growth_bytes_max=64 * MIB)
    assert reopened[-1].objects <= reopened[0].objects + OBJECTS_GROWTH_MAX
    assert reopened[-1].descriptors <= reopened[0].descriptors
