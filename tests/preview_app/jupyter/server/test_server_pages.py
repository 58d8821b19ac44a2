"""What is asked of open documents: pictures, text, search, outline, PDF, facts, about, source."""

from __future__ import annotations

import io
import json
import tarfile
from typing import Any

import pytest

from preview_app import __version__
from preview_app.jupyter import source_archive
from tests.fakes import FakeEngine
from tests.preview_app.jupyter.server.client import Client
from tests.preview_app.raster.pdfs import RED, PdfPage, make_pdf


@pytest.fixture
def pages(fake_engine: FakeEngine) -> FakeEngine:
    """The text `pages` becomes three pages with text, links and an outline."""
    pdf = [
        PdfPage().text(20, 40, "The quick brown fox", 12),
        PdfPage(300, 150).rectangle(10, 10, 100, 50, RED).text(20, 100, "A fox again, and a FOX", 12),
        PdfPage().text(20, 40, "Nothing", 12),
    ]
    pdf[0].link((20, 30, 60, 42), "https://example.org/a")
    pdf[0].link((70, 30, 90, 42), "javascript:alert(1)")
    pdf[0].link((100, 30, 120, 42), 1)
    fake_engine.kit("pages", pdf=make_pdf(pdf, outline=[("One", 0), ("Two", 1)]))
    return fake_engine


async def _document(client: Client) -> dict[str, Any]:
    return await client.open(client.write("pages.txt", "pages"))


def _size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


async def test_pictures_at_any_resolution_in_part_and_at_night(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)
    for params, size in (
        ({}, (400, 200)),
        ({"dpi": "72"}, (300, 150)),
        ({"dpi": "72", "dpr": "1.5"}, (450, 225)),
        ({"dpi": "72", "tile": "0,0,50,25"}, (50, 25)),
        ({"dpi": "144", "tile": "250,100,400,400", "lane": "low"}, (100, 100)),
    ):
        picture = await client.of(document, "/pages/2.png", params=params)
        assert (picture.code, _size(picture.body)) == (200, size), params
    day = await client.of(document, "/pages/2.png")
    night = await client.of(document, "/pages/2.png", params={"night": "1"})
    assert day.body != night.body
    assert day.headers["ETag"] != night.headers["ETag"]
    assert day.headers["Cache-Control"] == "private, no-cache"


async def test_what_the_browser_has_is_not_sent_again(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)
    for what in ("/pages/1.png", "/pages/1/text", "/outline", "/pdf"):
        first = await client.of(document, what)
        known = {"headers": {"If-None-Match": first.headers["ETag"]}}
        again = await client.of(document, what, **known)
        assert (first.code, again.code, again.body) == (200, 304, b""), what
        assert again.headers["ETag"] == first.headers["ETag"]
    other = await client.of(document, "/pages/2.png", headers={"If-None-Match": '"something"'})
    assert other.code == 200


WRONG: list[tuple[str, dict[str, str], int, str]] = [
    ("/pages/4.png", {}, 404, "not_found"),
    ("/pages/0.png", {}, 404, "not_found"),
    ("/pages/1.png", {"dpi": "nan"}, 400, "bad_request"),
    ("/pages/1.png", {"dpi": "-1"}, 400, "bad_request"),
    ("/pages/1.png", {"dpi": "1000", "dpr": "2"}, 400, "bad_request"),
    ("/pages/1.png", {"dpr": "x"}, 400, "bad_request"),
    ("/pages/1.png", {"tile": "1,2,3"}, 400, "bad_request"),
    ("/pages/1.png", {"tile": "5,5,1,1"}, 400, "bad_request"),
    ("/pages/1.png", {"tile": "0,0,inf,nan"}, 400, "bad_request"),
    ("/pages/1.png", {"tile": "900,900,990,990"}, 400, "bad_request"),
    ("/pages/1.png", {"night": "yes"}, 400, "bad_request"),
    ("/pages/1.png", {"lane": "fast"}, 400, "bad_request"),
    ("/pages/1.png", {"dpi": "1200"}, 413, "limit"),
    ("/search", {}, 400, "bad_request"),
    ("/search", {"q": "  "}, 400, "bad_request"),
    ("/search", {"q": "x" * 1001}, 400, "bad_request"),
    ("/search", {"q": "x", "from": "4"}, 400, "bad_request"),
    ("/search", {"q": "x", "case": "2"}, 400, "bad_request"),
]


@pytest.mark.parametrize("settings", [{"image_pixels_max": 1_000_000}])
async def test_what_is_asked_wrongly_is_said(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)
    for what, params, code, kind in WRONG:
        answer = await client.of(document, what, params=params)
        assert (answer.code, json.loads(answer.body)["kind"]) == (code, kind), (what, params)


async def test_text_links_and_outline_count_pages_from_one(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)
    text = json.loads((await client.of(document, "/pages/1/text")).body)
    (line,) = text["lines"]
    assert line["text"].strip() == "The quick brown fox"
    assert len(line["edges"]) == len(line["text"]) + 1
    assert (line["vertical"], line["block"]) == (False, 0)
    assert [link.get("uri") or link["page"] for link in text["links"]] == ["https://example.org/a", 2]
    outline = json.loads((await client.of(document, "/outline")).body)
    assert [(entry["level"], entry["title"], entry["page"]) for entry in outline["entries"]] == [
        (1, "One", 1),
        (1, "Two", 2),
    ]


async def test_search_goes_round_from_where_one_is(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)

    async def search(**params: str) -> list[dict[str, Any]]:
        answer = await client.of(document, "/search", params=params)
        return [json.loads(line) for line in answer.body.splitlines()]

    found = await search(q="fox")
    assert [line.get("page") for line in found] == [1, 2, None]
    assert [len(line["hits"]) for line in found[:2]] == [1, 2]
    assert found[-1] == {"done": True, "hits": 3, "truncated": False}
    assert [line.get("page") for line in await search(q="fox", **{"from": "2"})] == [2, 1, None]
    assert (await search(q="FOX", case="1"))[-1]["hits"] == 1
    assert (await search(q="fo", words="1"))[-1]["hits"] == 0


async def test_a_pdf_is_downloaded_whole_or_in_ranges(client: Client, pages: FakeEngine) -> None:
    document = await client.open(client.write("naïve plan.txt", "pages"))
    whole = await client.of(document, "/pdf")
    assert whole.body == pages.kits["pages"].pdf
    assert whole.headers["Content-Disposition"] == "attachment; filename*=UTF-8''na%C3%AFve%20plan.txt.pdf"
    size, etag = len(whole.body), whole.headers["ETag"]

    async def part(header: str, **more: str) -> tuple[int, bytes, str | None]:
        answer = await client.of(document, "/pdf", headers={"Range": header, **more})
        return answer.code, answer.body, answer.headers.get("Content-Range")

    assert await part("bytes=5-9") == (206, whole.body[5:10], f"bytes 5-9/{size}")
    assert await part("bytes=-7") == (206, whole.body[-7:], f"bytes {size - 7}-{size - 1}/{size}")
    assert await part(f"bytes={size - 1}-", **{"If-Range": etag}) == (
        206,
        whole.body[-1:],
        f"bytes {size - 1}-{size - 1}/{size}",
    )
    assert await part("bytes=5-9", **{"If-Range": '"other"'}) == (200, whole.body, None)
    assert await part("bytes=0-1,4-5") == (200, whole.body, None)
    assert await part(f"bytes={size}-") == (416, b"", f"bytes */{size}")
    head = await client.of(document, "/pdf", method="HEAD")
    assert (head.code, head.body, head.headers["Content-Length"]) == (200, b"", str(size))


async def test_facts_are_those_of_the_command_line(client: Client, pages: FakeEngine) -> None:
    document = await _document(client)
    facts = json.loads((await client.of(document, "/facts")).body)
    assert facts["docpeek"] == __version__
    assert (facts["file"], facts["type"], facts["pages"], facts["bytes"]) == ("pages.txt", "txt", 3, 5)
    assert facts["page_sizes_pt"] == [
        {"width": 200, "height": 100, "pages": 2},
        {"width": 300, "height": 150, "pages": 1},
    ]
    assert facts["generation"] == document["generation"] == "g1"


async def test_about_says_what_this_is_and_offers_its_source(client: Client, pages: FakeEngine) -> None:
    about = json.loads((await client.ask("about")).body)
    assert (about["name"], about["version"], about["licence"]) == ("docpeek", __version__, "AGPL-3.0-or-later")
    assert (about["state"], about["engines"], about["prefetch"]) == ("idle", [], True)
    assert about["limits"]["source_bytes_max"] == 64 << 20
    await _document(client)
    about = json.loads((await client.ask("about")).body)
    assert about["state"] == "ready"
    assert [(engine["name"], engine["in_use"]) for engine in about["engines"]] == [("fake", True)]
    assert about["source"].endswith("/docpeek/api/v1/source")
    source = await client.ask("source")
    assert source.headers["Content-Type"] == "application/gzip"
    with tarfile.open(fileobj=io.BytesIO(source.body)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "preview_app/jupyter/routes.py", "converter/service.py", "engines/select.py"} <= names
    assert not [name for name in names if "__pycache__" in name or "node_modules" in name]
    assert source.body == source_archive.source_archive()


@pytest.mark.parametrize("settings", [{"source_url": "https://example.org/docpeek"}])
async def test_the_source_may_be_somewhere_else(client: Client) -> None:
    source = await client.ask("source")
    assert (source.code, source.headers["Location"]) == (302, "https://example.org/docpeek")
    assert json.loads((await client.ask("about")).body)["source"] == "https://example.org/docpeek"
