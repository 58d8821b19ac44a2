"""Opening documents, by one reader or many, on a real Jupyter Server."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest

from engines.errors import EngineError, ErrorKind
from preview_app.jupyter import opening
from tests.fakes import FakeEngine, Gate
from tests.preview_app.jupyter.server.borrowed import BorrowedEngines
from tests.preview_app.jupyter.server.client import Client, phase, until
from tests.preview_app.raster.pdfs import PdfPage, make_pdf


async def test_a_document_is_opened_and_shown(client: Client) -> None:
    path = client.write("notes/lettre à moi.txt", "hello\fsecond page")
    events = await client.events(path)
    phases = [event["phase"] for event in events if event["event"] == "phase"]
    assert events[0]["event"] == "accepted"
    assert phases[0] == "preparing"
    assert [phase for phase in phases if phase not in ("preparing", "waiting")] == [
        "reading",
        "screening",
        "converting",
        "checking",
        "opening",
    ]
    document = events[-1]["document"]
    assert document["path"] == path
    assert document["name"] == "lettre à moi.txt"
    assert document["pages"] == [[200, 100], [200, 100]]
    assert (document["engine"], document["type"]["id"], document["protected"]) == ("fake", "txt", False)
    assert document["claimed_suffix_differs"] is False
    picture = await client.of(document, "/pages/2.png", params={"dpi": "144"})
    assert (picture.code, picture.headers["Content-Type"]) == (200, "image/png")
    assert int.from_bytes(picture.body[16:20], "big") == 400


async def test_the_same_file_has_the_same_id_and_is_converted_once(client: Client, fake_engine: FakeEngine) -> None:
    path, twin = client.write("a.txt", "same"), client.write("b.txt", "same")
    first, again, other = [await client.open(name) for name in (path, path, twin)]
    assert first["id"] == again["id"] != other["id"]
    assert again["from_cache"] is other["from_cache"] is True
    assert len(fake_engine.converted) == 1
    assert len(client.service.documents) == 2
    assert client.service.machinery.machines.pool.statistics().documents == 1  # type: ignore[union-attr]
    assert (await client.of({**first, "path": twin})).code == 410, "an id opens nothing but its own path"


async def test_ten_readers_at_once_get_their_documents(client: Client, fake_engine: FakeEngine) -> None:
    names = [client.write(f"{number}.txt", f"document {number % 5}") for number in range(10)]
    documents = await asyncio.gather(*(client.open(name) for name in names))
    pictures = await asyncio.gather(*(client.of(document, "/pages/1.png") for document in documents))
    assert [picture.code for picture in pictures] == [200] * 10
    assert len({picture.body for picture in pictures}) == 5
    assert len(fake_engine.converted) == 5


async def test_twenty_readers_wait_in_line_and_none_is_refused(client: Client, fake_engine: FakeEngine) -> None:
    kits = [fake_engine.kit(text, gate=Gate()) for text in ("one", "two")]
    running = [asyncio.ensure_future(client.open(client.write(f"{text}.txt", text))) for text in ("one", "two")]
    await until(lambda: fake_engine.live_kits == 2)
    async with AsyncExitStack() as streams:
        names = [client.write(f"{number}.txt", f"document {number}") for number in range(20)]
        waiting = [await streams.enter_async_context(client.stream(name)) for name in names]
        converter = client.service.machinery.machines.converter  # type: ignore[union-attr]
        await until(lambda: converter.statistics().waiting == 20)
        for kit in kits:
            kit.gate.open()
        assert {[event async for event in events][-1]["event"] for events in waiting} == {"ready"}
    await asyncio.gather(*running)


async def test_a_dropped_connection_gives_up_its_own_reader_only(client: Client, fake_engine: FakeEngine) -> None:
    kit = fake_engine.kit("shared", gate=Gate())
    path = client.write("shared.txt", "shared")
    async with client.stream(path) as leaving:
        await phase(leaving, "converting")
        staying = asyncio.ensure_future(client.open(path))
        await until(lambda: len(client.service._openings) == 2)
        converter = client.service.machinery.machines.converter  # type: ignore[union-attr]
        await until(lambda: converter.statistics().readers == 2)
    await until(lambda: converter.statistics().readers == 1)
    assert len(client.service._openings) == 1
    kit.gate.open()
    assert (await staying)["pages"]
    assert fake_engine.converted == ["\ufeffshared"]


async def test_the_last_reader_that_drops_ends_the_conversion(client: Client, fake_engine: FakeEngine) -> None:
    fake_engine.kit("alone", gate=Gate())
    async with client.stream(client.write("alone.txt", "alone")) as events:
        await phase(events, "converting")
    await until(lambda: fake_engine.live_kits == 0)
    await until(lambda: not client.service._openings)
    assert not len(client.service.documents)


async def test_a_ticket_tells_how_far_it_is_and_gives_up(client: Client, fake_engine: FakeEngine) -> None:
    fake_engine.kit("held", gate=Gate())
    async with client.stream(client.write("held.txt", "held")) as events:
        ticket = (await anext(events))["ticket"]
        await phase(events, "converting")
        status = json.loads((await client.ask(f"tickets/{ticket}")).body)
        assert (status["phase"], status["settled"]) == ("converting", False)
        assert (await client.ask(f"tickets/{ticket}/extend", method="POST")).code == 204
        assert (await client.ask(f"tickets/{ticket}", method="DELETE")).code == 204
        last = [event async for event in events][-1]
        assert (last["event"], last["error"]["kind"]) == ("failed", "cancelled")
    assert (await client.ask(f"tickets/{ticket}")).code == 410


async def test_silence_is_broken_for_proxies(
    client: Client, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "HEARTBEAT_S", 0.001)
    kit = fake_engine.kit("slow", gate=Gate())
    async with client.stream(client.write("slow.txt", "slow")) as events:
        first = await phase(events, "converting")
        second = await phase(events, "converting")
        assert second["elapsed_s"] >= first["elapsed_s"]
        kit.gate.open()
        assert [event async for event in events][-1]["event"] == "ready"


@pytest.mark.parametrize("settings", [{"large_file_bytes": 100, "source_bytes_max": 1000}])
async def test_a_large_file_is_asked_about_and_a_huge_one_refused(client: Client) -> None:
    large, huge = client.write("large.txt", "x" * 200), client.write("huge.txt", "x" * 1001)
    assert await client.events(large) == [{"event": "large", "source_bytes": 200}]
    assert (await client.open(large, anyway=True))["source_bytes"] == 200
    error = await client.failure(huge, anyway=True)
    assert (error["kind"], error["fault"], error["retry"]) == ("limit", "document", False)
    assert "1000" in error["message"]


async def test_what_is_no_document_is_said_and_the_next_one_opens(client: Client, fake_engine: FakeEngine) -> None:
    fake_engine.kit("bad", ends_with=EngineError(ErrorKind.ENGINE, "It crashed."))
    for name, data, kind, fault in (
        ("empty.docx", b"", "empty", "document"),
        ("noise.docx", bytes(range(256)) * 8, "unsupported", "document"),
        ("cut.docx", b"PK\3\4" + bytes(100), "corrupt", "document"),
        ("bad.txt", b"bad", "engine", "engine"),
    ):
        error = await client.failure(client.write(name, data))
        assert (error["kind"], error["fault"]) == (kind, fault), name
        assert error["message"]
    assert await client.open(client.write("good.txt", "good"))


async def test_a_broken_engine_names_the_others(client: Client, fake_engine: FakeEngine) -> None:
    other = FakeEngine("second", "g2")
    other.kits = fake_engine.kits.__class__()
    client.service.machinery._source = BorrowedEngines((fake_engine, other), unprepared=False)
    fake_engine.kit("text", ends_with=EngineError(ErrorKind.ENGINE, "It crashed."))
    path = client.write("a.txt", "text")
    error = await client.failure(path)
    assert (error["engine"], error["other_engines"], error["retry"]) == ("fake", ["second"], True)
    document = await client.open(path, engine="second")
    assert (document["engine"], document["other_engines"]) == ("second", ["fake"])
    assert (await client.failure(path, engine="third"))["kind"] == "unavailable"
    damaged = await client.failure(client.write("cut.docx", b"PK\3\4" + bytes(100)))
    assert damaged["kind"] == "corrupt"
    assert "other_engines" not in damaged, "it was refused before an engine had it"


async def test_a_changed_file_is_noticed_and_the_old_pages_stay(client: Client) -> None:
    path = client.write("a.txt", "old")
    old = await client.open(path)
    assert json.loads((await client.of(old)).body)["changed"] is False
    client.write("a.txt", "newer")
    assert json.loads((await client.of(old)).body)["changed"] is True
    new = await client.open(path)
    assert new["id"] != old["id"]
    assert json.loads((await client.of(new)).body)["changed"] is False
    assert (await client.of(old, "/pages/1.png")).code == (await client.of(new, "/pages/1.png")).code == 200
    (client.root / path).unlink()
    assert (await client.of(new, "/pages/1.png")).code == 404


async def test_a_file_that_changes_while_it_waits_is_not_shown(client: Client, fake_engine: FakeEngine) -> None:
    kits = [fake_engine.kit(text, gate=Gate()) for text in ("one", "two")]
    running = [asyncio.ensure_future(client.open(client.write(f"{text}.txt", text))) for text in ("one", "two")]
    await until(lambda: fake_engine.live_kits == 2)
    async with client.stream(client.write("third.txt", "before")) as events:
        assert (await phase(events, "waiting"))["phase"] == "waiting"
        client.write("third.txt", "after it was admitted")
        for kit in kits:
            kit.gate.open()
        last = [event async for event in events][-1]
    assert last["error"]["kind"] == "changed"
    await asyncio.gather(*running)


@pytest.mark.parametrize("settings", [{"documents_max": 2}])
async def test_an_evicted_document_is_gone_and_opens_again(client: Client) -> None:
    names = [client.write(f"{number}.txt", f"text {number}") for number in range(3)]
    documents = [await client.open(name) for name in names]
    for what in ("", "/pages/1.png", "/pages/1/text", "/outline", "/pdf", "/facts"):
        gone = await client.of(documents[0], what)
        assert (gone.code, json.loads(gone.body)["kind"]) == (410, "gone"), what
    assert (await client.of(documents[2], "/pages/1.png")).code == 200
    assert (await client.open(names[0]))["id"] == documents[0]["id"]


@pytest.mark.parametrize("settings", [{"documents_max": 2}])
async def test_what_its_reader_has_given_back_goes_first(client: Client) -> None:
    older, newer = [await client.open(client.write(f"{text}.txt", text)) for text in ("older", "newer")]
    assert (await client.of(newer, method="DELETE")).code == 204
    await client.open(client.write("third.txt", "third"))
    assert [(await client.of(document)).code for document in (older, newer)] == [200, 410]


async def test_prefetching_makes_the_next_document_ready(client: Client, fake_engine: FakeEngine) -> None:
    path = client.write("next.txt", "next")
    ahead = await client.open(path, lane="low")
    then = await client.open(path)
    assert then["id"] == ahead["id"]
    assert then["from_cache"] is True
    assert fake_engine.converted == ["\ufeffnext"]


@pytest.mark.parametrize("settings", [{"prefetch": False}])
async def test_without_prefetching_it_is_refused(client: Client) -> None:
    path = client.write("next.txt", "next")
    error = await client.failure(path, lane="low")
    assert (error["kind"], error["fault"]) == ("busy", "load")
    assert await client.open(path)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"path": 1}',
        b'{"path": "a.txt", "lane": "fast"}',
        b'{"path": "a.txt", "passwrod": "secret"}',
        b'{"path": "' + b"x" * 70_000 + b'"}',
    ],
    ids=["empty", "list", "no path", "no text", "no string", "lane", "misspelled", "long"],
)
async def test_a_request_that_is_not_understood_is_refused(client: Client, body: bytes) -> None:
    response = await client.ask("documents", method="POST", body=body)
    told: dict[str, Any] = json.loads(response.body)
    assert (response.code, told["kind"], told["fault"]) == (400, "bad_request", "caller")
    assert "secret" not in response.body.decode()


async def test_a_password_opens_a_document_for_its_reader_alone(
    client: Client, caplog: pytest.LogCaptureFixture, fake_engine: FakeEngine
) -> None:
    path = client.write("locked.pdf", make_pdf([PdfPage().text(20, 40, "private", 12)], password="se-cret"))
    locked = await client.failure(path)
    assert (locked["kind"], locked["fault"], locked["retry"]) == ("encrypted", "document", False)
    assert (await client.failure(path, password="wrong"))["kind"] == "bad_password"
    mine, yours = [await client.open(path, password="se-cret") for _ in range(2)]
    assert mine["protected"] is yours["protected"] is True
    assert mine["engine"] is None
    assert mine["id"] != yours["id"]
    assert (await client.of(mine, "/pages/1.png")).headers["Cache-Control"] == "no-store"
    converter = client.service.machinery.machines.converter  # type: ignore[union-attr]
    assert (converter.statistics().cached_pdfs, converter.statistics().aliases) == (0, 0)
    assert (await client.of(mine, method="DELETE")).code == 204
    assert [(await client.of(document)).code for document in (mine, yours)] == [410, 200]
    assert (await client.failure(path))["kind"] == "encrypted"
    assert "se-cret" not in caplog.text
    assert fake_engine.converted == []
