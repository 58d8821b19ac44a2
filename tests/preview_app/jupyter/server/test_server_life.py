"""When things start, that the event loop never waits, and that nothing is left at the end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from engines.base import CancelToken
from engines.errors import EngineError, ErrorKind
from preview_app.config import Config
from preview_app.jupyter.engine_source import Engines, Report
from preview_app.jupyter.extension import DocpeekExtension
from tests.fakes import FakeEngine, Gate
from tests.preview_app.jupyter.server.borrowed import BorrowedEngines
from tests.preview_app.jupyter.server.client import Client, phase, until


def _memory_files() -> int:
    """Descriptors of shared memory that this process holds."""
    links = [os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    return sum("memfd:docpeek" in link for link in links)


async def test_a_conversion_does_not_hold_the_loop(client: Client, fake_engine: FakeEngine) -> None:
    kit = fake_engine.kit("slow", gate=Gate())
    opening = asyncio.ensure_future(client.open(client.write("slow.txt", "slow")))
    await asyncio.to_thread(kit.gate.wait_for_arrivals)
    assert (await client.ask("about")).code == 200
    assert await client.open(client.write("other.txt", "another document"))
    kit.gate.open()
    assert (await opening)["pages"]


async def test_drawing_does_not_hold_the_loop(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    machines = client.service.machinery.machines
    assert machines is not None
    (worker,) = machines.pool.worker_pids
    os.kill(worker, signal.SIGSTOP)
    try:
        picture = asyncio.ensure_future(client.of(document, "/pages/1.png"))
        await until(lambda: not machines.pool.idle)
        assert (await client.ask("about")).code == 200
        assert not picture.done()
    finally:
        os.kill(worker, signal.SIGCONT)
    assert (await picture).code == 200


async def test_a_client_that_scrolls_on_withdraws_its_picture(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    machines = client.service.machinery.machines
    assert machines is not None
    (worker,) = machines.pool.worker_pids
    os.kill(worker, signal.SIGSTOP)
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        url = f"{client.base_url}docpeek/api/v1/documents/{document['id']}/pages/1.png?path=a.txt"
        head = f"GET {url} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {client.authorization}\r\n\r\n"
        writer.write(head.encode())
        await until(lambda: not machines.pool.idle)
        writer.close()
        await writer.wait_closed()
        await until(lambda: sum(lane.cancelled for lane in machines.pool.statistics().lanes.values()) == 1)
    finally:
        os.kill(worker, signal.SIGCONT)
    assert (await client.of(document, "/pages/1.png")).code == 200


async def test_a_crashed_renderer_is_replaced_and_nobody_notices(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    machines = client.service.machinery.machines
    assert machines is not None
    (worker,) = machines.pool.worker_pids
    os.kill(worker, signal.SIGKILL)
    assert (await client.of(document, "/pages/1.png")).code == 200


async def test_nothing_is_started_before_it_is_needed(client: Client, fake_engine: FakeEngine) -> None:
    before = set(psutil.Process().children(recursive=True))
    client.write("a.txt", "text")
    assert (await client.ask("about")).code == 200
    assert set(psutil.Process().children(recursive=True)) == before
    assert fake_engine.starts == 0


@pytest.mark.parametrize("settings", [{"start_ahead": True}])
async def test_it_starts_ahead_once_the_server_runs(client: Client, fake_engine: FakeEngine) -> None:
    await until(lambda: client.service.machinery.state == "ready")
    await until(lambda: fake_engine.starts > 0)
    assert (await client.events(client.write("a.txt", "text")))[1]["phase"] != "preparing"


@pytest.mark.parametrize("settings", [{"start_ahead": True, "unprepared": True}])
async def test_minutes_of_preparing_wait_for_somebody_who_wants_a_document(client: Client) -> None:
    await client.service.machinery.begin()
    assert client.service.machinery.state == "idle"
    assert await client.open(client.write("a.txt", "text"))


async def test_what_nobody_needs_ends_and_comes_back(client: Client) -> None:
    before = set(psutil.Process().children(recursive=True))
    machinery = client.service.machinery
    document = await client.open(client.write("a.txt", "text"))
    later = time.monotonic() + 10 * machinery._idle_s
    machinery.look(later)
    assert machinery.state == "ready", "a document is open"
    client.service.documents.close()
    machinery.look(later + machinery._idle_s / 2)
    assert machinery.state == "ready", "not for long enough"
    machinery.look(later + machinery._idle_s)
    assert machinery.state == "idle"
    assert (await client.of(document, "/pages/1.png")).code == 410
    assert (await client.open("a.txt"))["id"] == document["id"]
    await until(lambda: not machinery._ending)
    assert len(set(psutil.Process().children(recursive=True)) - before) == 2, "a renderer and the checker of PDFs"


async def test_shutdown_leaves_nothing_and_tells_those_who_wait(client: Client, fake_engine: FakeEngine) -> None:
    kit = fake_engine.kit("held", gate=Gate())
    before, files = set(psutil.Process().children(recursive=True)), _memory_files()
    document = await client.open(client.write("a.txt", "text"))
    assert (await client.of(document, "/pdf")).code == 200
    assert _memory_files() > files
    async with client.stream(client.write("held.txt", "held")) as events:
        await phase(events, "converting")
        await client.extension.stop_extension()
        last = [event async for event in events][-1]
    assert last["error"]["kind"] in ("closed", "cancelled")
    assert kit.gate.arrivals == 1
    assert set(psutil.Process().children(recursive=True)) == before
    assert _memory_files() == files
    assert not len(client.service.documents)
    closed = await client.ask("documents", method="POST", body=json.dumps({"path": "a.txt"}))
    assert (closed.code, json.loads(closed.body)["kind"]) == (503, "closed")
    assert json.loads((await client.ask("about")).body)["state"] == "closed"


class Preparing(BorrowedEngines):
    """Takes its time, until it is cancelled."""

    def __init__(self, engine: FakeEngine) -> None:
        super().__init__((engine,), unprepared=False)
        self.gate = Gate()

    def prepared(self, config: Config) -> bool:
        self.gate.pass_through()
        return True

    def make(self, config: Config, report: Report, cancel: CancelToken) -> Engines:
        revoke = cancel.on_cancel(self.gate.nudge)
        self.gate.pass_through(unless=lambda: cancel.cancelled)
        revoke()
        return super().make(config, report, cancel)


async def test_shutdown_during_the_start_leaves_nothing(client: Client, fake_engine: FakeEngine) -> None:
    client.service.machinery._source = preparing = Preparing(fake_engine)
    before = set(psutil.Process().children(recursive=True))
    async with client.stream(client.write("a.txt", "text")) as events:
        await anext(events)
        await asyncio.to_thread(preparing.gate.wait_for_arrivals)
        await client.extension.stop_extension()
        assert [event async for event in events][-1]["event"] == "failed"
    assert set(psutil.Process().children(recursive=True)) == before


async def test_shutdown_while_it_looks_for_engines_starts_nothing(client: Client, fake_engine: FakeEngine) -> None:
    client.service.machinery._source = looking = Preparing(fake_engine)
    before = set(psutil.Process().children(recursive=True))
    ahead = asyncio.ensure_future(client.service.machinery.begin())
    await asyncio.to_thread(looking.gate.wait_for_arrivals)
    closing = asyncio.ensure_future(client.extension.stop_extension())
    await until(lambda: client.service.machinery.state == "closed")
    looking.gate.open()
    await asyncio.gather(ahead, closing)
    assert client.service.machinery._starting is None
    assert set(psutil.Process().children(recursive=True)) == before


class Failing(BorrowedEngines):
    """Cannot be prepared."""

    def make(self, config: Config, report: Report, cancel: CancelToken) -> Engines:
        report("Fetching", 10.0)
        raise EngineError(ErrorKind.UNAVAILABLE, "There is no npm.")


async def test_a_start_that_failed_is_tried_again(client: Client) -> None:
    source = client.service.machinery._source
    client.service.machinery._source = Failing((), unprepared=False)
    path = client.write("a.txt", "text")
    events = await client.events(path)
    assert {"phase": "preparing", "message": "Fetching", "percent": 10.0}.items() <= events[1].items()
    assert (events[-1]["error"]["kind"], events[-1]["error"]["message"]) == ("unavailable", "There is no npm.")
    assert json.loads((await client.ask("about")).body)["state"] == "failed"
    client.service.machinery._source = source
    assert await client.open(path)


def test_every_setting_reaches_its_place() -> None:
    """A trait that nobody reads would be a promise that is not kept."""
    own = DocpeekExtension.class_own_traits(config=True)
    default = DocpeekExtension().server_settings()
    del own["metrics"]  # see below
    for name in own:
        value = getattr(DocpeekExtension(), name)
        other = (
            not value if isinstance(value, bool) else "wasm" if name == "engine" else "other" if value == "" else None
        )
        changed = DocpeekExtension(**{name: other if other is not None else _half(name, value)}).server_settings()
        assert changed != default, name


def _half(name: str, value: float) -> Any:
    return type(value)(value / 2) if value > 1 else 2


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="reserved_bytes_max"):
        DocpeekExtension(source_bytes_max=2, reserved_bytes_max=1).server_settings()


async def test_prometheus_sees_figures_as_long_as_the_server_runs(client: Client, jp_fetch: Any) -> None:
    async def figures() -> dict[str, float]:
        answer = await jp_fetch("metrics")
        lines = [line.rpartition(" ") for line in answer.body.decode().splitlines() if line.startswith("docpeek_")]
        return {name: float(value) for name, _, value in lines}

    assert await figures() == {"docpeek_documents": 0, "docpeek_documents_bytes": 0}
    for text in ("one", "two", "one"):
        await client.of(await client.open(client.write(f"{text}.txt", text)), "/pages/1.png")
    now = await figures()
    assert now["docpeek_documents"] == 2
    assert now['docpeek_readers_total{lane="critical",outcome="settled"}'] == 3
    assert (
        now['docpeek_cache_hits_total{kind="hits_by_source"}'] + now['docpeek_cache_hits_total{kind="hits_by_content"}']
        == 1
    )
    assert now["docpeek_conversion_seconds_count"] == now['docpeek_conversion_seconds_bucket{le="+Inf"}'] == 2
    assert now["docpeek_page_workers"] == 1
    await client.extension.stop_extension()
    assert await figures() == {}


@pytest.mark.parametrize("settings", [{"metrics": False}])
async def test_figures_can_be_kept_away(client: Client, jp_fetch: Any) -> None:
    assert b"docpeek_" not in (await jp_fetch("metrics")).body
