"""Pages on screens of fractional scale: each pixel of a page is one pixel of the screen, wherever the view begins."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

_PROGRAM = """
import sys
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from preview_app.desktop.page_pixels import Picture
from preview_app.desktop.page_plan import Piece
from preview_app.desktop.page_view import PageView
from preview_app.raster.api import PageSize, Pixels
from tests.preview_app.desktop.viewer_fakes import FakeDocument

application = QApplication(["test"])
window = QWidget()
row, column = QHBoxLayout(window), QVBoxLayout()
for layout in (row, column):
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
beside, above = QWidget(), QWidget()
beside.setFixedWidth(33)
above.setFixedHeight(int(sys.argv[1]))
view = PageView(lambda: 0.0)
column.addWidget(above)
column.addWidget(view)
row.addWidget(beside)
row.addLayout(column)
window.resize(601, 401)
window.show()
view.set_document(FakeDocument((PageSize(150, 150),), 0, lambda call: None))
view.set_zoom(1.0)
view._drop_former()
box, scale = view._layout.boxes[0], view._layout.scale
size = box.width
color = lambda x, y: ((x * 7) % 256, (y * 5) % 256, (x ^ y) % 256)
data = b"".join(bytes((*reversed(color(x, y)), 255)) for y in range(size) for x in range(size))
view.pixels._pictures[Piece(0, scale)] = Picture.of(Pixels(0, scale, size, size, size * 4, memoryview(data)))
image = window.grab().toImage()
ratio = image.devicePixelRatio()
corner = view.viewport().mapTo(window, view.viewport().rect().topLeft())
left, top = (round(part * ratio) for part in (corner.x(), corner.y()))
origin_x, origin_y = left + box.x - view._offset()[0], top + box.y - view._offset()[1]
wrong = [
    (x, y)
    for y in range(0, size, 3)
    for x in range(0, size, 3)
    if image.pixelColor(origin_x + x, origin_y + y) != QColor(*color(x, y))
]
print(ratio, corner.x(), corner.y(), len(wrong), flush=True)
view.set_document(None)
"""


@pytest.mark.parametrize("scale", ["1.25", "1.5", "1.75"])
@pytest.mark.parametrize("above", ["21"])
def test_pages_are_not_resampled(scale: str, above: str) -> None:
    environment = {
        **os.environ,
        "QT_SCALE_FACTOR": scale,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(REPOSITORY),
    }
    told = subprocess.run(
        [sys.executable, "-c", _PROGRAM, above], capture_output=True, text=True, check=True, timeout=60, env=environment
    ).stdout.split()
    assert told == [scale, "33", above, "0"]
