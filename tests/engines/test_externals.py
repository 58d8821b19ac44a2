"""What a document would load from elsewhere is found; what a person would follow is not taken for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engines import externals
from engines.archive import Archive
from engines.screening import examine
from tests.engines import packages

RELATIONS = "word/_rels/document.xml.rels"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def word(kind: str, target: str, mode: str = "External") -> bytes:
    relation = f'<Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="{mode}"/>'
    return packages.ooxml(parts={RELATIONS: f'<Relationships xmlns="x">{relation}</Relationships>'})


@pytest.mark.parametrize(
    ("kind", "target", "mode", "expected"),
    [
        ("image", "http://example.org/a.png", "External", True),
        ("image", "file:///C:/a.png", "External", True),
        ("oleObject", "https://example.org/a.doc", "External", True),
        ("externalLinkPath", "other.xlsx", "External", True),
        ("attachedTemplate", "https://example.org/a.dotx", "External", True),
        ("attachedTemplate", "file://server/share/a.dotx", "External", True),
        ("attachedTemplate", r"\\server\share\a.dotx", "External", True),
        ("attachedTemplate", "file:///C:/Users/me/Normal.dotm", "External", False),
        ("hyperlink", "https://example.org/", "External", False),
        ("image", "media/image1.png", "Internal", False),
    ],
)
def test_relations_of_office_open_xml(kind: str, target: str, mode: str, expected: bool) -> None:
    assert examine(word(kind, target, mode), "a.docx").external is expected


def test_relations_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(externals, "PART_BYTES_MAX", 64)
    assert not examine(word("image", "http://example.org/a.png"), "a.docx").external


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ('<draw:image xlink:href="https://example.org/a.png"/>', True),
        ('<draw:image draw:style-name="a" xlink:href="../a.png"/>', True),
        ('<draw:image xlink:href="/home/me/a.png"/>', True),
        ('<text:section-source xlink:href="file:///a.odt"/>', True),
        ('<table:table-source xlink:href="other.ods"/>', False),
        ('<draw:image xlink:href="Pictures/a.png"/>', False),
        ('<draw:object xlink:href="./Object 1"/>', False),
        ('<draw:image xlink:href="data:image/png;base64,AA"/>', False),
        ('<text:a xlink:href="https://example.org/">words</text:a>', False),
        ("words of https://example.org/", False),
    ],
)
def test_references_of_opendocument(xml: str, expected: bool) -> None:
    package = packages.odf(parts={"content.xml": f"<content>{xml}</content>"})
    assert examine(package, "a.odt").external is expected
    assert externals.in_flat_odf(xml.encode()) is expected


def test_macros_and_references_of_flat_opendocument() -> None:
    flat = (
        '<o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' o:mimetype="application/vnd.oasis.opendocument.text">{}</o:document>'
    )
    plain, macros = (
        examine(flat.format(inside).encode(), "a.fodt")
        for inside in ("", '<ooo:module ooo:name="M"/><draw:image xlink:href="//host/a.png"/>')
    )
    assert (plain.macros, plain.external) == (False, False)
    assert (macros.macros, macros.external) == (True, True)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<img alt="" src="https://example.org/a.png">', True),
        ("<IMG SRC=http://example.org/a.png>", True),
        ('<link rel="stylesheet" href="//example.org/a.css">', True),
        ('<img src="a.png">', False),
        ('<a href="https://example.org/">words</a>', False),
    ],
)
def test_references_of_html(body: str, expected: bool) -> None:
    assert examine(f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), "a.html").external is expected


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (r'{\field{\*\fldinst INCLUDEPICTURE "https://example.org/a.png" \\d}}', True),
        (r"{\*\template https://example.org/a.dot}", True),
        (r'{\field{\*\fldinst HYPERLINK "https://example.org/"}}', False),
    ],
)
def test_references_of_rtf(group: str, expected: bool) -> None:
    assert examine(f"{{\\rtf1 {group} words}}".encode(), "a.rtf").external is expected


@pytest.mark.parametrize(
    ("look", "repeated"),
    [
        (externals.in_flat_odf, b'<draw:image xlink:href="a" '),
        (externals.in_flat_odf, b'xlink:href="aaaaaaaaaa" '),
        (externals.in_html, b"<img src= "),
        (externals.in_html, b" src"),
        (externals.in_html, b" "),
        (externals.in_rtf, b"\\*\\template "),
        (externals.in_rtf, b"INCLUDETEXT "),
    ],
)
def test_nobody_can_make_it_slow(look: Callable[[bytes], bool], repeated: bytes) -> None:
    """What is tried a second time at each place takes hours here."""
    for beginning in (b"<draw:image ", b"<img src=", b"<img ", b"{\\*\\template "):
        assert look(beginning + repeated * (externals.PART_BYTES_MAX // len(repeated))) is False


@pytest.mark.parametrize("repeated", ['TargetMode="External" ', "<Relationship ", 'Type="a/b', " "])
def test_nobody_can_make_relations_slow(repeated: str) -> None:
    xml = '<Relationship TargetMode="External" ' + repeated * (externals.PART_BYTES_MAX // len(repeated))
    package = packages.ooxml(parts={RELATIONS: xml})
    assert not externals.in_ooxml(Archive.open(memoryview(package)))


def test_damage_to_relations_refuses_nothing() -> None:
    assert not externals.in_ooxml(damaged())


def damaged() -> Archive:
    data = bytearray(word("image", "http://example.org/a.png"))
    package = Archive.open(memoryview(data))
    start = package.entries[RELATIONS].start
    data[start : start + 8] = b"\xff" * 8
    return Archive.open(memoryview(data))
