"""The conversion service for an asyncio program: a conversion is awaited, its events are iterated.

A ticket's callbacks come through the loop's `call_soon_threadsafe`; nothing here blocks the loop. Whoever stops
awaiting gives up its own reader and no other (C23).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from converter.conversion import Conversion, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.request import Lane, Request
from converter.service import Converter
from converter.ticket import Ticket
from engines.decryption import Password


class AsyncTicket:
    """One request on the loop that made it. Await `result`, iterate `events`, or `cancel`."""

    def __init__(self, converter: Converter, request: Request, password: Password | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[TicketEvent | None] = asyncio.Queue()
        self._settled: asyncio.Future[Ticket] = self._loop.create_future()
        self._ticket = converter.submit(request, password=password, post=self._post)
        self._ticket.on_event(self._events.put_nowait)
        self._ticket.add_done_callback(self._on_done)

    def __repr__(self) -> str:
        return f"<AsyncTicket of {self._ticket!r}>"

    async def result(self) -> Conversion:
        """Wait for the conversion. Raises `ConversionError`.

        Where the waiting task is cancelled, the request is given up.
        """
        try:
            ticket = await asyncio.shield(self._settled)
        except asyncio.CancelledError:
            self.cancel("the caller stopped waiting")
            raise
        return ticket.result(0)

    async def events(self) -> AsyncIterator[TicketEvent]:
        """Phases, the place in the line, early pages, in order, until the outcome is known. For one consumer."""
        while (event := await self._events.get()) is not None:
            yield event

    def cancel(self, reason: str = "") -> bool:
        """Give up this reader; `False` if it was settled already."""
        return self._ticket.cancel(reason)

    def extend(self, deadline_s: float) -> bool:
        """Allow so many seconds in all, counted from the slot, up to the converter's ceiling."""
        return self._ticket.extend(deadline_s)

    def promote(self, lane: Lane) -> bool:
        """Move to another lane."""
        return self._ticket.promote(lane)

    def _post(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody is left to be told
            self._loop.call_soon_threadsafe(call)

    def _on_done(self, ticket: Ticket) -> None:
        self._events.put_nowait(None)
        if not self._settled.done():
            self._settled.set_result(ticket)


async def convert(converter: Converter, request: Request, *, wait_s: float | None = None) -> Conversion:
    """Ask for one conversion and wait for it, at most `wait_s` seconds, after which it is given up.

    Raises `ConversionError`; of kind `timeout` when `wait_s` has passed.
    """
    ticket = AsyncTicket(converter, request)
    try:
        async with asyncio.timeout(wait_s):
            return await ticket.result()
    except TimeoutError:
        raise ConversionError(Outcome.TIMEOUT) from None
