"""Which files are meant, and in which order."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from preview_app.inspection.paths import Selection, files_of

NAMES = (
    "b.docx", "a.DOCX", "notes.md", "~$b.docx", ".hidden.docx", "x.pdf", "inner/c.odt", "inner/deep/d.xls",
    ".secret/e.docx",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), ["a.DOCX", "b.docx", "x.pdf"]),
        (Selection(recursive=True), ["a.DOCX", "b.docx", "x.pdf", "inner/c.odt", "inner/deep/d.xls"]),
        (Selection(recursive=True, include=["*.md", "inner/*.odt"]), ["notes.md", "inner/c.odt"]),
        (Selection(recursive=True, exclude=["*.pdf", "inner/deep/*", "b*"]), ["a.DOCX", "inner/c.odt"]),
        (Selection(include=["*"]), ["a.DOCX", "b.docx", "notes.md", "x.pdf"]),
    ],
)
def test_what_is_taken_of_a_folder(folder: Path, selection: Selection, expected: list[str]) -> None:
    assert [file.relative_to(folder).as_posix() for file in files_of([folder], selection)] == expected


def test_files_are_taken_as_they_are_named_and_once(folder: Path) -> None:
    notes, gone = folder / "notes.md", folder / "gone.docx"
    given = [notes, gone, folder / "inner" / ".." / "notes.md", folder]
    assert list(files_of(given, Selection())) == [notes, gone, folder / "a.DOCX", folder / "b.docx", folder / "x.pdf"]


def test_links_that_go_round_end(folder: Path) -> None:
    (folder / "inner" / "round").symlink_to(folder)
    assert len(list(files_of([folder], Selection(recursive=True)))) == 5


def test_links_that_lead_nowhere_are_told_of(folder: Path) -> None:
    (folder / "dangling.docx").symlink_to(folder / "nowhere")
    (folder / "itself.docx").symlink_to(folder / "itself.docx")
    (folder / "dangling.md").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.docx")
    names = [file.name for file in files_of([folder], Selection())]
    assert names == ["a.DOCX", "b.docx", "dangling.docx", "itself.docx", "x.pdf"]


def test_a_folder_that_may_not_be_read_is_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system tells it to who is not root."""
    scan = os.scandir

    def refuse(path: str) -> Any:
        if Path(path) == folder / "inner":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = files_of([folder], Selection(recursive=True))
    assert [file.relative_to(folder).as_posix() for file in found] == ["a.DOCX", "b.docx", "x.pdf", "inner"]
