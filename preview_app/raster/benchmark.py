"""How long rasterizing takes on this machine: starting, opening, drawing, handing over, replacing a dead worker."""

from __future__ import annotations

import os
import signal
import statistics
import time
from collections.abc import Callable
from typing import Any

from preview_app.raster.api import Lane, TextDocument
from preview_app.raster.blocking import BlockingWorker
from preview_app.raster.loop_select import SelectLoop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings
from preview_app.raster.process import WorkerLimits

_PATIENCE_S = 60.0
_PAGES = 20


def measure(pdf: bytes | None = None, *, rounds: int = 7) -> dict[str, float]:
    """Medians in milliseconds, by name; of `pdf` (at least one page), else of text pages made here.

    `transfer_*` is what a page costs on top of MuPDF's own drawing: request, hand-over, copy and answer.
    """
    document = pdf or sample_pdf()
    figures = {"worker_start_ms": _median(rounds, _start)}
    figures |= _drawing(document, rounds)
    figures |= _through_the_pool(document, rounds)
    return {name: round(value, 2) for name, value in figures.items()}


def sample_pdf(pages: int = _PAGES, lines: int = 50) -> bytes:
    """A PDF of A4 pages full of Helvetica."""
    text = "The quick brown fox jumps over the lazy dog and runs along the river bank until it is dark"
    content = "BT /F1 11 Tf 14 TL 50 790 Td " + " ".join(f"({number:3} {text}) '" for number in range(lines)) + " ET"
    kids = " ".join(f"{5 + number} 0 R" for number in range(pages))
    page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{kids}] /MediaBox [0 0 595 842] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        *[page] * pages,
    ]
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return (out + head + tail).encode("ascii")


def _median(rounds: int, action: Callable[[], float]) -> float:
    return statistics.median(action() for _ in range(rounds))


def _ms(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def _start() -> float:
    """A process from nothing until it answers."""
    begun = time.perf_counter()
    worker = BlockingWorker(WorkerLimits())
    try:
        worker.request("close", deadline_s=_PATIENCE_S)
        return (time.perf_counter() - begun) * 1000
    finally:
        worker.close()


def _drawing(pdf: bytes, rounds: int) -> dict[str, float]:
    """Pages drawn one after the other by one warm worker."""
    worker = BlockingWorker(WorkerLimits())
    try:
        pages = worker.request("open", deadline_s=_PATIENCE_S, pdf=pdf).head["pages"]
        numbers = [number % len(pages) for number in range(max(rounds, _PAGES))]
        figures: dict[str, float] = {}
        for dpi in (96, 144, 192):
            pairs = [_draw(worker, number, dpi / 72) for number in numbers]
            figures[f"draw_{dpi}_dpi_ms"] = statistics.median(drawing for _, drawing in pairs)
            figures[f"transfer_{dpi}_dpi_ms"] = statistics.median(whole - drawing for whole, drawing in pairs)
        return figures
    finally:
        worker.close()


def _draw(worker: BlockingWorker, page: int, scale: float) -> tuple[float, float]:
    """Milliseconds from the question to the pixels at hand, and those of them that the worker drew."""
    begun = time.perf_counter()
    frame = worker.request("render", deadline_s=_PATIENCE_S, page=page, scale=scale)
    worker.payload(frame)
    return (time.perf_counter() - begun) * 1000, float(frame.head["seconds"]) * 1000


class _Waiting:
    """A pool whose questions are waited for."""

    def __init__(self, loop: SelectLoop, pool: RasterPool) -> None:
        self._loop = loop
        self._pool = pool

    def ready(self, workers: int) -> None:
        self._until(lambda: self._pool.statistics().workers_ready >= workers)

    def open(self, pdf: bytes) -> TextDocument:
        found: list[Any] = []
        self._pool.open(pdf, lane=Lane.CRITICAL, opened=found.append, failed=found.append)
        return self._result(found)  # type: ignore[no-any-return]

    def page(self, document: TextDocument, page: int = 0) -> Any:
        found: list[Any] = []
        document.render(page, 2.0, lane=Lane.CRITICAL, done=found.append, failed=found.append)
        return self._result(found)

    def _result(self, found: list[Any]) -> Any:
        self._until(lambda: bool(found))
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    def _until(self, condition: Callable[[], bool]) -> None:
        if not self._loop.run_until(condition, _PATIENCE_S):
            raise TimeoutError("the raster pool does not answer")


def _through_the_pool(pdf: bytes, rounds: int) -> dict[str, float]:
    """What a viewer sees: opening to first page in a warm pool, and the same after the worker was killed."""
    with SelectLoop() as loop:
        pool = RasterPool(loop, PoolSettings(workers=1))
        waiting = _Waiting(loop, pool)
        try:
            waiting.ready(1)
            first = _ms(lambda: waiting.page(waiting.open(pdf)))
            again = _median(rounds, lambda: _ms(lambda: waiting.page(waiting.open(pdf))))
            respawn = _median(rounds, lambda: _killed(pool, waiting, pdf))
            return {"first_page_ms": first, "next_document_ms": again, "respawn_to_page_ms": respawn}
        finally:
            pool.close()


def _killed(pool: RasterPool, waiting: _Waiting, pdf: bytes) -> float:
    """From the death of the only worker to a page of a document that was open in it."""
    document = waiting.open(pdf)
    waiting.page(document)
    (pid,) = pool.worker_pids
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    taken = _ms(lambda: waiting.page(document))
    document.close()
    return taken
