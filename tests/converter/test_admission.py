"""What the admission state machine wants done, action by action. The model covers what it decides."""

from __future__ import annotations

import math
from typing import Any

import pytest

from converter.admission import Admission
from converter.conversion import Phase, PhaseChanged, PlaceChanged, StillWorking
from converter.errors import Bound, Outcome
from converter.events import (
    Action,
    Ask,
    BackgroundSwitched,
    Closing,
    Deliver,
    DigestKnown,
    Extend,
    Finish,
    GraceOver,
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
from converter.invariants import check
from converter.request import Lane, Limits

C, H, N, L = Lane


class Machine:
    """An admission state with the arguments that a test seldom cares for."""

    def __init__(self, **limits: Any) -> None:
        self.state = Admission(Limits(**{"slots": 1, **limits}))

    def ask(
        self, reader: int, lane: Lane = C, key: str | None = None, *, now: float = 0.0, size: int = 1
    ) -> list[Action]:
        return self.step(Ask(now, reader, lane, key or f"key {reader}", size))

    def step(self, event: object) -> list[Action]:
        actions = self.state.step(event)  # type: ignore[arg-type]
        check(self.state)
        return actions


def reading(reader: int) -> Notify:
    return Notify(reader, PhaseChanged(Phase.READING))


def place(reader: int, ahead: int) -> Notify:
    return Notify(reader, PlaceChanged(ahead))


def test_a_free_slot_starts_a_job_at_once() -> None:
    machine = Machine()
    assert machine.ask(1) == [Start(1, 1), reading(1)]
    assert machine.ask(2, key="key 1") == [reading(2)], "who joins hears where the job is"
    assert repr(machine.state) == "<Admission 2 readers, 0 waiting, 1 running>"


def test_places_are_told_when_they_change() -> None:
    machine = Machine()
    machine.ask(1)
    assert machine.ask(2, N) == [place(2, 0)]
    assert machine.ask(3, C) == [place(3, 0), place(2, 1)]
    assert machine.ask(4, N, key="key 2") == [place(4, 1)], "who joins hears the place"
    assert machine.ask(5, C, key="key 3") == [place(5, 0)]
    machine.step(Leave(0.0, 5))
    assert machine.step(Leave(0.0, 3)) == [Finish(3, Outcome.CANCELLED), place(2, 0), place(4, 0)]
    assert machine.step(Settled(0.0, 1, "pdf")) == [Deliver(1, "pdf", 0.0), Start(2, 2), reading(2), reading(4)]


def test_phases_go_to_every_reader_of_the_job() -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2, key="key 1")
    assert machine.step(DigestKnown(0.0, 1, "d")) == [Notify(r, PhaseChanged(Phase.IDENTIFIED)) for r in (1, 2)]
    assert machine.step(PhaseReached(0.0, 1, Phase.CONVERTING)) == [
        Notify(r, PhaseChanged(Phase.CONVERTING)) for r in (1, 2)
    ]
    assert machine.ask(3, key="key 1") == [Notify(3, PhaseChanged(Phase.CONVERTING))]
    assert machine.step(PhaseReached(0.0, 99, Phase.CONVERTING)) == []


def test_a_merge_tells_the_readers_where_their_new_job_is() -> None:
    machine = Machine(slots=2)
    machine.ask(1)
    machine.ask(2)
    machine.step(DigestKnown(0.0, 1, "d"))
    machine.step(PhaseReached(0.0, 1, Phase.CONVERTING))
    assert machine.step(DigestKnown(0.0, 2, "d")) == [Notify(2, PhaseChanged(Phase.CONVERTING))]
    assert machine.ask(3) == [Start(3, 3), reading(3)], "the slot came back at once"
    assert machine.step(Settled(4.0, 1, "pdf")) == [Deliver(1, "pdf", 0.0), Deliver(2, "pdf", 0.0)]


def test_the_job_reads_by_a_reader_who_is_live() -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2)
    machine.ask(3, key="key 2", now=2.0)
    machine.step(Leave(3.0, 2))
    assert machine.step(Settled(7.0, 1, "pdf")) == [Deliver(1, "pdf", 0.0), Start(2, 3), reading(3)]
    machine.ask(4, key="key 2", now=8.0)
    assert machine.step(Settled(9.0, 2, "pdf")) == [Deliver(3, "pdf", 5.0), Deliver(4, "pdf", 0.0)]


@pytest.mark.parametrize(("lane", "ahead"), [(C, 0), (H, 1)])
def test_c19_a_move_is_confirmed_and_changes_the_place(lane: Lane, ahead: int) -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2, H)
    machine.ask(3, L)
    moved = machine.step(Move(0.0, 3, lane))
    assert moved == ([Moved(3, lane), place(3, 0), place(2, 1)] if ahead == 0 else [Moved(3, lane)])
    assert machine.step(Move(0.0, 3, lane)) == [], "nothing to move"
    assert machine.step(Move(0.0, 99, lane)) == []


def test_c16_the_last_seat_is_not_taken_by_moving_down() -> None:
    machine = Machine(readers_max=2)
    machine.ask(1, C)
    machine.ask(2, C)
    assert machine.step(Move(0.0, 1, N)) == [Moved(1, N)]
    assert machine.step(Move(0.0, 2, N)) == []
    assert machine.step(Move(0.0, 1, L)) == [Moved(1, L)]
    assert machine.step(Move(0.0, 1, C)) == [Moved(1, C)]


def test_c14_refusals_name_their_bound() -> None:
    machine = Machine(readers_max=4, waiting_jobs_max=1, source_bytes_max=5)
    last = "live readers, the last seat being kept for a person"
    assert machine.ask(1, size=6) == [Finish(1, Outcome.LIMIT, Bound("bytes of a document", 5, 6))]
    machine.ask(2, size=5)
    machine.ask(3)
    assert machine.ask(4) == [Finish(4, Outcome.BUSY, Bound("waiting jobs", 1, 1))]
    assert machine.ask(5, H) == [Finish(5, Outcome.BUSY, Bound("waiting jobs for lane HIGH", 0, 0))]
    machine.ask(6, key="key 2")
    assert machine.ask(7, N, key="key 2") == [Finish(7, Outcome.BUSY, Bound(last, 3, 3))]
    machine.ask(8, key="key 2")
    assert machine.ask(9, key="key 2") == [Finish(9, Outcome.BUSY, Bound("live readers", 4, 4))]


def test_c14_the_high_share_of_the_seats_is_named() -> None:
    machine = Machine(readers_max=4)
    machine.ask(1, H)
    machine.ask(2, H, key="key 1")
    assert machine.ask(3, H, key="key 1") == [Finish(3, Outcome.BUSY, Bound("live readers in lane HIGH", 2, 2))]


def test_c24_a_job_without_readers_is_stopped_once_and_delivers_to_nobody() -> None:
    machine = Machine()
    machine.ask(1)
    assert machine.step(Leave(1.0, 1)) == [Finish(1, Outcome.CANCELLED), Stop(1, Outcome.CANCELLED)]
    assert machine.step(Leave(1.0, 1)) == []
    assert (machine.state.wanted(1), machine.state.publishable(1), machine.state.due_at) == (False, False, math.inf)
    assert machine.ask(2, key="key 1") == [place(2, 0)], "nobody joins it"
    assert machine.step(Settled(2.0, 1, "late")) == [Start(2, 2), reading(2)]
    assert machine.step(Settled(2.0, 1, "later")) == []


def test_c8_a_retired_job_delivers_but_is_not_published() -> None:
    machine = Machine()
    machine.ask(1)
    assert machine.state.publishable(1)
    assert machine.step(Retired(0.0, (1, 99))) == []
    assert (machine.state.wanted(1), machine.state.publishable(1)) == (True, False)
    assert machine.ask(2, key="key 1") == [place(2, 0)]
    assert machine.step(DigestKnown(0.0, 1, "d")) == []
    assert not machine.state.by_digest
    assert machine.step(Settled(0.0, 1, "pdf"))[0] == Deliver(1, "pdf", 0.0)


def test_the_soft_limit_is_told_once_to_everybody_and_not_early() -> None:
    machine = Machine()
    machine.ask(1, now=100.0)
    machine.ask(2, key="key 1", now=101.0)
    assert machine.state.due_at == 115.0
    assert machine.step(Tick(114.9)) == []
    assert machine.step(Tick(115.5)) == [Notify(1, StillWorking(15.5)), Notify(2, StillWorking(15.5))]
    assert machine.state.due_at == 160.0
    assert machine.step(Tick(130.0)) == []
    time_is_over = Bound("seconds of work", 60, 61)
    assert machine.step(Tick(161.0)) == [
        Finish(1, Outcome.TIMEOUT, time_is_over, 1),
        Finish(2, Outcome.TIMEOUT, time_is_over, 1),
        Stop(1, Outcome.TIMEOUT),
    ]


def test_the_end_of_one_readers_time_tells_the_others_nothing_of_the_soft_limit() -> None:
    machine = Machine()
    machine.ask(1)
    for reader, deadline_s in ((2, 5.0), (3, 20.0)):
        machine.step(Ask(0.0, reader, C, "key 1", 1, deadline_s=deadline_s))
    assert machine.step(Tick(5.0)) == [Finish(2, Outcome.TIMEOUT, Bound("seconds of work", 5, 5), 1)]
    assert machine.step(Tick(15.0)) == [Notify(1, StillWorking(15.0)), Notify(3, StillWorking(15.0))]
    assert machine.step(Tick(20.0)) == [Finish(3, Outcome.TIMEOUT, Bound("seconds of work", 20, 20), 1)]


def test_a_small_document_that_fits_needs_no_place_in_the_line() -> None:
    machine = Machine(slots=2, waiting_jobs_max=0, source_bytes_max=10, reserved_bytes_max=10)
    machine.ask(1, size=5)
    assert machine.ask(2, size=6) == [Finish(2, Outcome.BUSY, Bound("waiting jobs", 0, 0))]
    assert machine.ask(3, size=5) == [Start(2, 3), reading(3)]


def test_a_reader_that_extends_keeps_the_job_for_the_others() -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2, key="key 1")
    assert machine.step(Extend(10.0, 1, 300.0)) == []
    assert machine.step(Extend(10.0, 99, 300.0)) == []
    machine.step(Tick(15.0))
    assert machine.state.due_at == 300.0
    machine.step(Leave(100.0, 1))
    assert machine.state.due_at == 60.0, "back to the default, and over"
    assert machine.step(Tick(100.0)) == [
        Finish(2, Outcome.TIMEOUT, Bound("seconds of work", 60, 100), 1),
        Stop(1, Outcome.TIMEOUT),
    ]


def test_a_default_deadline_may_be_as_short_as_it_likes() -> None:
    machine = Machine(deadline_s=0.5)
    machine.ask(1)
    assert machine.state.due_at == 0.5


def test_nobody_extends_beyond_the_ceiling() -> None:
    machine = Machine()
    machine.ask(1)
    machine.step(Extend(0.0, 1, 10_000.0))
    machine.step(Tick(15.0))
    assert machine.state.due_at == 600.0
    late = Machine()
    late.ask(1)
    late.step(Extend(0.0, 1, 600.0))
    late.step(Ask(500.0, 2, C, "key 1", 1, deadline_s=500.0))
    late.step(Tick(500.0))
    assert late.state.due_at == 600.0, "a late joiner's deadline ends at the ceiling of the job"


def test_c16_a_stale_prefetch_goes_with_all_its_readers() -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2, L, now=1.0)
    machine.ask(3, L, key="key 2", now=5.0)
    assert machine.state.due_at == 15.0
    machine.step(Tick(15.0))
    stale = Bound("seconds of a prefetch in the line", 30, 30)
    assert machine.step(Tick(31.0)) == [Finish(2, Outcome.EVICTED, stale), Finish(3, Outcome.EVICTED, stale)]


def test_waiting_is_bounded_where_a_request_says_so() -> None:
    machine = Machine()
    machine.ask(1)
    machine.step(Ask(1.0, 2, C, "a", 1, wait_max_s=4.0))
    machine.step(Ask(1.0, 3, C, "a", 1, wait_max_s=9.0))
    assert machine.state.due_at == 5.0
    assert machine.step(Tick(5.0)) == [Finish(2, Outcome.TIMEOUT, Bound("seconds in the line", 4, 4))]
    assert machine.state.due_at == 10.0


def test_c26_closing_and_the_end_of_the_grace() -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2)
    assert machine.step(Closing(0.0)) == [Finish(2, Outcome.CLOSED)]
    assert machine.ask(3) == [Finish(3, Outcome.CLOSED)]
    assert machine.step(GraceOver(0.0)) == [Finish(1, Outcome.CLOSED), Stop(1, Outcome.CLOSED)]


@pytest.mark.parametrize("event", [Closing(5.0), GraceOver(5.0)])
def test_c26_closing_ends_a_waiting_job_whose_stronger_reader_goes_first(event: Closing | GraceOver) -> None:
    machine = Machine()
    machine.ask(1)
    machine.ask(2, N)
    machine.ask(3, L, key="key 2")
    ended = [action.reader for action in machine.step(event) if isinstance(action, Finish)]
    assert ended == ([2, 3] if isinstance(event, Closing) else [1, 2, 3])
    assert not machine.state.line


def test_c17_background_that_is_switched_off_is_told_so() -> None:
    machine = Machine()
    machine.step(BackgroundSwitched(0.0, enabled=False))
    off = Bound("background work, which is switched off", 0, 0)
    assert machine.ask(1, N) == [Finish(1, Outcome.BUSY, off)]
    assert machine.ask(2, H) == [Start(1, 2), reading(2)]


def test_counts_are_kept_by_lane() -> None:
    machine = Machine(waiting_jobs_max=1)
    machine.ask(1, C)
    machine.ask(2, L)
    machine.ask(3, C)
    for reader in (4, 5):
        machine.ask(reader, N)
        machine.ask(reader + 2, N, key="key 1")
    machine.step(Leave(0.0, 3))
    machine.ask(8, C)
    machine.step(Leave(0.0, 8))
    machine.step(Settled(0.0, 1, "pdf"))
    assert dict(machine.state.counts) == {
        (L, "evicted"): 1,
        (N, "refused"): 2,
        (N, "joined"): 2,
        (C, "left"): 2,
        (C, "settled"): 1,
        (N, "settled"): 2,
    }


def test_readers_that_a_merge_brings_have_joined() -> None:
    machine = Machine(slots=2)
    machine.ask(1)
    machine.ask(2, H)
    machine.ask(3, H, key="key 2")
    for job in (1, 2):
        machine.step(DigestKnown(0.0, job, "d"))
    assert dict(machine.state.counts) == {(H, "joined"): 3}
