"""The window on the real raster pool: worker processes, shared memory, MuPDF's own pixels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from preview_app.desktop.bridge import MainThreadPost, QtLoop
from preview_app.desktop.folder import suffix_families
from preview_app.desktop.window import MainWindow
from preview_app.desktop.window_services import WindowServices
from preview_app.preview_states import Converted, Failed, Showing
from preview_app.raster.pool import RasterPool
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.conftest import appear
from tests.preview_app.desktop.viewer_fakes import FakeConversions

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # what offscreen says of real windows


def real_pdf(color: tuple[int, int, int], pages: int) -> bytes:
    """A PDF whose pages are filled with one colour, written out by hand."""
    fill = "{:.4f} {:.4f} {:.4f} rg 0 0 400 500 re f".format(*(part / 255 for part in color))
    kids = " ".join(f"{4 + number} 0 R" for number in range(pages))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>",
        f"<< /Length {len(fill)} >>\nstream\n{fill}\nendstream",
        *(["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Contents 3 0 R /Resources << >> >>"] * pages),
    ]
    text, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return (f"{text}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}").encode()


class Real:
    """A window over a real pool and a source of PDFs that answers at once."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.post = MainThreadPost()
        self.loop = QtLoop()
        self.pool = RasterPool(self.loop)
        self.paths = [folder / f"{number}.pdf" for number in range(1, 6)]
        self.colors = {path: (40 * number, 200 - 30 * number, 90) for number, path in enumerate(self.paths)}
        pdfs = {path.name: Converted(real_pdf(self.colors[path], 12), "", 0.0) for path in self.paths}
        for path in self.paths:
            path.write_bytes(b"x")
        self.conversions = FakeConversions(self.post, dict(pdfs))
        icons = REPOSITORY / "assets" / "icons"
        self.window = MainWindow(
            WindowServices(self.conversions, self.pool, suffix_families(), icons, time.perf_counter)
        )
        self.window.resize(900, 700)

    def open(self, path: Path) -> None:
        with self.qtbot.waitSignal(self.window.first_page_painted):
            self.window.open_paths([path])

    def shows(self, path: Path) -> bool:
        image = self.window.viewer.pages.viewport().grab().toImage()
        color = image.pixelColor(image.width() // 2, image.height() // 2)
        # MuPDF rounds a colour's fractions down by one step at most.
        seen = (color.red(), color.green(), color.blue())
        return all(abs(one - other) <= 1 for one, other in zip(seen, self.colors[path], strict=True))

    def close(self) -> None:
        self.window.close()
        self.pool.close()
        self.post.close()
        self.loop.close()
        self.window.deleteLater()


@pytest.fixture
def real(qtbot: QtBot, tmp_path: Path) -> Iterator[Real]:
    made = Real(qtbot, tmp_path)
    try:
        appear(qtbot, made.window)
        yield made
    finally:
        made.close()


def test_a_page_of_a_real_pdf_is_painted_in_its_own_colour(real: Real) -> None:
    real.open(real.paths[1])
    assert real.shows(real.paths[1])
    assert real.window.status.page.text == "1 of 12"


def test_two_hundred_fast_switches_end_on_the_right_page(real: Real) -> None:
    real.open(real.paths[0])
    for number in range(1, 201):
        real.window.open_paths([real.paths[number * 3 % 5]])
        if number % 5 == 0:
            real.qtbot.wait(0)
    last = real.paths[200 * 3 % 5]
    real.qtbot.waitUntil(lambda: isinstance(real.window.preview.state, Showing) and real.shows(last))
    assert real.window.preview.path == last


def test_pictures_in_the_list_are_right_after_fast_switches_and_cost_nothing_after(real: Real) -> None:
    real.window.set_list_thumbnails(True)
    real.open(real.paths[0])
    for number in range(1, 51):
        real.window.open_paths([real.paths[number * 3 % 5]])
        if number % 5 == 0:
            real.qtbot.wait(0)
    rows, look = real.window.browser.list.model(), real.window.browser.look

    def picture_is_right(row: int) -> bool:
        icon = rows.index(row, 0).data(Qt.ItemDataRole.DecorationRole)
        image = icon.pixmap(look.icon_size).toImage()
        color = image.pixelColor(image.width() // 2, image.height() // 2)
        seen = (color.red(), color.green(), color.blue())
        return all(abs(one - two) <= 1 for one, two in zip(seen, real.colors[real.paths[row]], strict=True))

    real.qtbot.waitUntil(lambda: all(map(picture_is_right, range(5))))
    real.qtbot.waitUntil(lambda: real.pool.idle)
    thumbnailer = real.window.pictures.thumbnailer
    assert thumbnailer.working_on is None
    assert real.shows(real.paths[50 * 3 % 5])


def test_scrolling_and_zooming_end_with_sharp_pixels(real: Real) -> None:
    real.open(real.paths[2])
    pages = real.window.viewer.pages
    for page in (11, 0, 6):
        pages.go_to_page(page)
        real.qtbot.waitUntil(lambda: real.shows(real.paths[2]))
    pages.set_zoom(6.0)
    real.qtbot.waitUntil(lambda: pages.pixels is not None and repr(pages.pixels).endswith("pending=0>"))
    assert real.shows(real.paths[2])


def test_a_worker_that_is_killed_costs_nothing_but_time(real: Real) -> None:
    real.open(real.paths[3])
    children = psutil.Process().children(recursive=True)
    workers = [child for child in children if "preview_app.raster.worker" in " ".join(child.cmdline())]
    assert workers
    for worker in workers:
        worker.kill()
    real.open(real.paths[4])
    assert real.shows(real.paths[4])


def test_bytes_that_are_no_pdf_are_an_error_in_words(real: Real, tmp_path: Path) -> None:
    broken = tmp_path / "9.pdf"
    broken.write_bytes(b"x")
    real.conversions.pdfs["9.pdf"] = Converted(b"this is no PDF at all", "", 0.0)
    real.window.open_paths([broken])
    real.qtbot.waitUntil(lambda: isinstance(real.window.preview.state, Failed))
    assert real.window.viewer.error.text.text()
