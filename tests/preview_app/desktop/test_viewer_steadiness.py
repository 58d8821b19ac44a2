"""What Python is told while the window is there, and that it is told otherwise afterwards."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

from preview_app.desktop.steadiness import SWITCH_INTERVAL_S, steady
from tests.conftest import REPOSITORY


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


_PROGRAM = """
import os, threading
from preview_app.desktop.steadiness import paint_alone
if os.environ.pop("ALONE"):
    paint_alone()
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
application = QGuiApplication(["test"])
before = len(os.listdir("/proc/self/task"))
image = QImage(3000, 2000, QImage.Format.Format_RGB32)
painter = QPainter(image)
painter.fillRect(0, 0, 3000, 2000, QColor(10, 20, 30, 40))
painter.end()
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux lists them")
@pytest.mark.parametrize("alone", ["yes", ""])
def test_qt_paints_without_helpers(alone: str) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "ALONE": alone, "PYTHONPATH": str(REPOSITORY)}
    environment.pop("QT_NO_GUI_THREADPOOL", None)
    command = [sys.executable, "-c", _PROGRAM]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment).stdout
    # With one processor Qt has no helpers in any case.
    assert (int(told) > 0) is (not alone and len(os.sched_getaffinity(0)) > 1)
