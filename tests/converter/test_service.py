"""The rules of the conversion service that no numbered scenario shows, each cited."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from converter.conversion import NO_ENGINE, FirstPages, Phase, PhaseChanged, PlaceChanged, TicketEvent
from converter.errors import ConversionError, Outcome
from converter.identify import Classified, Classify, Cleared
from converter.request import Lane, Limits, Locator, Request, Source
from converter.service import Converter
from converter.ticket import Ticket
from converter.workspace import Workspace
from engines.base import Artifact, CancelToken, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from tests.converter.bench import Bench
from tests.fakes import PATIENCE_S, FakeChecker, FakeEngine, FakeSource, Gate, classify_text

MakeBench = Callable[..., Bench]


def failure(ticket: Ticket) -> ConversionError:
    """The error that a ticket ends with."""
    with pytest.raises(ConversionError) as caught:
        ticket.result(PATIENCE_S)
    return caught.value


def test_a_result_tells_everything(bench: Bench) -> None:
    result = bench.ask("notice this\ftwo pages").result(PATIENCE_S)
    assert result.pdf == b"%PDF-1.7 g1 all notice this\ftwo pages"
    assert (result.pages, result.document_type, result.source_bytes) == (2, "txt", 21)
    assert (result.engine, result.generation, result.from_cache) == (EngineInfo("fake", "1.0", "g1"), "g1", False)
    assert (result.notices, result.missing_fonts) == (("noticed",), ())
    assert len(result.digest) == 64


def test_c12_results_are_shared_without_copies(bench: Bench) -> None:
    first, second = (bench.ask("x").result(PATIENCE_S) for _ in range(2))
    assert first.pdf is second.pdf
    assert type(first.pdf) is bytes


def test_c1_first_pages_come_as_an_event_and_are_kept_nowhere(bench: Bench) -> None:
    events: list[TicketEvent] = []
    kit = bench.hold("long")
    ticket = bench.ask("long", first_pages=3)
    bystander = bench.ask("long")
    others: list[TicketEvent] = []
    bystander.on_event(others.append)
    ticket.on_event(events.append)
    kit.gate.open()
    result = ticket.result(PATIENCE_S)
    early = [event for event in events if isinstance(event, FirstPages)]
    assert [(event.pdf, event.pages) for event in early] == [(b"%PDF-1.7 g1 1-3 long", 1)]
    assert not [event for event in others if isinstance(event, FirstPages)]
    assert result.pdf == b"%PDF-1.7 g1 all long"
    assert bench.now.cached_pdfs == 1
    assert bench.engine.converted == ["long", "long"]


def test_c1_first_pages_are_for_foreground_and_their_failure_decides_nothing(bench: Bench) -> None:
    bench.ask("prefetch", Lane.LOW, first_pages=3).result(PATIENCE_S)
    assert bench.engine.converted == ["prefetch"]
    bench.engine.kit("frail", dies_before="exported", deaths=1)
    assert bench.ask("frail", first_pages=3).result(PATIENCE_S).pages == 1
    bench.ask("range", first_pages=3, options=ExportOptions(page_range="2")).result(PATIENCE_S)
    assert bench.engine.converted.count("range") == 1, "a range is what was asked for"


def test_c2_and_c13_open_authorizes_at_every_request(tmp_path: Path, bench: Bench) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("alpha")
    bench.converter.workspace = Workspace([root])
    first = bench.converter.open(Locator("a.txt")).result(PATIENCE_S)
    assert bench.converter.open(Locator("a.txt"), Lane.LOW).result(PATIENCE_S).from_cache
    assert failure(bench.converter.open(Locator("../root2/a.txt"))).outcome is Outcome.NOT_ALLOWED
    assert failure(bench.converter.open(Locator("b.txt"))).outcome is Outcome.NOT_FOUND
    (root / "a.txt").rename(root / ".a.txt")
    hidden = bench.converter.open(Locator(".a.txt"))
    assert failure(hidden).outcome is Outcome.NOT_ALLOWED, "though its PDF is ready"
    assert failure(bench.converter.open(Locator("a.txt"))).outcome is Outcome.NOT_FOUND
    assert first.pages == 1


def test_c2_without_a_workspace_only_authorized_sources(bench: Bench) -> None:
    with pytest.raises(ValueError, match="no workspace"):
        bench.converter.open(Locator("a.txt"))


def test_c3_metadata_is_admitted_before_a_byte_is_read(make_bench: MakeBench) -> None:
    bench = make_bench(source_bytes_max=10, reserved_bytes_max=10)
    source = FakeSource("x" * 11)
    error = failure(bench.ask(source))
    assert (error.outcome, source.reads) == (Outcome.LIMIT, 0)
    assert error.bound is not None
    assert (error.bound.limit, error.bound.figure) == (10, 11)


def test_c4_the_capacity_is_the_reservation(bench: Bench) -> None:
    source = FakeSource("12345")
    bench.ask(source).result(PATIENCE_S)
    assert source.capacities == [5]


def test_c9_a_known_source_needs_no_second_read(bench: Bench) -> None:
    bench.ask("x").result(PATIENCE_S)
    again = FakeSource("x")
    assert bench.ask(again).result(PATIENCE_S).from_cache
    assert again.reads == 0
    unversioned = FakeSource("x", version=None)
    assert bench.ask(unversioned).result(PATIENCE_S).from_cache, "found by content"
    assert unversioned.reads == 1
    assert (bench.now.hits_by_source, bench.now.hits_by_content) == (1, 1)


def test_c11_failures_are_not_cached_and_the_next_request_tries_again(bench: Bench) -> None:
    kit = bench.engine.kit("x", ends_with=EngineError(ErrorKind.CORRUPT, "Damaged.", "offset 7"))
    error = failure(bench.ask("x"))
    assert (error.outcome, error.message, error.diagnostics) == (Outcome.CORRUPT, "Damaged.", "offset 7")
    assert error.engine == bench.engine.info
    kit.ends_with = None
    assert bench.ask("x").result(PATIENCE_S).pages == 1


def test_c16_a_prefetch_that_has_waited_too_long_goes(make_bench: MakeBench) -> None:
    bench = make_bench(slots=1, deadline_s=600.0)
    bench.run("running")
    low, normal = bench.ask("low", Lane.LOW), bench.ask("normal", Lane.NORMAL)
    bench.clock.advance(29.9)
    assert not low.done()
    bench.clock.advance(0.2)
    assert failure(low).outcome is Outcome.EVICTED
    assert "seconds of a prefetch in the line: 30 of at most 30" in failure(low).message
    assert not normal.done()
    demoted = bench.ask("late", Lane.LOW)
    person = bench.ask("late")
    bench.clock.advance(40.0)
    person.cancel()
    assert not demoted.done(), "it counts as a prefetch from now on"
    bench.clock.advance(30.0)
    assert failure(demoted).outcome is Outcome.EVICTED


def test_c25_with_one_slot_foreground_waits_for_running_background(make_bench: MakeBench) -> None:
    bench = make_bench(slots=1)
    background, kit = bench.run("background", Lane.LOW)
    person = bench.ask("person")
    assert (person.ahead, background.done()) == (0, False)
    kit.gate.open()
    assert person.result(PATIENCE_S).pages == background.result(PATIENCE_S).pages == 1


def test_c27_an_unknown_engine_is_unavailable(bench: Bench) -> None:
    error = failure(bench.ask("x", engine="nowhere"))
    assert (error.outcome, "nowhere" in error.message) == (Outcome.UNAVAILABLE, True)


def test_an_engine_that_does_not_start_is_tried_again_by_the_next_request(bench: Bench) -> None:
    bench.engine.start_error = EngineError(ErrorKind.UNAVAILABLE, "Run `docpeek engines prepare`.")
    assert failure(bench.ask("x")).message == "Run `docpeek engines prepare`."
    bench.engine.start_error = None
    assert bench.ask("x").result(PATIENCE_S).pages == 1


def test_c28_statistics_and_repr(make_bench: MakeBench) -> None:
    bench = make_bench(slots=1, waiting_jobs_max=1)
    bench.ask("ready").result(PATIENCE_S)
    bench.ask("ready").result(PATIENCE_S)
    _, kit = bench.run("running", Lane.HIGH)
    bench.ask("running", Lane.HIGH)
    evicted = bench.ask("prefetch", Lane.LOW)
    waiting = bench.ask("waiting")
    refused = bench.ask("refused")
    now = bench.now
    assert repr(bench.converter) == (
        "<Converter fake: 3 readers, 1 waiting, 1 running, 7 bytes reserved, 1 PDFs ready>"
    )
    critical, high, low = now.lanes[Lane.CRITICAL], now.lanes[Lane.HIGH], now.lanes[Lane.LOW]
    assert (critical.waiting, critical.settled, critical.refused) == (1, 2, 1)
    assert (high.running, high.joined) == (1, 1)
    assert (low.evicted, evicted.outcome, refused.outcome) == (1, Outcome.EVICTED, Outcome.BUSY)
    assert (now.readers, now.jobs, now.cached_bytes, now.aliases) == (3, 2, len(b"%PDF-1.7 g1 all ready"), 1)
    assert (now.conversion.count, now.queue_wait.count, now.conversion.mean_s) == (1, 1, 0.0)
    bench.clock.advance(0.09)
    kit.gate.open()
    waiting.result(PATIENCE_S)
    waited = bench.now.queue_wait
    assert waited.counts[waited.bounds_ms.index(100)] == 1
    assert waiting.result().seconds.queue == pytest.approx(0.09)


@pytest.mark.parametrize(
    ("pdf", "message"),
    [
        (b"not a pdf", "is not a PDF"),
        (b"%PDF-broken", "is damaged"),
        (b"%PDF-blank", "no pages"),
        (b"", "is not a PDF"),
    ],
)
def test_c30_success_is_a_header_and_a_page(bench: Bench, pdf: bytes, message: str) -> None:
    bench.engine.kit("x", pdf=pdf)
    error = failure(bench.ask("x"))
    assert (error.outcome, error.engine) == (Outcome.ENGINE, bench.engine.info)
    assert message in error.message
    assert bench.now.cached_pdfs == 0


def test_a_pdf_beyond_the_limit(make_bench: MakeBench) -> None:
    bench = make_bench(pdf_bytes_max=30)
    assert failure(bench.ask("x" * 40)).outcome is Outcome.LIMIT


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("%PDF-1.4 fine", None), ("%PDF-broken", Outcome.CORRUPT), ("%PDF-blank", Outcome.CORRUPT)],
)
def test_a_pdf_is_passed_through_and_checked(bench: Bench, text: str, outcome: Outcome | None) -> None:
    ticket = bench.ask(text)
    if outcome is not None:
        assert failure(ticket).outcome is outcome
    else:
        result = ticket.result(PATIENCE_S)
        assert (result.pdf, result.engine, result.generation) == (text.encode(), NO_ENGINE, "")
        assert bench.ask(text).result(PATIENCE_S).from_cache
    assert (bench.engine.converted, bench.engine.starts) == ([], 0)


def test_nothing_is_spent_on_what_fails_the_screening(bench: Bench) -> None:
    assert failure(bench.ask("locked")).outcome is Outcome.ENCRYPTED
    assert failure(bench.ask("")).outcome is Outcome.EMPTY
    assert (bench.engine.converted, bench.engine.starts) == ([], 0)


class Held:
    """Stands for the bytes of a source: whoever holds it holds them."""


class Watching(FakeChecker):
    """Looks, when the PDF is checked, whether anybody still holds the source."""

    def __init__(self) -> None:
        super().__init__()
        self.source: weakref.ref[Held] | None = None
        self.held: list[bool] = []

    def count_pages(self, pdf: bytes | memoryview) -> int:
        assert self.source is not None
        self.held.append(self.source() is not None)
        return super().count_pages(pdf)


def holding(checker: Watching) -> Classify:
    """A classifier whose answer holds the source until the document is cleared, and in the cleared document."""

    def classify(data: bytes, name: str) -> Classified:
        held = Held()
        checker.source = weakref.ref(held)
        found = classify_text(data, name)

        def clear(cancel: CancelToken) -> Cleared:
            cleared = found.clear(cancel)
            return replace(cleared, notices=(*cleared.notices, f"held {held is not None}"))

        return replace(found, clear=clear)

    return classify


def test_the_source_is_let_go_when_its_reservation_is() -> None:
    checker = Watching()
    with Converter(FakeEngine(), checker, classify=holding(checker)) as converter:
        converter.submit(Request(FakeSource("x").source)).result(PATIENCE_S)
        assert checker.held == [False]
        error = failure(converter.submit(Request(FakeSource("locked").source)))
        assert (error.outcome, error.__context__) == (Outcome.ENCRYPTED, None)
        assert checker.source is not None
        assert checker.source() is None, "an outcome holds no source"


def test_what_a_source_raises_is_the_outcome(bench: Bench) -> None:
    def source(error: Exception) -> Source:
        def read(_capacity: int) -> tuple[bytes, None]:
            raise error

        return Source("a.txt", 1, None, read)

    errors = {
        PermissionError(13, "denied"): Outcome.NOT_ALLOWED,
        FileNotFoundError(2, "gone"): Outcome.NOT_FOUND,
        ConversionError(Outcome.CHANGED): Outcome.CHANGED,
        MemoryError(): Outcome.LIMIT,
    }
    for error, outcome in errors.items():
        assert failure(bench.converter.submit(Request(source(error)))).outcome is outcome


def test_a_fault_of_ours_ends_one_job_and_is_seen(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    def read(_capacity: int) -> tuple[bytes, None]:
        raise KeyError("a bug")

    error = failure(bench.converter.submit(Request(Source("a.txt", 1, None, read))))
    assert error.outcome is Outcome.ENGINE
    assert "KeyError" in error.diagnostics
    assert "A conversion failed unexpectedly" in caplog.text
    assert bench.ask("next").result(PATIENCE_S).pages == 1


def test_a_reader_follows_its_job_through_the_phases(make_bench: MakeBench) -> None:
    bench = make_bench(slots=1)
    _, kit = bench.run("running")
    before = bench.ask("before")
    ticket = bench.ask("x")
    events: list[TicketEvent] = []
    settled = threading.Event()
    ticket.on_event(events.append)
    ticket.on_event(lambda event: settled.set() if event == PhaseChanged(Phase.SETTLED) else None)
    before.cancel()
    kit.gate.open()
    assert settled.wait(PATIENCE_S)
    assert events == [
        PhaseChanged(Phase.WAITING),
        PlaceChanged(1),
        PlaceChanged(0),
        *map(PhaseChanged, (Phase.READING, Phase.IDENTIFIED, Phase.SCREENED, Phase.CONVERTING, Phase.CHECKED)),
        PhaseChanged(Phase.SETTLED),
    ]


def test_callbacks_may_call_back_into_the_converter(make_bench: MakeBench) -> None:
    bench = make_bench(slots=1)
    first, kit = bench.run("first")
    followed: list[Ticket] = []
    arrived = threading.Event()

    def follow(ticket: Ticket) -> None:
        bench.converter.statistics()
        ticket.cancel()
        followed.append(bench.converter.submit(Request(FakeSource("second").source)))
        arrived.set()

    first.add_done_callback(follow)
    kit.gate.open()
    assert arrived.wait(PATIENCE_S)
    assert followed[0].result(PATIENCE_S).pages == 1


def test_c26_a_kit_that_does_not_die_has_its_engine_stopped(bench: Bench) -> None:
    ticket, _ = bench.run("stubborn", ignores_cancel=True)
    assert bench.converter.close(grace_s=0.0)
    assert bench.engine.stopped
    assert failure(ticket).outcome is Outcome.CLOSED


def test_c26_close_is_bounded_when_a_read_never_ends(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()
    converter = Converter(FakeEngine(), FakeChecker(), classify=classify_text)
    ticket = converter.submit(Request(FakeSource("x", gate=gate).source))
    gate.wait_for_arrivals()
    assert not converter.close(grace_s=0.0)
    assert failure(ticket).outcome is Outcome.CLOSED
    assert "conversions that do not end" in caplog.text
    gate.open()
    assert converter.close(grace_s=PATIENCE_S)
    assert repr(converter).startswith("<Converter closed: 0 readers, 0 waiting, 0 running, 0 bytes")


def test_a_context_manager_with_the_real_clock_and_the_real_classifier(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("plain text")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 blank is what the checker says of it")
    (tmp_path / "noise.docx").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "none.odt").write_bytes(b"")
    before = threading.active_count()
    with Converter(FakeEngine(), FakeChecker(), workspace=Workspace([tmp_path])) as converter:
        result = converter.open(Locator("a.txt"), deadline_s=30.0).result(PATIENCE_S)
        assert (result.document_type, result.pages) == ("txt", 1)
        assert result.seconds.total >= result.seconds.convert >= 0.0
        assert failure(converter.open(Locator("a.pdf"))).outcome is Outcome.CORRUPT
        assert failure(converter.open(Locator("noise.docx"))).outcome is Outcome.UNSUPPORTED
        assert failure(converter.open(Locator("none.odt"))).outcome is Outcome.EMPTY
    assert threading.active_count() == before


def test_the_real_deadline_clock_ends_a_job(tmp_path: Path) -> None:
    engine = FakeEngine()
    kit = engine.kit("x", gate=Gate())
    with Converter(engine, FakeChecker(), limits=Limits(deadline_s=0.02), classify=classify_text) as converter:
        assert failure(converter.submit(Request(FakeSource("x").source))).outcome is Outcome.TIMEOUT
    assert not kit.gate.pass_through(unless=lambda: True)


class OldToken(Protocol):
    """`engines.base.CancelToken` as published (X15): do not change it here."""

    @property
    def cancelled(self) -> bool: ...

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]: ...


class OldEngine:
    """An engine written against the published protocol, with nothing that came later (X15)."""

    info = EngineInfo("old", "0", "o")

    def start(self) -> None: ...

    def healthy(self) -> bool:
        return True

    def stop(self, grace_s: float = 2.0) -> None: ...

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: OldToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        assert not cancel.cancelled
        cancel.on_cancel(lambda: None)()
        return Artifact(b"%PDF-old " + bytes(document.data))


def test_x15_an_engine_written_against_the_published_protocol_goes_on_working() -> None:
    with Converter(OldEngine(), FakeChecker(), classify=classify_text) as converter:
        assert converter.submit(Request(FakeSource("x").source)).result(PATIENCE_S).engine.name == "old"
