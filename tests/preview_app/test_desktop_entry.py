"""docpeek on the desktop: on request, in the person's own folders, taken back without a trace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engines.formats import DOCUMENT_TYPES
from preview_app import desktop_entry, mimeapps
from preview_app.desktop.programs import programs_for
from preview_app.desktop_entry import IDENTITY, DesktopEntry, DesktopEntryError, default_types, quoted

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="no such entries here")
WORD = "application/msword"
OTHERS = "# mine\n[Added Associations]\ntext/plain=a.desktop;\n\n[Default Applications]\nimage/png=viewer.desktop\n"


def entry(folder: Path, program: tuple[str, ...] = ("/opt/docpeek/bin/docpeek",)) -> DesktopEntry:
    return DesktopEntry(folder / "data", folder / "config", program)


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder, and folders as well."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def test_it_is_put_there_and_taken_away_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "config").mkdir()
    before = everything(tmp_path)
    made = entry(tmp_path)
    assert not made.standing().installed
    made.install()
    assert made.standing() == desktop_entry.Standing(True)
    assert made.icon.read_bytes().startswith(b"<svg")
    assert not made.associations.exists(), "only on request"
    assert made.remove()
    assert everything(tmp_path) == before
    assert not made.remove()


@pytest.mark.parametrize("former", ["", OTHERS, OTHERS + f"{WORD}=writer.desktop;\n", f"{OTHERS}{WORD}=writer.desktop"])
def test_what_opened_documents_before_does_so_again(tmp_path: Path, former: str) -> None:
    made = entry(tmp_path)
    if former:
        made.associations.parent.mkdir()
        made.associations.write_text(former)
        made.associations.chmod(0o640)
    made.install(default=True)
    assert set(made.standing().default_for) == set(default_types())
    assert WORD in made.standing().default_for
    made.install(default=True)
    assert made.associations.read_text().count(f"{WORD}=") == 1
    if former:
        assert made.associations.stat().st_mode & 0o777 == 0o640
        assert all(line in made.associations.read_text() for line in OTHERS.splitlines())
    made.remove()
    assert (made.associations.read_text().rstrip("\n") if former else made.associations.exists()) == (
        former.rstrip("\n") if former else False
    )


def test_texts_and_pages_stay_with_editor_and_browser(tmp_path: Path) -> None:
    assert {each.mime for each in DOCUMENT_TYPES} - set(default_types()) == {"text/plain", "text/html"}


def test_an_entry_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    made = entry(tmp_path)
    made.entry.parent.mkdir(parents=True)
    made.entry.write_text("[Desktop Entry]\nName=another\n")
    with pytest.raises(DesktopEntryError, match="not by docpeek"):
        made.install(default=True)
    assert not made.remove()
    assert made.entry.read_text() == "[Desktop Entry]\nName=another\n"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(DesktopEntryError, match="Cannot write"):
        entry(tmp_path).install()


@pytest.mark.parametrize("program", ["/opt/docpeek", "/home/me/my programs/docpeek", '/a "b" $c `d` \\e %f'])
def test_the_entry_starts_the_program_whatever_its_path(tmp_path: Path, program: str) -> None:
    made = entry(tmp_path, (program,))
    made.install()
    (made.entry.parent / "mimeinfo.cache").write_text(f"[MIME Cache]\n{WORD}={IDENTITY};\n")
    if "\\" not in program:  # that reader does not undo the escapes of a value
        (found,) = programs_for(WORD, [made.entry.parent])
        assert found.words(Path("/a b.doc")) == [program, "open", "/a b.doc"]


def test_words_are_quoted_as_the_specification_says() -> None:
    assert quoted("/opt/docpeek") == "/opt/docpeek"
    assert quoted("a b") == '"a b"'
    assert quoted('a"$`\\ 5%') == '"a\\"\\$\\`\\\\ 5%%"'


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="needs desktop-file-utils")
def test_the_entry_is_valid(tmp_path: Path) -> None:
    made = entry(tmp_path, ("/home/me/my programs/docpeek",))
    made.install()
    checked = subprocess.run(["desktop-file-validate", made.entry], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_defaults_are_added_in_the_midst_of_other_sections() -> None:
    text = "[Default Applications]\na/b=x.desktop;y.desktop;\n\n[Added Associations]\na/b=z.desktop;\n"
    changed = mimeapps.with_default(text, "p.desktop", ["a/b", "c/d"])
    assert changed == (
        "[Default Applications]\na/b=p.desktop;x.desktop;y.desktop;\nc/d=p.desktop;\n\n"
        "[Added Associations]\na/b=z.desktop;\n"
    )
    assert mimeapps.defaults_of(changed, "p.desktop") == ["a/b", "c/d"]
    assert mimeapps.without(changed, "p.desktop") == text


def test_what_a_person_removed_stays_removed() -> None:
    text = "[Removed Associations]\na/b=p.desktop;\n"
    assert mimeapps.without(text, "p.desktop") == text


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("DOCPEEK_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path


def docpeek(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "preview_app", "desktop-entry", *arguments],
        capture_output=True, text=True, check=False, timeout=60, env=dict(os.environ),
    )  # fmt: skip


def test_the_command(home: Path) -> None:
    assert json.loads(docpeek("--json").stdout)["installed"] is False
    assert docpeek("install", "--default").returncode == 0
    told = json.loads(docpeek("--json").stdout)
    assert told["installed"] is True
    assert WORD in told["default_for"]
    assert "In the menu" in docpeek().stdout
    assert docpeek("remove").returncode == 0
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert "nothing" in docpeek("remove").stderr
