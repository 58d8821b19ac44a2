"""The server on the real WASM engine: real documents, damaged ones, and those with a password."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.base import Engine
from engines.wasm.engine import WasmEngine
from tests.conftest import REPOSITORY
from tests.preview_app.jupyter.server.client import Client
from tests.real.conftest import wasm_engine  # noqa: F401

pytestmark = pytest.mark.wasm


@pytest.fixture
def engine(wasm_engine: WasmEngine) -> Engine:  # noqa: F811
    """The prepared engine, shared by the tests of this file."""
    return wasm_engine


async def test_real_documents_are_shown(client: Client) -> None:
    samples = {path.suffix: path for path in (REPOSITORY / "assets" / "samples").iterdir() if path.suffix != ".md"}
    for suffix, sample in sorted(samples.items()):
        document = await client.open(client.write(f"sample{suffix}", sample.read_bytes()))
        assert (document["engine"], document["type"]["id"]) == ("wasm", suffix[1:])
        picture = await client.of(document, f"/pages/{len(document['pages'])}.png", params={"dpr": "2"})
        assert picture.code == 200
        assert len(picture.body) > 5_000
        text = json.loads((await client.of(document, "/pages/1/text")).body)
        assert text["lines"]
    letter = await client.open("sample.docx")
    found = await client.of(letter, "/search", params={"q": "sandbox"})
    assert json.loads(found.body.splitlines()[-1])["hits"] >= 1
    printed = await client.open("sample.xlsx", print_layout=True)
    assert printed["print_layout"] is True
    assert printed["id"] != (await client.open("sample.xlsx"))["id"]


async def test_a_false_name_is_told_and_a_damaged_document_refused(client: Client) -> None:
    sample = (REPOSITORY / "assets" / "samples" / "welcome.docx").read_bytes()
    document = await client.open(client.write("table.xlsx", sample))
    assert document["claimed_suffix_differs"] is True
    assert document["notices"]
    error = await client.failure(client.write("cut.docx", sample[: len(sample) // 2]))
    assert (error["kind"], error["fault"], error["retry"]) == ("corrupt", "document", False)


@pytest.mark.corpus
async def test_a_password_opens_an_office_document(client: Client, corpus: Path) -> None:
    pytest.importorskip("msoffcrypto")
    locked = corpus / "password" / "gotenberg-protected_page_1.docx"
    path = client.write("locked.docx", locked.read_bytes())
    assert (await client.failure(path))["kind"] == "encrypted"
    assert (await client.failure(path, password="wrong"))["kind"] == "bad_password"
    document = await client.open(path, password="foo")
    assert (document["protected"], document["engine"], len(document["pages"])) == (True, "wasm", 1)
    assert (await client.of(document, "/pages/1.png")).code == 200
