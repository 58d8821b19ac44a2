"""Files that are not on this machine: read through the contents manager, when there is room, and never on the loop."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from tests.fakes import FakeEngine, Gate
from tests.preview_app.jupyter.server.client import Client, phase, until
from tests.preview_app.jupyter.server.memory_manager import MemoryManager, OldMemoryManager

HERE = "tests.preview_app.jupyter.server.memory_manager"
REMOTE = {"ServerApp": {"contents_manager_class": f"{HERE}.MemoryManager"}}
OLD = {"ServerApp": {"contents_manager_class": f"{HERE}.OldMemoryManager"}}

pytestmark = pytest.mark.filterwarnings("ignore:The synchronous ContentsManager:DeprecationWarning")


def manager(client: Client) -> Any:
    found = client.extension.serverapp.contents_manager  # type: ignore[union-attr]
    assert isinstance(found, MemoryManager | OldMemoryManager)
    return found


@pytest.mark.parametrize("settings", [dict(REMOTE), dict(OLD)], ids=["asynchronous", "blocking"])
async def test_a_remote_document_is_read_once_and_only_for_its_conversion(
    client: Client, fake_engine: FakeEngine
) -> None:
    files = manager(client)
    files.put("bucket/a.txt", b"remote \xc3\xa9")
    document = await client.open("bucket/a.txt")
    assert fake_engine.converted == ["\ufeffremote é"]
    assert (document["source_bytes"], document["modified"]) == (9, "1970-01-01T00:00:01+00:00")
    for what in ("", "/pages/1.png", "/pages/1/text", "/pdf", "/facts"):
        assert (await client.of(document, what)).code == 200
    assert await client.open("bucket/a.txt")
    assert [path for path, content, _ in files.calls if content] == ["bucket/a.txt"]
    assert [path for path, content, _ in files.calls if not content] == ["bucket/a.txt"] * 7
    assert json.loads((await client.of(document)).body)["changed"] is False
    files.put("bucket/a.txt", b"newer")
    assert json.loads((await client.of(document)).body)["changed"] is True
    assert (await client.open("bucket/a.txt"))["id"] != document["id"]


@pytest.mark.parametrize("settings", [dict(REMOTE), dict(OLD)], ids=["asynchronous", "blocking"])
async def test_what_a_remote_place_refuses_is_said(client: Client) -> None:
    manager(client).put(".hidden.txt", b"text")
    for path, code, kind in (
        ("missing.txt", 404, "not_found"),
        (".hidden.txt", 404, "not_found"),
        ("forbidden/a.txt", 403, "not_allowed"),
        ("broken/a.txt", 503, "unavailable"),
    ):
        answer = await client.ask("documents", method="POST", body=json.dumps({"path": path}))
        told = json.loads(answer.body)
        assert (answer.code, told["kind"]) == (code, kind), path
    assert told["retry"] is True


@pytest.mark.parametrize("settings", [REMOTE | {"source_bytes_max": 50}])
async def test_what_is_larger_than_it_said_is_not_kept(client: Client, fake_engine: FakeEngine) -> None:
    files = manager(client)
    files.put("big.txt", b"x" * 51)
    assert (await client.failure("big.txt"))["kind"] == "limit"
    assert not [path for path, content, _ in files.calls if content], "it was refused by its size alone"
    files.put("grows.txt", b"x" * 40)
    files.gate = Gate()
    async with client.stream("grows.txt") as events:
        await phase(events, "reading")
        files.put("grows.txt", b"x" * 400)
        files.gate.open()
        last = [event async for event in events][-1]
    assert last["error"]["kind"] in ("limit", "changed")
    assert fake_engine.converted == []


@pytest.mark.parametrize("settings", [OLD])
async def test_a_manager_that_blocks_does_not_hold_the_loop_and_is_called_one_call_at_a_time(client: Client) -> None:
    files = manager(client)
    files.put("a.txt", b"text")
    files.gate = Gate()
    openings = [asyncio.ensure_future(client.open("a.txt")) for _ in range(3)]
    await until(lambda: files.gate.arrivals == 1)
    assert (await client.ask("about")).code == 200
    assert files.gate.arrivals == 1
    files.gate.open()
    assert len({document["id"] for document in await asyncio.gather(*openings)}) == 1
    assert {thread for _, _, thread in files.calls}.isdisjoint({threading.get_ident()})
    assert len({thread for _, _, thread in files.calls}) == 1


@pytest.mark.parametrize("settings", [REMOTE | {"remote_read_seconds": 0.1}])
async def test_a_place_that_does_not_answer_is_given_up(client: Client) -> None:
    files = manager(client)
    files.put("a.txt", b"text")
    files.gate = Gate()
    assert (await client.failure("a.txt"))["kind"] == "timeout"
    files.gate.open()
    assert await client.open("a.txt")


@pytest.mark.parametrize("settings", [dict(REMOTE)])
async def test_shutdown_ends_a_read_that_waits(client: Client) -> None:
    files = manager(client)
    files.put("a.txt", b"text")
    files.gate = Gate()
    async with client.stream("a.txt") as events:
        await phase(events, "reading")
        await until(lambda: files.gate.arrivals == 1)
        await client.extension.stop_extension()
        assert [event async for event in events][-1]["event"] == "failed"
    files.gate.open()


@pytest.mark.parametrize("settings", [{"read_directly": False}])
async def test_a_local_root_may_be_read_through_the_contents_manager_too(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    assert (document["source_bytes"], document["pages"]) == (4, [[200, 100]])
