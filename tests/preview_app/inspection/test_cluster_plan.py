"""Which worker gets which files, and what becomes of those of a lost one: scenarios, and a random walk over all."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preview_app.inspection.cluster_plan import BATCH_FILES_MAX, Batch, Plan, room_for

SLOT = 2
"""What a worker with one thread works on at once."""


def plan_of(files: int, *workers: str) -> Plan[str]:
    plan: Plan[str] = Plan()
    for address in workers:
        plan.joined(address, SLOT)
    for number in range(files):
        plan.add(f"{number:02}")
    return plan


def sent(plan: Plan[str]) -> list[Batch[str]]:
    return list(plan.batches())


def by_worker(batches: list[Batch[str]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for batch in batches:
        counts[batch.worker] += len(batch.files)
    return dict(counts)


def test_files_are_sent_in_their_order_and_shared_out() -> None:
    batches = sent(plan_of(40, "a", "b"))
    assert [file for batch in batches for file in batch.files] == [f"{number:02}" for number in range(16)]
    assert by_worker(batches) == {"a": room_for(SLOT), "b": room_for(SLOT)}
    assert {len(batch.files) for batch in batches} == {BATCH_FILES_MAX}


def test_a_few_files_are_shared_out_among_all() -> None:
    assert by_worker(sent(plan_of(4, "a", "b"))) == {"a": 2, "b": 2}


def test_a_worker_that_has_enough_to_do_waits_for_a_whole_batch() -> None:
    plan = plan_of(4, "a")
    (first,) = sent(plan)
    plan.add("more")
    assert sent(plan) == []
    for _ in range(BATCH_FILES_MAX - 1):
        plan.add("more")
    (second,) = sent(plan)
    assert len(second.files) == BATCH_FILES_MAX
    plan.add("last")
    assert plan.answered(first)
    assert plan.answered(second)
    assert [batch.files for batch in sent(plan)] == [["last"]]


def test_without_a_worker_nothing_is_sent_and_the_first_one_gets_it() -> None:
    plan = plan_of(3)
    assert sent(plan) == []
    assert plan.room == 0
    plan.joined("late", SLOT)
    assert by_worker(sent(plan)) == {"late": 3}


def test_a_larger_worker_gets_more() -> None:
    plan = plan_of(100, "small")
    plan.joined("large", 17)
    assert by_worker(sent(plan)) == {"small": 8, "large": 34}
    assert plan.room == 42


def test_files_of_a_lost_worker_go_alone_to_another_one() -> None:
    plan = plan_of(8, "a", "b")
    of_a = [file for batch in sent(plan) if batch.worker == "a" for file in batch.files]
    assert plan.lost("a") == []
    again = sent(plan)
    assert [(batch.worker, batch.files) for batch in again] == [("b", of_a[:1])], "one suspect at a time"
    assert plan.answered(again[0])
    assert [batch.files for batch in sent(plan)] == [of_a[1:2]]


def test_only_the_suspect_is_given_up_with_the_second_worker() -> None:
    plan = plan_of(0, "a", "b", "c")
    plan.add("poison")
    (batch,) = sent(plan)
    for number in range(12):
        plan.add(f"innocent {number}")
    others = sent(plan)
    assert plan.lost(batch.worker) == []
    (second,) = (each for each in sent(plan) if each.files == ["poison"])
    assert second.worker != batch.worker
    neighbours = {file for each in others if each.worker == second.worker for file in each.files}
    assert neighbours
    assert plan.lost(second.worker) == ["poison"]
    came_back = set(plan.drain())
    assert neighbours <= came_back
    assert "poison" not in came_back


def test_a_suspect_waits_for_another_worker_unless_its_own_is_back_and_alone() -> None:
    plan = plan_of(1, "a")
    assert len(sent(plan)) == 1
    assert plan.lost("a") == []
    assert sent(plan) == []
    plan.joined("a", SLOT)
    assert [batch.worker for batch in sent(plan)] == ["a"]


def test_where_there_are_others_a_suspect_is_kept_from_its_worker() -> None:
    plan = plan_of(1, "a")
    assert len(sent(plan)) == 1
    assert plan.lost("a") == []
    plan.joined("a", 8)
    plan.joined("b", SLOT)
    assert [batch.worker for batch in sent(plan)] == ["b"]


def test_a_batch_that_came_to_nothing_is_tried_once_more() -> None:
    plan = plan_of(1, "a", "b")
    (batch,) = sent(plan)
    assert plan.failed(batch) == []
    (second,) = sent(plan)
    assert second.worker != batch.worker
    assert plan.failed(second) == ["00"]
    assert plan.is_empty


def test_an_answer_that_comes_too_late_is_not_expected() -> None:
    plan = plan_of(1, "a", "b")
    (batch,) = sent(plan)
    assert plan.lost(batch.worker) == []
    assert not plan.answered(batch)
    assert plan.failed(batch) == []
    assert "1 suspects" in repr(plan)


@pytest.mark.parametrize("files", [0, 30])
def test_draining_gives_every_file_back(files: int) -> None:
    plan = plan_of(files, "a", "b")
    assert len(sent(plan)) == (0 if files == 0 else 4)
    assert sorted(plan.drain()) == [f"{number:02}" for number in range(files)]
    assert plan.is_empty
    assert plan.drain() == []


_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "join", "lose", "answer", "fail"]), st.integers(0, 5)), max_size=60
)


@settings(max_examples=80, deadline=None)
@given(_STEPS)
def test_every_file_comes_back_once_whatever_happens(steps: list[tuple[str, int]]) -> None:
    plan: Plan[int] = Plan()
    under_way: list[Batch[int]] = []
    back: list[int] = []
    added = 0
    for step, number in steps:
        if step == "add":
            plan.add(added)
            added += 1
        elif step == "join":
            plan.joined(str(number), 1 + number)
        elif step == "lose":
            back += plan.lost(str(number))
        elif under_way:
            batch = under_way.pop(number % len(under_way))
            if step == "fail":
                back += plan.failed(batch)
            elif plan.answered(batch):
                back += batch.files
        under_way += plan.batches()
        _check_bounds(plan, under_way)
    assert sorted([*back, *plan.drain()]) == list(range(added))


def _check_bounds(plan: Plan[int], under_way: list[Batch[int]]) -> None:
    for address in plan.workers:
        there = [batch for batch in under_way if batch.worker == address and _is_with_worker(plan, batch)]
        assert sum(len(batch.files) for batch in there if not batch.is_suspect) <= room_for(1 + int(address))
        assert sum(batch.is_suspect for batch in there) <= 1


def _is_with_worker(plan: Plan[int], batch: Batch[int]) -> bool:
    worker = plan._workers.get(batch.worker)
    return worker is not None and batch in worker.batches


def test_files_that_come_one_by_one_go_in_whole_batches() -> None:
    """But for the first ones, for which workers without work do not wait: Dask costs something for each batch."""
    plan: Plan[str] = Plan()
    for worker in ("a", "b"):
        plan.joined(worker, SLOT)
    batches: list[Batch[str]] = []
    for number in range(16):
        plan.add(f"{number:02}")
        batches += sent(plan)
    assert [len(batch.files) for batch in batches][:6] == [1, 1, 1, 1, BATCH_FILES_MAX, BATCH_FILES_MAX]
