"""The program's own source as an archive: what the AGPL has everybody offered who uses it over a network."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from engines.assets import assets_dir
from preview_app import __version__

PACKAGES = ("preview_app", "converter", "engines")
_BESIDE = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "tests")
"""What lies beside the packages in a checkout."""
_BUILD = "build-files"
"""Where a wheel keeps what it was built with, among its assets."""
_LEFT_OUT = frozenset({"__pycache__", "node_modules", "lib", "build"})
"""What is made of the source, or fetched."""
_SUFFIXES_LEFT_OUT = frozenset({".pyc", ".pyo", ".tsbuildinfo"})


def archive_name() -> str:
    """The archive's file name."""
    return f"docpeek-{__version__}.tar.gz"


def source_archive(root: Path | None = None, assets: Path | None = None) -> bytes:
    """A `tar.gz` of what is installed; the same bytes each time. Takes about a second.

    `root` is where the packages lie, `assets` the folder of what they read; both those of this program unless given.
    """
    files = _files(root or Path(__file__).resolve().parents[2], assets or assets_dir())
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=6) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, path in sorted(files):
            _add(archive, f"docpeek-{__version__}/{name}", path.read_bytes())
    return packed.getvalue()


def _files(root: Path, assets: Path) -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        yield from _below(root / package, package)
    for child in assets.iterdir():
        yield from _below(child, "" if child.name == _BUILD else f"assets/{child.name}")
    if (root / "pyproject.toml").is_file():
        for name in (*_BESIDE, *(lock.name for lock in root.glob("requirements*.lock"))):
            yield from _below(root / name, name)


def _below(path: Path, name: str) -> Iterator[tuple[str, Path]]:
    """What is ours below a path: in a checkout there may lie what is not, hidden or by a link."""
    if path.is_symlink() or path.name.startswith("."):
        return
    if path.is_dir() and path.name not in _LEFT_OUT:
        for child in path.iterdir():
            yield from _below(child, f"{name}/{child.name}".lstrip("/"))
    elif path.is_file() and path.suffix not in _SUFFIXES_LEFT_OUT:
        yield name, path


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Without anything of this machine: neither owner nor time."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), 0o644
    archive.addfile(entry, io.BytesIO(data))
