"""A Dask cluster of this machine, for tests: a scheduler and workers with one thread each, all of them processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Thread

import psutil

_PATIENCE_S = 60


class Program:
    """A running `dask scheduler` or `dask worker`, and the lines of its log."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], folder: Path) -> None:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
        )
        self.log: list[str] = []
        self._lines: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, text: str) -> str:
        """The next line of the log that holds this."""
        while (line := self._lines.get(timeout=_PATIENCE_S)) is not None:
            self.log.append(line)
            if text in line:
                return line
        raise AssertionError(f"{text!r} never came: {''.join(self.log)}")

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(_PATIENCE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join()
            assert self.process.stderr is not None
            self.process.stderr.close()


@dataclass
class TestCluster:
    __test__ = False

    address: str
    scheduler: Program
    folder: Path
    environment: dict[str, str]
    ends: ExitStack
    workers: list[Program] = field(default_factory=list)

    def add_worker(self, **environment: str) -> Program:
        scratch = self.folder / f"worker-{len(self.workers)}"
        arguments = ["worker", self.address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
        whole = [*arguments, "--local-directory", str(scratch)]
        worker = Program(whole, self.environment | environment, self.folder)
        self.ends.callback(worker.close)
        self.workers.append(worker)
        worker.wait_for("Registered to")
        return worker

    def kill(self, worker: Program) -> list[psutil.Process]:
        """Kill a worker without a warning; gives the processes that it had."""
        children = worker.children()
        worker.process.kill()
        self.workers.remove(worker)
        return children


@contextmanager
def cluster(folder: Path, environment: dict[str, str] | None = None) -> Iterator[TestCluster]:
    """A scheduler, to which a test adds workers; all are gone with the block."""
    env = {**os.environ, **(environment or {})}
    with ExitStack() as ends:
        arguments = ["scheduler", "--host", "127.0.0.1", "--port", "0"]
        scheduler = Program(arguments, env, folder)
        ends.callback(scheduler.close)
        scheduler.wait_for("Scheduler at")
        address = scheduler.log[-1].split()[-1]
        yield TestCluster(address, scheduler, folder, env, ends)
