"""Carries the actions of the admission state out.

Theory. One lock guards the admission state, the tickets, the cache and the counts. Whatever happens becomes an event;
under the lock the state takes it, and its actions are bound to the tickets and tokens that they concern. Only then,
with the lock released, are they carried out: tickets settled, tokens cancelled, jobs handed to the executor. So a
callback of a reader, or a kill by an engine, may call back into the converter.

Guarantees: a ready result, a live equal job and a new job exclude each other (looked up under one hold of the lock);
a result is published and its job released in the same hold; jobs run on daemon threads, as many as there are slots.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from converter.admission import Admission
from converter.cache import ConversionCache
from converter.cancellation import Alarm, CancellationToken, Clock
from converter.conversion import NO_ENGINE, Conversion, FirstPages, Phase, Seconds
from converter.errors import ConversionError, Outcome
from converter.events import (
    Action,
    Ask,
    BytesRead,
    Deliver,
    DigestKnown,
    Event,
    Extend,
    Finish,
    Leave,
    Move,
    Moved,
    Notify,
    PhaseReached,
    Retired,
    Settled,
    Start,
    Stop,
    Tick,
)
from converter.executor import Closed, Executor, QueueFull
from converter.identify import Classify, with_name
from converter.pipeline import PdfChecker, Pipeline, Work
from converter.request import Lane, Limits, Request
from converter.statistics import DurationRecorder, LaneStatistics, Statistics
from converter.ticket import Post, Ticket
from engines.base import Engine, EngineInfo

Effect = Callable[[], object]


@dataclass(slots=True, eq=False)
class _Reader:
    """A live ticket with what it asked."""

    ticket: Ticket
    request: Request
    asked_at: float
    message: str = ""


class Dispatcher:
    """The shared state behind `Converter`. Every method may be called from any thread."""

    def __init__(
        self, engines: dict[str | None, Engine], checker: PdfChecker, limits: Limits, clock: Clock, classify: Classify
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.lock = threading.Lock()
        self.settled = threading.Condition(self.lock)
        self.admission = Admission(limits)
        self.cache = ConversionCache(
            pdfs_max=limits.cached_pdfs_max, bytes_max=limits.cached_bytes_max, aliases_max=limits.aliases_max
        )
        self.executor = Executor(workers=limits.slots, queue_capacity=limits.slots, name="converter")
        self._pipeline = Pipeline(self, checker, classify, limits)
        self._engines = engines
        self._infos = {name: engine.info for name, engine in engines.items()}
        self._ids = itertools.count(1)
        self._readers: dict[int, _Reader] = {}
        self._works: dict[int, Work] = {}
        self._counts: Counter[str] = Counter()
        self._hits: Counter[Lane] = Counter()
        self._queue_wait, self._conversion = DurationRecorder(), DurationRecorder()
        self._alarm: Alarm | None = None
        self._alarm_at = math.inf

    def now(self) -> float:
        """The clock's seconds."""
        return self.clock.now()

    def post(self, event: Event) -> None:
        """Take an event and carry out what follows."""
        with self.lock:
            effects = self._step(event)
        _carry_out(effects)

    # For readers

    def ticket(self, name: str, lane: Lane, post: Post | None) -> Ticket:
        """A new ticket, not yet live."""
        return Ticket(next(self._ids), name, lane, self, post)

    def ask(self, ticket: Ticket, request: Request) -> None:
        """Serve a ready result, or let the ticket become a reader, or refuse it."""
        with self.lock:
            now = self.clock.now()
            effects = self._watch_generations()
            ready = None if self.admission.closing else self._ready(request)
            if ready is not None:
                self._counts["hits_by_source"] += 1
                self._hits[request.lane] += 1
                result = replace(ready, seconds=Seconds(), from_cache=True)
                effects.append(partial(ticket.settle, with_name(result, request.source.name)))
            else:
                self._readers[ticket.reader] = _Reader(ticket, request, now)
                effects += self._step(_asked(now, ticket.reader, request))
        _carry_out(effects)

    def leave(self, reader: int, message: str) -> bool:
        """See `TicketOwner`."""
        with self.lock:
            live = self._readers.get(reader)
            if live is None:
                return False
            live.message = message
            effects = self._step(Leave(self.clock.now(), reader))
        _carry_out(effects)
        return True

    def move(self, reader: int, lane: Lane) -> bool:
        """See `TicketOwner`."""
        with self.lock:
            effects = self._step(Move(self.clock.now(), reader, lane))
            live = self._readers.get(reader)
            moved = live is not None and live.ticket.lane is lane
        _carry_out(effects)
        return moved

    def extend(self, reader: int, deadline_s: float) -> bool:
        """See `TicketOwner`."""
        with self.lock:
            live = reader in self._readers
            effects = self._step(Extend(self.clock.now(), reader, deadline_s))
        _carry_out(effects)
        return live

    # For running jobs (`pipeline.Desk`)

    def begin(self, work: Work) -> None:
        """Give a job its engine of the present generation (C8, C27)."""
        with self.lock:
            effects = self._watch_generations()
            work.engine = self._engines.get(work.request.engine)
            work.info = NO_ENGINE if work.engine is None else self._infos[work.request.engine]
        _carry_out(effects)
        if work.engine is None:
            raise ConversionError(Outcome.UNAVAILABLE, f"There is no engine named {work.request.engine!r}.")

    def bytes_read(self, work: Work, size_bytes: int) -> None:
        """See `pipeline.Desk`."""
        self.post(BytesRead(self.clock.now(), work.job, size_bytes))

    def identified(self, work: Work, digest: str) -> bool:
        """Whether to go on: not when the cache or an equal job serves the readers (C9, C23)."""
        with self.lock:
            shareable = work.request.shareable and self.admission.publishable(work.job)
            ready = self.cache.get(digest) if shareable else None
            if ready is None:
                effects = self._step(DigestKnown(self.clock.now(), work.job, digest if shareable else None))
                merged = work.job not in self.admission.running
                self._counts["merged_by_content"] += merged
            else:
                merged = True
                self._counts["hits_by_content"] += 1
                self._publish_aliases(work, digest)
                result = replace(ready, seconds=Seconds(), from_cache=True)
                effects = self._step(Settled(self.clock.now(), work.job, result))
            if merged:
                self._works.pop(work.job, None)
                self.settled.notify_all()
        _carry_out(effects)
        return not merged

    def entered(self, work: Work, phase: Phase) -> None:
        """See `pipeline.Desk`."""
        self.post(PhaseReached(self.clock.now(), work.job, phase))

    def first_pages_wanted(self, work: Work) -> int | None:
        """The most that a foreground reader of the job wants (C1)."""
        with self.lock:
            return max((live.request.first_pages or 0 for live in self._eager(work)), default=0) or None

    def first_pages(self, work: Work, event: FirstPages) -> None:
        """Hand a partial PDF to the readers that asked for one."""
        with self.lock:
            tickets = [live.ticket for live in self._eager(work)]
        for ticket in tickets:
            ticket.notify(event)

    def retried(self) -> None:
        """See `pipeline.Desk`."""
        with self.lock:
            self._counts["retried"] += 1

    def _eager(self, work: Work) -> list[_Reader]:
        job = self.admission.running.get(work.job)
        live = [] if job is None else [self._readers[reader] for reader in job.readers]
        return [reader for reader in live if reader.request.first_pages and reader.ticket.lane.foreground]

    def _run(self, work: Work, _token: CancellationToken) -> None:
        """On a worker: one job from its slot to its end."""
        result = self._pipeline.run(work)
        if result is not None:
            self._end(work, result)

    def _end(self, work: Work, result: Conversion | ConversionError) -> None:
        """A job and all that belonged to it has ended: publish, release and deliver in one hold of the lock."""
        with self.lock:
            if isinstance(result, Conversion):
                self._conversion.observe(result.seconds.convert)
                self._publish(work, result)
            effects = self._step(Settled(self.clock.now(), work.job, result))
            self._works.pop(work.job, None)
            self.settled.notify_all()
        _carry_out(effects)

    # Generations and what is kept; with the lock held

    def use(self, engines: dict[str | None, Engine]) -> None:
        """Work with these engines from now on; what runs on others ends for its readers (C8, C27)."""
        with self.lock:
            self._engines = engines
            effects = self._watch_generations()
        _carry_out(effects)

    def _watch_generations(self) -> list[Effect]:
        """Notice an engine whose fingerprint has changed: old work is not reused any more (C8)."""
        infos = {name: engine.info for name, engine in self._engines.items()}
        if infos == self._infos:
            return []
        gone = {info.fingerprint for info in self._infos.values()} - {info.fingerprint for info in infos.values()}
        self._infos = infos
        for generation in gone:
            self.cache.discard_generation(generation)
        old = [work.job for work in self._works.values() if not self._current(work)]
        return self._step(Retired(self.clock.now(), tuple(old)))

    def _current(self, work: Work) -> bool:
        """Whether a job that has begun runs on what its request would get now."""
        return work.engine is None or work.info in (NO_ENGINE, self._infos.get(work.request.engine))

    def _alias_key(self, request: Request) -> Hashable | None:
        key, info = request.source_key(), self._infos.get(request.engine)
        return None if key is None or info is None else (key, info.fingerprint)

    def _ready(self, request: Request) -> Conversion | None:
        key = self._alias_key(request)
        return None if key is None else self.cache.find(key)

    def _publish(self, work: Work, result: Conversion) -> None:
        """Keep a result, unless it is private, cancelled or of an old generation (C8, C10, C11, C24)."""
        publishable = self.admission.publishable(work.job) and work.request.shareable and self._current(work)
        if publishable and self.cache.put(result):
            self._publish_aliases(work, result.digest)

    def _publish_aliases(self, work: Work, digest: str) -> None:
        """The sources of all its readers were read at their versions and have this digest (C9)."""
        for reader in self.admission.running[work.job].readers:
            key = self._alias_key(self._readers[reader].request)
            if key is not None:
                self.cache.alias(key, digest)

    # Events and actions; with the lock held

    def _step(self, event: Event) -> list[Effect]:
        actions = self.admission.step(event)
        effects = [effect for action in actions for effect in self._bind(action, event.now)]
        due_at = self.admission.due_at
        if due_at < self._alarm_at:  # a later due time needs no new alarm: the old one finds nothing and sets it
            if self._alarm is not None:
                self.clock.revoke(self._alarm)
            self._alarm_at, self._alarm = due_at, self.clock.call_at(due_at, self._on_alarm)
        return effects

    def _on_alarm(self) -> None:
        with self.lock:
            self._alarm, self._alarm_at = None, math.inf
            effects = self._step(Tick(self.clock.now()))
        _carry_out(effects)

    def _bind(self, action: Action, now: float) -> Iterable[Effect]:
        """What an action does, bound to whom it concerns while the lock holds them."""
        match action:
            case Notify(reader, event):
                yield partial(self._readers[reader].ticket.notify, event)
            case Deliver(reader, result, waited_s):
                yield self._bind_delivery(self._readers.pop(reader), result, waited_s, now)
            case Start(job, reader):
                yield self._bind_start(job, self._readers[reader].request, now)
            case Finish(reader, outcome, bound, job):
                live = self._readers.pop(reader)
                engine = self._engine_of(job)
                yield partial(live.ticket.settle, ConversionError(outcome, live.message, engine=engine, bound=bound))
            case Stop(job, reason):
                yield partial(self._works[job].token.cancel, reason.value)
            case Moved(reader, lane):
                self._readers[reader].ticket.moved(lane)

    def _engine_of(self, job: int | None) -> EngineInfo | None:
        """The engine that has the document of a running job; `None` while none has it."""
        work = None if job is None else self._works.get(job)
        return work.info if work is not None and work.given_over else None

    def _bind_start(self, job: int, request: Request, now: float) -> Effect:
        """The job reads by a live reader's source, at the capacity reserved for it (C4, C15)."""
        work = Work(job, request, self.admission.running[job].bytes, CancellationToken(now=self.clock.now), now)
        self._works[job] = work
        return partial(self._launch, work, self.admission.running[job].lane)

    def _launch(self, work: Work, lane: Lane) -> None:
        try:
            self.executor.submit(partial(self._run, work), lane)
        except Closed:  # `close` was faster than the thread that carries this out
            self._end(work, ConversionError(Outcome.CLOSED))
        except QueueFull:
            self._end(work, ConversionError(Outcome.BUSY, "The system has no thread left for a conversion."))

    def _bind_delivery(self, live: _Reader, result: object, waited_s: float, now: float) -> Effect:
        self._queue_wait.observe(waited_s)
        if isinstance(result, Conversion):
            seconds = Seconds(waited_s, result.seconds.convert, now - live.asked_at)
            return partial(live.ticket.settle, with_name(replace(result, seconds=seconds), live.request.source.name))
        assert isinstance(result, ConversionError)
        return partial(live.ticket.settle, result)

    # Looking

    def engines_at_work(self) -> list[Engine]:
        """The engines of the jobs that still run."""
        with self.lock:
            return list({id(work.engine): work.engine for work in self._works.values() if work.engine}.values())

    def infos(self) -> dict[str | None, EngineInfo]:
        """The engines by the names under which requests get them."""
        with self.lock:
            return dict(self._infos)

    def statistics(self) -> Statistics:
        """A snapshot (C28)."""
        with self.lock:
            admission, cache = self.admission, self.cache
            return Statistics(
                lanes={lane: self._lane(lane) for lane in Lane},
                readers=len(admission.readers),
                jobs=len(admission.line) + len(admission.running),
                reserved_bytes=admission.reserved_bytes,
                cached_pdfs=cache.pdfs,
                cached_bytes=cache.pdf_bytes,
                aliases=cache.aliases,
                hits_by_source=self._counts["hits_by_source"],
                hits_by_content=self._counts["hits_by_content"],
                merged_by_content=self._counts["merged_by_content"],
                retried=self._counts["retried"],
                queue_wait=self._queue_wait.snapshot(),
                conversion=self._conversion.snapshot(),
            )

    def _lane(self, lane: Lane) -> LaneStatistics:
        admission, counts = self.admission, self.admission.counts
        return LaneStatistics(
            waiting=sum(job.lane is lane for job in admission.line),
            running=sum(job.lane is lane for job in admission.running.values()),
            settled=counts[lane, "settled"] + self._hits[lane],
            refused=counts[lane, "refused"],
            evicted=counts[lane, "evicted"],
            joined=counts[lane, "joined"],
            left=counts[lane, "left"],
        )


def _asked(now: float, reader: int, request: Request) -> Ask:
    source = request.source
    return Ask(
        now, reader, request.lane, request.source_key(), source.size_bytes, request.deadline_s, request.wait_max_s
    )


def _carry_out(effects: Iterable[Effect]) -> None:
    for effect in effects:
        effect()
