"""Finding an installed LibreOffice: by name, at usual places, on the path; and what its files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.errors import EngineError, ErrorKind
from engines.native import discover
from tests.engines.native.fake_soffice import install


@pytest.fixture
def nothing_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "usual_places", lambda _platform, _environment: iter(()))


def test_the_files_of_an_installation_are_read(tmp_path: Path) -> None:
    executable = install(tmp_path)
    found = discover.describe(executable.parent)
    assert found is not None
    assert (found.executable, found.program) == (executable, executable.parent)
    assert (found.product, found.build_id) == ("7.9", "40(Build:2)")
    assert found.registry == tmp_path / "share" / "registry"


def test_a_folder_without_one_is_none(tmp_path: Path) -> None:
    assert discover.describe(tmp_path) is None
    (tmp_path / "soffice").touch()
    assert discover.describe(tmp_path) is None, "a starter of another program"


@pytest.mark.parametrize("named", ["program/soffice.bin", "program", "."])
def test_a_setting_names_the_program_its_folder_or_the_one_above(tmp_path: Path, named: str) -> None:
    executable = install(tmp_path / "office")
    assert discover.find(str(tmp_path / "office" / named), {}).executable == executable


def test_a_link_is_followed(tmp_path: Path) -> None:
    executable = install(tmp_path / "office")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "soffice").symlink_to(executable)
    assert discover.find(str(tmp_path / "bin" / "soffice"), {}).executable == executable


def test_the_setting_comes_before_the_variable_and_both_before_the_rest(tmp_path: Path) -> None:
    one, other = install(tmp_path / "one"), install(tmp_path / "other")
    variable = {discover.VARIABLE: str(other)}
    assert discover.find(str(one), variable).executable == one
    assert discover.find("", variable).executable == other


@pytest.mark.parametrize(("setting", "variable"), [("/not/there", ""), ("", "/not/there")])
def test_what_is_named_and_not_there_is_an_error_whatever_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, variable: str
) -> None:
    executable = install(tmp_path)
    monkeypatch.setattr(discover, "usual_places", lambda _platform, _environment: iter((executable.parent,)))
    with pytest.raises(EngineError) as caught:
        discover.find(setting, {discover.VARIABLE: variable})
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert "/not/there" in caught.value.message
    assert (discover.SETTING if setting else discover.VARIABLE) in caught.value.message


@pytest.mark.usefixtures("nothing_usual")
def test_the_path_is_looked_at(tmp_path: Path) -> None:
    executable = install(tmp_path / "office")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "libreoffice").symlink_to(executable)
    assert discover.find("", {"PATH": str(tmp_path / "bin")}).executable == executable


@pytest.mark.usefixtures("nothing_usual")
def test_none_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        discover.find("", {"PATH": str(tmp_path)})
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert caught.value.message == discover.NOT_INSTALLED


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", "/usr/lib/libreoffice/program"), ("darwin", "/Applications/LibreOffice.app/Contents/MacOS")],
)
def test_the_usual_places_of_each_system(platform: str, expected: str) -> None:
    assert Path(expected) in list(discover.usual_places(platform, {}))


def test_the_usual_place_of_windows() -> None:
    assert list(discover.usual_places("win32", {"ProgramFiles": "/pf"})) == [Path("/pf/LibreOffice/program")]


def test_a_part_that_comes_changes_the_identity(tmp_path: Path) -> None:
    found = discover.describe(install(tmp_path).parent)
    assert found is not None
    before = found.identity
    assert found.identity == before
    (found.registry / "impress.xcd").touch()
    assert found.identity != before
