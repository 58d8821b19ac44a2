"""The clock of 60 Hz, and what is made of its frames."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from preview_app import benchmark_viewer
from preview_app.desktop.benchmark_frames import PERIOD_S, Frame, FrameClock, ProcessorTimes


@pytest.fixture
def widget(qtbot: QtBot) -> QWidget:
    """A window that is shown."""
    made = QWidget()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def run(qtbot: QtBot, clock: FrameClock, count: int) -> list[Frame]:
    steps: list[int] = []
    clock.start(lambda: steps.append(1))
    qtbot.waitUntil(lambda: len(steps) > count)
    return clock.stop()


def test_every_frame_is_due_a_sixtieth_of_a_second_after_the_former(qtbot: QtBot, widget: QWidget) -> None:
    frames = run(qtbot, FrameClock(widget), 5)
    dues = [frame.due_s for frame in frames]
    assert len(dues) >= 5
    apart = [after - before for before, after in pairwise(dues)]
    assert apart == pytest.approx([PERIOD_S] * len(apart))
    assert all(0 <= frame.queued_s <= frame.painted_s - frame.due_s for frame in frames)


def test_a_loop_that_is_held_up_has_a_gap_for_each_frame_it_missed(qtbot: QtBot, widget: QWidget) -> None:
    clock = FrameClock(widget)
    held: list[float] = []

    def hold() -> None:
        if not held:
            held.append(time.perf_counter())
            while time.perf_counter() < held[0] + 6 * PERIOD_S:
                pass

    clock.start(hold)
    qtbot.waitUntil(lambda: len(clock._frames) > 6)
    gaps = [frame.painted_s - frame.due_s for frame in clock.stop()]
    # Six periods, then five, four ...: none is left out because nothing was painted when it was due.
    assert sum(gap > 1.5 * PERIOD_S for gap in gaps) >= 4
    assert max(gaps) >= 6 * PERIOD_S


def test_a_stopped_clock_starts_afresh(qtbot: QtBot, widget: QWidget) -> None:
    clock = FrameClock(widget)
    first = run(qtbot, clock, 3)
    second = run(qtbot, clock, 3)
    assert second[0].due_s > first[-1].due_s


def test_times_of_a_processor_only_grow() -> None:
    times = ProcessorTimes()
    try:
        first = times.seconds()
        second = times.seconds()
        assert all(0 <= before <= after for before, after in zip(first, second, strict=True))
    finally:
        times.close()
    assert times.seconds() == (0.0, 0.0)


def test_gaps_and_late_frames_are_counted() -> None:
    # Due every 10 ms; the third and the fourth wait for one paint, 50 ms after the second.
    frames = [
        (0.00, 0.001, 0.0, 0.001),
        (0.01, 0.012, 0.001, 0.001),
        (0.02, 0.062, 0.010, 0.003),
        (0.03, 0.062, 0.010, 0.003),
    ]
    gaps = benchmark_viewer._gaps([frames])
    assert gaps["count"] == 4
    assert gaps["late"] == 1
    assert gaps["max_ms"] == pytest.approx(42)
    assert gaps["own_max_ms"] == pytest.approx(32)
    assert gaps["busy_max_ms"] == pytest.approx(3)
    assert gaps["p50_ms"] == pytest.approx(2)


def test_shares_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(1, 101)]
    assert benchmark_viewer._share(values, 0.99) == 99
    assert benchmark_viewer._share(values, 1) == 100
    assert benchmark_viewer._share([7.0], 0.5) == 7
