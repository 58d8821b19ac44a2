"""Sealed entries: directories in the cache whose files are exactly the ones that were written.

Theory. An entry is made in `staging/`, then sealed, then renamed into place, so it is there whole or not at all. Its
seal records, for every file, size, mtime, ctime, inode and the BLAKE3 of the content as read back after writing; the
seal carries a digest of itself. A file whose stat is as sealed is taken as unchanged (its owner alone can write it); a
file whose stat differs is read again, and the entry is used only if the content is still the sealed one. So starting
up costs a few `stat` calls, and native code that the seal does not vouch for is never loaded.

Writers hold the lock of the cache (see `prepare.py`); readers need none.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import blake3

from engines.errors import EngineError, ErrorKind

_SEAL = "seal.json"
_STAGING = "staging"
_UNUSED_S = 14 * 86400.0
_USE_NOTED_S = 86400.0


class DamagedError(Exception):
    """An entry is not what was sealed; the text says how."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One sealed directory. `files` are paths relative to `path`, with their sizes in bytes."""

    path: Path
    files: dict[str, int]

    @property
    def total_bytes(self) -> int:
        """The size of all files together."""
        return sum(self.files.values())


class Store:
    """The entries under one directory, each named by its kind and its key."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, kind: str, key: str) -> Path:
        """Where the entry is or would be."""
        return self.root / f"{kind}-{key[:32]}"

    def open(self, kind: str, key: str, *, thorough: bool = False) -> Entry | None:
        """The entry, verified; `None` if there is none. `thorough` reads every file instead of trusting its stat.

        Raises `DamagedError` for an entry that must not be used.
        """
        path = self.path(kind, key)
        try:
            seal = _read_seal(path, key)
        except FileNotFoundError:
            return None
        renewed = _renewed_facts(path, seal, thorough=thorough)
        if any(seal[name] != facts for name, facts in renewed.items()):
            with contextlib.suppress(OSError):  # a read-only cache is read again each time
                _write_seal(path, key, seal | renewed)
        _note_use(path)
        return Entry(path, {name: facts["bytes"] for name, facts in seal.items()})

    def publish(self, kind: str, key: str, staged: Path) -> Entry:
        """Seal the directory `staged` (made by `stage`) and put it into place of whatever is there."""
        files = sorted(str(path.relative_to(staged)) for path in staged.rglob("*") if path.is_file())
        for name in files:
            _settle(staged / name)
        _write_seal(staged, key, {name: _facts(staged / name) for name in files})
        target = self.path(kind, key)
        self.discard(target)
        staged.rename(target)
        _sync(self.root)
        return Entry(target, {name: (target / name).stat().st_size for name in files})

    @contextlib.contextmanager
    def stage(self) -> Iterator[Path]:
        """A new private directory on the same file system; what is still there at the end is removed."""
        parent = self.root / _STAGING
        make_private(parent)
        path = parent / secrets.token_hex(8)
        path.mkdir(mode=0o700)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def discard(self, path: Path) -> None:
        """Remove an entry: first out of sight, then its files, so that no reader sees half of one."""
        with self.stage() as grave, contextlib.suppress(FileNotFoundError):
            path.rename(grave / "entry")

    def sweep(self) -> None:
        """Remove what interrupted runs left behind. Only for the holder of the lock."""
        shutil.rmtree(self.root / _STAGING, ignore_errors=True)

    def prune(self, kind: str, keep: str, now: float | None = None) -> None:
        """Remove entries of `kind` other than `keep` that nobody has opened for a fortnight.

        They belong to other versions, or to other machines that share this directory.
        """
        limit = (time.time() if now is None else now) - _UNUSED_S
        for path in self.root.glob(f"{kind}-*"):
            with contextlib.suppress(FileNotFoundError):
                if path != self.path(kind, keep) and (path / _SEAL).stat().st_mtime < limit:
                    self.discard(path)


def make_private(path: Path) -> None:
    """Make a directory that only its owner may enter; refuse one that another user owns or can write."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = path.stat()
    if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
        raise EngineError(
            ErrorKind.UNAVAILABLE,
            f"The cache directory {path} can be written by other users: make it yours alone (chmod 700),"
            " or set DOCPEEK_CACHE_DIR to another one.",
        )


def digest_file(path: Path) -> str:
    """The hexadecimal BLAKE3 of a file."""
    hasher = blake3.blake3(max_threads=blake3.blake3.AUTO)
    if path.stat().st_size:
        hasher.update_mmap(path)
    return hasher.hexdigest()


def _facts(path: Path) -> dict[str, Any]:
    before = path.stat()
    return {**_stat_facts(before), "blake3": digest_file(path)}


def _stat_facts(found: os.stat_result) -> dict[str, Any]:
    return {
        "bytes": found.st_size,
        "mtime_ns": found.st_mtime_ns,
        "ctime_ns": found.st_ctime_ns,
        "inode": found.st_ino,
    }


def _is_as_sealed(path: Path, facts: dict[str, Any]) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing") from None
    if not stat.S_ISREG(found.st_mode):
        raise DamagedError(f"{path.name} is not a regular file")
    if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
        raise DamagedError(f"{path.name} can be written by other users")
    return all(facts[name] == value for name, value in _stat_facts(found).items())


def _renewed_facts(directory: Path, seal: dict[str, dict[str, Any]], *, thorough: bool) -> dict[str, dict[str, Any]]:
    """Read the files whose stat is not as sealed (all, if `thorough`); their facts with the stat of now."""
    renewed = {}
    for name, facts in seal.items():
        unchanged = _is_as_sealed(directory / name, facts)
        if thorough or not unchanged:
            renewed[name] = _verified_facts(directory / name, facts)
    return renewed


def _verified_facts(path: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """Stat first, content after: a write in between shows as a changed stat at the next look."""
    try:
        found = path.stat()
        if found.st_size != facts["bytes"]:
            raise DamagedError(f"{path.name} has another size than it was written with")
        if digest_file(path) != facts["blake3"]:
            raise DamagedError(f"{path.name} has another content than it was written with")
    except OSError as error:
        raise DamagedError(f"{path.name} cannot be read: {error}") from error
    return {**_stat_facts(found), "blake3": facts["blake3"]}


def _seal_digest(key: str, files: dict[str, dict[str, Any]]) -> str:
    return blake3.blake3(json.dumps([key, files], sort_keys=True).encode()).hexdigest()


def _write_seal(directory: Path, key: str, files: dict[str, dict[str, Any]]) -> None:
    text = json.dumps({"key": key, "files": files, "blake3": _seal_digest(key, files)}, indent=1)
    partial = directory / f"{_SEAL}.{secrets.token_hex(4)}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(directory / _SEAL)
    _sync(directory)


def _read_seal(directory: Path, key: str) -> dict[str, dict[str, Any]]:
    try:
        raw = json.loads((directory / _SEAL).read_text(encoding="utf-8"))
        files: dict[str, dict[str, Any]] = raw["files"]
        if raw["key"] != key or raw["blake3"] != _seal_digest(key, files):
            raise DamagedError("the seal does not match")
    except FileNotFoundError:
        if os.path.lexists(directory):
            raise DamagedError("the seal is missing") from None
        raise
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedError(f"the seal cannot be read: {error}") from error
    return files


def _note_use(directory: Path) -> None:
    seal = directory / _SEAL
    with contextlib.suppress(OSError):
        if time.time() - seal.stat().st_mtime > _USE_NOTED_S:
            os.utime(seal)


def _settle(path: Path) -> None:
    """Make a file read-only and its content durable before the seal vouches for it."""
    if os.name == "posix":
        path.chmod(0o400)
        _sync(path)


def _sync(path: Path) -> None:
    """Push a file or a directory to the disk (Windows cannot open a directory for that)."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
