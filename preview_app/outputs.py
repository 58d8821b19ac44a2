"""Where results go: names that never collide, files that are whole or not there."""

from __future__ import annotations

import os
import re
import select
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class OutputError(Exception):
    """A result cannot be put where it was asked for; the message says why."""


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Write a file in one step: what was there before stays until the new one is complete. Raises `OutputError`.

    A link is followed. A pipe or a terminal is written to; other devices and folders are refused.
    """
    try:
        path = path.resolve()
        kind = stat.S_IFMT(path.stat().st_mode) if path.exists() else stat.S_IFREG
        if kind in (stat.S_IFIFO, stat.S_IFCHR):
            with path.open("wb", buffering=0) as file:
                write_stream(file.fileno(), data)
        elif kind == stat.S_IFREG:
            _replace(path, data)
        else:
            raise OutputError(f"Cannot write {path}: it is there already, and it is no file.")
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror or error}.") from error


def write_stream(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of `data` to a pipe, a terminal or a file, also to one that does not block. Raises `OSError`."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def _replace(path: Path, data: bytes | memoryview) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".docpeek-", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def pdf_paths(files: Sequence[Path], output: Path) -> list[Path]:
    """The path of each file's PDF.

    One file goes to `output` itself unless that is a folder; several go into the folder `output`, by their names, with
    the suffix kept where two would be the same, and numbered where even that does not tell them apart.
    Raises `OutputError` when a result would overwrite a source.
    """
    if len(files) == 1 and not output.is_dir():
        paths = [output]
    elif output.exists() and not output.is_dir():
        raise OutputError(f"{output} is a file; several results need a folder.")
    else:
        paths = [output / name for name in _distinct([file.stem for file in files], files, ".pdf")]
    for path in paths:
        if any(same_file(path, file) for file in files):
            raise OutputError(f"{path} is one of the documents themselves; choose another place for the PDF.")
    return paths


def folder_names(files: Sequence[Path]) -> list[str]:
    """A folder name for each of several files, all different."""
    return _distinct([file.name for file in files], files, "")


def _distinct(stems: list[str], files: Sequence[Path], suffix: str) -> list[str]:
    taken: set[str] = set()
    result = []
    for stem, file in zip(stems, files, strict=True):
        base = stem if stems.count(stem) == 1 else file.name
        chosen, number = base + suffix, 2
        while chosen.casefold() in taken:  # some file systems take two cases for one name
            chosen, number = f"{base} ({number}){suffix}", number + 1
        taken.add(chosen.casefold())
        result.append(chosen)
    return result


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file that is there."""
    try:
        return one.samefile(other)
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class PageRanges:
    """Pages that a person asks for, as pairs of first and last page from 1; no last page means the end."""

    ranges: tuple[tuple[int, int | None], ...]

    @classmethod
    def parse(cls, text: str) -> PageRanges:
        """Ranges from a text like `1-3,7,9-`. Raises `ValueError`, whose message says what is wrong."""
        return cls(tuple(_range(part.strip()) for part in text.split(",")))

    def within(self, count: int) -> list[int]:
        """The pages of a document of `count` pages, ascending and each once; may be none."""
        chosen: set[int] = set()
        for first, last in self.ranges:
            chosen.update(range(first, min(count if last is None else last, count) + 1))
        return sorted(chosen)


ALL_PAGES = PageRanges(((1, None),))


def _range(part: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"(\d+)?\s*(-)?\s*(\d+)?", part)
    if not match or not (match[1] or match[3]):
        raise ValueError(f"{part!r} is no range of pages; write for example 1-3,7,9-")
    first = int(match[1] or 1)
    last = int(match[3]) if match[3] else None if match[2] else first
    if first < 1 or (last is not None and last < first):
        raise ValueError(f"{part!r} is no range of pages: pages count from 1, and the first comes first")
    return first, last
