"""What a folder holds for a viewer: its documents and folders, sorted as a person would. Knows no widget."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engines.formats import DOCUMENT_TYPES, Family
from preview_app.desktop.language import tr

_DIGITS = re.compile(r"(\d+)")
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LOCK_FILES = ("~$", ".~lock.")
"""What Office and LibreOffice leave beside an open document."""


class Sort(Enum):
    """The order of documents in the list; folders come first always, by name."""

    NAME = "name"
    MODIFIED = "modified"
    """The newest first."""
    SIZE = "size"
    """The largest first."""
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the list. `family` is `None` for a folder. `weight` is what a sort asked the system for."""

    path: Path
    family: Family | None
    weight: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether it can be entered instead of shown."""
        return self.family is None


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries in order, and one sentence why there are none, where there is a reason."""

    entries: tuple[Entry, ...]
    problem: str = ""


def suffix_families() -> dict[str, Family]:
    """Family by suffix (no dot, small letters): what the list of documents shows."""
    return {suffix: each.family for each in DOCUMENT_TYPES for suffix in each.suffixes}


def one_line(name: str) -> str:
    """A file name as it can be shown: what breaks a line, is no character or turns what follows around is replaced."""
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", name)


def natural_key(name: str) -> tuple[str | int, ...]:
    """Sort key under which `page 2` stands before `page 10`, capital letters beside small ones.

    Text and numbers take turns, text first (it may be empty), so that like is compared with like.
    """
    parts: list[str | int] = [*_DIGITS.split(name.casefold())]
    parts[1::2] = map(int, parts[1::2])
    return tuple(parts)


def family_of(name: str, suffixes: Mapping[str, Family]) -> Family | None:
    """The family that a name promises; `suffixes` maps suffixes without a dot, in small letters."""
    return suffixes.get(_suffix(name))


def list_folder(
    folder: Path, suffixes: Mapping[str, Family], *, hidden: bool = False, sort: Sort = Sort.NAME
) -> Listing:
    """The folders, then the documents in `folder`; lock files are left out, and hidden ones unless `hidden`."""
    try:
        with os.scandir(folder) as items:
            entries = [entry for item in items if (entry := _entry(item, suffixes, hidden, sort)) is not None]
    except FileNotFoundError:
        return Listing((), tr("The folder “{}” is not there any more.").format(folder))
    except PermissionError:
        return Listing((), tr("You have no permission to look into the folder “{}”.").format(folder.name))
    except OSError as error:
        return Listing((), tr("The folder “{}” cannot be read: {}.").format(folder.name, error.strerror or error))
    entries.sort(key=lambda entry: _order(entry, sort))
    return Listing(tuple(entries), "" if entries else tr("There is no document in this folder."))


def list_files(paths: Sequence[Path], suffixes: Mapping[str, Family]) -> Listing:
    """The files that a person named, in the order given. Their bytes decide what they are, so any suffix is kept."""
    return Listing(tuple(Entry(path, family_of(path.name, suffixes) or Family.TEXT) for path in dict.fromkeys(paths)))


def _order(entry: Entry, sort: Sort) -> tuple[bool, int, str, tuple[str | int, ...], str]:
    name = entry.path.name
    kind = str(entry.family or "") if sort is Sort.TYPE else ""
    return not entry.is_folder, -entry.weight, kind + (_suffix(name) if kind else ""), natural_key(name), name


def _suffix(name: str) -> str:
    """As `Path.suffix` has it, in small letters and without its dot."""
    stem, _, suffix = name.rpartition(".")
    return suffix.lower() if stem else ""


def _weight(item: os.DirEntry[str], sort: Sort) -> int:
    if sort not in (Sort.MODIFIED, Sort.SIZE):
        return 0
    try:
        status = item.stat()
    except OSError:
        return 0
    return status.st_mtime_ns if sort is Sort.MODIFIED else status.st_size


def _entry(item: os.DirEntry[str], suffixes: Mapping[str, Family], hidden: bool, sort: Sort) -> Entry | None:
    if item.name.startswith(_LOCK_FILES) or (item.name.startswith(".") and not hidden):
        return None
    try:
        if item.is_dir():
            return Entry(Path(item.path), None)
    except OSError:
        return None
    # The path is made last: it costs more than all the rest, and a folder may have ten thousand other files.
    family = family_of(item.name, suffixes)
    return None if family is None else Entry(Path(item.path), family, _weight(item, sort))
