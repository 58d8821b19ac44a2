"""What stands in binary documents beside their pages: those that a LibreOffice writes, and damaged ones."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from preview_app.inspection.reading import document
from preview_app.inspection.source_facts import SourceFacts
from tests.engines import packages
from tests.preview_app.inspection.documents import ODF_NAMES, docx, run, sheet_part, story, xlsx

Saved = Callable[[str, bytes, str], SourceFacts]
_DAMAGED_OF_EACH = 60


def facts(data: bytes, name: str) -> SourceFacts:
    return document.read(memoryview(data), name, 64 << 20)


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    """The facts of a document that an installed LibreOffice has saved in a binary format."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("there is no LibreOffice installed that writes binary formats")

    def save(name: str, data: bytes, suffix: str) -> SourceFacts:
        source = tmp_path / name
        source.write_bytes(data)
        profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
        command = [program, profile, "--headless", "--norestore", "--convert-to", suffix, "--outdir", str(tmp_path)]
        subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=100)
        target = source.with_suffix(f".{suffix}")
        return facts(target.read_bytes(), target.name)

    return save


def test_a_document_of_word(saved: Saved) -> None:
    author = "w:author='Ann' w:date='2024-01-01T00:00:00Z'"
    body = (
        f"<w:p>{run('seen ')}{run('hidden words', '<w:vanish/>')}{run(' seen')}</w:p>"
        f"<w:p><w:ins w:id='1' {author}>{run('inserted')}</w:ins>{run(' and ')}"
        f"<w:del w:id='2' {author.replace('Ann', 'Bob')}><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
        f"<w:p><w:commentRangeStart w:id='0'/>{run('told')}<w:commentRangeEnd w:id='0'/>"
        "<w:r><w:commentReference w:id='0'/></w:r></w:p>"
    )
    comments = story(
        "w:comments", f"<w:comment w:id='0' {author} w:initials='A'><w:p>{run('a comment')}</w:p></w:comment>"
    )
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="comments.xml"/>'
        "</Relationships>"
    )
    found = saved("a.docx", docx(body, comments__xml=comments, **{"_rels/document__xml__rels": relation}), "doc")
    assert (found.hidden_text, found.hidden_sample) == (len("hidden words"), "hidden words")
    assert (found.changes.insertions, found.changes.deletions) == (1, 1)
    assert found.changes.authors == ("Ann", "Bob")
    assert (found.comments, found.comment_authors) == (1, ("Ann",))


def test_a_presentation_of_powerpoint(saved: Saved) -> None:
    note = "<office:annotation><dc:creator>Ann</dc:creator><text:p>a comment</text:p></office:annotation>"
    page = '<draw:page draw:name="{0}" draw:style-name="{1}" draw:master-page-name="">{2}</draw:page>'
    hidden = '<style:style style:name="h" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'  # noqa: E501
    pages = "".join((page.format("one", "", ""), page.format("two", "h", ""), page.format("three", "", note)))
    mime = "application/vnd.oasis.opendocument.presentation"
    flat = (
        f'<?xml version="1.0"?><office:document {ODF_NAMES} office:version="1.3" office:mimetype="{mime}">'
        f"<office:automatic-styles>{hidden}</office:automatic-styles>"
        f"<office:body><office:presentation>{pages}</office:presentation></office:body></office:document>"
    )
    found = saved("a.fodp", flat.encode(), "ppt")
    assert found.hidden_slides == (2,)
    assert (found.comments, found.comment_authors) == (1, ("Ann",))


def test_a_workbook_of_excel(saved: Saved) -> None:
    cell = '<c r="A{0}"><v>{0}</v></c>'
    states = {1: "", 2: 'hidden="1"', 3: ""}
    rows = "".join(f'<row r="{number}" {state}>{cell.format(number)}</row>' for number, state in states.items())
    columns = '<cols><col min="3" max="4" width="9" hidden="1" customWidth="1"/></cols>'
    sheet = sheet_part("worksheet", f"{columns}<sheetData>{rows}</sheetData>")
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>'
    )
    names = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    book = xlsx(
        f'<sheet {names} name="One" sheetId="1" r:id="r1"/>',
        {"xl/worksheets/sheet1.xml": sheet, "xl/_rels/workbook.xml.rels": relation},
    )
    assert saved("a.xlsx", book, "xls").hidden_cells == 3


def record(number: int, body: bytes) -> bytes:
    return struct.pack("<2H", number, len(body)) + body


def test_hidden_rows_and_columns() -> None:
    stream = packages.workbook_stream()[:-4]
    stream += record(0x208, bytes(12) + b"\x20" + bytes(3)) + record(0x208, bytes(16))
    stream += record(0x7D, struct.pack("<5H", 2, 5, 0, 0, 1)) + record(0x7D, struct.pack("<5H", 9, 9, 0, 0, 0))
    stream += record(0x7D, struct.pack("<5H", 250, 65535, 0, 0, 1)) + record(0x0A, b"")
    assert facts(packages.compound({"Workbook": stream}), "a.xls").hidden_cells == 1 + 4 + 6


def test_what_an_older_word_or_powerpoint_wrote_is_said() -> None:
    assert any(
        "older Word" in told for told in facts(packages.compound({"WordDocument": bytes(600)}), "a.doc").not_read
    )
    slides = packages.compound({"PowerPoint Document": bytes(600), "Current User": bytes(60)})
    assert any("older PowerPoint" in told for told in facts(slides, "a.ppt").not_read)


@pytest.mark.corpus
@pytest.mark.parametrize("kind", ["doc", "xls", "ppt"])
def test_damage_is_said_or_passed_over(corpus: Path, kind: str) -> None:
    """Bytes set at random, words of four bytes set to their bounds, and torn files: none raises, none hangs."""
    chance = random.Random(kind)
    for path in sorted(corpus.glob(f"{kind}/*.{kind}")):
        whole = path.read_bytes()
        assert facts(whole, path.name).not_read
        for turn in range(_DAMAGED_OF_EACH):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 20, 400))):
                place = chance.randrange(len(data) - 4)
                bound = chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", chance.randbytes(4)))
                data[place : place + 4] = bound
            cut = len(data) if turn % 3 else chance.randrange(len(data))
            assert isinstance(facts(bytes(data[:cut]), path.name), SourceFacts)
