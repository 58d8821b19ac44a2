"""What holds of the admission state after every step, as assertions for tests and for hunting a fault."""

from __future__ import annotations

from converter.admission import Admission
from converter.request import Lane


def check(state: Admission) -> None:
    """Raise `AssertionError` where a bound is exceeded or two accounts of the same thing differ."""
    _check_readers(state)
    _check_line(state)
    _check_running(state)
    _check_indexes(state)
    _check_nothing_startable_waits(state)


def _check_readers(state: Admission) -> None:
    limits, lanes = state.limits, [reader.lane for reader in state.readers.values()]
    assert len(lanes) <= limits.readers_max
    assert sum(lane is not Lane.CRITICAL for lane in lanes) <= max(0, limits.readers_max - 1)
    assert lanes.count(Lane.HIGH) <= limits.high_readers_max
    jobs = [*state.line, *state.running.values()]
    assert sum(len(job.readers) for job in jobs) == len(state.readers)
    assert all(reader.job in jobs and reader.job.readers[key] is reader for key, reader in state.readers.items())


def _check_line(state: Admission) -> None:
    assert len(state.line) <= state.limits.waiting_jobs_max
    assert sum(job.wanted_by_high for job in state.line) <= state.limits.high_waiting_jobs_max
    assert [(job.lane, job.id) for job in state.line] == sorted((job.lane, job.id) for job in state.line)
    for ahead, job in enumerate(state.line):
        assert job.waiting
        assert job.ahead == ahead
        assert job.readers, "a waiting job has a reader"
        assert job.lane is job.strongest_lane, "C19"
        assert state.background_enabled or job.lane.foreground, "C17"


def _check_running(state: Admission) -> None:
    jobs = state.running.values()
    assert len(jobs) <= state.limits.slots
    assert sum(job.background for job in jobs) <= state.limits.background_slots
    assert sum(job.bytes for job in jobs) == state.reserved_bytes <= state.limits.reserved_bytes_max
    assert all(job.doomed == (not job.readers) and not job.waiting for job in jobs)


def _check_indexes(state: Admission) -> None:
    for key, job in state.by_key.items():
        assert any(reader.key == key for reader in job.readers.values()), "C15"
        assert not job.retired, "C8"
    for digest, job in state.by_digest.items():
        assert job.digest == digest
        assert state.running[job.id] is job
        assert not job.doomed, "C24"
        assert not job.retired, "C8"


def _check_nothing_startable_waits(state: Admission) -> None:
    """C18: whatever is eligible has started in the same step."""
    if not state.line:
        return
    head, limits = state.line[0], state.limits
    background = sum(job.background for job in state.running.values())
    assert (
        len(state.running) >= limits.slots
        or state.reserved_bytes + head.bytes > limits.reserved_bytes_max
        or (not head.lane.foreground and background >= limits.background_slots)
    )
