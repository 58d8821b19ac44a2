"""The conversion service awaited: results, errors, events in order, and giving up one reader alone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from converter.conversion import Phase, PhaseChanged
from converter.errors import ConversionError, Outcome
from converter.request import Lane, Request
from engines.base import ExportOptions
from preview_app.jupyter.bridge import AsyncTicket, convert
from tests.converter.bench import Bench
from tests.fakes import PATIENCE_S, FakeSource

T = TypeVar("T")


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.end()


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, PATIENCE_S))


def request(text: str, lane: Lane = Lane.CRITICAL) -> Request:
    return Request(FakeSource(text).source, lane, ExportOptions())


def test_a_conversion_is_awaited(bench: Bench) -> None:
    conversion = run(convert(bench.converter, request("a document")))
    assert conversion.pdf.startswith(b"%PDF-")


def test_an_error_is_raised(bench: Bench) -> None:
    with pytest.raises(ConversionError) as caught:
        run(convert(bench.converter, request("")))
    assert caught.value.outcome is Outcome.EMPTY


def test_events_come_in_order_and_end(bench: Bench) -> None:
    async def phases() -> list[Phase]:
        ticket = AsyncTicket(bench.converter, request("a document"))
        seen = [event.phase async for event in ticket.events() if isinstance(event, PhaseChanged)]
        await ticket.result()
        return seen

    seen = run(phases())
    assert seen == sorted(seen, key=list(Phase).index)
    assert seen[-1] is Phase.SETTLED


def test_who_stops_waiting_gives_up_its_own_reader_only(bench: Bench) -> None:
    kit = bench.hold("shared")

    async def two() -> bool:
        first = asyncio.create_task(convert(bench.converter, request("shared")))
        second = asyncio.create_task(convert(bench.converter, request("shared")))
        await asyncio.to_thread(kit.gate.wait_for_arrivals)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        kit.gate.open()
        return (await second).pdf.startswith(b"%PDF-")

    assert run(two())


def test_patience_has_an_end(bench: Bench) -> None:
    bench.hold("slow")
    with pytest.raises(ConversionError) as caught:
        run(convert(bench.converter, request("slow"), wait_s=0.01))
    assert caught.value.outcome is Outcome.TIMEOUT


def test_a_loop_that_has_ended_harms_nobody(bench: Bench) -> None:
    kit = bench.hold("late")

    async def leave() -> AsyncTicket:
        ticket = AsyncTicket(bench.converter, request("late"))
        await asyncio.to_thread(kit.gate.wait_for_arrivals)
        return ticket

    ticket = run(leave())
    kit.gate.open()
    bench.wait_for_running(0)
    assert not ticket.cancel()
