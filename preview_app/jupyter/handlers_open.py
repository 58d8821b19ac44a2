"""Opening documents: a stream of what happens, and what can be done meanwhile."""

from __future__ import annotations

import msgspec

from converter.request import Lane
from engines.decryption import Password
from preview_app.jupyter import describe
from preview_app.jupyter.errors import wrong
from preview_app.jupyter.handlers_base import DocpeekHandler, endpoint
from preview_app.jupyter.service import OpenQuestion, TooLarge

_LANES = {"critical": Lane.CRITICAL, "low": Lane.LOW}
_BODY_BYTES_MAX = 65_536


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client sends."""

    path: str
    lane: str = "critical"
    engine: str | None = None
    password: str | None = None
    print_layout: bool = False
    anyway: bool = False


class DocumentsHandler(DocpeekHandler):
    """`POST documents`: open one, as a stream of events."""

    @endpoint
    async def post(self) -> None:
        """Open."""
        begun = await self.service.open(self._question())
        self.begin_stream()
        if isinstance(begun, TooLarge):
            await self.send_line({"event": "large", "source_bytes": begun.source_bytes})
            self.end_stream()
            return
        try:
            async for event in begun.events():
                await self.send_line(event)
        finally:
            begun.cancel()
            self.service.forget(begun)
        self.end_stream()

    def _question(self) -> OpenQuestion:
        if len(self.request.body) > _BODY_BYTES_MAX:
            raise wrong("The request is too long.")
        try:
            body = msgspec.json.decode(self.request.body, type=_Body)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise wrong(f"The request is not understood: {error}.") from error
        if body.lane not in _LANES:
            raise wrong(f"The lane must be one of {', '.join(_LANES)}.")
        password = None if body.password is None else Password(body.password)
        return OpenQuestion(body.path, _LANES[body.lane], body.engine, password, body.print_layout, body.anyway)


class TicketHandler(DocpeekHandler):
    """`GET tickets/ID`, `DELETE tickets/ID`."""

    _track_activity = False

    @endpoint
    async def get(self, identity: str) -> None:
        """How far it is."""
        self.tell(self.service.opening(identity).status())

    @endpoint
    async def delete(self, identity: str) -> None:
        """Give up."""
        self.service.opening(identity).cancel()
        self.set_status(204)
        self.finish()


class ExtendHandler(DocpeekHandler):
    """`POST tickets/ID/extend`: keep waiting."""

    @endpoint
    async def post(self, identity: str) -> None:
        """More time."""
        self.service.opening(identity).extend()
        self.set_status(204)
        self.finish()


class DocumentHandler(DocpeekHandler):
    """`GET documents/ID`, `DELETE documents/ID`."""

    _track_activity = False

    @endpoint
    async def get(self, identity: str) -> None:
        """The document as it was opened, and whether the file has changed since."""
        entry, authorized = await self.service.document(identity, self.path_argument)
        self.set_header("Cache-Control", "no-store")
        changed = entry.opened.version != authorized.source.version
        self.tell({**describe.document(entry, self.service.engines), "changed": changed})

    @endpoint
    async def delete(self, identity: str) -> None:
        """A reader is done with it."""
        path = self.path_argument
        await self.service.authorize(path)
        self.service.documents.release(identity, path)
        self.set_status(204)
        self.finish()
