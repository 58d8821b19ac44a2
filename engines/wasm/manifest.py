"""The engine manifest: which payload, which translator, which wasmtime settings, which fonts.

`assets/engines/libreoffice-wasm.json` is the only place that names a package, a version or a hash, so that another
build of LibreOffice can take the place of this one. Standard library only: child mains import it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from engines.assets import assets_dir

_SCHEMA = 1
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One file of a package: its path inside it, its size and its SHA-256 (hexadecimal)."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """One version of an npm package. `integrity` is npm's: `sha512-` and base64 of the packed file."""

    name: str
    version: str
    integrity: str
    licence: str


@dataclass(frozen=True, slots=True)
class Payload:
    """The build of LibreOffice: the module, the file-system image, the image's index, the licence texts."""

    package: Package
    libreoffice: str
    module: PackageFile
    image: PackageFile
    index: PackageFile
    licences: tuple[PackageFile, ...]


@dataclass(frozen=True, slots=True)
class Translator:
    """The program that rewrites legacy exception handling, and exactly what it is told."""

    package: Package
    program: PackageFile
    features: tuple[str, ...]
    passes: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The command-line flags, without input and output."""
        return (*(f"--enable-{name}" for name in self.features), *(f"--{name}" for name in self.passes))


@dataclass(frozen=True, slots=True)
class Runtime:
    """The wasmtime settings that the compiled code depends on."""

    optimization: str
    wasm_stack_bytes: int
    async_stack_bytes: int
    threads: bool
    exceptions: bool
    shared_memory: bool


@dataclass(frozen=True, slots=True)
class Guest:
    """The C API of the payload: what the host calls, implements and looks up, by role.

    `functions` and `exports` map a role to the name of an export, `imports` a role to the name of an import.
    """

    program_directory: str
    load_options: str
    functions: Mapping[str, str]
    imports: Mapping[str, str]
    exports: Mapping[str, str]
    memory_pages_min: int
    memory_pages_max: int


@dataclass(frozen=True, slots=True)
class FontPackage:
    """A package of fonts: `files` and `licences` are glob patterns inside it, each of which must match."""

    package: Package
    files: tuple[str, ...]
    licences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Needs:
    """What preparing takes at its peak, and the oldest tools that can do it."""

    memory_bytes: int
    disk_bytes: int
    npm_major_min: int
    node_major_min: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that is pinned, and the file that says so (`source`).

    `expected_s` maps a phase of preparing to its usual seconds: of processor time for `translate` and `compile`, by
    the clock for the others. Only progress is estimated from it.
    """

    source: Path
    payload: Payload
    translator: Translator
    runtime: Runtime
    guest: Guest
    fonts: tuple[FontPackage, ...]
    needs: Needs
    expected_s: Mapping[str, float]


def load_manifest(path: Path | None = None) -> Manifest:
    """Read the manifest that comes with docpeek, or the one at `path`.

    Raises `ValueError` for a manifest of another schema or with a missing or unknown field, `OSError` if unreadable.
    """
    source = path or assets_dir() / "engines" / "libreoffice-wasm.json"
    raw = json.loads(source.read_text(encoding="utf-8"))
    if raw.get("schema") != _SCHEMA:
        raise ValueError(f"{source.name}: schema {raw.get('schema')!r} is not {_SCHEMA}")
    try:
        return _manifest(source, raw)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{source.name}: {error}") from error


def _manifest(source: Path, raw: dict[str, Any]) -> Manifest:
    return Manifest(
        source=source,
        payload=_payload(raw["payload"]),
        translator=_translator(raw["translator"]),
        runtime=Runtime(**raw["runtime"]),
        guest=Guest(**raw["guest"]),
        fonts=_several(_font, raw["fonts"]),
        needs=Needs(**raw["needs"]),
        expected_s=raw["expected_s"],
    )


def _package(raw: dict[str, Any]) -> Package:
    return Package(raw["name"], raw["version"], raw["integrity"], raw["licence"])


def _file(raw: dict[str, Any]) -> PackageFile:
    return PackageFile(**raw)


def _payload(raw: dict[str, Any]) -> Payload:
    return Payload(
        package=_package(raw),
        libreoffice=raw["libreoffice"],
        module=_file(raw["module"]),
        image=_file(raw["image"]),
        index=_file(raw["index"]),
        licences=_several(_file, raw["licences"]),
    )


def _translator(raw: dict[str, Any]) -> Translator:
    return Translator(_package(raw), _file(raw["program"]), tuple(raw["features"]), tuple(raw["passes"]))


def _font(raw: dict[str, Any]) -> FontPackage:
    return FontPackage(_package(raw), tuple(raw["files"]), tuple(raw["licences"]))


def _several(decode: Callable[[dict[str, Any]], _T], raw: list[dict[str, Any]]) -> tuple[_T, ...]:
    return tuple(decode(item) for item in raw)
