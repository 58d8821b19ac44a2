"""The source that a server offers: complete, the same each time, and nothing of the machine in it."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

from preview_app import __version__
from preview_app.jupyter.source_archive import archive_name, source_archive
from tests.conftest import REPOSITORY


def _write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def _names(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return [name.removeprefix(f"docpeek-{__version__}/") for name in opened.getnames()]


def test_an_installed_wheel_offers_what_it_was_built_of(tmp_path: Path) -> None:
    modules = ["preview_app/cli.py", "converter/service.py", "engines/select.py"]
    _write(tmp_path, *modules, "click/core.py", "docpeek_assets/icons/a.svg", "docpeek_assets/build-files/LICENSE")
    _write(tmp_path, "docpeek_assets/build-files/pyproject.toml", "engines/__pycache__/select.pyc", "engines/old.pyc")
    _write(tmp_path, "preview_app/jupyter/labextension/src/a.ts", "preview_app/jupyter/labextension/node_modules/b.js")
    _write(tmp_path, "preview_app/jupyter/labextension/build/docpeek/c.js", "preview_app/jupyter/labextension/lib/d.js")
    archive = source_archive(tmp_path, tmp_path / "docpeek_assets")
    expected = [*modules, "LICENSE", "assets/icons/a.svg", "preview_app/jupyter/labextension/src/a.ts"]
    assert _names(archive) == sorted([*expected, "pyproject.toml"])
    for path in tmp_path.rglob("*"):
        os.utime(path, (1, 1))
    assert source_archive(tmp_path, tmp_path / "docpeek_assets") == archive
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        assert {(entry.mtime, entry.uid, entry.uname) for entry in opened} == {(0, 0, "")}


def test_neither_hidden_files_nor_links_are_given_away(tmp_path: Path) -> None:
    root, outside = tmp_path / "checkout", tmp_path / "outside"
    _write(root, "preview_app/cli.py", "preview_app/.env", "pyproject.toml", "tests/test_a.py", "assets/a.svg")
    _write(outside, "secret.txt")
    (root / "tests" / "link").symlink_to(outside)
    (root / "preview_app" / "linked.py").symlink_to(outside / "secret.txt")
    names = _names(source_archive(root, root / "assets"))
    assert names == sorted(["assets/a.svg", "preview_app/cli.py", "pyproject.toml", "tests/test_a.py"])


def test_what_a_wheel_needs_to_be_built_is_named_for_it() -> None:
    """What lies in a checkout beside the packages must be in the wheel, or its source would be incomplete."""
    build = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    locks = [lock.name for lock in REPOSITORY.glob("requirements*.lock")]
    assert locks
    for name in ("pyproject.toml", "LICENSE", "Makefile", "README.md", *locks):
        assert f'"{name}" = "docpeek_assets/build-files/{name}"' in build, name
    assert archive_name() == f"docpeek-{__version__}.tar.gz"
