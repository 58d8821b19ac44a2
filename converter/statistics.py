"""Counts and times of the service, as frozen snapshots."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from converter.request import Lane

BUCKETS_MS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Upper bounds of the histograms, in milliseconds; one more bucket holds what is above the last."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often a duration fell into each bucket. `counts[i]` are those up to `bounds_ms[i]`."""

    counts: tuple[int, ...]
    total_s: float
    bounds_ms: tuple[int, ...] = BUCKETS_MS

    @property
    def count(self) -> int:
        """How many durations were observed."""
        return sum(self.counts)

    @property
    def mean_s(self) -> float:
        """Their mean, 0 if there are none."""
        return self.total_s / self.count if self.count else 0.0


class DurationRecorder:
    """Collects durations for a `Histogram`. Not thread-safe."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS_MS) + 1)
        self._total_s = 0.0

    def observe(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(BUCKETS_MS, seconds * 1000)] += 1
        self._total_s += seconds

    def snapshot(self) -> Histogram:
        """The counts so far."""
        return Histogram(tuple(self._counts), self._total_s)


@dataclass(frozen=True, slots=True)
class LaneStatistics:
    """One lane. `waiting` and `running` are jobs now; the others count readers since the start.

    `settled` had an outcome from a job or the cache, whatever it was; `left` were cancelled, timed out or closed.
    """

    waiting: int = 0
    running: int = 0
    settled: int = 0
    refused: int = 0
    evicted: int = 0
    joined: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """A snapshot of the converter.

    `reserved_bytes` are source bytes that running jobs hold. Byte figures do not cover engine memory, copies that
    callers keep, base64 on a wire, or raster memory. Hits: `hits_by_source` needed no read, `hits_by_content` were
    found after the read, `merged_by_content` joined a running job after the read.
    """

    lanes: Mapping[Lane, LaneStatistics]
    readers: int
    jobs: int
    reserved_bytes: int
    cached_pdfs: int
    cached_bytes: int
    aliases: int
    hits_by_source: int
    hits_by_content: int
    merged_by_content: int
    retried: int
    queue_wait: Histogram
    conversion: Histogram

    @property
    def waiting(self) -> int:
        """Jobs in the line."""
        return sum(lane.waiting for lane in self.lanes.values())

    @property
    def running(self) -> int:
        """Jobs that hold a slot."""
        return sum(lane.running for lane in self.lanes.values())
