"""The callers that wait: the page renderer of the command line, the checker of the converter's threads."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from engines.errors import EngineError, ErrorKind
from preview_app.raster.api import PageSize, RasterError
from preview_app.raster.blocking import PageRenderer, PdfChecker
from preview_app.raster.process import WorkerLimits
from tests.preview_app.raster.conftest import PATIENCE_S
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

PDF = make_pdf([PdfPage(), PdfPage(300, 150)])
NOW_AND_INLINE = pytest.mark.parametrize("shared", [True, False], ids=["shared memory", "socket"])


_others: set[int] = set()
"""Children that were there before the test: engines that a whole run shares."""


@pytest.fixture(autouse=True)
def _others_are_known() -> None:
    _others.clear()
    _others.update(child.pid for child in psutil.Process().children())


def workers() -> list[int]:
    """The raster workers that the test has started."""
    children = (child for child in psutil.Process().children() if child.pid not in _others)
    return [child.pid for child in children if _is_worker(child)]


def _is_worker(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE or "resource_tracker" not in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


@NOW_AND_INLINE
def test_pages_become_png_files(shared: bool) -> None:
    with PageRenderer(WorkerLimits(shared_memory=shared)) as renderer:
        assert renderer.open(PDF) == (PageSize(200.0, 100.0), PageSize(300.0, 150.0))
        png = renderer.png(1, 72)
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(png[16:20], "big") == 300
        assert int.from_bytes(renderer.png(0, 144)[16:20], "big") == 400
        assert renderer.open(make_pdf([PdfPage(50, 50)])) == (PageSize(50.0, 50.0),)
        assert int.from_bytes(renderer.png(0, 72)[16:20], "big") == 50


def test_what_the_renderer_cannot_do_is_said_and_the_next_thing_works() -> None:
    with PageRenderer() as renderer:
        with pytest.raises(ValueError, match="no PDF"):
            renderer.png(0, 72)
        with pytest.raises(RasterError, match="not a PDF"):
            renderer.open(b"words")
        renderer.open(PDF)
        for page, dpi in ((-1, 72.0), (0, 0.0)):
            with pytest.raises(ValueError, match="no such"):
                renderer.png(page, dpi)
        with pytest.raises(RasterError, match="pixels") as refused:
            renderer.png(0, 7200)
        assert refused.value.kind == "limit"
        assert renderer.png(0, 72)


def test_a_renderer_survives_its_worker() -> None:
    with PageRenderer(deadline_s=PATIENCE_S) as renderer:
        renderer.open(PDF)
        (pid,) = workers()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(RasterError) as crashed:
            renderer.png(0, 72)
        assert crashed.value.kind == "crashed"
        assert int.from_bytes(renderer.png(1, 72)[16:20], "big") == 300


def test_a_renderer_does_not_wait_for_ever() -> None:
    with PageRenderer(deadline_s=0.2) as renderer:
        (pid,) = workers()
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(RasterError, match="did not answer") as stuck:
            renderer.open(PDF)
        assert stuck.value.kind == "crashed"
        assert not psutil.pid_exists(pid)


@pytest.fixture
def make_checker(no_descriptor_left: None) -> Iterator[Callable[..., PdfChecker]]:
    """Makes a checker; closed afterwards."""
    made: list[PdfChecker] = []

    def make(limits: WorkerLimits | None = None, deadline_s: float = PATIENCE_S) -> PdfChecker:
        made.append(PdfChecker(limits, deadline_s=deadline_s))
        return made[-1]

    yield make
    for checker in made:
        checker.close()


@NOW_AND_INLINE
def test_pages_are_counted_by_one_worker_that_stays(make_checker: Callable[..., PdfChecker], shared: bool) -> None:
    checker = make_checker(WorkerLimits(shared_memory=shared))
    checker.prepare()
    before = workers()
    assert checker.count_pages(PDF) == 2
    assert checker.count_pages(memoryview(make_pdf([PdfPage()] * 40))) == 40
    assert workers() == before
    assert len(before) == 1


@pytest.mark.parametrize(
    ("pdf", "kind"),
    [
        (b"", ErrorKind.CORRUPT),
        (b"PK\x03\x04", ErrorKind.CORRUPT),
        (PDF[:200], ErrorKind.CORRUPT),
        (make_pdf([]), ErrorKind.CORRUPT),
        (make_pdf([PdfPage()], password="x"), ErrorKind.ENCRYPTED),
    ],
    ids=["empty", "zip", "truncated", "no pages", "encrypted"],
)
def test_what_is_no_good_pdf_is_told_apart(
    make_checker: Callable[..., PdfChecker], pdf: bytes, kind: ErrorKind
) -> None:
    checker = make_checker()
    with pytest.raises(EngineError) as failed:
        checker.count_pages(pdf)
    assert failed.value.kind is kind
    assert checker.count_pages(PDF) == 2


def test_a_checker_that_lost_its_idle_worker_takes_another(make_checker: Callable[..., PdfChecker]) -> None:
    checker = make_checker()
    assert checker.count_pages(PDF) == 2
    (pid,) = workers()
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert checker.count_pages(PDF) == 2
    assert workers() != [pid]


def test_a_pdf_that_hangs_its_worker_delays_no_other(make_checker: Callable[..., PdfChecker]) -> None:
    checker = make_checker()
    checker.prepare()
    (pid,) = workers()
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        stuck = threads.submit(checker.count_pages, PDF)
        while pid in {worker.pid for worker in [checker._idle] if worker}:  # until the thread has taken it
            threading.Event().wait(0.001)
        assert checker.count_pages(PDF) == 2
        assert not stuck.done()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(EngineError) as failed:
            stuck.result(PATIENCE_S)
    assert failed.value.kind is ErrorKind.ENGINE


def test_a_check_ends_at_its_deadline(make_checker: Callable[..., PdfChecker]) -> None:
    checker = make_checker(deadline_s=0.2)
    checker.prepare()
    (pid,) = workers()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(EngineError) as failed:
        checker.count_pages(PDF)
    assert failed.value.kind is ErrorKind.TIMEOUT
    assert not psutil.pid_exists(pid)


def test_many_threads_may_ask_and_one_worker_is_kept(make_checker: Callable[..., PdfChecker]) -> None:
    checker = make_checker()
    pdfs = [make_pdf([PdfPage()] * count) for count in range(1, 9)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(checker.count_pages, pdfs)) == list(range(1, 9))
    assert len(workers()) == 1


def test_closing_ends_a_check_that_runs(make_checker: Callable[..., PdfChecker]) -> None:
    checker = make_checker()
    checker.prepare()
    (pid,) = workers()
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        stuck = threads.submit(checker.count_pages, PDF)
        while not checker._busy:
            threading.Event().wait(0.001)
        checker.close()
        with pytest.raises(EngineError):
            stuck.result(PATIENCE_S)
    with pytest.raises(EngineError, match="closing"):
        checker.count_pages(PDF)
    assert workers() == []
