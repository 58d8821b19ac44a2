"""A converter over fakes, with what tests of it need to decide the order of things."""

from __future__ import annotations

from typing import Any

from converter.errors import ConversionError, Outcome
from converter.invariants import check
from converter.request import Lane, Limits, Request
from converter.service import Converter
from converter.statistics import Statistics
from converter.ticket import Ticket
from engines.base import ExportOptions
from tests.fakes import PATIENCE_S, FakeChecker, FakeClock, FakeEngine, FakeSource, Gate, Kit, classify_text


class Bench:
    """One converter, its engine, checker and clock."""

    def __init__(self, *, others: tuple[FakeEngine, ...] = (), **limits: Any) -> None:
        self.clock = FakeClock()
        self.engine = FakeEngine()
        self.checker = FakeChecker()
        self.converter = Converter(
            self.engine,
            self.checker,
            limits=Limits(**limits),
            others=others,
            clock=self.clock,
            classify=classify_text,
        )
        self._gates: list[Gate] = []

    def hold(self, text: str, **how: Any) -> Kit:
        """Have the kit of this document wait at its gate."""
        kit = self.engine.kit(text, gate=Gate(), **how)
        self._gates += [kit.gate, kit.slow_death]
        return kit

    def gate(self) -> Gate:
        """A closed gate, opened at the end of the test at the latest."""
        gate = Gate()
        self._gates.append(gate)
        return gate

    def ask(self, document: str | FakeSource, lane: Lane = Lane.CRITICAL, **request: Any) -> Ticket:
        """Submit a request for a document; a text is a source of its own version and place."""
        source = document if isinstance(document, FakeSource) else FakeSource(document)
        options = request.pop("options", ExportOptions())
        ticket = self.converter.submit(Request(source.source, lane, options, **request))
        self.check()
        return ticket

    def run(self, text: str, lane: Lane = Lane.CRITICAL, **how: Any) -> tuple[Ticket, Kit]:
        """Ask for a document and wait until its kit is at the gate."""
        kit = self.hold(text, **how)
        ticket = self.ask(text, lane)
        kit.gate.wait_for_arrivals()
        return ticket, kit

    def check(self) -> None:
        """Every bound and account of the service."""
        dispatcher = self.converter._dispatcher
        with dispatcher.lock:
            check(dispatcher.admission)
            dispatcher.cache.check()
            assert set(dispatcher._readers) == set(dispatcher.admission.readers)
            assert set(dispatcher._works) == set(dispatcher.admission.running)

    def wait_for_running(self, count: int = 0) -> None:
        """Wait until so many jobs hold slots."""
        dispatcher = self.converter._dispatcher
        with dispatcher.settled:
            running = dispatcher.admission.running
            assert dispatcher.settled.wait_for(lambda: len(running) == count, PATIENCE_S)

    @property
    def now(self) -> Statistics:
        return self.converter.statistics()

    def end(self) -> None:
        """Open every gate, close, and prove that nothing is left."""
        for gate in self._gates:
            gate.open()
        assert self.converter.close()
        self.check()
        now = self.now
        assert (now.readers, now.jobs, now.reserved_bytes, now.cached_pdfs, now.aliases) == (0, 0, 0, 0, 0)
        assert self.engine.live_kits == 0
        dispatcher = self.converter._dispatcher
        assert not dispatcher.admission.by_key
        assert not dispatcher.admission.by_digest


def digests(*tickets: Ticket) -> set[str]:
    """The digests of these tickets' results."""
    return {ticket.result(PATIENCE_S).digest for ticket in tickets}


def outcome(ticket: Ticket) -> Outcome:
    """How a ticket ends."""
    try:
        ticket.result(PATIENCE_S)
    except ConversionError as error:
        return error.outcome
    return Outcome.OK
