"""What a caller asks: frozen values, complete before anything happens."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import PurePath

from engines.base import CancelToken, ExportOptions

MIB = 1 << 20


class Lane(IntEnum):
    """Strict priorities. The first two are *foreground* (a person waits), the others *background*."""

    CRITICAL = 0
    """A person opens and waits."""
    HIGH = 1
    """Explicit inspection, possibly of many files."""
    NORMAL = 2
    """What a person will want next."""
    LOW = 3
    """Prefetch."""

    @property
    def foreground(self) -> bool:
        """Whether a person waits for it."""
        return self <= Lane.HIGH


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a source lives: a path, absolute or relative to the workspace's first root. Not yet authorized."""

    path: str

    @classmethod
    def of(cls, path: PurePath | str) -> Locator:
        """A locator of a path in any form."""
        return cls(str(path))


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """The observed state of a local file. Equal versions mean: the same bytes, as far as a system can tell (C6)."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class RemoteVersion:
    """The observed state of a source that is no local file: what its keeper offers (C6).

    `origin` names the keeper, so that equal paths of two keepers differ. `modified` is the keeper's own notation.
    """

    origin: str
    path: str
    modified: str
    size: int | None = None
    content_hash: str | None = None


Version = SourceVersion | RemoteVersion


@dataclass(frozen=True, slots=True)
class Source:
    """An authorized source: metadata, and a read that happens only once a slot and its bytes are reserved (C2, C3).

    `name` helps to detect the type where the bytes do not decide; it is never identity. `size_bytes` is `None` when
    unknown. A source without a `version` is never shared with another request before its bytes are known.
    `read(capacity_bytes)` blocks, is called at most once a job on a thread of the converter, and returns at most
    that many bytes and the version they were read at; it raises `ConversionError` or `OSError`. To tell that there
    is more than the capacity it may return one byte more.
    """

    name: str
    size_bytes: int | None
    version: Version | None
    read: Callable[[int], tuple[bytes, Version | None]] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Immutable: what happens later to a caller's settings does not reach it.

    `deadline_s` runs from the slot to the end; `None` takes the converter's default. `wait_max_s` bounds the time in
    the line, which has no bound of its own. `engine` names an engine other than the default (C27). `first_pages`
    asks for a partial PDF of so many pages as an event (foreground only, C1). `decrypt` turns the bytes read into
    plain ones (blocking, in a child of its own making, until the token given is cancelled; raises `EngineError`);
    such a request is private to its ticket: never shared, aliased or cached. `private` asks for the same without
    decryption.
    """

    source: Source
    lane: Lane = Lane.CRITICAL
    options: ExportOptions = field(default_factory=ExportOptions)
    deadline_s: float | None = None
    wait_max_s: float | None = None
    engine: str | None = None
    first_pages: int | None = None
    private: bool = False
    decrypt: Callable[[bytes, CancelToken], bytes] | None = field(default=None, repr=False, compare=False)

    @property
    def shareable(self) -> bool:
        """Whether its work may be shared, aliased and cached."""
        return not self.private and self.decrypt is None

    def source_key(self) -> Hashable | None:
        """What makes two requests the same before a byte is read; `None` if only the bytes can tell.

        The name is part of it, since it may decide the type of equal bytes.
        """
        if not self.shareable or self.source.version is None:
            return None
        return self.source.version, self.source.name, self.options, self.engine


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound of the service. Bounds of count are inclusive.

    They do not cover: memory of an engine, copies of a PDF that callers keep, base64 on a wire, raster memory.
    """

    readers_max: int = 32
    waiting_jobs_max: int = 8
    slots: int = 2
    background_slots: int = 1
    source_bytes_max: int = 64 * MIB
    reserved_bytes_max: int = 128 * MIB
    pdf_bytes_max: int = 256 * MIB
    cached_pdfs_max: int = 16
    cached_bytes_max: int = 256 * MIB
    aliases_max: int = 256
    deadline_s: float = 60.0
    soft_limit_s: float = 15.0
    deadline_max_s: float = 600.0
    prefetch_wait_max_s: float = 30.0
    archive_entries_max: int = 20_000
    archive_bytes_max: int = 512 * MIB
    archive_ratio_max: int = 200
    archive_ratio_free_bytes: int = 16 * MIB

    def __post_init__(self) -> None:
        if min(self.readers_max, self.slots, self.background_slots) < 1:
            raise ValueError("readers_max, slots and background_slots must be at least 1")
        if self.source_bytes_max > self.reserved_bytes_max:
            raise ValueError("source_bytes_max above reserved_bytes_max: the largest document could never start")
        if self.deadline_s > self.deadline_max_s:
            raise ValueError("deadline_s is above deadline_max_s")

    @property
    def high_readers_max(self) -> int:
        """How many of the readers may be in lane HIGH (C16)."""
        return self.readers_max // 2

    @property
    def high_waiting_jobs_max(self) -> int:
        """How many of the waiting jobs may have a reader in lane HIGH (C16)."""
        return self.waiting_jobs_max // 2
