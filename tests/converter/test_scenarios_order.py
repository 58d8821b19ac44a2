"""Scenarios of the specification, by their numbers: lanes, bounds, slots, deadlines, closing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from converter.conversion import StillWorking
from converter.errors import ConversionError, Outcome
from converter.request import Lane
from tests.converter.bench import Bench, outcome
from tests.fakes import PATIENCE_S, FakeSource, Gate

MakeBench = Callable[..., Bench]


def test_03_promotion_and_demotion_each_with_its_follow_up_admission(make_bench: MakeBench) -> None:
    """C18, C19: a promoted job starts in the free foreground slot; a demoted one lets the next background start."""
    bench = make_bench(slots=2, background_slots=1)
    _, running = bench.run("background", Lane.LOW)
    prewarm_kit = bench.hold("prewarm")
    prewarm = bench.ask("prewarm", Lane.LOW)
    assert bench.now.lanes[Lane.LOW].waiting == 1
    person = bench.ask("prewarm", Lane.CRITICAL)  # joins, promotes, and there is a foreground slot
    prewarm_kit.gate.wait_for_arrivals()
    assert bench.now.waiting == 0
    third_kit = bench.hold("third")
    third = bench.ask("third", Lane.NORMAL)
    blocked = bench.ask("blocked", Lane.CRITICAL)
    running.gate.open()
    bench.wait_for_running(2)
    assert outcome(blocked) is Outcome.OK
    third_kit.gate.wait_for_arrivals()
    for kit in (prewarm_kit, third_kit):
        kit.gate.open()
    assert {outcome(ticket) for ticket in (prewarm, person, third)} == {Outcome.OK}


def test_03_promotion_by_the_reader_itself(make_bench: MakeBench) -> None:
    """C19: a ticket that moves up starts at once where foreground has room."""
    bench = make_bench(slots=2, background_slots=1)
    bench.run("background", Lane.LOW)
    kit = bench.hold("prewarm")
    ticket = bench.ask("prewarm", Lane.LOW)
    assert ticket.ahead == 0
    assert ticket.promote(Lane.HIGH)
    kit.gate.wait_for_arrivals()
    assert ticket.lane is Lane.HIGH
    kit.gate.open()
    assert outcome(ticket) is Outcome.OK
    assert not ticket.promote(Lane.LOW), "it is settled"


def test_04_eviction_only_for_foreground(make_bench: MakeBench) -> None:
    """C20: the youngest queued background goes, never foreground, never for background."""
    bench = make_bench(slots=1, waiting_jobs_max=3)
    bench.run("running")
    old, young = bench.ask("old", Lane.LOW), bench.ask("young", Lane.NORMAL)
    waiting = bench.ask("waiting", Lane.CRITICAL)
    assert outcome(bench.ask("late", Lane.LOW)) is Outcome.BUSY
    bench.ask("one", Lane.CRITICAL)
    assert outcome(young) is Outcome.EVICTED
    bench.ask("two", Lane.CRITICAL)
    assert outcome(old) is Outcome.EVICTED
    refused = bench.ask("three", Lane.CRITICAL)
    assert outcome(refused) is Outcome.BUSY
    assert not waiting.done()
    with pytest.raises(ConversionError, match="waiting jobs: 3 of at most 3"):  # C14
        refused.result()


def test_05_background_off_refused_before_reading_served_when_ready(bench: Bench) -> None:
    """C17."""
    assert outcome(bench.ask("ready")) is Outcome.OK
    _, kit = bench.run("open")
    bench.converter.set_background(enabled=False)
    source = FakeSource("new")
    assert outcome(bench.ask(source, Lane.LOW)) is Outcome.BUSY
    assert source.reads == 0
    assert outcome(bench.ask("open", Lane.NORMAL)) is Outcome.BUSY, "not even to join"
    assert outcome(bench.ask("ready", Lane.LOW)) is Outcome.OK
    kit.gate.open()


def test_05_background_off_lets_the_queued_go_and_the_running_end(bench: Bench) -> None:
    """C17."""
    running, kit = bench.run("running", Lane.LOW)
    queued = bench.ask("queued", Lane.LOW)
    bench.converter.set_background(enabled=False)
    assert outcome(queued) is Outcome.EVICTED
    kit.gate.open()
    assert outcome(running) is Outcome.OK
    bench.converter.set_background(enabled=True)
    assert outcome(bench.ask("queued", Lane.LOW)) is Outcome.OK


def test_06_the_reserved_foreground_slot(make_bench: MakeBench) -> None:
    """C16, C21: background never takes the last slot, also not by a promoted job's leave."""
    bench = make_bench(slots=2, background_slots=1)
    _, first = bench.run("first", Lane.LOW)
    second = bench.ask("second", Lane.NORMAL)
    assert bench.now.waiting == 1
    person, kit = bench.run("person")
    kit.gate.open()
    assert outcome(person) is Outcome.OK
    assert bench.now.lanes[Lane.NORMAL].waiting == 1
    bench.ask("first", Lane.CRITICAL)  # promoted while running: still a background slot (C21)
    assert bench.now.lanes[Lane.NORMAL].waiting == 1
    first.gate.open()
    assert outcome(second) is Outcome.OK


def test_07_capacity_is_held_until_the_engine_settles(make_bench: MakeBench) -> None:
    """C24: a cancelled kit keeps its slot and bytes until it is gone."""
    bench = make_bench(slots=1)
    ticket, kit = bench.run("dying", slow_death=Gate())
    waiting = bench.ask("waiting")
    ticket.cancel()
    kit.slow_death.wait_for_arrivals()
    assert (bench.now.running, bench.now.reserved_bytes, bench.now.waiting) == (1, len("dying"), 1)
    kit.slow_death.open()
    assert outcome(waiting) is Outcome.OK


def test_10_unknown_size_reserves_the_cap_and_gives_the_surplus_back(make_bench: MakeBench) -> None:
    """C5."""
    bench = make_bench(slots=3, source_bytes_max=100, reserved_bytes_max=150)
    gate = bench.gate()
    kit = bench.hold("unknown")
    source = FakeSource("unknown", size_known=False, gate=gate)
    bench.ask(source)
    gate.wait_for_arrivals()
    assert bench.now.reserved_bytes == 100
    other = bench.ask("x" * 60)
    assert bench.now.waiting == 1
    gate.open()
    assert outcome(other) is Outcome.OK
    kit.gate.wait_for_arrivals()
    assert source.capacities == [100]
    assert bench.now.reserved_bytes == len("unknown")


def test_15_the_last_reader_seat_and_the_high_shares(make_bench: MakeBench) -> None:
    """C16."""
    bench = make_bench(readers_max=4, waiting_jobs_max=4, slots=1)
    bench.run("running", Lane.HIGH)
    bench.ask("high", Lane.HIGH)
    refused = bench.ask("more", Lane.HIGH)
    with pytest.raises(ConversionError, match="live readers in lane HIGH: 2 of at most 2"):
        refused.result()
    bench.ask("low", Lane.LOW)
    assert outcome(bench.ask("lower", Lane.LOW)) is Outcome.BUSY, "the last seat is for CRITICAL"
    assert not bench.ask("person", Lane.CRITICAL).done()
    assert outcome(bench.ask("second person", Lane.CRITICAL)) is Outcome.BUSY


def test_15_high_takes_at_most_half_of_the_line(make_bench: MakeBench) -> None:
    """C16: bulk inspection never makes a person's open busy."""
    bench = make_bench(waiting_jobs_max=4, slots=1)
    bench.run("running")
    low = bench.ask("low", Lane.LOW)
    for text in ("h1", "h2"):
        assert not bench.ask(text, Lane.HIGH).done()
    refused = bench.ask("h3", Lane.HIGH)
    with pytest.raises(ConversionError, match="waiting jobs for lane HIGH: 2 of at most 2"):
        refused.result()
    assert outcome(bench.ask("low", Lane.HIGH)) is Outcome.BUSY, "to join the waiting prefetch would break it too"
    assert not low.promote(Lane.HIGH)
    assert not low.done()
    for text in ("p1", "p2"):
        assert not bench.ask(text, Lane.CRITICAL).done()


def test_17_and_18_foreground_blocked_on_bytes_blocks_background_until_it_is_cancelled(make_bench: MakeBench) -> None:
    """C22, C18."""
    bench = make_bench(slots=3, background_slots=2, source_bytes_max=100, reserved_bytes_max=100)
    _, kit = bench.run("x" * 60)
    blocked = bench.ask("y" * 60)
    prefetch_kit = bench.hold("z")
    prefetch = bench.ask("z", Lane.LOW)
    assert (bench.now.running, bench.now.waiting) == (1, 2), "there is a slot and room for z, and it waits"
    blocked.cancel()
    prefetch_kit.gate.wait_for_arrivals()
    for each in (kit, prefetch_kit):
        each.gate.open()
    assert outcome(prefetch) is Outcome.OK


def test_19_a_demoted_prewarm_counts_as_background(make_bench: MakeBench) -> None:
    """C19, C21: when the person leaves before the slot, the job takes a background slot or waits for one."""
    bench = make_bench(slots=2, background_slots=1)
    _, background = bench.run("background", Lane.LOW)
    person, kit = bench.run("person")
    prewarm = bench.ask("prewarm", Lane.LOW)
    joined = bench.ask("prewarm", Lane.CRITICAL)
    assert bench.now.lanes[Lane.CRITICAL].waiting == 1
    joined.cancel()
    assert bench.now.lanes[Lane.LOW].waiting == 1
    kit.gate.open()
    assert outcome(person) is Outcome.OK
    bench.wait_for_running(1)
    assert not prewarm.done(), "a slot is free, but not for background"
    background.gate.open()
    assert outcome(prewarm) is Outcome.OK


def test_21_closing_gives_closed_not_cancelled(bench: Bench) -> None:
    """C26."""
    bench.ask("ready").result(PATIENCE_S)
    running = [bench.run("first")[0], bench.run("second")[0]]
    waiting = bench.ask("waiting")
    assert bench.converter.close(grace_s=0.0)
    assert {outcome(ticket) for ticket in (*running, waiting)} == {Outcome.CLOSED}
    assert outcome(bench.ask("ready")) is Outcome.CLOSED, "not even a ready result"
    assert bench.converter.close(grace_s=0.0), "idempotent"


def test_21_what_runs_may_end_within_the_grace(bench: Bench) -> None:
    """C26."""
    (first, first_kit), (second, second_kit) = bench.run("first"), bench.run("second")
    waiting = bench.ask("waiting")
    for kit in (first_kit, second_kit):
        waiting.add_done_callback(lambda _ticket, gate=kit.gate: gate.open())  # type: ignore[misc]
    assert bench.converter.close(grace_s=PATIENCE_S)
    assert outcome(first) is outcome(second) is Outcome.OK
    assert outcome(waiting) is Outcome.CLOSED


def test_26_a_stalled_read_meets_the_deadline(bench: Bench) -> None:
    """The deadline runs from the slot, and what is held is held until the read has ended (C24)."""
    gate = bench.gate()
    ticket = bench.ask(FakeSource("x", gate=gate))
    gate.wait_for_arrivals()
    bench.clock.advance(59.9)
    assert not ticket.done()
    bench.clock.advance(0.2)
    with pytest.raises(ConversionError, match="seconds of work: 60 of at most 60") as caught:
        ticket.result(PATIENCE_S)
    assert (caught.value.outcome, caught.value.engine) == (Outcome.TIMEOUT, None), "no engine was given the document"
    assert (bench.now.running, bench.now.reserved_bytes) == (1, 1)
    gate.open()
    bench.wait_for_running(0)
    assert bench.engine.converted == []


def test_26_waiting_does_not_eat_the_deadline(make_bench: MakeBench) -> None:
    """The deadline starts with the slot; waiting has a bound only where the request sets one."""
    bench = make_bench(slots=1, deadline_s=600.0)
    _, kit = bench.run("running")
    waiting = bench.ask("waiting", deadline_s=5.0)
    impatient = bench.ask("impatient", wait_max_s=30.0)
    waiting_kit = bench.hold("waiting")
    bench.clock.advance(100.0)
    with pytest.raises(ConversionError, match="seconds in the line: 30 of at most 30") as caught:
        impatient.result(PATIENCE_S)
    assert caught.value.outcome is Outcome.TIMEOUT
    assert not waiting.done()
    kit.gate.open()
    waiting_kit.gate.wait_for_arrivals()
    bench.clock.advance(4.9)
    assert not waiting.done()
    bench.clock.advance(0.2)
    assert outcome(waiting) is Outcome.TIMEOUT


def test_26_soft_limit_and_extension(bench: Bench) -> None:
    """At the soft limit an event; the reader may extend, up to the ceiling."""
    ticket, _ = bench.run("slow")
    events: list[object] = []
    ticket.on_event(events.append)
    bench.clock.advance(15.0)
    assert [event for event in events if isinstance(event, StillWorking)] == [StillWorking(15.0)]
    assert ticket.extend(10_000.0)
    bench.clock.advance(584.9)
    assert not ticket.done()
    bench.clock.advance(0.2)
    assert outcome(ticket) is Outcome.TIMEOUT
    assert bench.engine.deadlines_s == [pytest.approx(600.0)], "the engine gets the ceiling, the token the deadline"
    assert not ticket.extend(1.0)


def test_26_each_reader_keeps_its_own_deadline(bench: Bench) -> None:
    """C23: the deadline of one reader ends nothing for the others."""
    patient, kit = bench.run("slow")
    hurried = bench.ask("slow", deadline_s=5.0)
    bench.clock.advance(5.0)
    with pytest.raises(ConversionError) as caught:
        hurried.result(PATIENCE_S)
    assert (caught.value.outcome, caught.value.engine) == (Outcome.TIMEOUT, bench.engine.info)
    kit.gate.open()
    assert outcome(patient) is Outcome.OK
