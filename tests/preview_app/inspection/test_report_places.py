"""Reports harm neither documents nor devices, and an earlier report is no document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preview_app.inspection.junit import JUnit
from preview_app.inspection.pictures import PictureStore
from preview_app.inspection.records import EngineUsed, Run, line
from preview_app.inspection.report_html import HtmlReport
from preview_app.inspection.report_places import without_reports
from preview_app.outputs import OutputError

RUN = Run("1.0", EngineUsed("native", "7.4", "g"), {})


def test_a_document_is_not_replaced_by_a_report(tmp_path: Path) -> None:
    document, link = tmp_path / "a.html", tmp_path / "link.html"
    document.write_bytes(b"<html><title>A letter</title></html>")
    link.symlink_to(document)
    for place in (document, link):
        for replaced, written in (([place], []), ([], [place])):
            with pytest.raises(OutputError, match="is one of the documents"):
                without_reports([document], replaced, written)
    assert without_reports([tmp_path / "other.html"], [document], []) == [tmp_path / "other.html"]


def test_earlier_reports_are_no_documents(tmp_path: Path) -> None:
    page, suite, lines = tmp_path / "r.html", tmp_path / "r.xml", tmp_path / "r.jsonl"
    with HtmlReport(page, RUN, PictureStore()), JUnit(suite, lambda _found: False):
        pass
    lines.write_text(line(RUN), encoding="ascii")
    document = tmp_path / "a.docx"
    document.touch()
    assert without_reports([document, page, suite, lines], [page, suite], [lines]) == [document]
    assert without_reports([document, page], [tmp_path / "new.html"], []) == [document, page]


def test_two_reports_do_not_go_to_one_place(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="another report"):
        without_reports([], [tmp_path / "r"], [tmp_path / "x" / ".." / "r"])


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/null"), tmp_path):
        with pytest.raises(OutputError, match="is no file"):
            without_reports([], [place], [])
    assert without_reports([], [], [Path("/dev/null"), tmp_path / "pipe"]) == []
