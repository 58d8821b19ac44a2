"""What Python is told while the window is there, and that it is told otherwise afterwards."""

from __future__ import annotations

import gc
import sys

import pytest

from preview_app.desktop.steadiness import SWITCH_INTERVAL_S, steady


def test_what_was_there_before_is_no_garbage_collectors_business() -> None:
    interval = sys.getswitchinterval()
    objects = len(gc.get_objects())
    with steady():
        assert len(gc.get_objects()) < objects / 10
        assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S)
    assert gc.get_freeze_count() == 0
    assert len(gc.get_objects()) > objects / 2
    assert sys.getswitchinterval() == pytest.approx(interval)


def test_an_end_with_an_error_is_an_end() -> None:
    interval = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), steady():
        _ = 1 // 0
    assert gc.get_freeze_count() == 0
    assert sys.getswitchinterval() == pytest.approx(interval)
