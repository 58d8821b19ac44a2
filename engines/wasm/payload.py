"""Fetch the packages of the manifest, verify every file that is used, and lay the files out for the cache."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from engines.errors import EngineError, ErrorKind
from engines.wasm.manifest import FontPackage, Package, PackageFile, Payload, Translator
from engines.wasm.npm import NodeTools, install_packages

MODULE_NAME = "module.wasm"
TRANSLATOR_NAME = "translator.cjs"  # .cjs: Node runs it as CommonJS whatever package.json lies above
IMAGE_NAME = "image.data"
INDEX_NAME = "index.json"
LICENCES_NAME = "licences"


class Fetcher(Protocol):
    """Where packages come from."""

    def fetch(self, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]) -> None:
        """Put each package's files under `into/node_modules/NAME`.

        `on_tick` is called now and then with the seconds gone. Raises `EngineError` of kind `unavailable`.
        """


class NpmFetcher:
    """Packages from the registry that the user's npm is configured for."""

    def __init__(self, tools: NodeTools) -> None:
        self._tools = tools

    def fetch(self, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]) -> None:
        """Install by `npm ci`."""
        install_packages(self._tools, packages, into, on_tick)


class FolderFetcher:
    """Packages from a local directory that holds `NAME/...` for each: for tests and for machines without a network."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def fetch(self, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]) -> None:
        """Copy each package; one that is not there is `unavailable`."""
        for package in packages:
            on_tick(0.0)
            source = self._root / package.name
            if not source.is_dir():
                raise EngineError(
                    ErrorKind.UNAVAILABLE,
                    f"The folder {self._root} does not hold the package {package.name}: put it there.",
                )
            shutil.copytree(source, package_path(into, package))


def package_path(fetched: Path, package: Package) -> Path:
    """Where a fetcher has put a package."""
    return fetched / "node_modules" / package.name


def verify_files(package: Package, root: Path, files: Sequence[PackageFile]) -> None:
    """Check size and SHA-256 of each file. Raises `EngineError` naming the first that differs."""
    for file in files:
        flaw = _file_flaw(root / file.path, file)
        if flaw:
            raise EngineError(
                ErrorKind.UNAVAILABLE,
                f"The package {package.name} is not the one that docpeek was made for: try again,"
                " and if it stays so, do not trust where it came from.",
                f"{package.name} {package.version}: {file.path} {flaw}",
            )


def _file_flaw(path: Path, expected: PackageFile) -> str | None:
    if path.is_symlink() or not path.is_file():
        return "is missing"
    size = path.stat().st_size
    if size != expected.bytes:
        return f"has {size} bytes, not {expected.bytes}"
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return None if digest == expected.sha256 else f"has SHA-256 {digest}, not {expected.sha256}"


def lay_out_source(fetched: Path, payload: Payload, translator: Translator, into: Path) -> None:
    """The untranslated module and the translator's program, verified, as `module.wasm` and `translator.cjs`."""
    module_root = package_path(fetched, payload.package)
    translator_root = package_path(fetched, translator.package)
    verify_files(payload.package, module_root, [payload.module])
    verify_files(translator.package, translator_root, [translator.program])
    (module_root / payload.module.path).rename(into / MODULE_NAME)
    (translator_root / translator.program.path).rename(into / TRANSLATOR_NAME)


def lay_out_image(fetched: Path, payload: Payload, into: Path) -> None:
    """The file-system image, its index (checked against the image's size) and the licence texts, verified."""
    root = package_path(fetched, payload.package)
    verify_files(payload.package, root, [payload.image, payload.index, *payload.licences])
    _check_index(root / payload.index.path, payload.image.bytes)
    (root / payload.image.path).rename(into / IMAGE_NAME)
    (root / payload.index.path).rename(into / INDEX_NAME)
    licences = into / LICENCES_NAME
    licences.mkdir()
    for file in payload.licences:
        (root / file.path).rename(licences / Path(file.path).name)


def _check_index(index: Path, image_bytes: int) -> None:
    """A file that reaches past the image would be an error at every start: say it once, here."""
    entries = json.loads(index.read_bytes())["files"]
    if not all(0 <= entry["start"] <= entry["end"] <= image_bytes for entry in entries):
        raise EngineError(ErrorKind.UNAVAILABLE, "The index of the engine's files does not fit their image.")


def lay_out_fonts(fetched: Path, fonts: Sequence[FontPackage], into: Path) -> None:
    """The font files flat in `into`, and the licence of each package in `into/licences/PACKAGE/`."""
    for font in fonts:
        root = package_path(fetched, font.package)
        for path in _matches(font.package, root, font.files):
            if (into / path.name).exists():
                raise ValueError(f"two font packages of the manifest have a file {path.name}")
            path.rename(into / path.name)
        licences = into / LICENCES_NAME / font.package.name.replace("/", "-").lstrip("@")
        licences.mkdir(parents=True)
        for path in _matches(font.package, root, font.licences):
            path.rename(licences / path.name)


def _matches(package: Package, root: Path, patterns: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for pattern in patterns:
        paths = sorted(path for path in root.glob(pattern) if path.is_file() and not path.is_symlink())
        if not paths:
            raise EngineError(
                ErrorKind.UNAVAILABLE,
                f"The font package {package.name} is not the one that docpeek was made for: try again.",
                f"{package.name} {package.version}: nothing matches {pattern}",
            )
        found += paths
    return found
