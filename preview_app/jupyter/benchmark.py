"""How fast a server shows documents to many users at once, and what it costs in memory.

A real Jupyter Server with this extension alone runs in a process of its own; users are connections to it. Each document
is a copy of a sample that no cache knows. A user's time runs from its request to the last byte of the first page's
picture. Memory is proportional (PSS): what processes share is counted once.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPResponse

from engines.assets import assets_dir
from preview_app.console import Console
from preview_app.jupyter.routes import PREFIX

_START_S = 60.0
_REQUEST_S = 120.0
_LOOK_S = 0.1
_BROWSER_S = 3.0
"""What a browser needs to load JupyterLab: nobody can click earlier."""
_KINDS = {"engines.zygote": "engine", "docpeek-zygote": "engine", "docpeek-kit": "engine", "raster.worker": "renderers"}

Figures = dict[str, Any]


class Server:
    """A running server and the way to ask it."""

    def __init__(self, folder: Path, port: int, token: str, process: psutil.Process) -> None:
        self.folder = folder
        self.process = process
        self._url = f"http://127.0.0.1:{port}"
        self._headers = {"Authorization": f"token {token}"}
        self._client = AsyncHTTPClient(force_instance=True, max_clients=100)
        self._copies = 0

    async def ask(self, route: str, *, prefix: str = PREFIX, **options: Any) -> HTTPResponse:
        """An answer; raises for errors."""
        return await self._client.fetch(
            f"{self._url}/{prefix}/{route}", headers=self._headers, request_timeout=_REQUEST_S, **options
        )

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def copy(self, sample: Path) -> str:
        """A document that has never been seen: a sample with another comment in its archive."""
        self._copies += 1
        name = f"{self._copies}{sample.suffix}"
        shutil.copy(sample, self.folder / name)
        with zipfile.ZipFile(self.folder / name, "a") as archive:
            archive.comment = secrets.token_bytes(16)
        return name

    async def open(self, name: str) -> Figures:
        """A document, ready."""
        answer = await self.ask("documents", method="POST", body=json.dumps({"path": name}))
        last = json.loads(answer.body.splitlines()[-1])
        if last["event"] != "ready":
            raise RuntimeError(f"{name}: {last}")
        document: Figures = last["document"]
        return document

    async def page(self, document: Figures, number: int = 1) -> float:
        """Seconds to a page's picture."""
        begun = time.perf_counter()
        await self.ask(f"documents/{document['id']}/pages/{number}.png?path={quote(document['path'])}")
        return time.perf_counter() - begun

    async def first_page(self, name: str) -> float:
        """Seconds from the click to the first page."""
        begun = time.perf_counter()
        await self.page(await self.open(name))
        return time.perf_counter() - begun

    def memory_mib(self) -> dict[str, float]:
        """MiB of the server, the engine and the renderers."""
        found = {"server": 0.0, "engine": 0.0, "renderers": 0.0}
        for process in (self.process, *self.process.children(recursive=True)):
            try:
                kind = "server" if process == self.process else _kind(process)
                found[kind] += process.memory_full_info().pss / (1 << 20)
            except psutil.Error:
                continue
        return {kind: round(mib, 1) for kind, mib in found.items()}


def _kind(process: psutil.Process) -> str:
    command = " ".join([process.name(), *process.cmdline()])
    return next((kind for mark, kind in _KINDS.items() if mark in command), "engine")


def run(rounds: int, users: int, engine: str, console: Console) -> int:
    """Measure and print; gives the exit status."""
    figures = asyncio.run(measure(rounds, users, engine, console))
    console.result(figures, as_text(figures))
    return 0


async def measure(rounds: int, users: int, engine: str, console: Console) -> Figures:
    """Everything, on servers of its own."""
    samples = sample_documents()
    figures: Figures = {"rounds": rounds, "users": users, "engine": engine}
    with running(extension=False) as server:
        await until_up(server)
        figures["memory_without_docpeek_mib"] = server.memory_mib()["server"]
    console.say("the first document of a server that has started nothing")
    with running(f"--DocpeekExtension.engine={engine}", "--DocpeekExtension.start_ahead=False") as server:
        await until_up(server)
        figures["first_use_s"] = round(await server.first_page(server.copy(samples[0])), 3)
    with running(f"--DocpeekExtension.engine={engine}") as server:
        await until_up(server)
        await asyncio.sleep(_BROWSER_S)
        figures["first_use_started_ahead_s"] = round(await server.first_page(server.copy(samples[0])), 3)
        figures["memory_ready_mib"] = server.memory_mib()
        figures.update(await crowds(server, samples, rounds, users, console))
    return figures


def sample_documents() -> list[Path]:
    """Documents that can be told apart by a comment in their archive."""
    return sorted(path for path in (assets_dir() / "samples").iterdir() if path.suffix in (".docx", ".xlsx", ".pptx"))


async def crowds(server: Server, samples: Sequence[Path], rounds: int, users: int, console: Console) -> Figures:
    """One user and many, on a server that is ready."""
    figures: Figures = {}
    for name, title in (
        ("alone", "one user"),
        ("distinct", f"{users} users"),
        ("same", f"{users} users, one document"),
    ):
        console.say(title)
        times = []
        for number in range(rounds):
            sample = samples[number % len(samples)]
            times += await _crowd(server, name, samples if name == "distinct" else [sample], users)
        figures[f"{name}_s"] = _spread(times)
    console.say(f"{users} users who scroll")
    figures["scroll_alone_ms"], figures["scroll_ms"] = await _scrolling(server, samples, users)
    console.say("memory")
    figures["memory_peak_mib"] = await _peak(server, samples, users)
    figures["memory_after_mib"] = server.memory_mib()
    return figures


async def _crowd(server: Server, name: str, samples: Sequence[Path], users: int) -> list[float]:
    if name == "alone":
        return [await server.first_page(server.copy(samples[0]))]
    if name == "same":
        paths = [server.copy(samples[0])] * users
    else:
        paths = [server.copy(samples[number % len(samples)]) for number in range(users)]
    return list(await asyncio.gather(*map(server.first_page, paths)))


async def _scrolling(server: Server, samples: Sequence[Path], users: int) -> tuple[Figures, Figures]:
    """Milliseconds to a page, for one user and for each of many who look at documents of their own."""
    documents = [await server.open(server.copy(samples[number % len(samples)])) for number in range(users)]

    async def scroll(document: Figures) -> list[float]:
        pages = range(1, len(document["pages"]) + 1)
        return [await server.page(document, number) for _ in range(3) for number in pages]

    alone = await scroll(documents[0])
    crowd = await asyncio.gather(*map(scroll, documents))
    both = alone, [seconds for times in crowd for seconds in times]
    first, second = (_spread([seconds * 1000 for seconds in times], 1) for times in both)
    return first, second


async def _peak(server: Server, samples: Sequence[Path], users: int) -> dict[str, float]:
    """The most memory while many open documents; apart from the times, since looking costs some."""
    crowd = asyncio.ensure_future(_crowd(server, "distinct", samples, users))
    found = []
    while not crowd.done():
        found.append(await asyncio.to_thread(server.memory_mib))
        await asyncio.sleep(_LOOK_S)
    await crowd
    return max(found, key=lambda each: sum(each.values()))


async def until_up(server: Server) -> None:
    """Wait until it answers. Raises what its last silence was."""
    deadline = time.monotonic() + _START_S
    while True:
        try:
            await server.ask("status", prefix="api")
        except OSError:
            if time.monotonic() > deadline or not server.process.is_running():
                raise
            await asyncio.sleep(0.05)
        else:
            return


@contextmanager
def running(*options: str, extension: bool = True) -> Iterator[Server]:
    """A server in a folder of its own, with this extension and no other."""
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as place:
        folder, token, port = Path(place) / "root", secrets.token_hex(16), _free_port()
        folder.mkdir()
        command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1"]
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]
        command += [f"--ServerApp.jpserver_extensions=preview_app.jupyter={extension}", *options]
        names = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
        settings = {name: f"{place}/{folder_name}" for name, folder_name in names.items()}
        environment = {**os.environ, **settings, "JUPYTER_NO_CONFIG": "1", "JUPYTER_TOKEN": token}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            server = Server(folder, port, token, psutil.Process(process.pid))
            try:
                yield server
            finally:
                server.close()
                process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _spread(values: Sequence[float], digits: int = 3) -> Figures:
    ordered = {"median": statistics.median(values), "max": max(values)}
    return {name: round(value, digits) for name, value in ordered.items()}


def as_text(figures: Figures) -> str:
    """The figures as lines for a person."""
    users = figures["users"]
    lines = [f"seconds from the click to the first page, engine {figures['engine']}, {figures['rounds']} rounds"]
    for name, title in (
        ("first_use_s", "first document of a server that has started nothing"),
        ("first_use_started_ahead_s", f"first document {_BROWSER_S:g} s after the server's start"),
    ):
        lines.append(f"  {title:<56}{figures[name]:>8}")
    for name, title in (
        ("alone", "one user"),
        ("distinct", f"{users} users at once, {users} documents"),
        ("same", f"{users} users at once, one document"),
    ):
        spread = figures[f"{name}_s"]
        lines.append(f"  {title:<56}{spread['median']:>8}   slowest {spread['max']}")
    lines.append("milliseconds to a page while scrolling")
    for name, title in (("scroll_alone_ms", "one user"), ("scroll_ms", f"{users} users, {users} documents")):
        lines.append(f"  {title:<56}{figures[name]['median']:>8}   slowest {figures[name]['max']}")
    lines.append(f"MiB (PSS); the server without docpeek: {figures['memory_without_docpeek_mib']}")
    for name, title in (("ready", "ready, one document open"), ("peak", "at the peak"), ("after", "at the end")):
        found = figures[f"memory_{name}_mib"]
        parts = ", ".join(f"{kind} {mib}" for kind, mib in found.items())
        lines.append(f"  {title:<30}{round(sum(found.values()), 1):>8}   {parts}")
    return "\n".join(lines)
