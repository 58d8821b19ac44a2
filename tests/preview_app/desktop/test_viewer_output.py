"""Ways out of the window: a saved PDF, paper, other programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrinter
from pytestqt.qtbot import QtBot

from preview_app.desktop.printing import PIXELS_MAX, PrintJob, pages_to_print, place_on, scale_for, set_paper
from preview_app.desktop.programs import Program, data_folders, programs_for
from preview_app.desktop.saving import CHUNK_BYTES, Saving
from preview_app.preview_states import Showing
from preview_app.raster.api import PageSize, RasterError
from tests.preview_app.desktop.conftest import Bench
from tests.preview_app.desktop.viewer_fakes import FakeRasterizer, Turns, fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

A4 = PageSize(595, 842)
SLIDE = PageSize(960, 540)


def pdf_of(*sizes: PageSize) -> bytes:
    return fake_pdf(0x336699, [(size.width_pt, size.height_pt) for size in sizes])


# ---- saving


def test_a_large_file_is_written_in_turns_and_put_in_place_at_the_end(qtbot: QtBot, tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    target.write_bytes(b"old")
    data = os.urandom(1000) * (2 * CHUNK_BYTES // 1000 + 10)
    ended: list[str] = []
    saving = Saving(target, data, ended.append)
    assert target.read_bytes() == b"old"
    qtbot.waitUntil(lambda: bool(ended))
    assert ended == [""]
    assert target.read_bytes() == data
    del saving


def test_a_file_that_cannot_be_written_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    ended: list[str] = []
    saving = Saving(tmp_path / "no folder" / "out.pdf", b"x", ended.append)
    qtbot.waitUntil(lambda: bool(ended))
    assert ended[0]
    del saving


def test_a_cancelled_file_leaves_the_old_one(qtbot: QtBot, tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    target.write_bytes(b"old")
    saving = Saving(target, b"new", lambda _: pytest.fail("it was cancelled"))
    saving.cancel()
    qtbot.wait(5)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_window_saves_the_pdf_but_never_over_the_document(bench: Bench, tmp_path: Path) -> None:
    bench.show()
    state = bench.window.preview.state
    assert isinstance(state, Showing)
    bench.window.output.save(state, state.path)
    assert "not replaced" in bench.window.status.currentMessage()
    assert state.path.read_bytes() == b"first version"
    target = tmp_path / "saved.pdf"
    bench.window.output.save(state, target)
    bench.qtbot.waitUntil(target.exists)
    assert target.read_bytes() == bytes(state.converted.pdf)


# ---- printing


@pytest.fixture
def printer(qtbot: QtBot, tmp_path: Path) -> QPrinter:
    """A printer that writes a PDF."""
    made = QPrinter(QPrinter.PrinterMode.HighResolution)
    made.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    made.setOutputFileName(str(tmp_path / "printed.pdf"))
    made.setResolution(100)
    return made


def test_pages_are_printed_one_after_the_other(qtbot: QtBot, printer: QPrinter, tmp_path: Path) -> None:
    turns = Turns()
    rasterizer = FakeRasterizer(turns)
    set_paper(printer, A4)
    job = PrintJob(rasterizer, pdf_of(A4, SLIDE, A4), printer, [0, 1, 2])
    progress: list[int] = []
    ended: list[str] = []
    job.progressed.connect(lambda done, _count: progress.append(done))
    job.ended.connect(ended.append)
    job.start()
    turns.waiting.pop(0)()
    (document,) = rasterizer.documents
    assert len(document.tasks) == 1
    turns.run()
    assert (progress, ended) == ([1, 2, 3], [""])
    assert rasterizer.open_documents == 0
    printed = (tmp_path / "printed.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page\n") == 3


def test_a_page_that_cannot_be_drawn_ends_it(printer: QPrinter) -> None:
    turns = Turns()
    rasterizer = FakeRasterizer(turns)
    ended: list[str] = []
    job = PrintJob(rasterizer, pdf_of(A4), printer, [0])
    job.ended.connect(ended.append)
    job.start()
    turns.waiting.pop(0)()
    turns.waiting.clear()
    rasterizer.documents[0].errors[0] = RasterError("limit", "The page is too complex to draw.")
    job._next(rasterizer.documents[0])
    turns.run()
    assert ended == ["The page is too complex to draw."]
    assert rasterizer.open_documents == 0


def test_a_pdf_that_cannot_be_opened_ends_it(printer: QPrinter) -> None:
    turns = Turns()
    ended: list[str] = []
    job = PrintJob(FakeRasterizer(turns), b"no PDF", printer, [0])
    job.ended.connect(ended.append)
    job.start()
    turns.run()
    assert ended == ["The PDF is damaged."]


def test_printing_can_be_cancelled(printer: QPrinter) -> None:
    turns = Turns()
    rasterizer = FakeRasterizer(turns)
    ended: list[str] = []
    job = PrintJob(rasterizer, pdf_of(A4, A4), printer, [0, 1])
    job.ended.connect(ended.append)
    job.start()
    turns.waiting.pop(0)()
    job.cancel()
    turns.run()
    assert ended == ["Printing was cancelled."]
    assert rasterizer.documents[0].tasks[0].cancelled
    assert rasterizer.open_documents == 0


def test_printing_can_be_cancelled_before_the_document_is_open(printer: QPrinter) -> None:
    turns = Turns()
    rasterizer = FakeRasterizer(turns)
    job = PrintJob(rasterizer, pdf_of(A4), printer, [0])
    job.start()
    job.cancel()
    turns.run()
    assert rasterizer.documents == []


def test_a_page_lies_in_the_middle_of_the_paper_as_large_as_it_fits() -> None:
    place = place_on(SLIDE, QRectF(0, 0, 1000, 1000))
    assert (place.x(), place.width()) == pytest.approx((0, 1000))
    assert place.center().y() == pytest.approx(500)
    assert scale_for(A4, 1200) == pytest.approx(300 / 72)
    huge = PageSize(14_000, 14_000)
    assert huge.width_pt * huge.height_pt * scale_for(huge, 600) ** 2 <= PIXELS_MAX * 1.001


def test_the_chosen_pages_are_printed(printer: QPrinter) -> None:
    assert pages_to_print(printer, 4, 2) == [0, 1, 2, 3]
    printer.setPrintRange(QPrinter.PrintRange.CurrentPage)
    assert pages_to_print(printer, 4, 2) == [2]
    printer.setPrintRange(QPrinter.PrintRange.PageRange)
    printer.setFromTo(2, 9)
    assert pages_to_print(printer, 4, 0) == [1, 2, 3]
    printer.setPageOrder(QPrinter.PageOrder.LastPageFirst)
    assert pages_to_print(printer, 4, 0) == [3, 2, 1]


def test_the_paper_suits_the_page(printer: QPrinter) -> None:
    set_paper(printer, SLIDE)
    layout = printer.pageLayout()
    assert layout.orientation() is QPageLayout.Orientation.Landscape
    assert layout.fullRectPoints().width() == pytest.approx(960, abs=1)


def test_the_window_prints_and_says_so(bench: Bench, printer: QPrinter, tmp_path: Path) -> None:
    bench.show()
    state = bench.window.preview.state
    assert isinstance(state, Showing)
    bench.window.output.print(state, printer)
    bench.qtbot.waitUntil(lambda: bench.window.output.print_job is None)
    assert (tmp_path / "printed.pdf").stat().st_size > 1000


def test_printing_goes_on_while_another_document_is_looked_at(bench: Bench, printer: QPrinter, tmp_path: Path) -> None:
    bench.show()
    state, window = bench.window.preview.state, bench.window
    assert isinstance(state, Showing)
    window.output.print(state, printer)
    window.actions_by_name["next_file"].trigger()
    bench.settle()
    bench.qtbot.waitUntil(lambda: window.output.print_job is None)
    assert window.preview.path == bench.paths[1]
    assert (tmp_path / "printed.pdf").read_bytes().count(b"/Type /Page\n") == 4


def test_escape_gives_printing_up(bench: Bench, printer: QPrinter) -> None:
    bench.show()
    state = bench.window.preview.state
    assert isinstance(state, Showing)
    bench.window.output.print(state, printer)
    bench.window.actions_by_name["escape"].trigger()
    assert bench.window.output.print_job is None
    assert bench.window.status.currentMessage() == "Printing was cancelled."


# ---- other programs


def entry(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[Desktop Entry]\nType=Application\n" + text, encoding="utf-8")


def test_programs_for_a_type_are_found(tmp_path: Path) -> None:
    entry(tmp_path, "b.desktop", "Name=Zeta\nExec=zeta --open %U\n")
    entry(tmp_path, "vendor/a.desktop", 'Name=Alpha\nExec="/opt/al pha" %i %f\n')
    entry(tmp_path, "hidden.desktop", "Name=Hidden\nExec=h\nNoDisplay=true\n")
    entry(tmp_path, "broken.desktop", "Name=Broken\nExec='\n")
    (tmp_path / "mimeinfo.cache").write_text(
        "[MIME Cache]\ntext/x=b.desktop;\n"
        "application/pdf=b.desktop;vendor-a.desktop;hidden.desktop;broken.desktop;gone.desktop;\n"
    )
    found = programs_for("application/pdf", [tmp_path / "none", tmp_path])
    assert [program.name for program in found] == ["Alpha", "Zeta"]
    assert found[0].words(Path("/d/x y.pdf")) == ["/opt/al pha", "/d/x y.pdf"]
    assert found[1].words(Path("/d/x.pdf")) == ["zeta", "--open", "/d/x.pdf"]
    assert programs_for("image/png", [tmp_path]) == []


def test_a_program_without_a_place_for_the_file_gets_it_last() -> None:
    assert Program("x", "X", ("x", "50%%")).words(Path("/a")) == ["x", "50%", "/a"]


def test_a_persons_own_programs_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/own")
    monkeypatch.setenv("XDG_DATA_DIRS", "/one:/two")
    assert data_folders() == [Path(f"/{name}/applications") for name in ("own", "one", "two")]


def test_a_program_that_is_not_there_is_told(bench: Bench) -> None:
    bench.show()
    bench.window.output.start(Program("x", "Nothing", ("/nowhere/program",)), bench.paths[0])
    assert bench.window.status.currentMessage().startswith("Nothing could not be started")
