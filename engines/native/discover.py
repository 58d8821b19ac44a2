"""Finding an installed LibreOffice: what the person names, the usual places of the system, the path. Never a search."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.errors import EngineError, ErrorKind

SETTING = "native_program"
VARIABLE = "DOCPEEK_SOFFICE"
NOT_INSTALLED = (
    "No LibreOffice was found on this machine. The WASM engine needs none; for the native one install LibreOffice, "
    f"or name its program in the setting {SETTING} or in {VARIABLE}."
)
_EXECUTABLES = ("soffice.bin", "soffice.exe", "soffice")
"""In the order of preference: the real program before what starts it."""
_PRODUCT = re.compile(r"^ProductKey=\D*([\d.]+)", re.MULTILINE)
_BUILD = re.compile(r"^buildid=(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Installation:
    """A LibreOffice as its files describe it: nothing of it was started.

    `program` is the folder of its libraries, `executable` the program itself, `registry` the folder of its
    configuration. `product` is its version as its settings want it (`"7.4"`), `build_id` what tells builds apart.
    """

    program: Path
    executable: Path
    registry: Path
    product: str
    build_id: str

    @property
    def has_math(self) -> bool:
        """Whether the application for equations is there."""
        return (self.registry / "math.xcd").is_file()

    @property
    def identity(self) -> list[str | int]:
        """What changes when it is updated, or one of its parts comes or goes."""
        parts = [self.executable, self.program, *sorted(self.registry.glob("*.xcd"))]
        stats = [(str(part), part.stat()) for part in parts if part.exists()]
        return [self.product, self.build_id, *(value for name, stat in stats for value in (name, stat.st_mtime_ns))]


def find(setting: str = "", environment: Mapping[str, str] | None = None) -> Installation:
    """The LibreOffice to use: the one that is named, else the first at a usual place, else on the path.

    Raises `EngineError` of kind `unavailable`; what is named and not there is an error, whatever else is there.
    """
    environment = os.environ if environment is None else environment
    named = setting or environment.get(VARIABLE, "")
    if named:
        return _of_named(Path(named).expanduser(), "setting " + SETTING if setting else "variable " + VARIABLE)
    found = (describe(place) for place in (*usual_places(sys.platform, environment), *on_path(environment)))
    installation = next(filter(None, found), None)
    if installation is None:
        raise EngineError(ErrorKind.UNAVAILABLE, NOT_INSTALLED)
    return installation


def _of_named(named: Path, where: str) -> Installation:
    for place in (named.resolve().parent, named, named / "program", named / "Contents" / "MacOS"):
        if installation := describe(place):
            return installation
    raise EngineError(ErrorKind.UNAVAILABLE, f"{named}, which the {where} names, is no LibreOffice.")


def usual_places(platform: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Where installers put it: the folders of its programs, newest version first."""
    if platform == "win32":
        for variable in ("ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"):
            if folder := environment.get(variable):
                yield Path(folder, "LibreOffice", "program")
    elif platform == "darwin":
        yield Path("/Applications/LibreOffice.app/Contents/MacOS")
        yield Path.home() / "Applications/LibreOffice.app/Contents/MacOS"
    else:
        for folder in ("/usr/lib/libreoffice", "/usr/lib64/libreoffice", "/usr/local/lib/libreoffice"):
            yield Path(folder, "program")
        yield from (folder / "program" for folder in sorted(Path("/opt").glob("libreoffice*"), reverse=True))


def on_path(environment: Mapping[str, str]) -> Iterator[Path]:
    """The folders that links on the path lead to."""
    for name in ("soffice", "libreoffice"):
        if program := shutil.which(name, path=environment.get("PATH", os.defpath)):
            yield Path(program).resolve().parent


def describe(program: Path) -> Installation | None:
    """The LibreOffice whose programs lie in this folder; `None` if there is none."""
    executable = next((path for name in _EXECUTABLES if (path := program / name).is_file()), None)
    resources = program.parent / "Resources" if program.name == "MacOS" else program
    product = _value(resources / "bootstraprc", _PRODUCT) or _value(resources / "bootstrap.ini", _PRODUCT)
    if executable is None or not product:
        return None
    registry = resources / "registry" if program.name == "MacOS" else program.parent / "share" / "registry"
    build = _value(resources / "versionrc", _BUILD) or _value(resources / "version.ini", _BUILD)
    return Installation(program.resolve(), executable.resolve(), registry.resolve(), product, build)


def _value(path: Path, pattern: re.Pattern[str]) -> str:
    try:
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return found[1].strip() if found else ""
