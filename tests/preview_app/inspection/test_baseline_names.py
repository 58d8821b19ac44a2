"""Documents that only a baseline has, and those that only the folder has."""

from __future__ import annotations

from pathlib import Path

import pytest

from converter.errors import ConversionError, Outcome
from preview_app.inspection.baseline_names import BaselineNames
from preview_app.inspection.findings import finding
from preview_app.inspection.inspect_one import failed
from preview_app.inspection.paths import Selection, files_of
from preview_app.inspection.records import FileInspection


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The baseline and what is there now."""
    return tmp_path / "base", tmp_path / "now"


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def removed(folders: tuple[Path, Path], selection: Selection, *roots: Path) -> list[str]:
    base, now = folders
    found = BaselineNames(base, roots or [now], selection).removed(files_of(roots or [now], selection))
    return [str(Path(record.file).relative_to(now)) for record in found]


def test_documents_and_saved_ones_that_are_gone(folders: tuple[Path, Path]) -> None:
    fill(folders[0], "a.docx", "b.docx.pdf", "gone.docx", "deep/gone.odt.pdf", "both.odt", "both.odt.pdf", "notes.md")
    fill(folders[0], "scan.pdf", "gone.pdf", ".hidden.docx", "saved.pdf.pdf", "~$a.docx")
    fill(folders[1], "a.docx", "b.docx", "scan.pdf", "new.docx")
    gone = ["both.odt", "deep/gone.odt", "gone.docx", "gone.pdf", "saved.pdf"]
    assert removed(folders, Selection(recursive=True)) == gone
    assert removed(folders, Selection()) == [name for name in gone if "/" not in name]
    assert removed(folders, Selection(recursive=True, include=["*.odt"])) == ["both.odt", "deep/gone.odt"]
    assert removed(folders, Selection(recursive=True, exclude=["gone.*"])) == ["both.odt", "saved.pdf"]


def test_who_names_files_does_not_mean_the_others(folders: tuple[Path, Path]) -> None:
    fill(folders[0], "gone.docx")
    fill(folders[1], "a.docx")
    assert removed(folders, Selection(), folders[1] / "a.docx") == []


def test_a_pdf_beside_its_document_is_one_of_its_own(folders: tuple[Path, Path]) -> None:
    fill(folders[0], "a.docx", "a.docx.pdf")
    fill(folders[1], "a.docx.pdf")
    assert removed(folders, Selection()) == ["a.docx"]


def test_the_record_says_where_it_was(folders: tuple[Path, Path]) -> None:
    fill(folders[0], "gone.docx.pdf")
    fill(folders[1])
    folders[1].mkdir()
    (record,) = BaselineNames(folders[0], [folders[1]], Selection()).removed([])
    assert (record.outcome, [found.id for found in record.findings]) == ("not_found", ["only_in_baseline"])
    assert "gone.docx.pdf" in record.findings[0].sentence


def test_a_new_document_that_cannot_be_shown_is_new_all_the_same(folders: tuple[Path, Path]) -> None:
    base, now = folders
    fill(base, "old.docx", "saved.docx.pdf")
    names = BaselineNames(base, [now], Selection())
    records = [failed(now / name, ConversionError(Outcome.CORRUPT)) for name in ("old.docx", "saved.docx", "new.docx")]
    records.append(FileInspection(str(now / "fine.docx"), "ok", "", findings=(finding("not_in_baseline", "New."),)))
    told = [[found.id for found in record.findings] for record in names.told(records)]
    assert told == [["corrupt"], ["corrupt"], ["corrupt", "not_in_baseline"], ["not_in_baseline"]]
    assert list(names.told(names.told(records))) == list(names.told(records)), (
        "records of an earlier run are as they are"
    )
