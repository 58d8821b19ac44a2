"""The documents that are open on the server: a bounded table, on the event loop.

Theory. Readers of the same content share one PDF, open once in the raster pool. A reader gets an *id*; equal paths with
equal content have equal ids, so that a browser's cache survives a reload, and nobody can guess one. An id opens nothing
by itself: every request names its path as well, which is authorized anew. A *protected* document (it came with a
password) has an id and a PDF of its own.

What nobody has asked for in `idle_s` seconds goes; so does what is least recently used when there are too many
documents or too many bytes, those first that no reader holds any more. The one that was opened last stays, whatever its
size. The bytes are those of the PDFs, in shared memory; pixels and the converter's own cache are not in them.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from blake3 import blake3

from converter.conversion import Conversion
from converter.request import Version
from preview_app.jupyter.asking import open_pdf
from preview_app.jupyter.errors import gone
from preview_app.raster.api import RasterError, TextDocument
from preview_app.raster.pool import RasterPool
from preview_app.raster.source import Source

_ETAG_CHARACTERS = 32
_SWEEPS_AN_IDLE_TIME = 4


@dataclass(frozen=True, slots=True)
class Opened:
    """How a document came about, without its bytes."""

    path: str
    conversion: Conversion
    version: Version | None
    modified: str
    print_layout: bool = False
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF in the raster pool, and our own hold on its bytes. `etag` is that of the bytes, without quotes."""

    document: TextDocument
    source: Source
    etag: str
    size_bytes: int


@dataclass(slots=True, eq=False)
class _SharedPdf:
    key: Hashable
    loading: asyncio.Task[Pdf]
    home: dict[Hashable, _SharedPdf]
    users: int = 0

    def leave(self) -> None:
        """One user less; with the last one the PDF goes."""
        self.users -= 1
        if self.users:
            return
        self.home.pop(self.key, None)
        if self.loading.done():
            _let_go(self.loading)
        else:
            self.loading.add_done_callback(_let_go)
            self.loading.cancel()


@dataclass(slots=True, eq=False)
class OpenDocument:
    """An entry of the table."""

    id: str
    opened: Opened
    pdf: Pdf
    shared: _SharedPdf
    holders: int
    used_s: float

    @property
    def path(self) -> str:
        """The contents path that it was opened by."""
        return self.opened.path

    @property
    def digest(self) -> str:
        """What the pages depend on, and nothing else."""
        return self.opened.conversion.digest

    @contextmanager
    def asked(self) -> Iterator[TextDocument]:
        """Keep the PDF open while something is asked of it: the table may let the document go meanwhile.

        The rasterizer tells nobody of a document that was closed, so whoever asked would wait for ever.
        """
        self.shared.users += 1
        try:
            yield self.pdf.document
        finally:
            self.shared.leave()


@dataclass(frozen=True, slots=True)
class TableBounds:
    """Documents, bytes of their PDFs, and seconds without a request."""

    documents_max: int
    bytes_max: int
    idle_s: float


Run = Callable[..., Awaitable[tuple[Source, str]]]


class DocumentTable:
    """See the theory above. `run` calls what blocks on a thread."""

    def __init__(self, bounds: TableBounds, run: Run, now: Callable[[], float] = time.monotonic) -> None:
        self._bounds = bounds
        self._run = run
        self._now = now
        self._secret = secrets.token_bytes(32)
        self._entries: dict[str, OpenDocument] = {}
        self._pdfs: dict[Hashable, _SharedPdf] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<DocumentTable {len(self)} documents, {len(self._pdfs)} PDFs, {self.pdf_bytes} bytes>"

    @property
    def pdf_bytes(self) -> int:
        """Bytes of the PDFs of all open documents."""
        return sum(pdf.size_bytes for pdf in {id(each.pdf): each.pdf for each in self._entries.values()}.values())

    async def open(self, pool: RasterPool, opened: Opened, *, hold: bool = True) -> OpenDocument:
        """Enter a document, or find the one that is there; a reader that means to look at it holds it.

        Raises `RasterError`, `OSError`.
        """
        key: Hashable = object() if opened.protected else opened.conversion.digest
        shared = self._pdfs.get(key)
        if shared is None:
            loading = asyncio.ensure_future(self._load(pool, opened.conversion.pdf))
            shared = self._pdfs[key] = _SharedPdf(key, loading, self._pdfs)
        shared.users += 1
        try:
            pdf = await asyncio.shield(shared.loading)
        except BaseException:
            shared.leave()
            raise
        return self._enter(shared, pdf, replace(opened, conversion=replace(opened.conversion, pdf=b"")), int(hold))

    def get(self, identity: str, path: str) -> OpenDocument:
        """The document of that id, which must have been opened by `path`. Raises `ApiError`."""
        entry = self._entries.get(identity)
        if entry is None or entry.path != path.strip("/"):
            raise gone()
        entry.used_s = self._now()
        return entry

    def release(self, identity: str, path: str) -> None:
        """A reader is done with it. What nobody holds may go first; what is protected goes at once."""
        entry = self._entries.get(identity)
        if entry is None or entry.path != path.strip("/"):
            return
        entry.holders = max(0, entry.holders - 1)
        if entry.opened.protected and not entry.holders:
            self._remove(entry)

    def sweep(self) -> None:
        """Let go of what nobody has asked for in a while."""
        limit = self._now() - self._bounds.idle_s
        for entry in [each for each in self._entries.values() if each.used_s <= limit]:
            self._remove(entry)

    def close(self) -> None:
        """Let everything go. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for entry in tuple(self._entries.values()):
            self._remove(entry)

    # Entries

    def _enter(self, shared: _SharedPdf, pdf: Pdf, opened: Opened, holds: int) -> OpenDocument:
        identity = self._identity(opened)
        entry = self._entries.get(identity)
        if entry is None:
            entry = self._entries[identity] = OpenDocument(identity, opened, pdf, shared, 0, 0.0)
        else:  # it is there already, with a use of its own
            shared.leave()
            entry.opened = opened
        entry.holders += holds
        entry.used_s = self._now()
        self._make_room(entry)
        self._arm()
        return entry

    def _identity(self, opened: Opened) -> str:
        if opened.protected:
            return secrets.token_urlsafe(24)
        named = f"{opened.path}\0{opened.conversion.digest}".encode()
        return hashlib.blake2b(named, digest_size=18, key=self._secret).hexdigest()

    def _make_room(self, newest: OpenDocument) -> None:
        others = sorted(
            (each for each in self._entries.values() if each is not newest),
            key=lambda each: (each.holders > 0, each.used_s),
            reverse=True,
        )
        while others and (len(self) > self._bounds.documents_max or self.pdf_bytes > self._bounds.bytes_max):
            self._remove(others.pop())

    def _remove(self, entry: OpenDocument) -> None:
        del self._entries[entry.id]
        entry.shared.leave()

    def _arm(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._bounds.idle_s / _SWEEPS_AN_IDLE_TIME, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.sweep()
        if self._entries:
            self._arm()

    # PDFs

    async def _load(self, pool: RasterPool, pdf: bytes) -> Pdf:
        copying = asyncio.ensure_future(self._run(_copy, pool, pdf))
        try:
            source, etag = await asyncio.shield(copying)
        except asyncio.CancelledError:
            copying.add_done_callback(_drop_copy)  # the thread cannot be stopped, and what it makes must go
            raise
        try:
            return Pdf(await _open_twice(pool, source), source, etag, source.size_bytes)
        except BaseException:
            source.close()
            raise


def _copy(pool: RasterPool, pdf: bytes) -> tuple[Source, str]:
    return pool.copy(pdf), blake3(pdf).hexdigest()[:_ETAG_CHARACTERS]


def _drop_copy(copying: asyncio.Future[tuple[Source, str]]) -> None:
    if not copying.cancelled() and copying.exception() is None:
        copying.result()[0].close()


async def _open_twice(pool: RasterPool, source: Source) -> TextDocument:
    """A worker's death may have been another document's doing."""
    try:
        return await open_pdf(pool, source.duplicate())
    except RasterError as error:
        if error.kind != "crashed":
            raise
    return await open_pdf(pool, source.duplicate())


def _let_go(loading: asyncio.Task[Pdf]) -> None:
    if not loading.cancelled() and loading.exception() is None:
        pdf = loading.result()
        pdf.document.close()
        pdf.source.close()
