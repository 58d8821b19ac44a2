"""Other programs that open a document: what the desktop (by freedesktop.org's specifications) has for its type."""

from __future__ import annotations

import configparser
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_FIELD_CODES = {"%f", "%F", "%u", "%U"}


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the words that start it, `%f` or the like among them."""

    identity: str
    name: str
    command: tuple[str, ...]

    def words(self, path: Path) -> list[str]:
        """What starts it with a document."""
        words = []
        for word in self.command:
            if word in _FIELD_CODES:
                words.append(str(path))
            elif len(word) != 2 or word[0] != "%" or word == "%%":  # other codes stand for an icon or a name
                words.append(word.replace("%%", "%"))
        return words if _FIELD_CODES & set(self.command) else [*words, str(path)]


def data_folders() -> list[Path]:
    """Where programs are described, a person's own first (XDG Base Directory Specification)."""
    own = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [Path(folder) / "applications" for folder in (own, *shared.split(":")) if folder]


def programs_for(mime: str, folders: Sequence[Path]) -> list[Program]:
    """The programs that say that they open this type, in alphabetical order, each once."""
    found: dict[str, Program] = {}
    for identity in _identities(mime, folders):
        if identity not in found and (program := _read(identity, folders)) is not None:
            found[identity] = program
    return sorted(found.values(), key=lambda program: program.name.casefold())


def _identities(mime: str, folders: Sequence[Path]) -> Iterator[str]:
    """Names of desktop files in the caches that `update-desktop-database` keeps."""
    for folder in folders:
        try:
            lines = (folder / "mimeinfo.cache").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            key, _, value = line.partition("=")
            if key == mime:
                yield from filter(None, value.split(";"))


def _read(identity: str, folders: Sequence[Path]) -> Program | None:
    for folder in folders:
        # A hyphen in the name may stand for a folder (Desktop Entry Specification, "Desktop file ID").
        for name in (identity, identity.replace("-", "/", 1)):
            path = folder / name
            if path.is_file():
                return _parse(identity, path)
    return None


def _parse(identity: str, path: Path) -> Program | None:
    parser = configparser.RawConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # keys are case-sensitive
    try:
        parser.read(path, encoding="utf-8")
        entry = parser["Desktop Entry"]
        command = tuple(shlex.split(entry.get("Exec", "")))
    except (configparser.Error, KeyError, ValueError, OSError):
        return None
    hidden = entry.get("NoDisplay") == "true" or entry.get("Hidden") == "true" or entry.get("Terminal") == "true"
    if not command or hidden or entry.get("Type") != "Application":
        return None
    return Program(identity, entry.get("Name", identity), command)
