"""May this path be read? The one place where a path becomes an open file.

Theory. A path is resolved first, then it must lie below a root, then it is opened from that root downward, one
component at a time and without following links: what was resolved is what is opened, or nothing is. The version comes
from the open descriptor and is compared before and after the read, so the bytes belong to the version that was
admitted (C6, C13).

Guarantees: no file outside of the roots (unless links may lead out), no hidden file unless allowed, no device, pipe
or directory. Whether something exists outside of the roots is not told.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from converter.errors import ConversionError, Outcome
from converter.request import Locator, Source, SourceVersion, Version

_CHUNK_BYTES = 1 << 20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_EXTRA_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in _EXTRA_FLAGS)
_STEPWISE = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")


class Workspace:
    """Authorizes locators below its roots.

    Relative locators are below the first root. `links_may_leave` lets links lead out of the roots; `hidden_files`
    allows components that begin with a dot (below the root; the root itself may be hidden).
    """

    def __init__(
        self, roots: Sequence[Path | str], *, links_may_leave: bool = False, hidden_files: bool = False
    ) -> None:
        if not roots:
            raise ValueError("a workspace needs a root")
        self.roots = tuple(Path(root).resolve() for root in roots)
        self.links_may_leave = links_may_leave
        self.hidden_files = hidden_files

    def __repr__(self) -> str:
        return f"<Workspace {', '.join(map(str, self.roots))}>"

    def authorize(self, locator: Locator) -> Source:
        """The source at a locator: metadata now, bytes when `read` is called.

        Raises `ConversionError`: not_found, not_allowed.
        """
        path, root = self._resolve(locator)
        with _opened(path, root) as descriptor:
            version = _version(descriptor)
        return Source(Path(locator.path).name, version.size, version, partial(self._read, locator, version))

    def _resolve(self, locator: Locator) -> tuple[Path, Path]:
        """The real path of a locator and the directory from which to open it."""
        if "\0" in locator.path or not locator.path:
            raise _not_allowed("A path must be given, without NUL.")
        try:
            path = (self.roots[0] / locator.path).resolve()
        except (OSError, RuntimeError) as error:  # a loop of links, a name too long
            raise ConversionError(Outcome.NOT_FOUND, diagnostics=str(error)) from error
        root = self._root_of(path)
        if root is not None:
            self._refuse_hidden(path.relative_to(root))
            return path, root
        asked = Path(os.path.normpath(self.roots[0] / locator.path))
        asked_root = self._root_of(asked)
        if asked_root is None or not self.links_may_leave:
            raise _not_allowed("The file is outside of the folders that may be read.")
        self._refuse_hidden(asked.relative_to(asked_root))
        return path, Path(path.anchor)

    def _root_of(self, path: Path) -> Path | None:
        return next((root for root in self.roots if path.is_relative_to(root)), None)

    def _refuse_hidden(self, below_root: Path) -> None:
        if not self.hidden_files and any(part.startswith(".") for part in below_root.parts):
            raise _not_allowed("Hidden files are not shown.")

    def _read(self, locator: Locator, admitted: SourceVersion, capacity_bytes: int) -> tuple[bytes, Version]:
        """Authorize again on the descriptor that is read from; at most one byte more than the capacity."""
        path, root = self._resolve(locator)
        with _opened(path, root) as descriptor:
            if _version(descriptor) != admitted:
                raise ConversionError(Outcome.CHANGED)
            data = _read_up_to(descriptor, capacity_bytes + 1)
            return data, _version(descriptor)


def _read_up_to(descriptor: int, most: int) -> bytes:
    data = bytearray()
    while len(data) < most and (chunk := os.read(descriptor, min(_CHUNK_BYTES, most - len(data)))):
        data += chunk
    return bytes(data)


def _version(descriptor: int) -> SourceVersion:
    seen = os.fstat(descriptor)
    return SourceVersion(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


@contextmanager
def _opened(path: Path, root: Path) -> Iterator[int]:
    """A descriptor of the regular file at a resolved path below `root`."""
    try:
        descriptor = _open_stepwise(path, root) if _STEPWISE else _open_regular(str(path), None)
    except OSError as error:
        raise refused(error) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_allowed("This is not a regular file.")
        yield descriptor
    finally:
        os.close(descriptor)


def _open_stepwise(path: Path, root: Path) -> int:
    """Open from the root downward without following: a link that was put there meanwhile ends it."""
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *parents, name = path.relative_to(root).parts or (".",)
        for parent in parents:
            below = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | _NO_FOLLOW, dir_fd=directory)
            os.close(directory)
            directory = below
        return _open_regular(name, directory)
    finally:
        os.close(directory)


def _open_regular(name: str, directory: int | None) -> int:
    """Open what is a regular file: merely opening a device may do something."""
    if not stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
        raise _not_allowed("This is not a regular file.")
    return os.open(name, _FLAGS, dir_fd=directory)


_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ESTALE}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.ELOOP, errno.EISDIR, errno.ENXIO}


def refused(error: OSError) -> ConversionError:
    """What an error of the system means to the caller."""
    if error.errno in _MISSING:
        return ConversionError(Outcome.NOT_FOUND, diagnostics=str(error))
    if error.errno in _FORBIDDEN:
        return ConversionError(Outcome.NOT_ALLOWED, diagnostics=str(error))
    return ConversionError(Outcome.NOT_FOUND, f"The file could not be read: {error.strerror or error}.", str(error))


def _not_allowed(message: str) -> ConversionError:
    return ConversionError(Outcome.NOT_ALLOWED, message)
