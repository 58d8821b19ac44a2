"""The table of outcomes (C29) and the bounds of requests."""

from __future__ import annotations

import pytest

from converter.errors import Bound, ConversionError, Fault, Outcome, outcome_of, translated
from converter.request import Lane, Limits, Request
from engines.base import EngineInfo
from engines.errors import EngineError, ErrorKind
from tests.fakes import FakeSource

TABLE = {
    0: {"ok"},
    3: {"unsupported"},
    4: {"encrypted", "bad_password"},
    5: {"corrupt", "empty"},
    6: {"limit"},
    7: {"timeout"},
    8: {"unavailable"},
    9: {"engine"},
    10: {"not_found", "not_allowed", "changed"},
    11: {"busy", "evicted", "closed"},
    130: {"cancelled"},
}


def test_c29_exit_statuses() -> None:
    assert {outcome.value: outcome.exit_status for outcome in Outcome} == {
        name: status for status, names in TABLE.items() for name in names
    }


@pytest.mark.parametrize("outcome", list(Outcome))
def test_c29_each_has_a_sentence_for_a_person_and_a_fault(outcome: Outcome) -> None:
    assert outcome.sentence.endswith(".")
    assert len(outcome.sentence) > 15
    assert (outcome.fault is Fault.NOBODY) == (outcome is Outcome.OK)
    assert outcome.retry.value


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_every_kind_of_an_engine_is_an_outcome_by_the_same_name(kind: ErrorKind) -> None:
    engine = EngineInfo("wasm", "1", "f")
    error = translated(EngineError(kind, "Said so.", "details"), engine)
    assert error.outcome is outcome_of(kind)
    assert error.outcome.value == kind.value
    assert (error.message, error.diagnostics, error.engine) == ("Said so.", "details", engine)


def test_an_error_tells_its_bound_and_copies_whole() -> None:
    error = ConversionError(Outcome.BUSY, bound=Bound("live readers", 32, 32), diagnostics="d")
    assert "live readers: 32 of at most 32" in str(error)
    copy = error.copy()
    assert copy is not error
    assert vars(copy) == vars(error)
    assert repr(copy).startswith("ConversionError('busy', 'Too much")


def test_the_defaults_are_those_of_the_table() -> None:
    limits, mib = Limits(), 1 << 20
    assert (limits.readers_max, limits.high_readers_max) == (32, 16)
    assert (limits.waiting_jobs_max, limits.high_waiting_jobs_max) == (8, 4)
    assert (limits.slots, limits.background_slots) == (2, 1)
    assert (limits.source_bytes_max, limits.reserved_bytes_max, limits.pdf_bytes_max) == (
        64 * mib,
        128 * mib,
        256 * mib,
    )
    assert (limits.cached_pdfs_max, limits.cached_bytes_max, limits.aliases_max) == (16, 256 * mib, 256)
    assert (limits.deadline_s, limits.soft_limit_s, limits.deadline_max_s, limits.prefetch_wait_max_s) == (
        60,
        15,
        600,
        30,
    )
    assert (limits.archive_entries_max, limits.archive_bytes_max) == (20_000, 512 * mib)
    assert (limits.archive_ratio_max, limits.archive_ratio_free_bytes) == (200, 16 * mib)


@pytest.mark.parametrize(
    "wrong",
    [{"slots": 0}, {"readers_max": 0}, {"source_bytes_max": 1 << 40}, {"deadline_s": 601.0}, {"background_slots": 0}],
)
def test_limits_that_could_never_work_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)


def test_c7_what_makes_requests_equal_before_reading() -> None:
    request = Request(FakeSource("x").source)
    assert request.source_key() == Request(FakeSource("x").source, Lane.LOW).source_key(), "not the lane"
    different = [
        Request(FakeSource("x", version=2).source),
        Request(FakeSource("x", name="b.txt").source),
        Request(FakeSource("x").source, engine="other"),
    ]
    assert request.source_key() not in [each.source_key() for each in different]
    assert Request(FakeSource("x", version=None).source).source_key() is None
    assert Request(FakeSource("x").source, private=True).source_key() is None
