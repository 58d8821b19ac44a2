"""What the system may refuse the rasterizer, and what may go wrong between two of its steps."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator

import pytest

from engines.errors import EngineError, ErrorKind
from preview_app.raster.api import Lane, RasterError
from preview_app.raster.blocking import PdfChecker
from preview_app.raster.document import PooledDocument, Question
from preview_app.raster.loop_select import SelectLoop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings, prestart
from preview_app.raster.process import WorkerLimits, WorkerProcess
from tests.preview_app.raster.conftest import Answer, Bench
from tests.preview_app.raster.pdfs import RED, PdfPage, make_pdf
from tests.shortage import descriptors_left

PDF = make_pdf([PdfPage().rectangle(0, 0, 200, 100, RED) for _ in range(6)])
OF_A_WORKER = 6
"""Descriptors that it takes before its process: two of its socket, two of its pipe, two of its memory."""


@pytest.mark.parametrize("spare", range(OF_A_WORKER + 2))
def test_a_worker_for_which_there_are_no_descriptors_takes_none(spare: int) -> None:
    with descriptors_left(spare), pytest.raises(OSError, match="Too many open files"):
        WorkerProcess(WorkerLimits())


def test_of_workers_that_cannot_all_be_started_none_is_left() -> None:
    with descriptors_left(OF_A_WORKER + 6), pytest.raises(OSError, match="Too many open files"):
        prestart(PoolSettings(workers=8))


def test_a_document_that_cannot_be_handed_over_waits_for_the_next_worker(bench: Bench) -> None:
    bench.open(PDF)
    source = bench.pool.copy(PDF)
    with descriptors_left(0):
        answer = bench.ask(bench.pool.open, source)
    assert len(bench.wait(answer).pages) == 6


def test_a_document_that_must_be_opened_anew_and_cannot_be_handed_over_waits_too(bench: Bench) -> None:
    first = bench.open(PDF)
    bench.open(PDF)  # the one worker has closed the first for it
    with descriptors_left(0):
        answer = bench.ask(first.render, 0, 1.0)
    assert bench.wait(answer).page == 0


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "no memory"), RuntimeError("a bug")])
def test_an_answer_that_cannot_be_taken_in_is_told_and_the_worker_goes_on(bench: Bench, error: Exception) -> None:
    document = bench.open(PDF)
    assert isinstance(document, PooledDocument)

    def decode(_frame: object, _payload: object) -> None:
        raise error

    question = Question(("lines", 0), {"op": "lines", "page": 0}, decode)
    answer = Answer()
    bench.pool.ask(document._identity, question, Lane.HIGH, answer.values.append, answer.errors.append)
    with pytest.raises(RasterError):
        bench.wait(answer)
    bench.settle()
    assert bench.get(document.render, 0, 1.0).page == 0


def test_a_pdf_that_cannot_be_handed_over_to_be_counted_is_told_and_the_next_one_is_counted() -> None:
    checker = PdfChecker()
    checker.prepare()
    with descriptors_left(0), pytest.raises(EngineError) as caught:
        checker.count_pages(PDF)
    assert caught.value.kind is ErrorKind.ENGINE
    assert checker.count_pages(PDF) == 6
    checker.close()


# Workers that cannot be replaced


class Starts:
    """How many processes the system gives."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, limits: WorkerLimits) -> WorkerProcess:
        if not self.left:
            raise BlockingIOError(errno.EAGAIN, "no process")
        self.left -= 1
        return WorkerProcess(limits)


@pytest.fixture
def starts() -> Starts:
    return Starts(1)


@pytest.fixture
def scarce(starts: Starts) -> Iterator[Bench]:
    """Two workers are wanted, and the system gives one."""
    loop = SelectLoop()
    bench = Bench(loop, RasterPool(loop, PoolSettings(workers=2), start=starts))
    yield bench
    bench.pool.close()
    loop.close()


def _given_up(bench: Bench) -> Callable[[], bool]:
    return lambda: bench.pool._workers.given_up


def test_a_worker_that_lives_serves_what_waits_though_no_second_one_can_be_started(scarce: Bench) -> None:
    document = scarce.open(PDF)
    (pid,) = scarce.pool.worker_pids
    os.kill(pid, signal.SIGSTOP)
    answers = [scarce.ask(document.render, page, 1.0) for page in range(3)]
    scarce.until(_given_up(scarce))
    os.kill(pid, signal.SIGCONT)
    assert [scarce.wait(answer).page for answer in answers] == [0, 1, 2]


def test_a_missing_worker_is_tried_for_again_when_somebody_asks(scarce: Bench, starts: Starts) -> None:
    document = scarce.open(PDF)
    scarce.until(_given_up(scarce))
    starts.left = 1
    scarce.get(document.render, 0, 1.0)
    scarce.until(lambda: scarce.pool.statistics().workers_ready == 2)


def test_what_the_last_worker_never_got_fails_when_there_will_be_no_other(scarce: Bench) -> None:
    document = scarce.open(PDF)
    scarce.until(_given_up(scarce))
    (pid,) = scarce.pool.worker_pids
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(RasterError):
        scarce.get(document.render, 0, 1.0)
    scarce.settle()


def test_who_asks_again_while_the_pool_closes_is_told_that_it_is_closed(bench: Bench) -> None:
    document = bench.open(PDF)
    again = Answer()

    def ask_again(_error: RasterError) -> None:
        document.render(1, 1.0, lane=Lane.HIGH, done=again.values.append, failed=again.errors.append)

    document.render(0, 1.0, lane=Lane.HIGH, done=again.values.append, failed=ask_again)
    bench.pool.close()
    assert bench.pool.statistics().reply_errors == 0
    bench.until(lambda: again.there)
    assert again.errors[0].kind == "closed"


def test_an_opening_that_is_refused_keeps_nothing_also_when_it_is_given_up_at_once(
    make_bench: Callable[..., Bench],
) -> None:
    bench = make_bench(queue_capacity=0)
    answer = bench.ask(bench.pool.open, PDF)
    assert answer.task is not None
    answer.task.cancel()
    assert bench.pool.statistics().documents == 0
