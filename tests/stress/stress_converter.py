"""Thousands of readers over an engine that completes, fails, dies and stalls.

Run it with `python -m tests.stress.stress_converter`. Threads open, join, promote, extend, follow and cancel at random,
against bounds set small enough to be met all the time; a second crowd has the converter closed under it. Invariants
are checked all the while; at the end every count is back at zero, no thread is left, memory has not grown, and every
reader has had exactly one outcome.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import random
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from converter.conversion import TicketEvent
from converter.errors import ConversionError, Outcome
from converter.invariants import check
from converter.request import Lane, Limits, RemoteVersion, Request, Source, Version
from converter.service import Converter
from converter.ticket import Ticket
from engines.base import Artifact, CancelToken, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from tests.fakes import FakeChecker, classify_text

DOCUMENTS = 60
FATES = {"done": 60, "slow": 10, "fails": 8, "dies": 8, "dies early": 8, "stalls": 3}
LIMITS = Limits(
    readers_max=60,
    waiting_jobs_max=30,
    slots=4,
    background_slots=2,
    source_bytes_max=2_000,
    reserved_bytes_max=5_000,
    cached_pdfs_max=12,
    cached_bytes_max=20_000,
    aliases_max=40,
    deadline_s=0.05,
    soft_limit_s=0.02,
    deadline_max_s=0.2,
    prefetch_wait_max_s=0.05,
)


class UnrulyEngine:
    """Decides by chance whether a document is converted, fails, kills its kit, or stalls until it is cancelled."""

    def __init__(self, seed: int) -> None:
        self.info = EngineInfo("unruly", "1", "g0")
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self.live = 0
        self.most = 0
        self.endings: Counter[str] = Counter()

    def start(self) -> None:
        """Nothing to start."""

    def healthy(self) -> bool:
        return True

    def stop(self, grace_s: float = 2.0) -> None:
        """Stalled kits end by their tokens."""

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        fate = self._begin()
        try:
            return self._end(fate, document, cancel, progress or (lambda _progress: None))
        finally:
            with self._lock:
                self.live -= 1

    def _begin(self) -> str:
        with self._lock:
            self.live += 1
            self.most = max(self.most, self.live)
            fate = self._chance.choices(list(FATES), list(FATES.values()))[0]
            self.endings[fate] += 1
            return fate

    def _end(
        self, fate: str, document: SourceDocument, cancel: CancelToken, progress: Callable[[Progress], None]
    ) -> Artifact:
        if fate == "dies early":
            raise EngineError(ErrorKind.ENGINE, "killed before reading")
        progress(Progress("loading"))
        if fate in {"stalls", "slow"}:
            _wait_for_cancel(cancel, 5.0 if fate == "stalls" else 0.002)
        if cancel.cancelled:
            raise EngineError(ErrorKind.CANCELLED, "cancelled")
        if fate == "fails":
            raise EngineError(ErrorKind.CORRUPT, "damaged")
        if fate == "dies":
            raise EngineError(ErrorKind.ENGINE, "killed while converting")
        return Artifact(b"%PDF-" + self.info.fingerprint.encode() + bytes(document.data))


def _wait_for_cancel(cancel: CancelToken, most_s: float) -> None:
    cancelled = threading.Event()
    revoke = cancel.on_cancel(cancelled.set)
    cancelled.wait(most_s)
    revoke()


def make_source(chance: random.Random) -> Source:
    """One of few documents; some share content, some have no version, some change, some lie about their size."""
    number = chance.randrange(DOCUMENTS)
    data = f"document {number % (DOCUMENTS * 2 // 3)} ".encode() * chance.choice([1, 3, 40])
    version: Version | None = RemoteVersion("stress", str(number), str(len(data)))
    version_read = RemoteVersion("stress", str(number), "changed") if chance.random() < 0.02 else version
    if chance.random() < 0.1:
        version = version_read = None
    size = None if chance.random() < 0.2 else len(data) - (chance.random() < 0.02)
    return Source(f"{number}.txt", size, version, lambda capacity: (data[: capacity + 1], version_read))


@dataclass
class Report:
    """What a run saw."""

    readers: int
    seconds: float
    outcomes: Counter[str]
    endings: Counter[str]
    most_kits: int
    checks: int
    memory_growth_bytes: int
    unsettled: int
    left: list[str]

    @property
    def clean(self) -> bool:
        """Whether everything is back where it was."""
        return not self.left and not self.unsettled and self.most_kits <= LIMITS.slots


class Crowd:
    """The readers: `threads` of them at a time, `readers` in all."""

    def __init__(self, readers: int, threads: int, seed: int, closed_after: int) -> None:
        self.engine = UnrulyEngine(seed)
        self.converter = Converter(self.engine, FakeChecker(), limits=LIMITS, classify=classify_text)
        self.outcomes: Counter[str] = Counter()
        self.unsettled = 0
        self.events = 0
        self.checks = 0
        self._lock = threading.Lock()
        self._readers, self._threads, self._seed = readers, threads, seed
        self._closed_after = closed_after
        self._done = threading.Event()
        self.errors: list[BaseException] = []

    def run(self) -> None:
        """All readers, then the end."""
        each = self._readers // self._threads
        threads = [threading.Thread(target=self._serve, args=(self._seed + n, each)) for n in range(self._threads)]
        for thread in [*threads, warden := threading.Thread(target=self._watch)]:
            thread.start()
        for thread in threads:
            thread.join()
        self._done.set()
        warden.join()

    def _serve(self, seed: int, readers: int) -> None:
        chance = random.Random(seed)
        try:
            live: list[Ticket] = []
            for _ in range(readers):
                live.append(self._ask(chance))
                self._act(chance, live)
                if len(live) > 1:
                    self._wait(live.pop(0))
            for ticket in live:
                self._wait(ticket)
        except BaseException as error:  # noqa: BLE001 - told at the end
            self.errors.append(error)

    def _ask(self, chance: random.Random) -> Ticket:
        request = Request(
            make_source(chance),
            chance.choice(list(Lane)),
            deadline_s=chance.choice([None, None, 0.01, 0.1]),
            wait_max_s=chance.choice([None, None, 0.02]),
            first_pages=chance.choice([None, None, None, 1]),
            private=chance.random() < 0.05,
        )
        ticket = self.converter.submit(request)
        calls = [0]

        def settled(_ticket: Ticket) -> None:
            calls[0] += 1
            with self._lock:
                self.unsettled -= calls[0] == 1
                assert calls[0] == 1

        with self._lock:
            self.unsettled += 1
        ticket.add_done_callback(settled)
        ticket.on_event(self._note)
        return ticket

    def _note(self, _event: TicketEvent) -> None:
        self.events += 1

    def _act(self, chance: random.Random, live: list[Ticket]) -> None:
        ticket = chance.choice(live)
        action = chance.random()
        if action < 0.3:
            ticket.cancel("by chance")
        elif action < 0.5:
            ticket.promote(chance.choice(list(Lane)))
        elif action < 0.55:
            ticket.extend(0.1)
        elif action < 0.555:
            self.engine.info = EngineInfo("unruly", "1", f"g{chance.randrange(3)}")
        elif action < 0.56:
            self.converter.set_background(chance.random() < 0.7)

    def _wait(self, ticket: Ticket) -> None:
        with contextlib.suppress(ConversionError):
            ticket.result(30.0)
        with self._lock:
            self.outcomes[str(ticket.outcome)] += 1
            closes = self.outcomes.total() == self._closed_after
        if closes and not self.converter.close(grace_s=0.01):
            self.errors.append(AssertionError("close() was not complete"))

    def _watch(self) -> None:
        """Check every bound, again and again, while the readers are at work."""
        dispatcher = self.converter._dispatcher
        try:
            while not self._done.wait(0.001):
                with dispatcher.lock:
                    check(dispatcher.admission)
                    dispatcher.cache.check()
                self.checks += 1
        except BaseException as error:  # noqa: BLE001 - told at the end
            self.errors.append(error)


def stress(readers: int, threads: int, seed: int) -> Report:
    """One run. Raises what went wrong inside of it."""
    before = set(threading.enumerate())
    closed, left = _round(readers // 4, threads, seed, closed_after=readers // 8)  # what is loaded once is no growth
    if closed.outcomes["closed"] < readers // 20:
        left.append("not even the readers of a converter that was closed under them")
    unsettled = closed.unsettled
    del closed
    gc.collect()
    tracemalloc.start()
    began, memory = time.monotonic(), tracemalloc.get_traced_memory()[0]
    crowd, more_left = _round(readers, threads, seed + 1000, closed_after=-1)
    seconds = time.monotonic() - began
    outcomes, endings = crowd.outcomes, crowd.engine.endings
    most, checks, unsettled = crowd.engine.most, crowd.checks, unsettled + crowd.unsettled
    del crowd
    gc.collect()
    growth = tracemalloc.get_traced_memory()[0] - memory
    tracemalloc.stop()
    left += more_left + [f"thread {thread.name}" for thread in set(threading.enumerate()) - before]
    return Report(readers, seconds, outcomes, endings, most, checks, growth, unsettled, left)


def _round(readers: int, threads: int, seed: int, closed_after: int) -> tuple[Crowd, list[str]]:
    crowd = Crowd(readers, threads, seed, closed_after)
    crowd.run()
    if crowd.errors:
        raise crowd.errors[0]
    dispatcher = crowd.converter._dispatcher
    left = [] if crowd.converter.close() else ["close() was not complete"]
    now = crowd.converter.statistics()
    counts = {
        "readers": now.readers,
        "jobs": now.jobs,
        "reserved bytes": now.reserved_bytes,
        "cached PDFs": now.cached_pdfs,
        "aliases": now.aliases,
        "keys": len(dispatcher.admission.by_key),
        "digests": len(dispatcher.admission.by_digest),
        "kits": crowd.engine.live,
    }
    return crowd, left + [f"{count} {name}" for name, count in counts.items() if count]


def main() -> int:
    """Run and report; 1 if something is left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    report = stress(arguments.readers, arguments.threads, arguments.seed)
    print(f"{report.readers} readers in {report.seconds:.1f} s, every bound checked {report.checks} times")
    print("outcomes:", ", ".join(f"{name} {count}" for name, count in report.outcomes.most_common()))
    print("kits:", ", ".join(f"{name} {count}" for name, count in report.endings.most_common()))
    print("at most", report.most_kits, "kits at once")
    print(f"memory growth: {report.memory_growth_bytes / 1024:.0f} KiB; left: {report.left or 'nothing'}")
    return 0 if report.clean and set(report.outcomes) <= {outcome.value for outcome in Outcome} else 1


if __name__ == "__main__":
    sys.exit(main())
