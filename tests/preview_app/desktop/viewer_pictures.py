"""Pictures of the pages in many states, drawn without a letter so that they do not depend on the fonts of a machine.

`python -m tests.preview_app.desktop.viewer_pictures FOLDER` draws all of them at the scale of `QT_SCALE_FACTOR`.
`python -m tests.preview_app.desktop.viewer_pictures --renew` draws those that the tests compare with, at every scale,
into `tests/preview_app/desktop/pictures`. Look at what changed before you keep it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication

from preview_app.desktop.page_column import Place
from preview_app.desktop.page_layout import Anchor, Fit, Mode
from preview_app.desktop.page_marks import Mark
from preview_app.desktop.page_view import PageView
from preview_app.raster.api import Box, Clip, PageSize, Pixels
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.viewer_fakes import FakeDocument, Turns

PICTURES = Path(__file__).parent / "pictures"
SCALES = ("1", "1.25", "1.5", "2")
SIZE = (300, 220)
LEAF, SLIDE, POSTER = (150.0, 212.0), (240.0, 135.0), (3000.0, 2400.0)
_INKS = (0xB03A2E, 0x1F618D, 0x1E8449, 0x9A7D0A)


@dataclass
class PatternDocument(FakeDocument):
    """White pages with a coloured corner, a thick line below it, and a frame, in the ink of their number."""

    def _pixels(self, page: int, scale: float, clip: Clip | None, night: bool) -> Pixels:
        size = self.pages[page]
        part = clip or Clip(0, 0, size.width_pt, size.height_pt)
        width, height = round((part.x1 - part.x0) * scale), round((part.y1 - part.y0) * scale)
        ink, paper = _INKS[page % 4], 0xFFFFFF
        if night:
            ink, paper = ink ^ 0xFFFFFF, 0x1E1F22
        columns = [(part.x0 + (column + 0.5) / scale) / size.width_pt for column in range(width)]
        rows = [(part.y0 + (row + 0.5) / scale) / size.height_pt for row in range(height)]
        kinds: dict[str, bytes] = {}
        for kind, inked in (
            ("corner", lambda x: x < 0.4 or x > 0.97),
            ("line", lambda x: 0.1 < x < 0.8 or x > 0.97),
            ("plain", lambda x: x < 0.03 or x > 0.97),
            ("edge", lambda x: True),
        ):
            colors = [(ink if inked(x) else paper) | 0xFF000000 for x in columns]
            kinds[kind] = b"".join(color.to_bytes(4, "little") for color in colors)
        data = b"".join(kinds[_row_kind(y)] for y in rows)
        return Pixels(page, scale, width, height, 4 * width, memoryview(data))


def _row_kind(y: float) -> str:
    if y < 0.3:
        return "corner"
    if y > 0.97:
        return "edge"
    return "line" if 0.5 < y < 0.6 else "plain"


Scene = tuple[Sequence[tuple[float, float]], Callable[[PageView], None]]


def _marked(view: PageView) -> None:
    view.mark(Mark.HIT, {0: [Box(10, 40, 90, 55), Box(10, 110, 60, 125)]})
    view.mark(Mark.CURRENT_HIT, {0: [Box(70, 110, 120, 125)]})
    view.mark(Mark.SELECTION, {0: [Box(10, 60, 140, 75)]})


def _marked_at_night(view: PageView) -> None:
    view.set_night(True)
    _marked(view)


def _turned_and_marked(view: PageView) -> None:
    _marked(view)
    view.turn(1)


def _presented(view: PageView) -> None:
    view.set_presenting(True)


def _single(view: PageView) -> None:
    view.set_mode(Mode.SINGLE)
    view.set_fit(Fit.PAGE)
    view.go_to_page(1)


def _scrolled(view: PageView) -> None:
    view.set_zoom(1.0)
    view.go_to_anchor(Anchor(0, 0.5, 0.6))


def _tiled(view: PageView) -> None:
    view.set_zoom(1.5)
    view.go_to_anchor(Anchor(0, 0.4, 0.29))


SCENES: dict[str, Scene] = {
    "one leaf": ([LEAF], lambda view: view.set_fit(Fit.PAGE)),
    "two leaves": ([LEAF] * 2, _scrolled),
    "fit width": ([LEAF] * 2, lambda view: view.set_fit(Fit.WIDTH)),
    "mixed sizes": ([SLIDE, LEAF, SLIDE], lambda view: view.set_zoom(0.5)),
    "single page": ([LEAF] * 3, _single),
    "turned right": ([LEAF] * 2, lambda view: view.turn(1)),
    "turned over": ([SLIDE] * 2, lambda view: view.turn(2)),
    "turned left": ([LEAF] * 2, lambda view: view.turn(-1)),
    "night": ([LEAF] * 2, lambda view: view.set_night(True)),
    "marks": ([LEAF], _marked),
    "marks at night": ([LEAF], _marked_at_night),
    "marks turned": ([LEAF], _turned_and_marked),
    "veil": ([LEAF], lambda view: view.set_veiled(True)),
    "presentation": ([SLIDE] * 2, _presented),
    "tiles": ([POSTER], _tiled),
}


def _palette(dark: bool) -> QPalette:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, QColor("#2b2d30" if dark else "#efefef"))
    palette.setColor(QPalette.ColorRole.Highlight, QColor("#3574f0"))
    return palette


def draw(sizes: Sequence[tuple[float, float]], look: Callable[[PageView], None], *, dark: bool = False) -> QImage:
    """A view of a document of pages of these sizes (points), after `look` and with all its pixels."""
    turns = Turns()
    view = PageView(lambda: 0.0)
    view.setPalette(_palette(dark))
    view.resize(*SIZE)
    view.show()
    document = PatternDocument(tuple(PageSize(*size) for size in sizes), 0, turns)
    view.set_document(document, place=Place(Anchor(0, 0.5, -0.1), Fit.AUTOMATIC))
    look(view)
    _settle(view, turns)
    image = view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    view.set_document(None)
    view.close()
    view.deleteLater()
    return image


def draw_skeleton(*, dark: bool = False) -> QImage:
    """A view that waits for a document."""
    view = PageView(lambda: 0.0)
    view.setPalette(_palette(dark))
    view.resize(*SIZE)
    view.show()
    view.show_skeleton()
    image = view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    view.close()
    view.deleteLater()
    return image


def _settle(view: PageView, turns: Turns) -> None:
    """Until every pixel that is wanted is there."""
    view._ask()
    while turns.waiting or view._replan.isActive():
        turns.run()
        view._ask()
        turns.run()
    view._drop_former()


def draw_all(folder: Path) -> None:
    """Draw every picture into a folder."""
    for name, (sizes, look) in SCENES.items():
        draw(sizes, look).save(str(folder / f"{name}.png"))
        if name in ("one leaf", "veil"):
            draw(sizes, look, dark=True).save(str(folder / f"{name}, dark.png"))
    draw_skeleton().save(str(folder / "skeleton.png"))
    draw_skeleton(dark=True).save(str(folder / "skeleton, dark.png"))


def draw_at(scale: str, folder: Path) -> None:
    """Draw every picture as on a screen of this scale, in a process of its own: Qt asks for the scale but once."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.preview_app.desktop.viewer_pictures", str(folder)]
    subprocess.run(command, check=True, cwd=REPOSITORY, env=environment, timeout=100, stderr=subprocess.DEVNULL)


def main(arguments: list[str]) -> int:
    """Draw, or renew."""
    if arguments == ["--renew"]:
        for scale in SCALES:
            draw_at(scale, PICTURES / scale)
        return 0
    _application = QApplication(["pictures"])
    QApplication.setStyle("Fusion")
    draw_all(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
