"""Every real document, through the whole service: the outcome that the manifest accepts, and nothing left of it."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from converter.errors import ConversionError
from converter.request import Locator, Request, Source
from converter.service import Converter
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.corpus, pytest.mark.wasm]

CORPUS = Path(os.environ.get("DOCPEEK_CORPUS", REPOSITORY.parent / "shared" / "corpus"))
_WORDS = {"encrypted": "password", "bad_password": "password"}


def _rows() -> list[tuple[str, set[str]]]:
    manifest = CORPUS / "MANIFEST.tsv"
    if not manifest.is_file():
        return []
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["file"], set(row["accept"].split(","))) for row in rows]


ROWS = _rows()
SLOW = {"html-txt/unst-book-war-and-peace-1225p.txt"}
"""Half a minute for one document: `make test-corpus`. What is long about it is tried on its beginning below."""
PARAMETERS = [pytest.param(*row, marks=[pytest.mark.slow] if row[0] in SLOW else [], id=row[0]) for row in ROWS]


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("file", "accepted"), PARAMETERS or [pytest.param("none", {""}, id="none")])
def test_outcome(file: str, accepted: set[str], corpus: Path, converter: Converter) -> None:
    got = _outcome(converter, corpus / file)
    assert _WORDS.get(got, got) in accepted


def _outcome(converter: Converter, file: Path) -> str:
    ticket = converter.open(Locator.of(file))
    try:
        conversion = ticket.result(170)
    except ConversionError as error:
        return error.outcome.value if error.message.endswith(".") else f"no sentence: {error.message}"
    return "converts" if conversion.pages >= 1 and conversion.pdf.startswith(b"%PDF-") else "no PDF"


@pytest.mark.parametrize("file", sorted(SLOW))
def test_the_beginning_of_a_long_text_has_all_its_pages(file: str, corpus: Path, converter: Converter) -> None:
    text = (corpus / file).read_bytes()[:200_000]
    source = Source("beginning.txt", len(text), None, lambda _capacity: (text, None))
    conversion = converter.submit(Request(source)).result(170)
    assert conversion.pages > 50
    assert not conversion.truncated


def test_the_manifest_was_read(corpus: Path) -> None:
    assert len(ROWS) > 90, f"too few documents in {corpus}"
