"""The pool with real workers: order, cancels, crashes, hangs, and what is left at the end (nothing)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from preview_app.raster.api import Lane, PageSize, RasterError, TextDocument
from preview_app.raster.loop_asyncio import AsyncioLoop
from preview_app.raster.loop_select import SelectLoop
from preview_app.raster.pool import RasterPool
from preview_app.raster.pool_settings import PoolSettings, prestart
from preview_app.raster.process import WorkerLimits, WorkerProcess
from tests.preview_app.raster.conftest import PATIENCE_S, Bench
from tests.preview_app.raster.pdfs import RED, PdfPage, make_pdf

PDF = make_pdf([PdfPage().rectangle(0, 0, 200, 100, RED) for _ in range(6)])


def stop(pid: int) -> None:
    """Freeze a worker, as a PDF would that hangs it."""
    os.kill(pid, signal.SIGSTOP)


def resume(pid: int) -> None:
    os.kill(pid, signal.SIGCONT)


def kill(pid: int) -> None:
    """Kill a worker and wait until the system knows, without reaping it."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def unexpected(error: RasterError) -> None:
    pytest.fail(repr(error))


def worker_of(bench: Bench) -> int:
    (pid,) = bench.pool.worker_pids
    return pid


def test_visible_pages_come_before_thumbnails_and_those_before_neighbours(bench: Bench) -> None:
    document = bench.open(PDF)
    stop(worker_of(bench))
    order: list[int] = []
    for page, lane in enumerate([Lane.LOW, Lane.LOW, Lane.NORMAL, Lane.HIGH, Lane.CRITICAL, Lane.CRITICAL]):
        done: Callable[[Any], None] = lambda pixels: order.append(pixels.page)  # noqa: E731 - one for each
        document.render(page, 1.0, lane=lane, done=done, failed=unexpected)
    resume(worker_of(bench))
    bench.settle()
    assert order == [0, 4, 5, 3, 2, 1]


def test_an_answer_never_comes_from_inside_the_question(bench: Bench) -> None:
    document = bench.open(PDF)
    answers = [bench.ask(document.render, 0, 1.0), bench.ask(bench.pool.open, b"nothing")]
    document.close()
    answers.append(bench.ask(document.render, 0, 1.0))
    assert not any(answer.there for answer in answers)
    bench.settle()
    bench.until(lambda: answers[1].there and answers[2].there)
    assert not answers[0].there, "closing a document cancels what was asked"
    assert [answer.errors[0].kind for answer in answers[1:]] == ["corrupt", "closed"]


def test_what_a_callback_asks_for_is_served(bench: Bench) -> None:
    document = bench.open(PDF)
    pages: list[int] = []

    def next_page(pixels: Any) -> None:
        pages.append(pixels.page)
        if pixels.page < 5:
            document.render(pixels.page + 1, 1.0, lane=Lane.CRITICAL, done=next_page, failed=unexpected)

    document.render(0, 1.0, lane=Lane.CRITICAL, done=next_page, failed=unexpected)
    bench.settle()
    assert pages == [0, 1, 2, 3, 4, 5]


def test_the_same_question_is_drawn_once(bench: Bench) -> None:
    document = bench.open(PDF)
    answers = [bench.ask(document.render, 1, 1.5) for _ in range(3)]
    bench.settle()
    assert answers[0].values[0] is answers[1].values[0] is answers[2].values[0]
    assert bench.pool.statistics().lanes[Lane.CRITICAL].completed == 2
    assert bench.pool.statistics().lanes[Lane.CRITICAL].joined == 2


def test_a_queued_request_is_cancelled_at_once(bench: Bench) -> None:
    document = bench.open(PDF)
    stop(worker_of(bench))
    first, second = bench.ask(document.render, 0, 1.0), bench.ask(document.render, 1, 1.0)
    assert second.task is not None
    second.task.cancel()
    second.task.cancel()
    assert bench.pool.statistics().lanes[Lane.CRITICAL].waiting == 0
    resume(worker_of(bench))
    bench.settle()
    assert first.values
    assert not second.there


def test_a_running_request_is_cancelled_between_bands(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(cancel_grace_s=PATIENCE_S)
    document = bench.open(PDF)
    stop(worker_of(bench))
    large = bench.ask(document.render, 0, 30.0)
    assert large.task is not None
    large.task.cancel()
    following = bench.ask(document.render, 1, 1.0)
    resume(worker_of(bench))
    bench.settle()
    assert following.values
    assert not large.there
    assert bench.pool.statistics().starts == 1, "its worker was not killed"


def test_a_worker_that_does_not_stop_is_killed_for_what_waits(bench: Bench) -> None:
    document = bench.open(PDF)
    stop(worker_of(bench))
    stuck = bench.ask(document.render, 0, 1.0)
    assert stuck.task is not None
    stuck.task.cancel()
    assert bench.wait(bench.ask(document.render, 1, 1.0)).page == 1
    assert not stuck.there
    assert bench.pool.statistics().starts == 2


def test_a_page_that_hangs_its_worker_fails_at_the_deadline_and_the_next_one_is_drawn(
    make_bench: Callable[..., Bench],
) -> None:
    bench = make_bench(deadline_s=0.2)
    document = bench.open(PDF)
    stop(worker_of(bench))
    stuck, following = bench.ask(document.render, 0, 1.0), bench.ask(document.render, 1, 1.0)
    with pytest.raises(RasterError, match="too long") as failed:
        bench.wait(stuck)
    assert (failed.value.kind, failed.value.passing) == ("crashed", False)
    assert bench.wait(following).page == 1


def test_a_crash_fails_one_request_and_everything_else_goes_on(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(workers=2)
    bench.until(lambda: bench.pool.statistics().workers_ready == 2)
    victim, other = bench.open(PDF), bench.open(make_pdf([PdfPage()]))
    bench.get(victim.render, 0, 1.0)
    pids = bench.pool.worker_pids
    stop(pids[0])
    running, waiting, elsewhere = (
        bench.ask(victim.render, 1, 1.0),
        bench.ask(victim.render, 2, 1.0),
        bench.ask(other.render, 0, 1.0),
    )
    assert bench.wait(elsewhere).width == 200
    kill(pids[0])
    with pytest.raises(RasterError) as failed:
        bench.wait(running)
    assert failed.value.kind == "crashed"
    assert bench.wait(waiting).page == 2
    assert bench.get(victim.render, 1, 1.0).page == 1
    bench.until(lambda: bench.pool.statistics().workers_ready == 2)
    assert pids[1] in bench.pool.worker_pids
    assert pids[0] not in bench.pool.worker_pids


def test_a_worker_that_dies_idle_fails_nobody(bench: Bench) -> None:
    document = bench.open(PDF)
    bench.settle()
    kill(worker_of(bench))
    assert bench.get(document.render, 3, 1.0).page == 3
    kill(worker_of(bench))
    bench.until(lambda: bench.pool.statistics().workers_ready == 1 and bench.pool.statistics().starts == 3)
    assert bench.get(document.render, 4, 1.0).page == 4
    assert bench.pool.statistics().lanes[Lane.CRITICAL].crashed == 0


def test_a_crash_while_opening_fails_the_opening(bench: Bench) -> None:
    bench.until(lambda: bench.pool.statistics().workers_ready == 1)
    stop(worker_of(bench))
    opening = bench.ask(bench.pool.open, PDF)
    kill(worker_of(bench))
    with pytest.raises(RasterError) as failed:
        bench.wait(opening)
    assert failed.value.kind == "crashed"
    assert bench.pool.statistics().documents == 0
    assert len(bench.open(PDF).pages) == 6


def test_an_opening_can_be_cancelled(bench: Bench) -> None:
    opening = bench.ask(bench.pool.open, PDF)
    assert opening.task is not None
    opening.task.cancel()
    opening.task.promote(Lane.CRITICAL)
    assert bench.pool.statistics().documents == 0
    bench.settle()
    assert not opening.there
    document = bench.ask(bench.pool.open, PDF)
    bench.wait(document)
    assert document.task is not None
    document.task.cancel()  # too late: the document stays open
    assert bench.get(document.values[0].render, 0, 1.0).width == 200


def test_many_documents_take_turns_in_few_workers(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(workers=2)
    documents = [bench.open(make_pdf([PdfPage(100 + number, 50)])) for number in range(5)]
    answers = [bench.ask(document.render, 0, 1.0) for _ in range(2) for document in documents]
    bench.settle()
    assert [answer.values[0].width for answer in answers] == [100, 101, 102, 103, 104] * 2


def test_more_than_may_wait_is_refused(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(queue_capacity=2)
    document = bench.open(PDF)
    answers = [bench.ask(document.render, page, 1.0) for page in range(6)]
    bench.settle()
    bench.until(lambda: all(answer.there for answer in answers))
    assert [len(answer.values) for answer in answers] == [1, 1, 1, 0, 0, 0]
    assert {answer.errors[0].kind for answer in answers[3:]} == {"busy"}


def test_a_callback_that_raises_changes_nothing_for_others(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    document = bench.open(PDF)

    def broken(pixels: object) -> None:
        raise RuntimeError("a bug of the caller")

    document.render(0, 1.0, lane=Lane.HIGH, done=broken, failed=unexpected)
    joined = bench.ask(document.render, 0, 1.0, lane=Lane.HIGH)
    bench.settle()
    assert joined.values
    assert bench.pool.statistics().reply_errors == 1
    assert "a bug of the caller" in caplog.text


def test_closing_fails_what_is_asked_and_leaves_no_process(bench: Bench) -> None:
    document = bench.open(PDF)
    pids = bench.pool.worker_pids
    stop(worker_of(bench))
    answers = [bench.ask(document.render, page, 1.0) for page in range(3)]
    bench.pool.close()
    bench.pool.close()
    assert [answer.errors[0].kind for answer in answers] == ["closed"] * 3
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert bench.pool.idle
    late = bench.ask(document.render, 0, 1.0)
    later = bench.ask(bench.pool.open, PDF)
    bench.until(lambda: late.there and later.there)
    assert late.errors[0].kind == later.errors[0].kind == "closed"
    document.close()


def test_closing_from_a_callback_is_allowed(bench: Bench) -> None:
    document = bench.open(PDF)
    document.render(0, 1.0, lane=Lane.CRITICAL, done=lambda _: bench.pool.close(), failed=unexpected)
    following = bench.ask(document.render, 1, 1.0)
    bench.until(lambda: following.there)
    assert following.errors[0].kind == "closed"


def test_idle_is_told_once(bench: Bench) -> None:
    document = bench.open(PDF)
    told: list[bool] = []
    bench.ask(document.render, 0, 1.0)
    bench.pool.when_idle(lambda: told.append(bench.pool.idle))
    assert told == []
    bench.settle()
    bench.until(lambda: bool(told))
    bench.get(document.render, 1, 1.0)
    assert told == [True]


def test_workers_can_be_started_before_there_is_a_loop() -> None:
    settings = PoolSettings(workers=2)
    processes = prestart(settings)
    with SelectLoop() as loop:
        pool = RasterPool(loop, settings, prestarted=processes)
        try:
            assert sorted(pool.worker_pids) == sorted(process.pid for process in processes)
            assert pool.statistics().starts == 2
            assert loop.run_until(lambda: pool.statistics().workers_ready == 2, PATIENCE_S)
        finally:
            pool.close()


def test_it_runs_on_asyncio() -> None:
    async def draw() -> tuple[tuple[PageSize, ...], int]:
        loop = asyncio.get_running_loop()
        pool = RasterPool(AsyncioLoop(loop), PoolSettings(workers=1))
        try:
            opened: asyncio.Future[TextDocument] = loop.create_future()
            pool.open(PDF, lane=Lane.CRITICAL, opened=opened.set_result, failed=opened.set_exception)
            document = await opened
            drawn: asyncio.Future[Any] = loop.create_future()
            document.render(2, 2.0, lane=Lane.HIGH, done=drawn.set_result, failed=drawn.set_exception)
            pixels = await drawn
            with pytest.raises(TypeError, match="when_idle"):
                pool.wait_for_idle(1.0)
            return document.pages, pixels.width
        finally:
            pool.close()

    pages, width = asyncio.run(asyncio.wait_for(draw(), PATIENCE_S))
    assert len(pages) == 6
    assert width == 400


HELLO = "import socket,json,sys; s=socket.socket(fileno=json.loads(sys.argv[1])['socket']); "
READY = HELLO + "b=b'{\"op\":\"ready\"}'; s.sendall(len(b).to_bytes(4,'big')+bytes(4)+b); s.recv(9999); "
LIARS = {
    "is silent and ends": HELLO,
    "speaks no frames": HELLO + "s.sendall(b'\\xff'*4096); s.recv(1)",
    "says no hello": HELLO + "b=b'{}'; s.sendall(len(b).to_bytes(4,'big')+bytes(4)+b); s.recv(1)",
}


@pytest.mark.parametrize("program", LIARS.values(), ids=LIARS)
def test_workers_that_cannot_start_fail_what_waits_and_are_tried_again_when_asked(program: str) -> None:
    programs = [("-c", program)]

    def start(limits: WorkerLimits) -> WorkerProcess:
        return WorkerProcess(limits, *programs)

    with SelectLoop() as loop:
        pool = RasterPool(loop, PoolSettings(workers=1), start=start)
        bench = Bench(loop, pool)
        try:
            with pytest.raises(RasterError, match="cannot be started") as failed:
                bench.open(PDF)
            assert (failed.value.kind, failed.value.passing) == ("crashed", True)
            assert pool.statistics().starts == 3
            programs.clear()
            assert len(bench.open(PDF).pages) == 6
        finally:
            pool.close()


@pytest.mark.parametrize(
    "answer",
    [
        '{"id": 99, "ok": true}',
        '{"id": ID, "ok": "maybe"}',
        '{"id": ID, "ok": true}',
        '{"id": ID, "ok": true, "pages": [[1e999, 2]]}',
        "[]",
    ],
)
def test_an_answer_that_makes_no_sense_costs_the_worker_its_life(answer: str) -> None:
    read = READY.replace("s.recv(9999)", "d=s.recv(9999); i=str(json.loads(d[8:])['id'])")
    send = f"b='{answer}'.replace('ID', i).encode(); s.sendall(len(b).to_bytes(4,'big')+bytes(4)+b); s.recv(1)"
    program = ("-c", read + send)
    with SelectLoop() as loop:
        pool = RasterPool(loop, PoolSettings(workers=1), start=lambda limits: WorkerProcess(limits, program))
        bench = Bench(loop, pool)
        try:
            with pytest.raises(RasterError) as failed:
                bench.open(PDF)
            assert failed.value.kind == "crashed"
            bench.until(lambda: pool.statistics().starts >= 2)
        finally:
            pool.close()
