"""What would run is never handed to another program, whatever its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint

from preview_app.desktop.output_commands import WOULD_RUN
from preview_app.desktop.programs import Program
from preview_app.desktop.runnable import would_run
from preview_app.preview_states import Failed, Failure
from tests.preview_app.desktop.conftest import Bench

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
ENTRY = b"# a comment\n[Desktop Entry]\nType=Application\nExec=rm -rf /\n"
OFFERS = ("open_outside", "open_with")


@pytest.mark.parametrize(
    ("name", "data", "mode"),
    [
        ("run.sh", b"echo", 0o644),
        ("Run.SH", b"echo", 0o644),
        ("tool.desktop", b"", 0o644),
        ("setup.exe", b"PK\x03\x04", 0o644),
        ("report.docx", b"#!/bin/sh\n", 0o644),
        ("report.docx", b"\xef\xbb\xbf\n #!/bin/sh\n", 0o644),
        ("report.pdf", b"\x7fELF\x02\x01", 0o644),
        ("report.pdf", b"MZ\x90\x00", 0o644),
        ("report.txt", ENTRY, 0o644),
        ("noname", b"anything", 0o755),
        ("page.unknown", b"anything", 0o744),
    ],
)
def test_what_runs(tmp_path: Path, name: str, data: bytes, mode: int) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    path.chmod(mode)
    assert would_run(path)


@pytest.mark.parametrize(
    ("name", "data", "mode"),
    [
        ("report.docx", b"PK\x03\x04", 0o644),
        ("report.docx", b"PK\x03\x04", 0o755),  # on a file system that lets everything be run
        ("notes.txt", b"Makefile\n[Desktop Entry] is a heading\n", 0o644),
        ("empty.odt", b"", 0o644),
        ("page.html", b"<!doctype html>", 0o644),
        ("noname", b"anything", 0o644),
    ],
)
def test_what_does_not(tmp_path: Path, name: str, data: bytes, mode: int) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    path.chmod(mode)
    assert not would_run(path)


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    script, link = tmp_path / "run.sh", tmp_path / "report.pdf"
    script.write_bytes(b"echo")
    link.symlink_to(script)
    assert would_run(link)
    script.unlink()
    assert would_run(link), "nobody knows what it will lead to"
    assert would_run(tmp_path), "a folder may be a program of macOS"


def test_it_is_offered_nowhere_and_told_why(bench: Bench) -> None:
    path, window = bench.paths[0], bench.window
    path.write_bytes(b"#!/bin/sh\n")
    bench.conversions.pdfs[path.name] = Failure("unsupported", "This is no document.")
    bench.appear()
    bench.window.open_paths([path])
    bench.qtbot.waitUntil(lambda: isinstance(window.preview.state, Failed))
    error = window.viewer.error
    assert not error.outside_button.isEnabled()
    assert error.why_not.isVisible()
    assert error.why_not.text() == WOULD_RUN
    menu = window._context_menus.for_list(QPoint())
    assert menu.toolTipsVisible()
    for name in OFFERS:
        assert not window.actions_by_name[name].isEnabled()
        assert window.actions_by_name[name].toolTip() == WOULD_RUN
    window.actions_by_name["next_file"].trigger()
    bench.settle()
    assert all(window.actions_by_name[name].isEnabled() for name in OFFERS)
    assert window.actions_by_name["open_with"].toolTip() == "Open with"
    assert not window._context_menus.for_list(QPoint()).toolTipsVisible()


def test_a_failed_document_is_offered_to_others(bench: Bench) -> None:
    window = bench.window
    bench.conversions.pdfs[bench.paths[0].name] = Failure("corrupt", "The file is damaged.")
    bench.appear()
    assert not any(window.actions_by_name[name].isEnabled() for name in OFFERS)
    window.open_paths([bench.paths[0]])
    bench.qtbot.waitUntil(lambda: isinstance(window.preview.state, Failed))
    assert window.viewer.error.outside_button.isEnabled()
    assert not window.viewer.error.why_not.isVisible()
    assert all(window.actions_by_name[name].isEnabled() for name in OFFERS)


def test_it_is_looked_at_again_before_it_is_handed_on(bench: Bench) -> None:
    bench.show(bench.paths[0])
    marker = bench.folder / "started"
    bench.paths[0].write_bytes(b"#!/bin/sh\n")
    bench.window.output.start(Program("touch", "touch", ("touch", str(marker), "%f")), bench.paths[0])
    assert not marker.exists()
    assert bench.window.status.currentMessage() == WOULD_RUN
    bench.window.output.open_outside()
    assert bench.window.status.currentMessage() == WOULD_RUN


def test_what_nobody_can_read_is_offered_to_nobody(bench: Bench) -> None:
    path, window = bench.paths[0], bench.window
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read every file")
    bench.conversions.pdfs[path.name] = Failure("not_allowed", "This file may not be opened here.")
    bench.appear()
    window.open_paths([path])
    bench.qtbot.waitUntil(lambda: isinstance(window.preview.state, Failed))
    assert not window.viewer.error.outside_button.isVisible()
    assert not window.viewer.error.why_not.isVisible()
    assert not any(window.actions_by_name[name].isEnabled() for name in OFFERS)
