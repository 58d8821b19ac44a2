"""What the converter costs and what its rules are worth, measured.

The cost of admission and of a ready hit is that of our own code, so an engine that takes no time stands behind it. The
latency of a person's document beside prefetches is measured on the engine that is handed in, with plain text documents
that differ in a number. All figures are medians, and each function returns plain values, fit for JSON.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from converter.errors import ConversionError
from converter.pipeline import PdfChecker
from converter.request import Lane, Limits, Locator, RemoteVersion, Request, Source
from converter.service import Converter
from converter.ticket import Ticket
from converter.workspace import Workspace
from engines.base import Artifact, CancelToken, Engine, EngineInfo, ExportOptions, Progress, SourceDocument

ALIAS_COUNTS = (10, 100, 1_000, 10_000)
PREFETCHES = 50
DEADLINE_S = 120.0
LINE = "All happy families are alike; each unhappy one in its own way.\n"

Figures = dict[str, object]
Say = Callable[[str], None]


class InstantEngine:
    """Converts in no time, so that what is left is the converter's own cost. `hold` keeps one document running."""

    def __init__(self) -> None:
        self.info = EngineInfo("instant", "1", "instant")
        self.holding = threading.Event()
        self.release = threading.Event()

    def start(self) -> None:
        """Nothing to start."""

    def healthy(self) -> bool:
        """Always."""
        return True

    def stop(self, grace_s: float = 2.0) -> None:  # noqa: ARG002 - the contract's name
        """Let go of what is held."""
        self.release.set()

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,  # noqa: ARG002 - the contract's name
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,  # noqa: ARG002 - the contract's name
    ) -> Artifact:
        """A few bytes that look like a PDF; a document that begins with `hold` ends when released or cancelled."""
        if bytes(document.data[-4:]) == b"hold":
            revoke = cancel.on_cancel(self.release.set)
            self.holding.set()
            self.release.wait(deadline_s)
            revoke()
        return Artifact(b"%PDF-1.7 " + bytes(document.data))


class OnePage:
    """A checker that believes."""

    def count_pages(self, pdf: bytes | memoryview) -> int:  # noqa: ARG002 - the contract's name
        """One."""
        return 1


def text_source(number: int, text: str = "") -> Source:
    """A plain text of about a page. Equal texts at different numbers are different sources with equal content."""
    data = (text or f"Document {number}\n" + LINE * 40).encode()
    version = RemoteVersion("benchmark", str(number), "1", len(data))
    return Source(f"{number}.txt", len(data), version, lambda _capacity: (data, version))


def benchmark(
    engine: Engine,
    checker: PdfChecker,
    *,
    rounds: int = 5,
    prefetches: int = PREFETCHES,
    alias_counts: Sequence[int] = ALIAS_COUNTS,
    say: Say = lambda _line: None,
) -> Figures:
    """Everything. `engine` is started if it was not, and not stopped. `say` hears what is measured at the moment."""
    say("admission and ready hits")
    figures: Figures = {"admission": admission_cost(alias_counts), "ready_hit": ready_hit_cost()}
    engine.start()
    say(f"foreground beside {prefetches} prefetches")
    figures["engine"] = engine.info.name
    figures["foreground"] = foreground_latency(engine, checker, rounds=rounds, prefetches=prefetches)
    return figures


def admission_cost(alias_counts: Sequence[int] = ALIAS_COUNTS, *, requests: int = 2_000) -> list[Figures]:
    """Microseconds of `submit` until the request waits in the line, by how many aliases there are."""
    return [_admission_cost(count, requests) for count in alias_counts]


def _admission_cost(aliases: int, requests: int) -> Figures:
    limits = Limits(slots=1, aliases_max=aliases, readers_max=64, waiting_jobs_max=32)
    with _instant(limits) as (converter, engine):
        for number in range(aliases):
            converter.submit(Request(text_source(number, "one text"))).result(DEADLINE_S)
        held = converter.submit(Request(text_source(-1, "hold")))
        engine.holding.wait(DEADLINE_S)
        asked = [Request(text_source(aliases + number)) for number in range(requests)]
        seconds = [_admit_and_leave(converter, request) for request in asked]
        known = converter.statistics().aliases
        held.cancel()
    return {"aliases": known, "requests": requests, **_microseconds(seconds)}


def _admit_and_leave(converter: Converter, request: Request) -> float:
    began = time.perf_counter()
    ticket = converter.submit(request)
    took = time.perf_counter() - began
    ticket.cancel()
    return took


def ready_hit_cost(*, requests: int = 2_000) -> Figures:
    """Microseconds from the request to the result in hand, by an authorized source and by a path to authorize."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ready.txt"
        path.write_text("ready\n")
        with _instant(Limits(), Workspace([folder])) as (converter, _):
            source, locator = text_source(0), Locator.of(path)
            converter.submit(Request(source)).result(DEADLINE_S)
            converter.open(locator).result(DEADLINE_S)
            by_source = [_timed(lambda: converter.submit(Request(source))) for _ in range(requests)]
            by_path = [_timed(lambda: converter.open(locator)) for _ in range(requests)]
    return {"requests": requests, "source": _microseconds(by_source), "path": _microseconds(by_path)}


def _timed(ask: Callable[[], Ticket]) -> float:
    began = time.perf_counter()
    ask().result(DEADLINE_S)
    return time.perf_counter() - began


@contextmanager
def _instant(limits: Limits, workspace: Workspace | None = None) -> Iterator[tuple[Converter, InstantEngine]]:
    engine = InstantEngine()
    with Converter(engine, OnePage(), limits=limits, workspace=workspace) as converter:
        yield converter, engine
        engine.release.set()


def foreground_latency(
    engine: Engine, checker: PdfChecker, *, rounds: int = 5, prefetches: int = PREFETCHES
) -> Figures:
    """Seconds to a person's PDF: alone, beside queued prefetches, and beside them without the reserved slot.

    With the reserved slot the prefetches may add what one conversion that runs beside costs. Without it (both slots
    given to background) the person waits until one of two running prefetches has ended. The rounds ask at different
    moments of the prefetches' conversions, evenly spread.
    """
    reserved, shared = _crowded_limits(prefetches, 1), _crowded_limits(prefetches, 2)
    numbers = iter(range(10**9))
    alone = [_foreground(engine, checker, reserved, 0, 0.0, numbers) for _ in range(rounds)]
    once_s = statistics.median(total for total, _ in alone)
    moments = [once_s * (number + 0.5) / rounds for number in range(rounds)]
    beside = [_foreground(engine, checker, reserved, prefetches, moment, numbers) for moment in moments]
    without = [_foreground(engine, checker, shared, prefetches, moment, numbers) for moment in moments]
    return {
        "rounds": rounds,
        "prefetches": prefetches,
        "alone_s": _medians(alone),
        "beside_prefetches_s": _medians(beside),
        "beside_prefetches_without_reserved_slot_s": _medians(without),
    }


def _crowded_limits(prefetches: int, background_slots: int) -> Limits:
    return Limits(
        readers_max=prefetches + 2, waiting_jobs_max=prefetches + 1, slots=2, background_slots=background_slots
    )


def _foreground(
    engine: Engine, checker: PdfChecker, limits: Limits, prefetches: int, moment_s: float, numbers: Iterator[int]
) -> tuple[float, float]:
    """Total seconds and seconds in the line of one person's document beside so many prefetches."""
    with Converter(engine, checker, limits=limits) as converter:
        crowd = [converter.submit(Request(text_source(next(numbers)), Lane.LOW)) for _ in range(prefetches)]
        if crowd:
            _wait_for_first(crowd)
            time.sleep(moment_s)
        result = converter.submit(Request(text_source(next(numbers)), deadline_s=DEADLINE_S)).result(DEADLINE_S)
        for ticket in crowd:
            ticket.cancel()
    return result.seconds.total, result.seconds.queue


def _wait_for_first(crowd: Sequence[Ticket]) -> None:
    """Until the prefetches are in full swing."""
    try:
        crowd[0].result(DEADLINE_S)
    except ConversionError as error:
        raise RuntimeError(f"the engine does not convert the benchmark's documents: {error}") from error


def _medians(runs: Sequence[tuple[float, float]]) -> Figures:
    totals, queues = zip(*runs, strict=True)
    return {"total": round(statistics.median(totals), 4), "queue": round(statistics.median(queues), 4)}


def _microseconds(seconds: Sequence[float]) -> Figures:
    cuts = statistics.quantiles(seconds, n=100)
    return {"median_us": round(statistics.median(seconds) * 1e6, 1), "p99_us": round(cuts[98] * 1e6, 1)}


def as_text(figures: Figures) -> str:
    """The figures as lines for a person, with the targets beside them."""
    lines = ["admission, microseconds until the request waits in the line (target: median under 50, flat):"]
    lines += [
        f"  {row['aliases']:>6} aliases  median {row['median_us']:>6}  p99 {row['p99_us']:>7}"
        for row in _rows(figures["admission"])
    ]
    lines.append("ready hit, microseconds to the result (target: under 200):")
    hit = _row(figures["ready_hit"])
    for name, label in (("source", "authorized source"), ("path", "path, authorized and looked at")):
        row = _row(hit[name])
        lines.append(f"  {label:<30}  median {row['median_us']:>6}  p99 {row['p99_us']:>7}")
    foreground = _row(figures["foreground"])
    lines.append(f"seconds to a person's PDF on the engine {figures['engine']}, of these in the line:")
    for name, label in (
        ("alone_s", "alone"),
        ("beside_prefetches_s", f"beside {foreground['prefetches']} prefetches, one slot kept for people"),
        ("beside_prefetches_without_reserved_slot_s", f"beside {foreground['prefetches']} prefetches, no slot kept"),
    ):
        row = _row(foreground[name])
        lines.append(f"  {label:<50}  {row['total']:>7}  {row['queue']:>7}")
    return "\n".join(lines)


def _row(value: object) -> Figures:
    assert isinstance(value, dict)
    return value


def _rows(value: object) -> list[Figures]:
    assert isinstance(value, list)
    return value
