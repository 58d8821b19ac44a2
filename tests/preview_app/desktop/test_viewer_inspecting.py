"""Inspecting a folder from the window: what is told, cancelling, errors, the end; and the run itself."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from converter.cancellation import CancellationToken
from converter.request import Lane, Limits, Locator
from converter.service import Converter
from converter.workspace import Workspace
from engines.assets import assets_dir
from engines.errors import EngineError, ErrorKind
from preview_app import app
from preview_app.config import Config
from preview_app.desktop.inspecting import InspectCommands
from preview_app.desktop.main import run as run_app
from preview_app.folder_inspection import InspectionEnd, InspectionMoment, InspectionOrder
from preview_app.inspection.folder_run import Service, inspect_folder
from preview_app.inspection.jsonl import read_records
from preview_app.inspection.records import End, FileInspection
from preview_app.outputs import OutputError
from tests.fakes import PATIENCE_S, FakeChecker, FakeEngine, Gate, classify_text
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.test_viewer_run import Service as DesktopService
from tests.preview_app.desktop.test_viewer_run import soon, the_window
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # what offscreen says of real windows


class FakeInspections:
    """Tells one moment, then waits until the test lets it end, or until it is cancelled."""

    def __init__(self, lacks: str = "", error: Exception | None = None) -> None:
        self.lacks = lacks
        self.error = error
        self.orders: list[InspectionOrder] = []
        self.threads: list[threading.Thread] = []
        self._go_on = threading.Event()

    def let_end(self) -> None:
        self._go_on.set()

    def run(
        self, order: InspectionOrder, told: Callable[[InspectionMoment], None], token: CancellationToken
    ) -> InspectionEnd:
        self.orders.append(order)
        self.threads.append(threading.current_thread())
        if self.error is not None:
            raise self.error
        token.on_cancel(self._go_on.set)
        told(InspectionMoment(0, 40))
        told(InspectionMoment(10, 40, 3, 100.0))
        assert self._go_on.wait(PATIENCE_S)
        done = 10 if token.cancelled else 40
        return InspectionEnd(InspectionMoment(done, 40, 3, 100.0), interrupted=token.cancelled)


@pytest.fixture
def make_bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[FakeInspections], Bench]]:
    """A window that inspects, with its documents in a folder of their own; reports go beside it."""
    made: list[Bench] = []
    folder = tmp_path / "letters"
    folder.mkdir()

    def make(inspections: FakeInspections) -> Bench:
        settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        settings.setValue("inspection_reports", str(tmp_path))
        made.append(Bench(qtbot, folder, count=2, inspections=inspections, settings=settings))
        made[-1].show()
        return made[-1]

    yield make
    for each in made:
        finish(each)
        assert each.window.inspecting.wait()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The file dialog answers with what it was offered; this is that."""
    offered: list[str] = []

    def answer(_parent: object, _title: str, start: str, kinds: str) -> tuple[str, str]:
        offered.append(start)
        return start, kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    return offered


def begun(bench: Bench) -> InspectCommands:
    """Chosen from the menu, and as far as the fake goes by itself."""
    bench.window.actions_by_name["inspect_this"].trigger()
    inspecting = bench.window.inspecting
    bench.qtbot.waitUntil(lambda: "10" in inspecting.bar.label.text() or "11" in inspecting.bar.label.text())
    return inspecting


def test_the_folder_that_is_shown_is_inspected_on_another_thread_and_progress_is_told(
    make_bench: Callable[[FakeInspections], Bench], asked: list[str], tmp_path: Path
) -> None:
    fake = FakeInspections()
    bench = make_bench(fake)
    bar = begun(bench).bar
    assert asked == [str(tmp_path / "letters-inspection.html")]
    assert fake.orders == [InspectionOrder(tmp_path / "letters", tmp_path / "letters-inspection.html")]
    assert fake.threads[0] is not threading.main_thread()
    assert bar.label.text() == "Inspecting 11 of 40 · 3 findings · 5 min left"
    assert bar.label.toolTip() == bar.label.text()
    assert (bar.progress.value(), bar.progress.maximum()) == (10, 40)
    assert (bar.cancel.isVisible(), bar.show_report.isVisible()) == (True, False)


def test_at_the_end_the_report_is_offered_and_opened(
    make_bench: Callable[[FakeInspections], Bench],
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    fake = FakeInspections()
    bench = make_bench(fake)
    inspecting = begun(bench)
    fake.let_end()
    bench.qtbot.waitUntil(lambda: not inspecting.running)
    bar = inspecting.bar
    assert bar.label.text() == "Inspected: 40 of 40 · 3 findings"
    assert (bar.cancel.isVisible(), bar.progress.isVisible()) == (False, False)
    bar.show_report.click()
    assert opened == [QUrl.fromLocalFile(asked[0])]
    bar.dismiss.click()
    assert not bar.isVisible()


def test_cancel_ends_it_and_what_is_done_can_be_seen(
    make_bench: Callable[[FakeInspections], Bench], asked: list[str]
) -> None:
    bench = make_bench(FakeInspections())
    inspecting = begun(bench)
    inspecting.bar.cancel.click()
    assert not inspecting.bar.cancel.isEnabled()
    bench.qtbot.waitUntil(lambda: not inspecting.running)
    assert inspecting.bar.label.text() == "Cancelled after 10 of 40 · 3 findings"
    assert inspecting.bar.show_report.isVisible()


def test_one_at_a_time(make_bench: Callable[[FakeInspections], Bench], asked: list[str]) -> None:
    fake = FakeInspections()
    bench = make_bench(fake)
    begun(bench)
    bench.window.actions_by_name["inspect_this"].trigger()
    assert len(fake.orders) == 1
    assert bench.window.status.currentMessage() == "An inspection is running already."


def test_a_window_that_is_closed_ends_it_and_hears_nothing_more(
    make_bench: Callable[[FakeInspections], Bench], asked: list[str]
) -> None:
    bench = make_bench(FakeInspections())
    inspecting = begun(bench)
    text = inspecting.bar.label.text()
    bench.window.close()
    assert inspecting.wait()
    QApplication.processEvents()
    assert inspecting.bar.label.text() == text


@pytest.mark.parametrize(
    "error",
    [OutputError("Cannot write the report: no space."), EngineError(ErrorKind.UNAVAILABLE, "There is no engine.")],
)
def test_what_went_wrong_is_said_in_words(
    make_bench: Callable[[FakeInspections], Bench], asked: list[str], error: Exception
) -> None:
    bench = make_bench(FakeInspections(error=error))
    bench.window.actions_by_name["inspect_this"].trigger()
    bench.qtbot.waitUntil(lambda: bool(bench.window.findChildren(QMessageBox)))
    box = bench.window.findChildren(QMessageBox)[0]
    assert box.text() == str(error)
    assert not bench.window.inspecting.running
    assert not bench.window.inspecting.bar.isVisible()
    box.close()


def test_without_the_extra_it_is_named_and_json_lines_are_written(
    make_bench: Callable[[FakeInspections], Bench],
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "information", lambda _parent, _title, text: told.append(text))
    fake = FakeInspections(lacks="jinja2")
    begun(make_bench(fake))
    assert "jinja2" in told[0]
    assert "docpeek[inspect]" in told[0]
    assert fake.orders[0].report == tmp_path / "letters-inspection.jsonl"


def test_no_file_is_replaced_that_nobody_was_asked_about(
    make_bench: Callable[[FakeInspections], Bench], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.html").write_text("mine")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    fake = FakeInspections()
    bench = make_bench(fake)
    bench.window.actions_by_name["inspect_this"].trigger()
    assert not fake.orders
    assert "mine.html" in bench.window.status.currentMessage()


# ---- the program


def test_the_program_ends_an_inspection_before_its_converter(tmp_path: Path) -> None:
    fake, service = FakeInspections(), DesktopService(tmp_path)

    def painted(_path: Path, _seconds: float) -> None:
        window = the_window()
        window.inspecting.begin(InspectionOrder(tmp_path, tmp_path / "report.html"))
        soon(window.close)

    def close() -> None:
        assert not fake.threads[0].is_alive()
        service.close()

    services = replace(service.services(first_page_painted=painted, inspections=fake), close_converter=close)
    assert run_app([tmp_path], services) == 0
    assert service.ended == ["converter"]


@pytest.mark.wasm
def test_the_program_inspects_with_its_own_converter(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder, report = tmp_path / "slides", tmp_path / "report.html"
    folder.mkdir()
    shutil.copyfile(assets_dir() / "samples" / "slides.pptx", folder / "slides.pptx")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 and no more")
    told: list[str] = []

    def painted(_path: Path, _seconds: float) -> None:
        window = the_window()
        timer = QTimer(window)

        def look() -> None:
            if not window.inspecting.running:
                timer.stop()
                told.append(window.inspecting.bar.label.text())
                window.close()

        timer.timeout.connect(look)
        window.inspecting.begin(InspectionOrder(folder, report))
        timer.start(10)

    assert app.run_desktop(Config(), "wasm", [folder / "slides.pptx"], painted) == 0
    assert told[0].startswith("Inspected: 2 of 2 · ")
    page = report.read_text(encoding="utf-8")
    assert "slides.pptx" in page
    assert "broken.docx" in page
    assert "data:image/" in page


# ---- the run


class Run:
    """A folder with documents below it, and a converter over a fake engine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = FakeEngine()
        self.converter = Converter(
            self.engine, FakeChecker(), workspace=Workspace([folder]), limits=Limits(), classify=classify_text
        )
        self.moments: list[InspectionMoment] = []
        self.token = CancellationToken()

    def write(self, name: str, text: str, gate: Gate | None = None) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        more = {} if gate is None else {"gate": gate}
        self.engine.kit(text, pdf=make_pdf([PdfPage().text(10, 50, "words")]), **more)

    def __call__(self, report: Path) -> InspectionEnd:
        service = Service(self.converter, self.engine.info)
        order = InspectionOrder(self.folder, report)
        return inspect_folder(service, Config(), order, self.moments.append, self.token)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    folder = tmp_path / "documents"
    folder.mkdir()
    made = Run(folder)
    yield made
    assert made.converter.close()


def test_a_run_writes_one_html_page_and_leaves_its_own_report_out(run: Run) -> None:
    pytest.importorskip("jinja2")
    run.write("a.docx", "one")
    run.write("below/b.docx", "two")
    report = run.folder / "report.html"
    report.write_text("<p>an earlier one")
    ending = run(report)
    assert (ending.at.done, ending.at.total, ending.interrupted) == (2, 2, False)
    assert [(at.done, at.total) for at in run.moments] == [(0, 2), (1, 2), (2, 2)]
    page = report.read_text(encoding="utf-8")
    assert "a.docx" in page
    assert "b.docx" in page


def test_a_run_writes_json_lines_and_a_cancelled_one_says_so(run: Run) -> None:
    gate = Gate()
    run.write("a.docx", "one")
    run.write("b.docx", "two", gate)
    run.moments = _CancelAt(1, run.token)
    report = run.folder.parent / "report.jsonl"
    ending = run(report)
    records = list(read_records(report))
    assert ending.interrupted
    assert [Path(record.file).name for record in records if isinstance(record, FileInspection)] == ["a.docx"]
    assert isinstance(records[-1], End)
    assert records[-1].interrupted


class _CancelAt(list[InspectionMoment]):
    """Cancels when so many files are done."""

    def __init__(self, done: int, token: CancellationToken) -> None:
        super().__init__()
        self._done = done
        self._token = token

    def append(self, at: InspectionMoment) -> None:
        super().append(at)
        if at.done == self._done:
            self._token.cancel("stopped")


def test_what_a_person_opens_is_converted_while_an_inspection_is_held_up(run: Run) -> None:
    gate = Gate()
    for name in ("a.docx", "b.docx", "c.docx"):
        run.write(name, name, gate)
    run.write("mine.pptx", "mine")
    thread = threading.Thread(target=run, args=[run.folder.parent / "report.jsonl"])
    thread.start()
    try:
        gate.wait_for_arrivals()
        ticket = run.converter.open(Locator.of(run.folder / "mine.pptx"), Lane.CRITICAL)
        assert ticket.result(PATIENCE_S).pages
        assert gate.arrivals == 1
    finally:
        gate.open()
        thread.join()


def test_a_folder_without_documents_has_no_report(run: Run) -> None:
    report = run.folder.parent / "report.html"
    assert run(report) == InspectionEnd(InspectionMoment())
    assert not report.exists()


def test_a_report_that_cannot_be_written_is_said(run: Run) -> None:
    run.write("a.docx", "one")
    with pytest.raises(OutputError, match="Cannot write the report"):
        run(run.folder / "nowhere" / "report.jsonl")
