"""What can be taken home: the PDF, the facts, the program's own source."""

from __future__ import annotations

from urllib.parse import quote

from tornado.iostream import StreamClosedError

from preview_app import __version__
from preview_app.jupyter import describe
from preview_app.jupyter.documents import OpenDocument
from preview_app.jupyter.handlers_base import DocpeekHandler, endpoint
from preview_app.jupyter.ranges import UnsatisfiableError, applies, byte_range
from preview_app.jupyter.source_archive import archive_name, source_archive
from preview_app.raster.source import Source

_CHUNK_BYTES = 1 << 18
SOURCE_ROUTE = "docpeek/api/v1/source"


class PdfHandler(DocpeekHandler):
    """`GET documents/ID/pdf`, `HEAD documents/ID/pdf`; one range at a time."""

    @endpoint
    async def get(self, identity: str) -> None:
        """The bytes."""
        await self._answer(identity)

    @endpoint
    async def head(self, identity: str) -> None:
        """Their headers."""
        await self._answer(identity)

    async def _answer(self, identity: str) -> None:
        entry, _ = await self.service.document(identity, self.path_argument)
        source = entry.pdf.source.duplicate()  # the document may go while a slow client still reads
        try:
            await self._send(entry, source)
        finally:
            source.close()

    async def _send(self, entry: OpenDocument, source: Source) -> None:
        size, etag = entry.pdf.size_bytes, entry.pdf.etag
        self.set_header("Content-Type", "application/pdf")
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(_pdf_name(entry.path))}")
        self.set_header("Accept-Ranges", "bytes")
        if self.not_modified(etag, protected=entry.opened.protected):
            return
        header = self.request.headers.get("Range")
        try:
            wanted = byte_range(header, size) if applies(self.request.headers.get("If-Range"), f'"{etag}"') else None
        except UnsatisfiableError:
            self.set_status(416)
            self.set_header("Content-Range", f"bytes */{size}")
            self.finish(set_content_type="application/pdf")
            return
        start, end = wanted or (0, size)
        if wanted:
            self.set_status(206)
            self.set_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.set_header("Content-Length", str(end - start))
        if self.request.method != "HEAD":
            await self._send_bytes(source, start, end)
        self.finish(set_content_type="application/pdf")

    async def _send_bytes(self, source: Source, start: int, end: int) -> None:
        while start < end:
            chunk = source.read(start, min(_CHUNK_BYTES, end - start))
            start += len(chunk)
            self.write(chunk)
            try:
                await self.flush()
            except StreamClosedError:
                return


def _pdf_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if name.lower().endswith(".pdf") else f"{name}.pdf"


class FactsHandler(DocpeekHandler):
    """`GET documents/ID/facts`."""

    @endpoint
    async def get(self, identity: str) -> None:
        """All there is to tell, for quality assurance."""
        entry, _ = await self.service.document(identity, self.path_argument)
        self.set_header("Cache-Control", "no-store")
        self.tell(describe.facts(entry))


class AboutHandler(DocpeekHandler):
    """`GET about`."""

    _track_activity = False

    @endpoint
    async def get(self) -> None:
        """What this is, under what terms, and where its source is."""
        self.set_header("Cache-Control", "no-store")
        source = self.service.settings.source_url or f"{self.base_url}{SOURCE_ROUTE}"
        told = {"name": "docpeek", "version": __version__, "licence": "AGPL-3.0-or-later", "source": source}
        self.tell({**told, **self.service.about()})


class SourceHandler(DocpeekHandler):
    """`GET source`: the program that runs here, for whoever uses it over the network (AGPL, section 13)."""

    @endpoint
    async def get(self) -> None:
        """An archive, or the address that the administrator has set."""
        if address := self.service.settings.source_url:
            self.redirect(address)
            return
        archive = await self.service.machinery.run(source_archive)
        self.set_header("Content-Disposition", f"attachment; filename={archive_name()}")
        self.finish(archive, set_content_type="application/gzip")
