"""Nothing ahead of need on battery or with little memory; colours for those who see little."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette
from pytestqt.qtbot import QtBot

from preview_app.desktop.theme import Theme, palette, resolved
from preview_app.desktop.thrift import Thrift, has_memory, on_mains
from preview_app.raster.api import Lane
from tests.preview_app.desktop.conftest import Bench

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_changes_are_told_once(qtbot: QtBot) -> None:
    state = {"mains": True, "memory": True}
    thrift = Thrift(mains=lambda: state["mains"], memory=lambda: state["memory"])
    told: list[bool] = []
    thrift.changed.connect(told.append)
    thrift.look()
    state["mains"] = False
    thrift.look()
    thrift.look()
    state.update(mains=True, memory=False)
    thrift.look()
    state["memory"] = True
    thrift.look()
    assert told == [False, True]
    thrift.stop()


def test_this_machine_can_be_asked() -> None:
    assert on_mains() in (True, False)
    assert has_memory() in (True, False)


def test_prefetch_stops_and_goes_on(bench: Bench) -> None:
    bench.show()
    bench.qtbot.waitUntil(lambda: len(bench.conversions.live(Lane.LOW)) == 2)
    bench.window.thrift._plenty = False
    bench.window.thrift.changed.emit(False)
    assert bench.conversions.live(Lane.LOW) == []
    bench.window.thrift._plenty = True
    bench.window.thrift.changed.emit(True)
    assert len(bench.conversions.live(Lane.LOW)) == 2


def luminance(color: QColor) -> float:
    """Relative luminance (WCAG 2.1)."""

    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF())


@pytest.mark.parametrize(("theme", "at_least"), [(Theme.LIGHT, 4.5), (Theme.DARK, 4.5), (Theme.CONTRAST, 15.0)])
def test_text_stands_out(theme: Theme, at_least: float) -> None:
    colors, roles = palette(theme), QPalette.ColorRole
    pairs = [
        (roles.WindowText, roles.Window),
        (roles.Text, roles.Base),
        (roles.ButtonText, roles.Button),
        (roles.HighlightedText, roles.Highlight),
        (roles.ToolTipText, roles.ToolTipBase),
    ]
    for front, back in pairs:
        low, high = sorted((luminance(colors.color(front)), luminance(colors.color(back))))
        assert (high + 0.05) / (low + 0.05) >= at_least, (theme, front)


def test_a_chosen_theme_is_taken_as_it_is(bench: Bench) -> None:
    assert resolved(Theme.CONTRAST) is Theme.CONTRAST
    assert resolved(Theme.SYSTEM) in (Theme.LIGHT, Theme.DARK, Theme.CONTRAST)
    bench.show()
    bench.window.set_theme(Theme.CONTRAST)
    bench.qtbot.waitUntil(lambda: bench.window.palette().window().color() == QColor("black"))
    bench.window.set_theme(Theme.LIGHT)
