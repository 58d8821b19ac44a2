"""Which files are meant: paths and folders in, files out, in an order that is the same on each machine."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.formats import by_suffix


@dataclass(frozen=True, slots=True)
class Selection:
    """What is taken of a folder.

    `include` and `exclude` are patterns of the shell for a file's name, or for its path below the folder where they
    hold a slash. Without `include`, every file whose suffix promises a document is taken. Hidden files, and those
    that Office leaves beside a document that is open (`~$...`), are never taken.
    """

    recursive: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def takes(self, path: Path, folder: Path) -> bool:
        """Whether a file found below `folder` is taken."""
        below = path.relative_to(folder).as_posix()
        if path.name.startswith((".", "~$")) or _matches(below, path.name, self.exclude):
            return False
        return _matches(below, path.name, self.include) if self.include else by_suffix(path.suffix) is not None


def _matches(below: str, name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(below if "/" in pattern else name, pattern) for pattern in patterns)


def files_of(paths: Iterable[Path], selection: Selection) -> Iterator[Path]:
    """The files at these paths, each once: those named as they are named, those of folders by folder and name.

    A path that is not there is given as it is: it is an outcome of its own. So is a folder that may not be read, and a
    link that leads nowhere: who asks for all documents wants to know of those that nobody looked at.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _below(path, selection) if path.is_dir() else (path,):
            if (name := os.path.normpath(file)) not in seen:
                seen.add(name)
                yield file


def _below(folder: Path, selection: Selection) -> Iterator[Path]:
    closed: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        yield from closed
        closed.clear()
        for name in sorted(names):
            path = Path(here, name)
            if (path.is_file() or leads_nowhere(path)) and selection.takes(path, folder):
                yield path
        folders[:] = sorted(each for each in folders if not each.startswith(".")) if selection.recursive else []
    yield from closed


def leads_nowhere(path: Path) -> bool:
    """Whether it is a link to something that is not there, or to itself."""
    return path.is_symlink() and not path.exists()
