"""What every test shares: no display, nothing left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

REPOSITORY = Path(__file__).resolve().parent.parent


def _children() -> list[psutil.Process]:
    """Our descendants, but for the tracker that Python starts once with the first block of shared memory."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "resource_tracker" not in " ".join(_command(child))]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _new(known: set[int]) -> list[psutil.Process]:
    """Descendants that are neither known nor below a known one (an engine that a whole run shares has new kits)."""
    found = []
    for child in _children():
        try:
            lineage = {child.pid, *(parent.pid for parent in child.parents())}
        except psutil.NoSuchProcess:
            continue
        if not lineage & known:
            found.append(child)
    return found


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """After each test no process, zombies included, and no thread is there that was not there before it."""
    children, threads = {child.pid for child in _children()}, set(threading.enumerate())
    yield
    _gone, alive = psutil.wait_procs(_new(children), timeout=2)
    names = [(process.pid, process.name(), process.status()) for process in alive]
    assert not names, f"processes left behind: {names}"
    others = [thread for thread in threading.enumerate() if thread not in threads]
    for thread in others:
        thread.join(2)
    running = [thread.name for thread in others if thread.is_alive()]
    assert not running, f"threads left behind: {running}"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real documents; the test is skipped where it is absent."""
    folder = Path(os.environ.get("DOCPEEK_CORPUS", REPOSITORY.parent / "shared" / "corpus"))
    if not (folder / "MANIFEST.tsv").is_file():
        pytest.skip(f"the corpus of real documents is not at {folder} (set DOCPEEK_CORPUS)")
    return folder
