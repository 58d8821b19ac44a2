"""One worker process seen from outside: its end, its memory, what it says to nonsense."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from preview_app.benchmark_documents import long_pdf
from preview_app.raster.buffers import Buffers
from preview_app.raster.process import WorkerGoneError, WorkerLimits, WorkerProcess
from preview_app.raster.protocol import Frame, ProtocolError, encode
from preview_app.raster.source import Source, share
from tests.preview_app.raster.conftest import PATIENCE_S
from tests.preview_app.raster.pdfs import PdfPage, make_pdf


@pytest.fixture
def worker(no_descriptor_left: None) -> Iterator[WorkerProcess]:
    """A worker that has said hello."""
    process = WorkerProcess(WorkerLimits())
    try:
        assert next_frame(process).head == {"op": "ready"}
        yield process
    finally:
        process.reap()


def next_frame(process: WorkerProcess) -> Frame:
    """The next frame that comes; one at a time, because every request waits for its answer."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        select.select([process], [], [], max(0.0, end - time.monotonic()))
        frames = process.receive()
        if frames:
            (frame,) = frames
            return frame
    raise AssertionError("no answer")


def ask(process: WorkerProcess, *, pdf: bytes | None = None, **head: object) -> Frame:
    source = Source.of(pdf, None, shared_memory=True) if pdf is not None else None
    process.send({"id": 1, **head}, pdf_fd=source.fd if source else -1)
    if source:
        source.close()
    return next_frame(process)


@pytest.mark.parametrize(
    "data",
    [b"\xff" * 64, b"\0\0\0\2\0\0\0\0[]", encode({"op": "open", "id": 1, "fd": True})],
    ids=["noise", "no object", "no descriptor"],
)
def test_a_worker_ends_when_it_is_told_nonsense(worker: WorkerProcess, data: bytes) -> None:
    worker._socket.send(data)
    with pytest.raises(WorkerGoneError):
        next_frame(worker)
    assert worker._process.wait(PATIENCE_S) == 1


def test_a_request_without_sense_is_refused_and_the_worker_lives(worker: WorkerProcess) -> None:
    assert ask(worker, op="render", page=0, scale=1).head["kind"] == "closed"
    assert ask(worker, op="open", pdf=make_pdf([PdfPage()])).head["ok"] is True
    for head in ({"op": "surprise"}, {"op": "render"}, {"op": "render", "page": 77, "scale": 1}, {}):
        answer = ask(worker, **head).head
        assert answer["ok"] is False
        assert answer["kind"] == "corrupt"
    assert ask(worker, op="render", page=0, scale=1).head["ok"] is True


def test_a_worker_ends_when_its_socket_does(worker: WorkerProcess) -> None:
    pid = worker.pid
    worker._socket.close()
    assert worker._process.wait(PATIENCE_S) == 0
    assert not psutil.pid_exists(pid)


def test_a_worker_has_no_descriptor_of_ours_but_its_own(worker: WorkerProcess) -> None:
    targets = {os.readlink(link) for link in Path(f"/proc/{worker.pid}/fd").iterdir()}
    expected = {"/dev/null", "/memfd:docpeek-pixels (deleted)", f"/proc/{worker.pid}/statm"}
    assert {target.split(":[")[0] for target in targets} - expected == {"socket", "pipe"}


def test_a_worker_ignores_the_interrupt_key_and_is_in_a_session_of_its_own(worker: WorkerProcess) -> None:
    os.kill(worker.pid, signal.SIGINT)
    assert ask(worker, op="count", pdf=make_pdf([PdfPage()] * 3)).head["count"] == 3
    assert os.getsid(worker.pid) == worker.pid


def test_the_memory_that_pixels_come_through_cannot_be_made_smaller(worker: WorkerProcess) -> None:
    link = f"/proc/{worker.pid}/fd/"
    (slot,) = [link + name for name in os.listdir(link) if "docpeek-pixels" in os.readlink(link + name)]
    fd = os.open(slot, os.O_RDWR)
    try:
        with pytest.raises(PermissionError):
            os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def test_a_pdf_that_was_handed_over_cannot_be_changed() -> None:
    fd = share(b"%PDF-")
    try:
        with pytest.raises(PermissionError):
            os.pwrite(fd, b"x", 0)
        with pytest.raises(PermissionError):
            os.ftruncate(fd, 1)
    finally:
        os.close(fd)


@pytest.mark.parametrize("size", [-1, 1 << 40, "8", None, 2.5])
def test_a_payload_of_an_impossible_size_is_refused(worker: WorkerProcess, size: object) -> None:
    with pytest.raises(ProtocolError):
        worker.payload(Frame({"bytes": size}), Buffers())


def test_memory_that_a_huge_page_took_is_given_back(worker: WorkerProcess) -> None:
    ask(worker, op="open", pdf=make_pdf([PdfPage(1000, 1000)]))
    answer = ask(worker, op="render", page=0, scale=5)
    assert len(worker.payload(answer, Buffers())) == 100_000_000
    (slot,) = [entry for entry in psutil.Process().memory_maps(grouped=False) if "docpeek-pixels" in entry.path]
    assert slot.rss <= 40 << 20


def test_a_worker_forgets_when_it_grows_beyond_its_budget() -> None:
    process = WorkerProcess(WorkerLimits(rss_bytes_max=1))
    try:
        next_frame(process)
        ask(process, op="open", pdf=make_pdf([PdfPage().text(10, 50, "x")]))
        for _ in range(3):
            assert ask(process, op="render", page=0, scale=1).head["ok"] is True
    finally:
        process.reap()


def test_a_page_that_needs_more_memory_than_there_is_is_refused() -> None:
    process = WorkerProcess(WorkerLimits(memory_bytes_max=700 << 20))
    try:
        next_frame(process)
        photo = PdfPage()
        photo.content.append("q 90 0 0 90 0 0 cm BI /W 16000 /H 16000 /CS /RGB /BPC 8 /F /AHx ID 00> EI Q")
        ask(process, op="open", pdf=make_pdf([photo, PdfPage()]))
        answers = [ask(process, op="png", page=page, dpi=72).head for page in (0, 1)]
        assert [(answer["ok"], answer.get("kind")) for answer in answers] == [(False, "limit"), (True, None)]
    finally:
        process.reap()


PARENT = """
import os, signal, sys
import psutil
from preview_app.raster.process import WorkerLimits, WorkerProcess
from preview_app.raster.source import share
worker = WorkerProcess(WorkerLimits())
worker.send({"id": 1, "op": "open"}, pdf_fd=share(sys.stdin.buffer.read()))
worker.send({"id": 2, "op": "render", "page": 0, "scale": 1})
opened = 0
while opened < 2:
    opened += len(worker.receive())
process = psutil.Process(worker.pid)
begun = process.cpu_times().user
while process.cpu_times().user < begun + 0.3:
    process.cpu_percent(0.01)
print(worker.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_dies_with_its_parent_even_while_it_draws() -> None:
    pdf = make_pdf([PdfPage(600, 800).curves(60_000)])
    done = subprocess.run(
        [sys.executable, "-c", PARENT], input=pdf, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    try:
        orphan = psutil.Process(int(done.stdout))
    except psutil.NoSuchProcess:
        return
    orphan.wait(PATIENCE_S / 10)


def test_a_worker_at_rest_keeps_nothing_of_documents_that_are_closed(worker: WorkerProcess) -> None:
    pdf = long_pdf(pages=2, lines=1)
    process = psutil.Process(worker.pid)

    def look_at(times: int) -> int:
        for _ in range(times):
            ask(worker, op="open", pdf=pdf)
            assert ask(worker, op="render", page=1, scale=1).head["ok"] is True
        ask(worker, op="close")
        return int(process.memory_full_info().uss)

    first = look_at(1)
    # Nothing it says tells that it has tidied up: it does so when nothing is asked for a while.
    end, most = time.monotonic() + PATIENCE_S, look_at(25)
    while (now := process.memory_full_info().uss) > first + (16 << 20) and time.monotonic() < end:
        select.select([worker], [], [], 0.05)
    assert most > first + (32 << 20), "MuPDF keeps the pictures of pages"
    assert now <= first + (16 << 20)
