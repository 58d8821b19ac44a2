"""docpeek in the menu of the desktop, and as a program for documents: put there and taken away on request only.

After freedesktop.org's Desktop Entry, Icon Theme and MIME Applications specifications. Everything is in the person's
own folders; nothing needs root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engines.assets import assets_dir
from engines.formats import DOCUMENT_TYPES
from preview_app import __version__, mimeapps

IDENTITY = "docpeek.desktop"
_MARK = "X-Docpeek-Version"
"""The key by which a file is known to be ours."""
_TEXTS = f"""\
[Desktop Entry]
Type=Application
Version=1.4
Name=docpeek
GenericName=Document Viewer
GenericName[de]=Dokumentbetrachter
Comment=See any office document, instantly and safely
Comment[de]=Jedes Office-Dokument sofort und sicher ansehen
Icon=docpeek
Terminal=false
Categories=Office;Viewer;
StartupNotify=true
StartupWMClass=docpeek
{_MARK}={__version__}
"""
_NOT_BY_DEFAULT = frozenset({"text/plain", "text/html"})
"""Types that belong to an editor and to a browser; docpeek is offered for them, no more."""
_UPDATE_S = 10.0
_RESERVED = set(" \t\n\"'\\><~|&;$*?#()`")


class DesktopEntryError(Exception):
    """It cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What there is: the entry in the menu, and the types that docpeek is the first program for."""

    installed: bool
    default_for: tuple[str, ...] = ()


class DesktopEntry:
    """The entry of one person. `data` and `config` are the folders for data and settings, `program` starts docpeek."""

    def __init__(self, data: Path, config: Path, program: Sequence[str]) -> None:
        self._program = tuple(program)
        self.entry = data / "applications" / IDENTITY
        self.icon = data / "icons" / "hicolor" / "scalable" / "apps" / "docpeek.svg"
        self.associations = config / "mimeapps.list"

    @classmethod
    def of_person(cls, environment: Mapping[str, str] | None = None) -> DesktopEntry:
        """In the folders of whoever runs this program, for the program as it was started.

        Raises `DesktopEntryError` on a system that has no such entries.
        """
        if sys.platform in ("win32", "darwin"):
            raise DesktopEntryError("This system knows no desktop entries.")
        environment = os.environ if environment is None else environment
        data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
        config = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        return cls(Path(data), Path(config), starting_words())

    def standing(self) -> Standing:
        """What there is now."""
        installed = _MARK in (_read(self.entry) or "")
        return Standing(installed, tuple(mimeapps.defaults_of(_read(self.associations) or "", IDENTITY)))

    def install(self, *, default: bool = False) -> None:
        """Put docpeek into the menu and offer it for documents; with `default` as the first program for them.

        Raises `DesktopEntryError`; an entry of that name that is not ours is left alone.
        """
        present = _read(self.entry)
        if present is not None and _MARK not in present:
            raise DesktopEntryError(f"{self.entry} is there already, and not by docpeek. Remove it first.")
        try:
            _write(self.icon, (assets_dir() / "icons" / "docpeek.svg").read_text(encoding="utf-8"))
            _write(self.entry, self.text())
            if default:
                self._change_associations(lambda text: mimeapps.with_default(text, IDENTITY, default_types()))
        except OSError as error:
            raise DesktopEntryError(f"Cannot write {error.filename}: {error.strerror}.") from error
        self._tell_the_desktop()

    def remove(self) -> bool:
        """Take all of it away again; whether there was anything. Raises `DesktopEntryError`."""
        standing = self.standing()
        if not standing.installed and not standing.default_for and not self.icon.exists():
            return False
        try:
            self._change_associations(lambda text: mimeapps.without(text, IDENTITY))
            if standing.installed:
                self.entry.unlink(missing_ok=True)
            self.icon.unlink(missing_ok=True)
        except OSError as error:
            raise DesktopEntryError(f"Cannot change {error.filename}: {error.strerror}.") from error
        self._tell_the_desktop()
        self._drop_empty_cache()
        for folder in (*self.icon.parents[:4], self.entry.parent):
            with suppress(OSError):  # something else is in it
                folder.rmdir()
        return True

    def text(self) -> str:
        """The desktop file."""
        command = " ".join(quoted(word) for word in self._program)
        mimes = "".join(f"{each.mime};" for each in DOCUMENT_TYPES)
        return f"{_TEXTS}TryExec={_escaped(self._program[0])}\nExec={_escaped(command)} open %F\nMimeType={mimes}\n"

    def _change_associations(self, change: mimeapps.Change) -> None:
        former = _read(self.associations)
        text = change(former or "")
        if not text and former:
            self.associations.unlink()
        elif text != (former or ""):
            _write(self.associations, text)

    def _tell_the_desktop(self) -> None:
        """Have the cache of associations renewed, where the desktop keeps one; it looks by itself sooner or later."""
        program = shutil.which("update-desktop-database")
        if program is not None and self.entry.parent.is_dir():
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run(
                    [program, "-q", str(self.entry.parent)], timeout=_UPDATE_S, check=False, capture_output=True
                )

    def _drop_empty_cache(self) -> None:
        """The cache is made where there was none; it goes if it says nothing and nothing else is there."""
        cache = self.entry.with_name("mimeinfo.cache")
        with suppress(OSError):
            if list(self.entry.parent.iterdir()) == [cache] and "=" not in cache.read_text(encoding="utf-8"):
                cache.unlink()


def default_types() -> list[str]:
    """The MIME types that docpeek becomes the first program for, on request."""
    return [each.mime for each in DOCUMENT_TYPES if each.mime not in _NOT_BY_DEFAULT]


def starting_words() -> list[str]:
    """What starts this very program again."""
    for candidate in (Path(sys.argv[0]).absolute(), Path(sys.executable).with_name("docpeek")):
        if candidate.name == "docpeek" and os.access(candidate, os.X_OK) and candidate.is_file():
            return [str(candidate)]
    return [sys.executable, "-m", "preview_app"]


def quoted(word: str) -> str:
    """A word of a command line, as the key Exec has it."""
    word = word.replace("%", "%%")
    if not _RESERVED & set(word):
        return word
    for character in '\\"`$':
        word = word.replace(character, f"\\{character}")
    return f'"{word}"'


def _escaped(text: str) -> str:
    """A text, as any key has it."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _write(path: Path, text: str) -> None:
    """In one step, through links, with the permissions that the file had."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        scratch.write_bytes(text.encode("utf-8", "surrogateescape"))
        if path.exists():
            scratch.chmod(path.stat().st_mode & 0o777)
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
