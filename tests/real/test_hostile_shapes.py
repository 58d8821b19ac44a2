"""Documents whose shape is the attack: enormous pictures, bottomless nesting, names of parts that lead elsewhere.

Each ends as pages or as a typed error in time, and the next document finds everything as it was.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome
from converter.request import Request, Source
from converter.service import Converter
from engines.base import Engine, ExportOptions
from preview_app.raster.blocking import PdfChecker
from tests.engines import packages
from tests.fuzz.fuzz_engines import wrong_with
from tests.real import hostile_documents
from tests.real.hostile_documents import INSIDE
from tests.real.household import Household

pytestmark = pytest.mark.wasm
DEADLINE_S = 4.0
"""Of the attack; whatever comes after it has more."""
DEPTH = 5_000
TRICKS = (
    "../outside.txt", "/{folder}/outside.txt", "word/../../outside.txt", "C:\\outside.txt",
    "word\\..\\..\\outside.txt",
)  # fmt: skip
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture
def converter(either_engine: Engine) -> Iterator[Converter]:
    checker = PdfChecker()
    household = Household(either_engine)
    with Converter(either_engine, checker) as service:
        yield service
    checker.close()
    assert not household.strays()


def outcome(converter: Converter, name: str, data: bytes, deadline_s: float = DEADLINE_S) -> Outcome:
    """How a document ends; a fault of ours is none of the ways."""
    source = Source(name, len(data), None, lambda _most: (data, None))
    request = Request(source, options=ExportOptions(pages_max=20), private=True, deadline_s=deadline_s)
    try:
        result: Conversion | ConversionError = converter.submit(request).result(deadline_s + 20)
    except ConversionError as error:
        result = error
    assert not wrong_with(result)
    return result.outcome if isinstance(result, ConversionError) else Outcome.OK


def _picture(side: int) -> bytes:
    """A white PNG of one bit a pixel: small as a file, 900 million pixels if it has 30,000 by 30,000."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + b"\xff" * (side // 8 + 1)
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _word(body: str, parts: dict[str, bytes | str] | None = None) -> bytes:
    document = f"<w:document {_WORD}><w:body>{body}<w:p><w:r><w:t>{INSIDE}</w:t></w:r></w:p></w:body></w:document>"
    return packages.ooxml(parts={"word/document.xml": document, **(parts or {})})


def test_a_picture_of_thirty_thousand_by_thirty_thousand(converter: Converter) -> None:
    made = hostile_documents.text_with_picture(_picture(30_000))
    assert outcome(converter, "huge.odt", made) in {Outcome.OK, Outcome.LIMIT, Outcome.TIMEOUT, Outcome.ENGINE}
    assert outcome(converter, "next.txt", b"words", 60) is Outcome.OK


def _nested(opening: str, closing: str, depth: int = DEPTH) -> str:
    return opening * depth + closing * depth


NESTED = {
    "tables.html": f"<p>{INSIDE}{_nested('<table><tr><td>', '</td></tr></table>')}".encode(),
    "lists.html": f"<p>{INSIDE}{_nested('<ul><li>', '</li></ul>')}".encode(),
    "groups.rtf": b"{\\rtf1 " + b"{" * DEPTH + INSIDE.encode() + b"}" * DEPTH + b"}",
    "sections.fodt": hostile_documents.flat_text(_nested("<text:section>", "</text:section>")),
    "spans.fodt": hostile_documents.flat_text(f"<text:p>{_nested('<text:span>', '</text:span>')}</text:p>"),
    "tables.docx": _word(_nested("<w:tbl><w:tr><w:tc>", "<w:p/></w:tc></w:tr></w:tbl>", DEPTH // 10)),
    "text.docx": _word(f"<w:p>{_nested('<w:ins>', '</w:ins>')}</w:p>"),
}


@pytest.mark.parametrize("name", NESTED)
def test_nesting_has_an_end(converter: Converter, name: str) -> None:
    fair = {Outcome.OK, Outcome.CORRUPT, Outcome.LIMIT, Outcome.ENGINE, Outcome.TIMEOUT}
    assert outcome(converter, name, NESTED[name]) in fair
    assert outcome(converter, "next.txt", b"words", 60) is Outcome.OK


@pytest.mark.parametrize("trick", TRICKS)
def test_names_that_lead_out_of_a_package_lead_nowhere(converter: Converter, trick: str, tmp_path: Path) -> None:
    """Nothing is written where such a name points, and what is there is not read."""
    outside = tmp_path / "outside.txt"
    outside.write_text("before")
    name = trick.format(folder=str(tmp_path).strip("/"))
    made = _word("", {name: "written", "word/_rels/document.xml.rels": packages.RELATIONS.format(target=name)})
    assert outcome(converter, "tricky.docx", made) in {Outcome.OK, Outcome.CORRUPT}
    assert outside.read_text() == "before"
    assert not list(tmp_path.parent.glob("outside.txt"))
