"""What the converter says is said in the language of the window, and nothing of it is lost."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from converter.errors import Bound, Outcome
from engines import boundedexport
from engines.formats import DOCUMENT_TYPES
from engines.native import convert_cli, modules
from engines.notices import Notice, NoticeKind
from engines.wasm import progress
from preview_app.desktop.reasons import REASONS, translated
from preview_app.desktop.sentences import (
    FAILURES,
    NOTICES,
    PREPARING,
    TYPES,
    failure_details,
    failure_text,
    notice_text,
    phase_text,
    raster_text,
    type_label,
)
from preview_app.preview_states import Converted, Extent, Failed, Failure, Showing
from preview_app.raster.api import RasterError
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGES = Notice("Only the first 2,000 pages are shown.", NoticeKind.FIRST_PAGES, pages=2000)


def test_the_tables_are_in_step_with_what_is_said() -> None:
    assert {each.id: each.label for each in DOCUMENT_TYPES} == TYPES
    assert {outcome.value: outcome.sentence for outcome in Outcome if outcome is not Outcome.OK} == {
        **{kind: text for kind, text in FAILURES.items() if kind != "crashed"},
        "cancelled": Outcome.CANCELLED.sentence,
    }
    assert set(NOTICES) == set(NoticeKind) - {NoticeKind.OTHER}
    said = [boundedexport.PRINTED, boundedexport.CUT_TEXT, boundedexport.EMPTY, convert_cli.PRINT_LAYOUT]
    assert all(NOTICES[notice.kind] == notice for notice in (*said, modules.NO_EQUATIONS))
    assert set(progress._MESSAGES.values()) == set(PREPARING)


def test_in_english_everything_is_as_it_was_said() -> None:
    assert notice_text(PAGES) == "Only the first 2,000 pages are shown."
    failure = Failure("corrupt", "The file is damaged: its end is missing.", "a trace")
    assert (failure_text(failure), failure_details(failure)) == (failure.message, "a trace")
    assert type_label("fodt") == "Flat OpenDocument text"
    assert type_label("unheard of") == "Unheard of"


def test_notices_in_another_language(german: None) -> None:
    assert notice_text(PAGES).startswith("Nur die ersten 2")
    one = Notice("Only the first page is shown.", NoticeKind.FIRST_PAGES, pages=1)
    assert notice_text(one) == "Nur die erste Seite wird gezeigt; das Dokument hat mehr."
    false_name = Notice("Named .docx, but it is a PDF document.", NoticeKind.FALSE_NAME, suffix="docx", type="pdf")
    assert notice_text(false_name) == "Der Name endet auf .docx, der Inhalt ist aber: PDF-Dokument."
    assert notice_text(Notice("Something new.")) == "Something new."
    assert notice_text(Notice("Named falsely.", NoticeKind.FALSE_NAME)) == "Named falsely.", "values are missing"


def test_errors_in_another_language_keep_the_sentence_for_the_details(german: None) -> None:
    failure = Failure("corrupt", "The file is damaged: its end is missing.", "a trace")
    assert failure_text(failure).startswith("Das Dokument ist so beschädigt")
    assert failure_details(failure) == "The file is damaged: its end is missing.\n\na trace"
    general = Failure("corrupt", Outcome.CORRUPT.sentence)
    assert failure_details(general) == "", "it would only say the same again"


def test_what_is_to_be_done_is_said_in_any_language(german: None) -> None:
    text = failure_text(Failure("unavailable", "Install the extra `crypto`."))
    assert text.splitlines()[1] == "Install the extra `crypto`."


def test_bounds_are_told_with_their_numbers(german: None) -> None:
    text = failure_text(Failure("limit", "Too large.", bound=Bound("bytes of a document", 100, 123)))
    assert text.endswith("Bytes des Dokuments: 123; höchstens 100 sind erlaubt.")


def test_the_window_shows_errors_in_its_language(german: None, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1)
    bench.conversions.pdfs["1.docx"] = Failure("corrupt", "The file is damaged: its end is missing.")
    bench.appear()
    bench.window.open_paths([tmp_path])
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Failed))
    error = bench.window.viewer.error
    assert error.text.text().startswith("Das Dokument ist so beschädigt")
    assert error.details_button.isVisible()
    with qtbot.waitSignal(error.copied) as copied:
        error.copy_button.click()
    assert "its end is missing" in copied.args[0]
    finish(bench)


def test_all_pages_are_offered_where_only_the_first_are_shown(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=2)
    whole = bench.conversions.pdfs["1.docx"]
    bench.conversions.pdfs["1.docx"] = Converted(fake_pdf(), "LibreOffice 1", 0.1, notices=(PAGES,))
    bench.show()
    notices = bench.window.viewer.notices
    assert notices.text == "Only the first 2,000 pages are shown."
    bench.conversions.pdfs["1.docx"] = whole
    QTest.mouseClick(notices.all_button, Qt.MouseButton.LeftButton)
    asked = [request for request in bench.conversions.requests if request.extent is Extent.ALL]
    assert [request.path.name for request in asked] == ["1.docx"]
    bench.settle()
    assert isinstance(bench.window.preview.state, Showing)
    assert not notices.all_button.isVisible()
    bench.window.actions_by_name["next_file"].trigger()
    bench.settle()
    assert not notices.isVisible()
    finish(bench)


def test_a_notice_is_added_once(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1)
    bench.show()
    for _ in range(2):
        bench.window.viewer.tell("The file was moved or deleted.")
    assert bench.window.viewer.notices.text == "The file was moved or deleted."
    finish(bench)


def _said(*folders: str) -> set[str]:
    """Every text in the code of these folders; what is filled in is `{}`."""
    found = set()
    paths = [path for folder in folders for path in (REPOSITORY / folder).rglob("*.py")]
    for path in (path for path in paths if path.parent.name != "desktop"):  # where they are translated
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
                found.add("".join(map(str, parts)))
    return found


def test_every_sentence_that_is_translated_is_said_somewhere() -> None:
    said = _said("converter", "engines", "preview_app")
    assert [sentence for sentence in REASONS if sentence not in said] == []


def test_sentences_that_say_what_to_do_are_german(german: None) -> None:
    assert translated("Hidden files are not shown.") == "Verborgene Dateien werden nicht gezeigt."
    lacks = "The LibreOffice of this machine lacks Calc: install the package libreoffice-calc."
    assert translated(lacks).endswith("fehlt Calc: Installieren Sie das Paket libreoffice-calc.")
    assert failure_text(Failure("unavailable", lacks)) == translated(lacks)
    assert raster_text(RasterError("limit", "The page is too complex to draw.")).startswith("Die Seite ist zu")
    assert translated("Something else.") == ""
    assert phase_text("reading pages") == "liest die Seiten"


def test_a_file_without_permission_is_told_and_can_be_retried(german: None, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1)
    bench.conversions.pdfs["1.docx"] = Failure("not_allowed", Outcome.NOT_ALLOWED.sentence)
    bench.paths[0].chmod(0)
    bench.appear()
    bench.window.open_paths([bench.paths[0]])
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Failed))
    error = bench.window.viewer.error
    readable = os.access(bench.paths[0], os.R_OK)  # root may read everything
    expected = "Diese Datei darf hier nicht geöffnet werden." if readable else "Sie dürfen diese Datei nicht lesen."
    assert error.text.text().startswith(expected)
    assert error.retry_button.isVisible()
    assert error.retry_button.text() == "Noch einmal"
    finish(bench)
