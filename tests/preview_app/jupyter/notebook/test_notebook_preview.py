"""`preview` itself: what it takes, what it shows, how it fails."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engines.errors import EngineError, ErrorKind
from preview_app.jupyter import notebook
from preview_app.jupyter.notebook import PreviewError, preview
from preview_app.jupyter.notebook_service import NotebookService
from preview_app.outputs import PageRanges
from tests.fakes import FakeEngine, Gate
from tests.preview_app.jupyter.notebook.conftest import Show
from tests.preview_app.raster.pdfs import PdfPage, make_pdf


@pytest.fixture
def borrowed(service: NotebookService, monkeypatch: pytest.MonkeyPatch) -> NotebookService:
    """The service of the test as the kernel's one."""
    monkeypatch.setattr(notebook, "kernel_service", lambda: service)
    return service


@pytest.mark.usefixtures("borrowed")
def test_it_takes_what_a_person_has_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ftwo\fthree")
    monkeypatch.chdir(tmp_path)
    with path.open("rb") as file:
        documents: list[Any] = ["a.txt", str(path), path, path.read_bytes(), io.BytesIO(path.read_bytes()), file]
        shown = [preview(document, pages="1,3") for document in documents]
    assert [repr(each) for each in shown] == [
        *["a.txt: pages 1, 3 of 3"] * 3,
        *["document: pages 1, 3 of 3"] * 2,
        "a.txt: pages 1, 3 of 3",
    ]
    assert preview(path.read_bytes(), name="b.txt").name == "b.txt"


@pytest.mark.usefixtures("borrowed")
def test_pages_are_a_text_a_number_or_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\f" * 8)
    asked: list[Any] = [None, "2-4,9", 3, range(1, 3), [5, 7]]
    assert [preview(path, pages).pages for pages in asked] == [
        (1, 2, 3, 4, 5, 6, 7, 8, 9),
        (2, 3, 4, 9),
        (3,),
        (1, 2),
        (5, 7),
    ]
    assert repr(preview(path, [1, 2, 3, 6])) == "a.txt: pages 1-3, 6 of 9"


@pytest.mark.usefixtures("borrowed")
@pytest.mark.parametrize(
    ("document", "options", "error"),
    [
        ("a.txt", {"pages": "three"}, ValueError),
        ("a.txt", {"pages": 0}, ValueError),
        ("a.txt", {"dpi": 1}, ValueError),
        ("a.txt", {"engine": "word"}, ValueError),
        (5, {}, TypeError),
        (io.StringIO("text"), {}, TypeError),
    ],
)
def test_wrong_arguments_are_errors_of_python(document: Any, options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        preview(document, **options)


def test_without_a_front_end_there_is_the_picture_and_a_line(show_text: Show) -> None:
    data, metadata = show_text("one\ftwo", pages=PageRanges.parse("2"))._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/png"}
    assert data["text/plain"] == "a.txt: page 2 of 2"
    assert metadata["image/png"] == {"width": 267, "height": 134}  # 200 x 100 points at 96 dots an inch


WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def below_the_cell(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is put there."""
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(notebook, "display_raw", lambda data, _metadata: shown.append(data))
    return shown


def test_with_one_the_widget_stands_beside_the_picture(show_text: Show, below_the_cell: list[dict[str, Any]]) -> None:
    show_text("one", interactive=True)._ipython_display_()
    assert [set(data) for data in below_the_cell] == [{"text/plain", "image/png"}, {"text/plain", WIDGET}]
    assert {data["text/plain"] for data in below_the_cell} == {"a.txt: page 1 of 1"}


def test_the_widget_knows_the_picture_that_it_hides(show_text: Show) -> None:
    shown = show_text("one")
    widget = shown.widget()
    assert widget is not None
    assert shown._repr_mimebundle_()[0]["image/png"].endswith(widget.document["still_end"])
    assert widget.still == shown.png


def test_without_anywidget_there_is_the_picture(
    show_text: Show, below_the_cell: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "preview_app.jupyter.notebook_widget", None)
    show_text("one", interactive=True)._ipython_display_()
    assert [set(data) for data in below_the_cell] == [{"text/plain", "image/png"}]


def test_of_a_very_long_page_the_picture_is_its_beginning(show_text: Show, tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(make_pdf([PdfPage(width=300, height=14_000)]))
    shown = show_text(path, interactive=True)
    _, metadata = shown._repr_mimebundle_()
    assert metadata["image/png"] == {"width": 400, "height": notebook.STILL_HEIGHT_MAX}
    widget = shown.widget()
    assert widget is not None
    assert widget.still == b""  # it would be stretched over the whole page


def test_an_error_says_what_to_do_in_few_lines(show_text: Show, tmp_path: Path, fake_engine: FakeEngine) -> None:
    with pytest.raises(PreviewError) as missing:
        show_text(tmp_path / "nothing.docx")
    lines = missing.value._render_traceback_()
    assert lines[0].endswith("(not_found): nothing.docx: There is no such file.")
    assert str(tmp_path / "nothing.docx") in lines[1]
    assert len(lines) == 2
    assert missing.value.__suppress_context__

    fake_engine.kit("locked", ends_with=EngineError(ErrorKind.ENCRYPTED, "A password is needed."))
    with pytest.raises(PreviewError, match=r"A password is needed.*password=") as locked:
        show_text("locked")
    assert locked.value.kind == "encrypted"

    fake_engine.kit("bad", ends_with=EngineError(ErrorKind.ENGINE, "It failed.", "line\n" * 50))
    with pytest.raises(PreviewError) as failed:
        show_text("bad")
    assert failed.value.kind == "engine"
    assert len(failed.value._render_traceback_()) <= 7


def test_no_engine_is_told(show_text: Show, fake_engine: FakeEngine) -> None:
    fake_engine.start_error = EngineError(ErrorKind.UNAVAILABLE, "There is none.")
    fake_engine.kit("one", ends_with=EngineError(ErrorKind.UNAVAILABLE, "There is none."))
    with pytest.raises(PreviewError, match=r"There is none\. `docpeek engines`"):
        show_text("one")


def test_pages_that_are_not_there_are_an_error(show_text: Show, service: NotebookService) -> None:
    with pytest.raises(PreviewError, match="The document has 1 page; none of those"):
        show_text("one", pages=PageRanges.parse("7"))
    assert all(entry.holders == 0 for entry in service.documents._entries.values())


def test_an_interrupt_gives_the_conversion_up(show_text: Show, fake_engine: FakeEngine) -> None:
    gate = Gate()
    fake_engine.kit("slow", gate=gate)

    def interrupt() -> None:
        import signal

        gate.wait_for_arrivals()
        main = threading.main_thread().ident  # a signal to this thread would not wake the one that waits
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        show_text("slow")
    thread.join()
    assert show_text("quick").page_count == 1
    assert fake_engine.live_kits == 0


def test_previews_share_the_work_of_one_service(show_text: Show, fake_engine: FakeEngine) -> None:
    show_text("one")
    show_text("one")
    assert len(fake_engine.converted) == 1
