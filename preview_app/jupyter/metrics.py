"""Figures of the server for Prometheus, where Jupyter Server's own `/metrics` shows them.

prometheus_client comes with Jupyter Server today; without it there are no figures, and nothing else is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from converter.statistics import Histogram, Statistics
from preview_app.jupyter.service import PreviewService

prometheus: Any = import_module("prometheus_client.core") if find_spec("prometheus_client") else None

_JOBS = ("waiting", "running")
_READERS = ("settled", "refused", "evicted", "joined", "left")
_PAGES = ("completed", "cancelled", "crashed", "rejected", "joined")


class Collector:
    """Looks at the service when Prometheus asks; keeps nothing."""

    def __init__(self, service: PreviewService) -> None:
        self._service = service

    def describe(self) -> Iterator[Any]:
        """Nothing, so that registering it asks nothing of a service that is not there yet."""
        yield from ()

    def collect(self) -> Iterator[Any]:
        """Every figure now."""
        documents, machines = self._service.documents, self._service.machinery.machines
        yield prometheus.GaugeMetricFamily("docpeek_documents", "Documents that are open.", len(documents))
        yield prometheus.GaugeMetricFamily("docpeek_documents_bytes", "Bytes of their PDFs.", documents.pdf_bytes)
        if machines is None:
            return
        yield from _of_converter(machines.converter.statistics())
        pool = machines.pool.statistics()
        yield prometheus.GaugeMetricFamily("docpeek_page_workers", "Processes that draw pages.", pool.workers_alive)
        yield prometheus.CounterMetricFamily(
            "docpeek_page_worker_starts", "Processes started to draw pages.", pool.starts
        )
        waiting = prometheus.GaugeMetricFamily("docpeek_page_jobs", "Questions about pages.", labels=["lane", "state"])
        answered = prometheus.CounterMetricFamily(
            "docpeek_page_answers", "What became of them.", labels=["lane", "outcome"]
        )
        for lane, counts in pool.lanes.items():
            _add(waiting, lane.name, counts, _JOBS)
            _add(answered, lane.name, counts, _PAGES)
        yield from (waiting, answered)


def register(service: PreviewService) -> Callable[[], None]:
    """Show the figures of a service; what is returned takes them back."""
    if prometheus is None:
        return lambda: None
    collector = Collector(service)
    prometheus.REGISTRY.register(collector)
    return lambda: prometheus.REGISTRY.unregister(collector)


def _of_converter(now: Statistics) -> Iterator[Any]:
    jobs = prometheus.GaugeMetricFamily("docpeek_conversions", "Conversions now.", labels=["lane", "state"])
    readers = prometheus.CounterMetricFamily("docpeek_readers", "What became of readers.", labels=["lane", "outcome"])
    for lane, counts in now.lanes.items():
        _add(jobs, lane.name, counts, _JOBS)
        _add(readers, lane.name, counts, _READERS)
    hits = prometheus.CounterMetricFamily(
        "docpeek_cache_hits", "Readers that needed no conversion of their own.", labels=["kind"]
    )
    for kind in ("hits_by_source", "hits_by_content", "merged_by_content"):
        hits.add_metric([kind], getattr(now, kind))
    yield from (jobs, readers, hits)
    yield prometheus.GaugeMetricFamily(
        "docpeek_reserved_bytes", "Source bytes of running conversions.", now.reserved_bytes
    )
    yield prometheus.GaugeMetricFamily("docpeek_cached_pdfs", "Finished PDFs that are kept.", now.cached_pdfs)
    yield prometheus.GaugeMetricFamily("docpeek_cached_bytes", "Their bytes.", now.cached_bytes)
    yield _histogram("docpeek_queue_wait_seconds", "Time in the line.", now.queue_wait)
    yield _histogram("docpeek_conversion_seconds", "Time in the engine.", now.conversion)


def _add(family: Any, lane: str, counts: object, names: tuple[str, ...]) -> None:
    for name in names:
        family.add_metric([lane.lower(), name], getattr(counts, name))


def _histogram(name: str, text: str, figures: Histogram) -> Any:
    """Prometheus counts up: a bucket holds all that is below its bound."""
    bounds = [f"{bound / 1000:g}" for bound in figures.bounds_ms] + ["+Inf"]
    buckets, total = [], 0
    for bound, count in zip(bounds, figures.counts, strict=True):
        total += count
        buckets.append((bound, total))
    family = prometheus.HistogramMetricFamily(name, text)
    family.add_metric([], buckets, figures.total_s)
    return family
