"""`docpeek inspect --scheduler` with a real scheduler, two real workers and the real engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engines.wasm.prepared import find
from preview_app.inspection.jsonl import read_records
from preview_app.inspection.records import End, FileInspection, Run
from tests.preview_app.inspection.cluster_processes import Program, TestCluster, cluster
from tests.preview_app.inspection.documents import docx
from tests.preview_app.inspection.test_inspection_command import inspect, paragraph, timeless

pytestmark = pytest.mark.wasm
COUNT = 12


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if find() is None and not os.environ.get("CI"):
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    config = tmp_path_factory.mktemp("settings") / "config.toml"
    config.write_text('engine = "wasm"\n', encoding="utf-8")
    return os.environ | {"DOCPEEK_CONFIG": str(config)}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Iterator[TestCluster]:
    """Two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), environment) as running:
        running.add_worker()
        running.add_worker()
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, a copy of one of them, and no document."""
    folder = tmp_path_factory.mktemp("documents")
    for number in range(COUNT):
        (folder / f"{number:02}.docx").write_bytes(docx(paragraph(f"Document {number}.")))
    (folder / "copy.docx").write_bytes((folder / "03.docx").read_bytes())
    (folder / "noise.docx").write_bytes(bytes(range(256)) * 8)
    return folder


@pytest.fixture(scope="module")
def local(environment: dict[str, str], folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run on this machine alone."""
    report = tmp_path_factory.mktemp("local") / "local.jsonl"
    assert inspect(environment, folder, "--fail-on", "none", "--jsonl", report).status == 0
    return report


def nothing_is_left_on(worker: Program) -> bool:
    _gone, alive = psutil.wait_procs(worker.children(), timeout=20)
    return not alive


def test_the_records_are_those_of_a_local_run(
    pair: TestCluster, environment: dict[str, str], folder: Path, local: Path, tmp_path: Path
) -> None:
    report = tmp_path / "cluster.jsonl"
    ran = inspect(environment, folder, "--scheduler", pair.address, "--jsonl", report)
    assert ran.status == 1, "noise.docx is no document"
    assert f"2 workers of {pair.address}: docpeek " in ran.stderr
    assert timeless(report) == timeless(local)
    (copy,) = (record for record in read_records(report) if isinstance(record, FileInspection) and record.duplicate_of)
    assert copy.duplicate_of == str(folder / "03.docx")
    for worker in pair.workers:
        worker.wait_for("Removing Worker plugin docpeek-")
        assert nothing_is_left_on(worker)


def test_a_folder_that_the_workers_have_elsewhere(
    pair: TestCluster, environment: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.symlink_to(folder)
    names = ("00.docx", "01.docx", "gone.docx")
    for name in names:
        (here / name).write_bytes(docx(paragraph(f"Something else: {name}.")))
    (here / "00.docx").write_bytes((folder / "00.docx").read_bytes())
    ran = inspect(environment, here, "--json", "--scheduler", pair.address, "--workers-root", f"{here}={there}")
    assert [(record["file"], record["outcome"]) for record in ran.records] == [
        (str(here / "00.docx"), "ok"),
        (str(here / "01.docx"), "changed"),
        (str(here / "gone.docx"), "not_found"),
    ]


def started(environment: dict[str, str], *arguments: object) -> subprocess.Popen[bytes]:
    """A run that has told its first record."""
    command = [sys.executable, "-m", "preview_app", "inspect", "--json", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"{")
    return process


def test_an_interrupted_run_leaves_the_workers_clean(
    pair: TestCluster, environment: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.jsonl"
    with started(environment, folder, "--scheduler", pair.address, "--jsonl", report) as process:
        process.send_signal(signal.SIGINT)
        _out, told = process.communicate(timeout=60)
    assert process.returncode == 130, told.decode()
    assert b"Interrupted: " in told
    first, *files, last = read_records(report)
    assert isinstance(first, Run)
    assert isinstance(last, End)
    assert last.interrupted
    assert 1 <= len(files) < COUNT
    assert all(nothing_is_left_on(worker) for worker in pair.workers)


@pytest.fixture
def mortal(tmp_path: Path, environment: dict[str, str]) -> Iterator[TestCluster]:
    """Two workers that a test may kill."""
    (tmp_path / "cluster").mkdir()
    with cluster(tmp_path / "cluster", environment) as running:
        running.add_worker()
        running.add_worker()
        yield running


def test_a_lost_worker_costs_no_record(
    mortal: TestCluster, environment: dict[str, str], folder: Path, local: Path, tmp_path: Path
) -> None:
    """Killed while it converts: its files go to the other one, and to one that comes later; its engine goes with it."""
    report = tmp_path / "report.jsonl"
    arguments = (folder, "--scheduler", mortal.address, "--fail-on", "none", "--jsonl", report)
    with started(environment, *arguments) as process:
        orphans = mortal.kill(mortal.workers[0])
        mortal.add_worker()
        _out, told = process.communicate(timeout=100)
    assert process.returncode == 0, told.decode()
    assert b"is lost; its files go to others" in told
    assert orphans, "it was at work"
    assert psutil.wait_procs(orphans, timeout=20)[1] == []
    assert timeless(report) == timeless(local)


def test_a_scheduler_that_is_not_there(environment: dict[str, str], folder: Path) -> None:
    quick = environment | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    ran = inspect(quick, folder, "--scheduler", "tcp://127.0.0.1:1")
    assert ran.status == 8
    assert "tcp://127.0.0.1:1 cannot be reached" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--scheduler", "tcp://127.0.0.1:1", "--password-file", "-"], "is not sent to a cluster"),
        (["--scheduler", "tcp://127.0.0.1:1", "--workers-root", "/here"], "HERE=THERE"),
        (["--workers-root", "/here=/there"], "--scheduler names"),
    ],
)
def test_wrong_usage(environment: dict[str, str], folder: Path, options: list[str], told: str) -> None:
    ran = inspect(environment, folder, *options)
    assert (ran.status, told in " ".join(ran.stderr.split())) == (2, True), ran.stderr
