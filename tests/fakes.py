"""Honest stand-ins at the boundaries of the converter: an engine, a checker, sources, a clock.

They keep the contracts of what they stand for. A *gate* holds a thread until the test opens it, so that tests decide
the order of things and never sleep.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from converter.cancellation import Alarm
from converter.identify import Classified, Cleared
from converter.request import RemoteVersion, Source, Version
from engines.base import Artifact, CancelToken, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id

PATIENCE_S = 20.0
"""A bound on waits that a correct program never reaches."""


class Gate:
    """Holds whoever comes until it is opened; tells who has come."""

    def __init__(self, *, is_open: bool = False) -> None:
        self._changed = threading.Condition()
        self._open = is_open
        self.arrivals = 0

    def open(self) -> None:
        """Let everybody through, now and later."""
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def pass_through(self, *, unless: Callable[[], bool] = lambda: False, within_s: float = PATIENCE_S) -> bool:
        """Wait until it is open (`True`), `unless` holds after a `nudge`, or a deadline passes (`False`)."""
        with self._changed:
            self.arrivals += 1
            self._changed.notify_all()
            in_time = self._changed.wait_for(lambda: self._open or unless(), min(within_s, PATIENCE_S))
            if not in_time and within_s >= PATIENCE_S:
                raise AssertionError("a gate was never opened")
            return self._open

    def nudge(self) -> None:
        """Have those who wait look at their `unless` again."""
        with self._changed:
            self._changed.notify_all()

    def wait_for_arrivals(self, count: int = 1) -> None:
        """Wait until so many have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.arrivals >= count, PATIENCE_S), (
                f"{self.arrivals} of {count} came"
            )


class FakeClock:
    """A clock that only a test advances; due calls run on the test's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 1000.0
        self._heap: list[tuple[float, int, Alarm]] = []
        self._ids = itertools.count()

    def now(self) -> float:
        return self._now

    def call_at(self, when_s: float, callback: Callable[[], object]) -> Alarm:
        alarm = Alarm(when_s, callback)
        with self._lock:
            heapq.heappush(self._heap, (when_s, next(self._ids), alarm))
        return alarm

    def revoke(self, alarm: Alarm) -> None:
        alarm.callback = None

    def close(self) -> None:
        with self._lock:
            self._heap.clear()

    def advance(self, seconds: float) -> None:
        """Let time pass, running what becomes due at its time."""
        until = self._now + seconds
        while (alarm := self._pop(until)) is not None:
            self._now = max(self._now, alarm.when_s)
            callback, alarm.callback = alarm.callback, None
            if callback is not None:
                callback()
        self._now = until

    def _pop(self, until: float) -> Alarm | None:
        with self._lock:
            return heapq.heappop(self._heap)[2] if self._heap and self._heap[0][0] <= until else None


@dataclass(slots=True, eq=False)
class Kit:
    """How the fake engine treats one document.

    It reports `loading`, comes to the gate, reports `loaded`, and ends. `dies_before` ends it with an engine error
    before the named milestone (`"loading"`: before it has read the document). `slow_death` holds a cancelled kit
    until it is opened; with `ignores_cancel` it goes on and returns a result too late. `ends_with` is raised instead
    of a result.
    """

    gate: Gate = field(default_factory=lambda: Gate(is_open=True))
    slow_death: Gate = field(default_factory=lambda: Gate(is_open=True))
    dies_before: str | None = None
    deaths: int = 1_000_000
    ignores_cancel: bool = False
    ends_with: EngineError | None = None
    pdf: bytes | None = None


class FakeEngine:
    """Keeps the contract of `engines.base.Engine`: blocks, honours token and deadline, is through when it returns.

    Documents are texts; `kits[text]` tells what happens to one, and any other is converted at once. The PDF names
    generation, text and options, so that tests see whose it is.
    """

    def __init__(self, name: str = "fake", fingerprint: str = "g1") -> None:
        self.info = EngineInfo(name, "1.0", fingerprint)
        self.kits: dict[str, Kit] = {}
        self.converted: list[str] = []
        self.deadlines_s: list[float] = []
        self.starts = 0
        self.start_error: EngineError | None = None
        self.stopped = False
        self.live_kits = 0
        self.most_kits = 0
        self._lock = threading.Lock()

    def kit(self, text: str, **how: object) -> Kit:
        """Decide what happens to the document with this text."""
        self.kits[text] = Kit(**how)  # type: ignore[arg-type]
        return self.kits[text]

    def start(self) -> None:
        self.starts += 1
        if self.start_error is not None:
            raise self.start_error

    def healthy(self) -> bool:
        return not self.stopped

    def stop(self, grace_s: float = 2.0) -> None:
        self.stopped = True
        for kit in self.kits.values():
            kit.slow_death.open()
            kit.gate.nudge()

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        text = bytes(document.data).decode()
        kit = self.kits.get(text) or Kit()
        with self._counted(text, deadline_s):
            revoke = cancel.on_cancel(kit.gate.nudge)
            try:
                return self._run(kit, text, options, deadline_s, cancel, progress or (lambda _: None))
            finally:
                revoke()

    def _run(
        self,
        kit: Kit,
        text: str,
        options: ExportOptions,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None],
    ) -> Artifact:
        if self.stopped:
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine has been stopped.")
        self._reach(kit, "loading", progress)
        in_time = kit.gate.pass_through(unless=lambda: self._killed(kit, cancel), within_s=deadline_s)
        if self._killed(kit, cancel):
            kit.slow_death.pass_through()
            raise EngineError(ErrorKind.CANCELLED if cancel.cancelled else ErrorKind.ENGINE, "killed")
        if not in_time:
            raise EngineError(ErrorKind.TIMEOUT, f"The document took longer than {deadline_s:g} seconds.")
        for milestone in ("loaded", "exporting", "exported"):
            self._reach(kit, milestone, progress)
        if kit.ends_with is not None:
            raise kit.ends_with
        return Artifact(kit.pdf if kit.pdf is not None else fake_pdf(self.info.fingerprint, text, options))

    def _killed(self, kit: Kit, cancel: CancelToken) -> bool:
        return self.stopped or (cancel.cancelled and not kit.ignores_cancel)

    def _reach(self, kit: Kit, milestone: str, progress: Callable[[Progress], None]) -> None:
        if kit.dies_before == milestone and kit.deaths > 0:
            kit.deaths -= 1
            raise EngineError(ErrorKind.ENGINE, f"The kit died before {milestone}.")
        progress(Progress(milestone))

    @contextmanager
    def _counted(self, text: str, deadline_s: float) -> Iterator[None]:
        with self._lock:
            self.converted.append(text)
            self.deadlines_s.append(deadline_s)
            self.live_kits += 1
            self.most_kits = max(self.most_kits, self.live_kits)
        try:
            yield
        finally:
            with self._lock:
                self.live_kits -= 1


def fake_pdf(generation: str, text: str, options: ExportOptions) -> bytes:
    """What `FakeEngine` makes; `FakeChecker` counts one page a form feed, and one."""
    return f"%PDF-1.7 {generation} {options.page_range or 'all'} {text}".encode()


class FakeChecker:
    """Counts the pages of a `fake_pdf`. One that says `broken` is damaged, one that says `blank` has none."""

    def __init__(self) -> None:
        self.checked = 0

    def count_pages(self, pdf: bytes | memoryview) -> int:
        self.checked += 1
        text = bytes(pdf).decode()
        if "broken" in text:
            raise EngineError(ErrorKind.CORRUPT, "no xref")
        return 0 if "blank" in text else 1 + text.count("\f")


def classify_text(data: bytes, name: str) -> Classified:
    """Every document is a text, but what begins with `%PDF-`, and csv by its name; `locked ...` is encrypted."""
    if not data:
        raise EngineError(ErrorKind.EMPTY, "The file is empty.")
    type_id = "pdf" if data.startswith(b"%PDF-") else "csv" if name.endswith(".csv") else "txt"
    notices = ("noticed",) if b"notice" in data else ()

    def clear(_cancel: CancelToken) -> Cleared:
        if data.startswith(b"locked"):
            raise EngineError(ErrorKind.ENCRYPTED, "A password is needed.")
        return Cleared(SourceDocument(data, by_id(type_id)), notices)

    return Classified(by_id(type_id), clear=clear)


class FakeSource:
    """A source in memory, with a version, a gate before its bytes, and a count of its reads."""

    def __init__(
        self,
        text: str = "hello",
        name: str = "a.txt",
        *,
        version: int | None = 1,
        place: str | None = None,
        size_known: bool = True,
        size_bytes: int | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.data = text.encode()
        self.gate = gate or Gate(is_open=True)
        self.reads = 0
        self.capacities: list[int] = []
        self.version = None if version is None else remote_version(place or text, version)
        self.version_read: Version | None = self.version
        size = len(self.data) if size_bytes is None else size_bytes
        self.source = Source(name, size if size_known else None, self.version, self.read)

    def read(self, capacity_bytes: int) -> tuple[bytes, Version | None]:
        self.reads += 1
        self.capacities.append(capacity_bytes)
        self.gate.pass_through()
        return self.data, self.version_read


def remote_version(place: str, version: int) -> RemoteVersion:
    """A version as a contents manager might give it."""
    return RemoteVersion("fake", place, str(version))
