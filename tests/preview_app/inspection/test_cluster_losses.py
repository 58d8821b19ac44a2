"""What a run tells of files for which the cluster had no luck. The workers are frozen, so that nothing is done by
chance before they are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import dask
import pytest

from engines.base import ExportOptions
from engines.wasm.prepared import find
from preview_app.config import Config
from preview_app.inspection.cluster import ClusterError, ClusterRunner
from preview_app.inspection.cluster_wish import ClusterWish
from preview_app.inspection.cluster_worker import Order, decode_answer
from preview_app.inspection.inspect_one import InspectOptions
from preview_app.inspection.records import FileInspection
from tests.fakes import PATIENCE_S
from tests.preview_app.inspection.cluster_processes import TestCluster, cluster
from tests.preview_app.inspection.documents import docx
from tests.preview_app.inspection.test_inspection_command import paragraph

ORDER = Order(Config(), "wasm", ExportOptions(), 60.0)
Told = Queue[FileInspection | None]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[TestCluster]:
    if find() is None and not os.environ.get("CI"):
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    (tmp_path / "cluster").mkdir()
    with cluster(tmp_path / "cluster") as running, dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        yield running


@contextmanager
def runner_on(running: TestCluster, no_worker_s: float = 60.0) -> Iterator[tuple[ClusterRunner, Queue[str]]]:
    """A runner whose workers are frozen once it is connected, and what it says."""
    said: Queue[str] = Queue()
    with ClusterRunner(running.address, ORDER, say=said.put, no_worker_s=no_worker_s) as runner:
        for worker in running.workers:
            worker.process.send_signal(signal.SIGSTOP)
        try:
            yield runner, said
        finally:
            for worker in running.workers:
                worker.process.send_signal(signal.SIGCONT)


def document(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(docx(paragraph(name)))
    return path


@pytest.mark.wasm
def test_what_was_lost_twice_and_what_nobody_is_left_for(running: TestCluster, tmp_path: Path) -> None:
    running.add_worker()
    running.add_worker()
    told: dict[str, Told] = {"one": Queue(), "other": Queue(), "late": Queue()}
    with runner_on(running, no_worker_s=1.0) as (runner, said):
        for name in ("one", "other"):
            runner.submit(document(tmp_path, f"{name}.docx"), told[name].put)
        for _ in range(2):
            running.kill(running.workers[0])
            assert "is lost" in said.get(timeout=PATIENCE_S)
        records = [told[name].get(timeout=PATIENCE_S) for name in ("one", "other")]
        runner.submit(tmp_path / "late.docx", told["late"].put)
        late = told["late"].get(timeout=PATIENCE_S)
    assert sorted(record.outcome for record in records if record) == ["engine", "unavailable"]
    messages = {record.outcome: record.message for record in records if record}
    assert messages["engine"] == "Two workers of the cluster were lost while they had this file."
    assert messages["unavailable"] == "No worker of the cluster is left."
    assert late is not None
    assert late.outcome == "unavailable"
    assert [found.id for found in late.findings] == ["unavailable"]


@pytest.mark.wasm
def test_a_lost_scheduler_ends_a_run_and_is_told(running: TestCluster, tmp_path: Path) -> None:
    running.add_worker()
    told: Told = Queue()
    with runner_on(running) as (runner, _said):
        runner.submit(document(tmp_path, "one.docx"), told.put)
        running.scheduler.process.kill()
        record = told.get(timeout=PATIENCE_S)
    assert record is not None
    assert (record.outcome, record.message) == ("unavailable", "The connection with the scheduler is lost.")


@pytest.mark.wasm
def test_what_is_given_up_is_settled_at_once(running: TestCluster, tmp_path: Path) -> None:
    """Although the worker that has it does not answer."""
    worker = running.add_worker()
    told: Told = Queue()
    with runner_on(running) as (runner, _said):
        runner.submit(document(tmp_path, "one.docx"), told.put)
        runner.cancel()
        assert told.get(timeout=PATIENCE_S) is None
        runner.submit(tmp_path / "later.docx", told.put)
        assert told.get(timeout=PATIENCE_S) is None
        worker.process.send_signal(signal.SIGCONT)
    assert worker.children() == []


def test_a_scheduler_without_workers_is_told(running: TestCluster) -> None:
    with pytest.raises(ClusterError, match="has no worker"):
        ClusterRunner(running.address, ORDER)


def test_workers_that_cannot_work_are_told(running: TestCluster, tmp_path: Path) -> None:
    running.environment["DOCPEEK_CACHE_DIR"] = str(tmp_path / "empty")
    running.add_worker()
    said: Queue[str] = Queue()
    with pytest.raises(ClusterError, match="None of the 1 workers"):
        ClusterRunner(running.address, ORDER, say=said.put)
    assert "is not used: LibreOffice WASM is not prepared" in said.get(timeout=PATIENCE_S)


@pytest.mark.wasm
def test_workers_with_other_fonts_are_told_apart(running: TestCluster, tmp_path: Path) -> None:
    few = tmp_path / "fonts.conf"
    few.write_text("<fontconfig><dir>/no/such/folder</dir></fontconfig>", encoding="ascii")
    running.add_worker()
    running.add_worker(FONTCONFIG_FILE=str(few))
    said: list[str] = []
    options = InspectOptions(ORDER.export, ORDER.deadline_s)
    with ClusterWish(running.address).connect(ORDER.config, "wasm", options, said.append) as connected:
        assert connected.engine.name == "wasm"
    *workers, last = said
    assert len(workers) == 2, said
    assert all(text.startswith(f"1 worker of {running.address}: docpeek ") for text in workers)
    assert last.startswith("The workers differ")


@pytest.mark.parametrize(
    "answer", [b"", b"null\n", b"null\nnull\nnull\n", b'{"record":"run"}\nnull\n', b"\xff\nnull\n"]
)
def test_an_answer_that_is_none_is_refused(answer: bytes) -> None:
    with pytest.raises(ValueError, match=r"no answer|no record|codec"):
        decode_answer(answer, 2)
