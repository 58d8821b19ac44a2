"""Real documents, damaged real documents, and noise: always a verdict, and the right one where it is known."""

from __future__ import annotations

import csv
import functools
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.errors import EngineError
from engines.screening import examine
from engines.sniffing import notices_of_name
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.corpus

FOLDER = Path(os.environ.get("DOCPEEK_CORPUS", REPOSITORY.parent / "shared" / "corpus"))
REPRO = Path(os.environ.get("DOCPEEK_REPRO", REPOSITORY.parent / "shared" / "repro"))
OWN_BUDGET = settings(deadline=None, max_examples=150, derandomize=True, suppress_health_check=list(HealthCheck))


@functools.cache
def manifest() -> tuple[dict[str, str], ...]:
    """The rows of the manifest; none where there is no corpus."""
    if not (FOLDER / "MANIFEST.tsv").is_file():
        return ()
    with (FOLDER / "MANIFEST.tsv").open(encoding="utf-8", newline="") as rows:
        return tuple(csv.DictReader(rows, delimiter="\t"))


def verdict(data: bytes, name: str) -> str:
    """`converts` or the kind of the error; anything else that is raised fails the test."""
    try:
        examine(data, name)
    except EngineError as error:
        refused = error
    else:
        return "converts"
    assert len(refused.message) < 400
    assert refused.message.isprintable()
    return refused.kind.value


@pytest.mark.parametrize("row", manifest(), ids=lambda row: row["file"])
def test_each_document_gets_an_acceptable_verdict(row: dict[str, str]) -> None:
    if row["file"] == "password/poi-protect.xlsx":
        pytest.importorskip("msoffcrypto", reason="opening with Excel's default password takes the extra “crypto”")
    acceptable = row["accept"].replace("password", "encrypted").split(",")
    assert verdict((FOLDER / row["file"]).read_bytes(), row["file"]) in acceptable


def test_the_corpus_is_there(corpus: Path) -> None:
    assert len(manifest()) > 50


@pytest.mark.parametrize(
    ("name", "type_id", "notices"),
    [
        ("h1.html", "html", ()),
        ("h2.html", "html", ()),
        ("h3.html", "html", ()),
        ("pdf.docx", "pdf", ("Named .docx, but it is a PDF document.",)),
        ("table.xls", "html", ("Named .xls, but it is an HTML page.",)),
        ("u8.csv", "csv", ()),
        ("zero.csv", "csv", ()),
    ],
)
def test_the_reported_cases(name: str, type_id: str, notices: tuple[str, ...]) -> None:
    if not REPRO.is_dir():
        pytest.skip(f"the reported cases are not at {REPRO} (set DOCPEEK_REPRO)")
    screened = examine((REPRO / name).read_bytes(), name)
    assert screened.detection.type.id == type_id
    assert notices_of_name(screened.detection.type, name) == notices


def test_random_bytes_under_a_known_name(corpus: Path) -> None:
    if not REPRO.is_dir():
        pytest.skip(f"the reported cases are not at {REPRO} (set DOCPEEK_REPRO)")
    assert verdict((REPRO / "rnd.docx").read_bytes(), "rnd.docx") == "unsupported"


NAMES = ("a.docx", "a.odt", "a.xls", "a.doc", "a.ppt", "a.pdf", "a.csv", "a.txt", "a.html", "a.fodt", "a")
BEGINNINGS = (b"", b"PK\3\4", b"PK\5\6", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF-1.7", b"{\\rtf", b"<?xml ", b"<x ",
              b"\x09\x08\x10\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"sep=")  # fmt: skip


@OWN_BUDGET
@given(st.sampled_from(BEGINNINGS), st.binary(max_size=3000), st.sampled_from(NAMES))
def test_any_bytes_get_a_verdict(beginning: bytes, data: bytes, name: str) -> None:
    verdict(beginning + data, name)


@OWN_BUDGET
@given(st.text(max_size=500), st.sampled_from(NAMES), st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-32"]))
def test_any_text_gets_a_verdict(text: str, name: str, encoding: str) -> None:
    verdict(text.encode(encoding, "replace"), name)


def _mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, most of them where headers and directories are; or cut short; or a piece taken out."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 4, 32))):
        place = chance.choice((0, max(0, len(changed) - 2048), chance.randrange(len(changed))))
        at = min(place + chance.randrange(2048), len(changed) - 1)
        changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF, chance.randrange(256)))
    cut = chance.randrange(4)
    if cut == 0:
        return bytes(changed[: chance.randrange(len(changed))])
    if cut == 1:
        start = chance.randrange(len(changed))
        return bytes(changed[:start] + changed[start + chance.randrange(4096) :])
    return bytes(changed)


@pytest.mark.parametrize(
    "file", [row["file"] for row in manifest() if 0 < int(row["bytes"]) < 120_000 and row["category"] != "password"]
)
def test_damaged_documents_get_a_verdict(file: str) -> None:
    data, chance = (FOLDER / file).read_bytes(), random.Random(file)
    for _ in range(25):
        verdict(_mutated(data, chance), file)
