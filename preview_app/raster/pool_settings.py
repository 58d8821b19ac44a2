"""The bounds of a raster pool, what it counts, and the workers that are started ahead of it. Knows no event loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from preview_app.raster.actions import LaneStatistics
from preview_app.raster.api import Lane
from preview_app.raster.process import WorkerLimits, WorkerProcess


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Bounds of the pool: processes, jobs that wait, seconds for one job, seconds for an interrupted job to stop."""

    workers: int = 2
    queue_capacity: int = 4096
    deadline_s: float = 30.0
    cancel_grace_s: float = 0.1
    limits: WorkerLimits = field(default_factory=WorkerLimits)


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """A snapshot. `starts` counts worker processes started in all, `reply_errors` callbacks that raised."""

    lanes: Mapping[Lane, LaneStatistics]
    workers_alive: int
    workers_ready: int
    starts: int
    documents: int
    reply_errors: int


def prestart(settings: PoolSettings) -> list[WorkerProcess]:
    """Start the workers before there is a loop, for `RasterPool(prestarted=...)`. Raises `OSError`."""
    started: list[WorkerProcess] = []
    try:
        started.extend(WorkerProcess(settings.limits) for _ in range(settings.workers))
    except OSError:
        for process in started:
            process.reap()
        raise
    return started
