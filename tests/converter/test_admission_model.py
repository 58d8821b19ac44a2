"""The admission state machine against a naive model of its rules, with every bound checked after each step."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from converter.admission import Admission
from converter.conversion import Phase
from converter.events import (
    Ask,
    BackgroundSwitched,
    BytesRead,
    Closing,
    Deliver,
    DigestKnown,
    Event,
    Extend,
    Finish,
    GraceOver,
    Leave,
    Move,
    PhaseReached,
    Retired,
    Settled,
    Tick,
)
from converter.invariants import check
from converter.request import Lane, Limits
from tests.converter.admission_model import Model

LIMITS = Limits(
    readers_max=9,
    waiting_jobs_max=4,
    slots=3,
    background_slots=2,
    source_bytes_max=50,
    reserved_bytes_max=100,
    deadline_s=20.0,
    deadline_max_s=60.0,
    soft_limit_s=5.0,
    prefetch_wait_max_s=10.0,
)


class Pair:
    """The state machine and its model, fed alike and compared after each event."""

    def __init__(self, limits: Limits) -> None:
        self.state = Admission(limits)
        self.model = Model(limits)
        self.now = 0.0
        self.readers = 0
        self.outcomes: dict[int, object] = {}

    def feed(self, event: Event) -> None:
        for action in self.state.step(event):
            if isinstance(action, Finish | Deliver):
                assert action.reader not in self.outcomes, "one terminal action for each reader"
                self.outcomes[action.reader] = action.outcome if isinstance(action, Finish) else action.result
        self.model.apply(event)
        self.compare()

    def compare(self) -> None:
        check(self.state)
        state, model = self.state, self.model
        assert [job.id for job in state.line] == [job.id for job in model.line()]
        assert [job.lane for job in state.line] == [job.lane for job in model.line()]
        assert set(state.running) == {job.id for job in model.running()}
        assert {job.id for job in state.running.values() if job.background} == {
            job.id for job in model.running() if job.background
        }
        assert state.reserved_bytes == model.reserved()
        assert {r.id: (r.lane, r.job.id) for r in state.readers.values()} == {
            r.id: (r.lane, r.job) for r in model.readers
        }
        assert self.outcomes == model.outcomes

    def ask(self, lane: Lane, key: str | None, size: int | None, deadline: float | None, wait: float | None) -> None:
        self.readers += 1
        self.feed(Ask(self.now, self.readers, lane, key, size, deadline, wait))

    def advance(self, seconds: float) -> None:
        """As the dispatcher does: a tick as long as one is due. One reader's end may make another's due."""
        self.now += seconds
        self.feed(Tick(self.now))
        for _ in range(2):
            if self.state.due_at <= self.now:
                self.feed(Tick(self.now))
        assert self.state.due_at > self.now, "time has nothing left to do"

    def some_running(self, index: int) -> int:
        """A running job, or one that is not there."""
        running = sorted(self.state.running)
        return running[index % len(running)] if running else 999

    def drain(self) -> None:
        """End everything and prove that nothing is left."""
        self.feed(Closing(self.now))
        self.feed(GraceOver(self.now))
        for job in sorted(self.state.running):
            self.feed(Settled(self.now, job, "late"))
        state = self.state
        assert not state.readers
        assert not state.by_key
        assert not state.by_digest
        assert state.reserved_bytes == 0
        assert state.due_at == float("inf")
        assert set(self.outcomes) == set(range(1, self.readers + 1)), "every reader has had its outcome"


lanes = st.sampled_from(Lane)
keys = st.none() | st.sampled_from("abcdef")
sizes = st.none() | st.integers(0, 55)
deadlines = st.none() | st.sampled_from([1.0, 7.0, 30.0, 100.0])
indexes = st.integers(0, 20)


class AdmissionMachine(RuleBasedStateMachine):
    """Random operations; the comparison stands in `Pair.feed`."""

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair(LIMITS)

    readers: Bundle[int] = Bundle("readers")

    @rule(target=readers, lane=lanes, key=keys, size=sizes, deadline=deadlines, wait=deadlines)
    def ask(self, lane: Lane, key: str | None, size: int | None, deadline: float | None, wait: float | None) -> int:
        self.pair.ask(lane, key, size, deadline, wait)
        return self.pair.readers

    @rule(reader=readers, lane=lanes)
    def move(self, reader: int, lane: Lane) -> None:
        self.pair.feed(Move(self.pair.now, reader, lane))

    @rule(reader=consumes(readers))
    def leave(self, reader: int) -> None:
        self.pair.feed(Leave(self.pair.now, reader))

    @rule(reader=readers, deadline=st.sampled_from([2.0, 40.0, 1000.0]))
    def extend(self, reader: int, deadline: float) -> None:
        self.pair.feed(Extend(self.pair.now, reader, self.pair.now + deadline))

    @rule(index=indexes, size=st.integers(0, 50))
    def read(self, index: int, size: int) -> None:
        self.pair.feed(BytesRead(self.pair.now, self.pair.some_running(index), size))

    @rule(index=indexes, digest=st.none() | st.sampled_from("xyz"))
    def identify(self, index: int, digest: str | None) -> None:
        number = self.pair.some_running(index)
        job = self.pair.state.running.get(number)
        if job is not None and job.digest is None:  # a job has one digest
            self.pair.feed(DigestKnown(self.pair.now, number, digest))

    @rule(index=indexes, phase=st.sampled_from([Phase.SCREENED, Phase.CONVERTING, Phase.CHECKED]))
    def enter(self, index: int, phase: Phase) -> None:
        self.pair.feed(PhaseReached(self.pair.now, self.pair.some_running(index), phase))

    @rule(index=indexes, result=st.sampled_from(["pdf", "error"]))
    def settle(self, index: int, result: str) -> None:
        self.pair.feed(Settled(self.pair.now, self.pair.some_running(index), result))

    @rule(index=indexes)
    def retire(self, index: int) -> None:
        self.pair.feed(Retired(self.pair.now, (self.pair.some_running(index),)))

    @rule(enabled=st.booleans())
    def switch_background(self, enabled: bool) -> None:
        self.pair.feed(BackgroundSwitched(self.pair.now, enabled))

    @rule(seconds=st.sampled_from([0.5, 3.0, 11.0]))
    def advance(self, seconds: float) -> None:
        self.pair.advance(seconds)

    @invariant()
    def within_bounds(self) -> None:
        check(self.pair.state)

    def teardown(self) -> None:
        self.pair.drain()


TestAdmissionMachine = pytest.mark.timeout(120)(AdmissionMachine.TestCase)
TestAdmissionMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("seed", range(2))
def test_24_ten_thousand_random_operations_against_the_model(seed: int) -> None:
    """Scenario 24: every bound and the whole state compared after each of them."""
    chance, pair = random.Random(seed), Pair(LIMITS)
    operations = _operations(pair, chance)
    weights = [12, 4, 1.5, 1, 2, 3, 2, 1.5, 0.3, 0.3, 1]
    for _ in range(5_000):
        chance.choices(operations, weights)[0]()
    pair.drain()


def _operations(pair: Pair, chance: random.Random) -> list[Callable[[], None]]:
    def reader() -> int:
        live = sorted(pair.state.readers)
        return chance.choice(live) if live else 0

    def job() -> int:
        return pair.some_running(chance.randrange(20))

    def identify() -> None:
        number = job()
        if number in pair.state.running and pair.state.running[number].digest is None:
            pair.feed(DigestKnown(pair.now, number, chance.choice([None, *"wxyz"])))

    def ask() -> None:
        size = chance.choice([None, chance.randrange(56)])
        deadline, wait = chance.choice([None, 1.0, 7.0, 100.0]), chance.choice([None, None, 4.0])
        pair.ask(chance.choice(list(Lane)), chance.choice([None, *"abcdefghijkl"]), size, deadline, wait)

    return [
        ask,
        lambda: pair.feed(Move(pair.now, reader(), chance.choice(list(Lane)))),
        lambda: pair.feed(Leave(pair.now, reader())),
        lambda: pair.feed(Extend(pair.now, reader(), pair.now + chance.choice([2.0, 40.0]))),
        lambda: pair.feed(BytesRead(pair.now, job(), chance.randrange(50))),
        identify,
        lambda: pair.feed(PhaseReached(pair.now, job(), chance.choice([Phase.CONVERTING, Phase.CHECKED]))),
        lambda: pair.feed(Settled(pair.now, job(), "pdf")),
        lambda: pair.feed(Retired(pair.now, (job(),))),
        lambda: pair.feed(BackgroundSwitched(pair.now, chance.random() < 0.7)),
        lambda: pair.advance(chance.choice([0.1, 1.0, 5.0])),
    ]
