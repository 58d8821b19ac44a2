"""One reader's way to an open document: a task that tells what happens on the way, and can be given up at any time."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from converter.conversion import Conversion, Phase, PhaseChanged, PlaceChanged, StillWorking, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.request import Lane, Request
from engines.base import EngineInfo, ExportOptions
from engines.decryption import Password
from preview_app.jupyter import describe
from preview_app.jupyter.bridge import AsyncTicket
from preview_app.jupyter.documents import DocumentTable, Opened
from preview_app.jupyter.errors import api_error
from preview_app.jupyter.machinery import Machinery, Machines
from preview_app.jupyter.sources import Authorized

_LOG = logging.getLogger(__name__)

EXTENDED_DEADLINE_S = 600.0
"""For a conversion that a person wants to wait for; the converter has a ceiling of its own."""
HEARTBEAT_S = 10.0
"""Silence after which the phase is told again: proxies end connections on which nothing happens."""
_PHASES = {
    Phase.WAITING: "waiting",
    Phase.READING: "reading",
    Phase.IDENTIFIED: "screening",
    Phase.SCREENED: "screening",
    Phase.CONVERTING: "converting",
    Phase.CHECKED: "checking",
}

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reader asks for, authorized."""

    authorized: Authorized
    lane: Lane
    options: ExportOptions
    engine: str | None = None
    password: Password | None = None


class Opening:
    """From a wish to a document. Iterate `events`; leaving that iteration gives up this reader and no other."""

    def __init__(self, wish: Wish, machinery: Machinery, documents: DocumentTable) -> None:
        self.id = secrets.token_urlsafe(16)
        self._wish = wish
        self._machinery = machinery
        self._documents = documents
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._began_s = time.monotonic()
        self._engines: tuple[EngineInfo, ...] = ()
        self._ticket: AsyncTicket | None = None
        self._phase: Event = {"phase": "waiting"}
        self._task = asyncio.ensure_future(self._run())

    def __repr__(self) -> str:
        return f"<Opening {self._phase['phase']}>"

    @property
    def settled(self) -> bool:
        """Whether the last event is known."""
        return self._task.done()

    def status(self) -> Event:
        """Where it is now."""
        elapsed = {"elapsed_s": self._elapsed_s(), "settled": self.settled}
        return {"place": None, **self._phase, **elapsed}

    def cancel(self) -> None:
        """Give up this reader; its last event says so. Idempotent."""
        self._task.cancel()

    def extend(self) -> None:
        """Let it take as long as a conversion may take at all."""
        if self._ticket is not None:
            self._ticket.extend(EXTENDED_DEADLINE_S)

    async def events(self) -> AsyncIterator[Event]:
        """What happens, with `ready` or `failed` as the last event. For one consumer."""
        yield {"event": "accepted", "ticket": self.id}
        try:
            while (event := await self._next()) is not None:
                yield event
        finally:
            self._task.cancel()

    async def _next(self) -> Event | None:
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    return await self._events.get()
            except TimeoutError:
                self._tell_phase(self._phase)

    async def _run(self) -> None:
        try:
            self._tell(await self._open())
        except asyncio.CancelledError:
            self._fail(ConversionError(Outcome.CANCELLED))
        except Exception as error:  # noqa: BLE001 - told to the reader; the server goes on
            self._fail(error)
        finally:
            self._events.put_nowait(None)

    async def _open(self) -> Event:
        machines = await self._machinery.ready(self._preparing)
        self._engines = machines.engines
        conversion = await self._convert(machines)
        self._tell_phase({"phase": "opening"})
        wish = self._wish
        entry = await self._documents.open(
            machines.pool,
            Opened(
                wish.authorized.path,
                conversion,
                wish.authorized.source.version,
                wish.authorized.modified,
                print_layout=not wish.options.single_page_sheets,
                protected=wish.password is not None,
            ),
            hold=wish.lane.foreground,
        )
        return {"event": "ready", "document": describe.document(entry, machines.engines)}

    async def _convert(self, machines: Machines) -> Conversion:
        wish = self._wish
        # No first pages ahead of the rest (C1): the engine makes them by a second conversion, and a page range spares
        # it the export only, not loading and layout. Seconds from the click to the first page, without and with them,
        # and with them to the rest: DOCX of 430 pages 3.4, 1.9, 5.3 (native) and 6.0, 4.5, 10.5 (WebAssembly); text of
        # 1,225 pages 6.0, 3.0, 9.0 and 28, 25, 52. Short documents, which nobody can tell beforehand, would occupy a
        # slot twice as long for nothing. It will pay when a kit exports twice what it has loaded once.
        request = Request(wish.authorized.source, wish.lane, wish.options, engine=wish.engine)
        self._ticket = AsyncTicket(machines.converter, request, wish.password)
        listening = asyncio.ensure_future(self._listen(self._ticket))
        try:
            conversion = await self._ticket.result()
            await listening
        finally:
            await _ended(listening)
        return conversion

    async def _listen(self, ticket: AsyncTicket) -> None:
        async for event in ticket.events():
            self._take(event)

    def _take(self, event: TicketEvent) -> None:
        match event:
            case PhaseChanged(phase) if phase in _PHASES and _PHASES[phase] != self._phase["phase"]:
                self._tell_phase({"phase": _PHASES[phase]})
            case PlaceChanged(ahead):
                self._tell_phase({"phase": "waiting", "place": ahead})
            case StillWorking():
                self._tell({"event": "still_working", "elapsed_s": self._elapsed_s()})

    def _preparing(self, message: str, percent: float) -> None:
        self._tell_phase({"phase": "preparing", "message": message, "percent": round(percent, 1)})

    def _tell_phase(self, phase: Event) -> None:
        self._phase = phase
        self._tell({"event": "phase", **phase, "elapsed_s": self._elapsed_s()})

    def _tell(self, event: Event) -> None:
        self._events.put_nowait(event)

    def _fail(self, error: Exception) -> None:
        told = api_error(error, self._engines)
        if told.status == 500 and not isinstance(error, ConversionError):
            _LOG.error("a document could not be opened", exc_info=error)
        self._tell({"event": "failed", "error": told.as_json()})

    def _elapsed_s(self) -> float:
        return round(time.monotonic() - self._began_s, 3)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
