"""What the list of documents shows of a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from engines.formats import Family
from preview_app.desktop.file_watch import FileWatch
from preview_app.desktop.folder import Sort, list_files, list_folder, natural_key, one_line

SUFFIXES = {"docx": Family.TEXT, "xlsx": Family.SHEET, "pdf": Family.PDF}


def names(folder: Path) -> list[str]:
    return [entry.path.name for entry in list_folder(folder, SUFFIXES).entries]


def test_folders_first_then_documents_in_natural_order(tmp_path: Path) -> None:
    for name in ("page 10.docx", "page 2.docx", "Page 1.DOCX", "picture.png", "a.xlsx"):
        (tmp_path / name).touch()
    (tmp_path / "zoo").mkdir()
    assert names(tmp_path) == ["zoo", "a.xlsx", "Page 1.DOCX", "page 2.docx", "page 10.docx"]


def test_hidden_files_and_lock_files_are_left_out(tmp_path: Path) -> None:
    for name in (".hidden.docx", "~$report.docx", ".~lock.report.docx#", "report.docx"):
        (tmp_path / name).touch()
    assert names(tmp_path) == ["report.docx"]


def test_a_broken_link_is_listed_as_what_its_name_says(tmp_path: Path) -> None:
    (tmp_path / "gone.docx").symlink_to(tmp_path / "nowhere.docx")
    assert names(tmp_path) == ["gone.docx"]


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    assert list_folder(tmp_path, SUFFIXES).problem == "There is no document in this folder."


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert "not there any more" in list_folder(tmp_path / "nowhere", SUFFIXES).problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_a_forbidden_folder_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    try:
        assert "no permission" in list_folder(tmp_path, SUFFIXES).problem
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_what_may_not_be_read_is_not_watched_and_nothing_complains(qtbot: QtBot, tmp_path: Path) -> None:
    secret = tmp_path / "secret.docx"
    secret.touch(0)
    watch = FileWatch()
    watch.watch(secret)  # a warning of Qt would fail this
    assert watch._watcher.files() == []
    assert watch._watcher.directories() == [str(tmp_path)]
    watch.stop()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.docx").touch()
    assert "cannot be read" in list_folder(tmp_path / "a.docx", SUFFIXES).problem


def test_named_files_are_listed_as_given_once_each(tmp_path: Path) -> None:
    paths = [tmp_path / "b.bin", tmp_path / "a.xlsx", tmp_path / "b.bin"]
    listing = list_files(paths, SUFFIXES)
    assert [(entry.path.name, entry.family) for entry in listing.entries] == [
        ("b.bin", Family.TEXT),
        ("a.xlsx", Family.SHEET),
    ]


def test_a_name_is_shown_in_one_line_and_reads_as_it_is() -> None:
    assert one_line("a\nb\tc\udcff\u202efdp.docx") == "a\ufffdb\ufffdc\ufffd\ufffdfdp.docx"
    for name in ("Привет.docx", "日本語.xlsx", "مرحبا\u200c.odt", "👩\u200d💻 & co.pdf"):
        assert one_line(name) == name


def test_natural_keys_of_any_names_can_be_compared() -> None:
    odd = ["", "1", "a", "²", "a1b", "1a", "٣", "é10", "é9"]
    assert sorted(odd, key=natural_key).index("é9") < sorted(odd, key=natural_key).index("é10")


def test_documents_are_listed_in_the_order_asked_for(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, size, age in (("b.docx", 30, 2), ("a.xlsx", 10, 3), ("c.docx", 20, 1), ("d.pdf", 5, 4)):
        (tmp_path / name).write_bytes(b"x" * size)
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))

    def sorted_by(sort: Sort) -> str:
        return " ".join(entry.path.name for entry in list_folder(tmp_path, SUFFIXES, sort=sort).entries)

    assert sorted_by(Sort.NAME) == "folder a.xlsx b.docx c.docx d.pdf"
    assert sorted_by(Sort.MODIFIED) == "folder c.docx b.docx a.xlsx d.pdf"
    assert sorted_by(Sort.SIZE) == "folder b.docx c.docx a.xlsx d.pdf"
    assert sorted_by(Sort.TYPE) == "folder d.pdf a.xlsx b.docx c.docx"
