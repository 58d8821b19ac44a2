"""The facts of a document that cannot be shown: what a bug report needs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from converter.errors import ConversionError, Outcome
from engines.base import EngineInfo
from preview_app.desktop.bridge import failure_of
from preview_app.desktop.file_look import FileLook
from preview_app.preview_states import Converted, Facts, Failed, Failure
from tests.preview_app.desktop.conftest import Bench, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
RTF = rb"{\rtf1\ansi this ends too soo"
ENGINE = EngineInfo(name="wasm", version="26.8", fingerprint="f" * 64)


def failing(bench: Bench, failure: Failure | Converted, data: bytes = RTF) -> Path:
    """A document that fails, with the facts open."""
    path = bench.paths[0]
    path.write_bytes(data)
    bench.conversions.pdfs[path.name] = failure
    bench.appear()
    bench.window.actions_by_name["toggle_details"].trigger()
    bench.window.open_paths([path])
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Failed))
    return path


def test_they_are_told_and_copied(bench: Bench) -> None:
    error = ConversionError(Outcome.CORRUPT, "The file is damaged: its end is missing.", "a trace", ENGINE)
    path = failing(bench, failure_of(error))
    details, digest = bench.window.details, hashlib.sha256(RTF).hexdigest()
    bench.qtbot.waitUntil(lambda: "RTF document" in details.text)
    rows = details.text.splitlines()
    for expected in (
        path.name,
        str(path.parent),
        f"{len(RTF)} bytes",
        digest,
        "corrupt",
        "LibreOffice 26.8 in WebAssembly",
        error.message,
        "a trace",
    ):
        assert expected in rows
    details.copy_button.click()
    told = json.loads(QGuiApplication.clipboard().text())
    assert told["file"] == str(path)
    assert (told["ok"], told["kind"], told["message"]) == (False, "corrupt", error.message)
    assert (told["type"], told["bytes"], told["sha256"]) == ("rtf", len(RTF), digest)
    assert (told["engine"], told["engine_version"]) == ("wasm", "26.8")
    assert told["diagnostics"] == "a trace"


def test_they_go_with_the_document(bench: Bench) -> None:
    failing(bench, Failure("corrupt", "The file is damaged."))
    bench.window.actions_by_name["next_file"].trigger()
    bench.settle()
    assert "corrupt" not in bench.window.details.text.splitlines()
    assert "LibreOffice 1" in bench.window.details.text.splitlines()


def test_without_an_engine_that_is_said(bench: Bench) -> None:
    failing(bench, Failure("empty", "The file is empty."), b"")
    assert "None was asked" in bench.window.details.text.splitlines()


def test_the_engine_of_a_pdf_that_cannot_be_drawn_is_told(bench: Bench) -> None:
    facts = Facts("rtf", "wasm", "26.8")
    failing(bench, Converted(b"no PDF at all", "LibreOffice 26.8 in WebAssembly", 0.1, facts=facts))
    assert "LibreOffice 26.8 in WebAssembly" in bench.window.details.text.splitlines()
    bench.window.details.copy_button.click()
    told = json.loads(QGuiApplication.clipboard().text())
    assert (told["kind"], told["engine"], told["engine_version"]) == ("corrupt", "wasm", "26.8")


def test_of_what_was_given_up_no_engine_is_told(bench: Bench) -> None:
    failing(bench, Failure("cancelled", "Opening was cancelled."))
    rows = bench.window.details.text.splitlines()
    assert "cancelled" in rows
    assert "None was asked" not in rows


def test_copied_facts_are_english_in_any_language(german: None, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, count=1)
    failing(bench, Failure("corrupt", "The file is damaged."))
    assert "Das Dokument ist so beschädigt, dass es nicht gelesen werden kann." in bench.window.details.text
    bench.window.details.copy_button.click()
    assert json.loads(QGuiApplication.clipboard().text())["message"] == "The file is damaged."
    finish(bench)


def test_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    assert FileLook.at(tmp_path) == FileLook()
    assert FileLook.at(tmp_path / "nothing") == FileLook()
    assert FileLook.at(Path("/dev/null")) == FileLook()
    unknown = tmp_path / "a.docx"
    unknown.write_bytes(b"\x00\x01\x02")
    look = FileLook.at(unknown)
    assert (look.type_id, len(look.sha256)) == ("", 64)
