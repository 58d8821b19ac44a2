"""What the handlers ask: documents opened, found and let go, on one engine and one raster pool for the whole server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_server.services.contents.manager import ContentsManager

from converter.request import Lane
from engines.base import EngineInfo, ExportOptions
from engines.decryption import Password
from preview_app.jupyter.documents import DocumentTable, OpenDocument, TableBounds
from preview_app.jupyter.engine_source import EngineSource
from preview_app.jupyter.errors import ApiError
from preview_app.jupyter.machinery import Machinery
from preview_app.jupyter.opening import Opening, Wish
from preview_app.jupyter.settings import ServerSettings
from preview_app.jupyter.sources import Authorized, Sources, local_workspace


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What a client says when it opens a document."""

    path: str
    lane: Lane = Lane.CRITICAL
    engine: str | None = None
    password: Password | None = None
    print_layout: bool = False
    anyway: bool = False


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A file that a person is to be asked about first."""

    source_bytes: int


class PreviewService:
    """Made once a server; lives on its event loop. Starts nothing before it is asked or told to `begin`."""

    def __init__(self, settings: ServerSettings, manager: ContentsManager, source: EngineSource) -> None:
        self.settings = settings
        config = settings.config
        workspace = None
        if settings.read_directly:
            workspace = local_workspace(manager, links_may_leave=settings.links_may_leave)
        self.machinery = Machinery(
            config,
            workspace,
            settings.image_pixels_max,
            source,
            needed=lambda: bool(self._openings or len(self.documents)),
            idle_s=settings.idle_s,
        )
        self.sources = Sources(manager, workspace, self.machinery.run, settings.remote_read_s)
        bounds = TableBounds(settings.documents_max, settings.documents_bytes_max, settings.documents_idle_s)
        self.documents = DocumentTable(bounds, self.machinery.run)
        self._openings: dict[str, Opening] = {}

    def __repr__(self) -> str:
        return f"<PreviewService {self.machinery!r}, {len(self._openings)} openings, {self.documents!r}>"

    @property
    def engines(self) -> Sequence[EngineInfo]:
        """The engines that can be asked, the default one first; none before they are started."""
        machines = self.machinery.machines
        return machines.engines if machines else ()

    async def authorize(self, path: str) -> Authorized:
        """See `Sources.authorize`."""
        return await self.sources.authorize(path)

    async def open(self, question: OpenQuestion) -> Opening | TooLarge:
        """Authorize the path and begin to open it. Raises `ConversionError` for what may not be read."""
        authorized = await self.sources.authorize(question.path)
        size = authorized.source.size_bytes
        if size is not None and size > self.settings.large_file_bytes and not question.anyway:
            return TooLarge(size)
        config = self.settings.config
        single = config.single_page_sheets and not question.print_layout
        options = ExportOptions(single_page_sheets=single, pages_max=config.pages_max)
        wish = Wish(authorized, question.lane, options, question.engine, question.password)
        opening = Opening(wish, self.machinery, self.documents)
        self._openings[opening.id] = opening
        return opening

    def forget(self, opening: Opening) -> None:
        """An opening has been told to its end."""
        self._openings.pop(opening.id, None)

    def opening(self, identity: str) -> Opening:
        """An opening that is on its way. Raises `ApiError`."""
        opening = self._openings.get(identity)
        if opening is None:
            raise ApiError(410, "gone", "This has ended, or never was.", "caller")
        return opening

    async def document(self, identity: str, path: str) -> tuple[OpenDocument, Authorized]:
        """A document that is open, once its path has been authorized again (C13).

        Raises `ConversionError` for what may not be read any more, `ApiError` for what is not open.
        """
        authorized = await self.sources.authorize(path)
        return self.documents.get(identity, path), authorized

    def about(self) -> dict[str, Any]:
        """State and bounds, for a person and for a client that keeps to them."""
        settings, config = self.settings, self.settings.config
        return {
            "state": self.machinery.state,
            "engines": [self._engine(info, number == 0) for number, info in enumerate(self.engines)],
            "documents": len(self.documents),
            "prefetch": config.prefetch_neighbours,
            "limits": {
                "large_file_bytes": settings.large_file_bytes,
                "source_bytes_max": config.source_bytes_max,
                "pages_max": config.pages_max,
                "dpi_max": settings.dpi_max,
                "image_pixels_max": settings.image_pixels_max,
                "documents_max": settings.documents_max,
            },
        }

    async def close(self) -> None:
        """End everything; nothing of it is left when this returns. Idempotent."""
        for opening in tuple(self._openings.values()):
            opening.cancel()
        self.sources.close()
        self.documents.close()
        await self.machinery.close()

    @staticmethod
    def _engine(info: EngineInfo, in_use: bool) -> dict[str, Any]:
        return {
            "name": info.name,
            "version": info.version,
            "generation": info.fingerprint,
            "state": "ready",
            "in_use": in_use,
            "note": info.note,
        }
