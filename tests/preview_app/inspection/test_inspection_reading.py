"""What the readers find in documents; each finding has a control, a document in which there is nothing to find."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from preview_app.inspection.reading import document
from preview_app.inspection.source_facts import Changes, Reference, SourceFacts
from tests.engines import packages
from tests.preview_app.inspection.documents import (
    ODF_NAMES,
    docx,
    flat,
    odf,
    pptx,
    relations,
    rtf,
    run,
    sheet_part,
    story,
    style,
    xlsx,
)

Look = Callable[[SourceFacts], Any]


def facts(data: bytes, name: str) -> SourceFacts:
    return document.read(memoryview(data), name, 1 << 26)


def hidden(found: SourceFacts) -> tuple[int, str]:
    return found.hidden_text, found.hidden_sample


def references(found: SourceFacts) -> list[tuple[str, str]]:
    assert found.external_count == len(found.external)
    return [(each.kind, each.target) for each in found.external]


NOBODY = Changes()
PARAGRAPH = "<w:p>{}</w:p>"
HIDDEN_STYLE = story(
    "w:styles",
    '<w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="I"><w:basedOn w:val="H"/></w:style>'
    '<w:style w:styleId="V"><w:basedOn w:val="H"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>',
)


@pytest.mark.parametrize(
    ("body", "parts", "expected"),
    [
        (run("seen"), {}, (0, "")),
        (run("seen") + run("not seen", "<w:vanish/>"), {}, (8, "not seen")),
        (run("seen", '<w:vanish w:val="false"/>'), {}, (0, "")),
        ("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" + run("seen"), {}, (0, "")),
        ('<w:pPr><w:pStyle w:val="I"/></w:pPr>' + run("by style"), {"styles__xml": HIDDEN_STYLE}, (8, "by style")),
        (run("by style", '<w:rStyle w:val="H"/>'), {"styles__xml": HIDDEN_STYLE}, (8, "by style")),
        (run("seen", '<w:rStyle w:val="V"/>'), {"styles__xml": HIDDEN_STYLE}, (0, "")),
        (run("seen"), {"header1__xml": story("w:hdr", PARAGRAPH.format(run("up", "<w:vanish/>")))}, (2, "up")),
    ],
)
def test_hidden_text_of_word(body: str, parts: dict[str, str], expected: tuple[int, str]) -> None:
    assert hidden(facts(docx(PARAGRAPH.format(body), **parts), "a.docx")) == expected


def test_text_of_two_bytes_a_character_is_read_as_well() -> None:
    story_of = PARAGRAPH.format(run("gone", "<w:vanish/>"))
    parts = _parts(docx(story_of))
    document_part = bytes(parts["word/document.xml"])  # type: ignore[arg-type]
    parts["word/document.xml"] = b"\xff\xfe" + document_part.decode().encode("utf-16-le")
    assert hidden(facts(packages.archive(parts), "a.docx")) == (4, "gone")


def test_tracked_changes_of_word() -> None:
    body = (
        f'<w:ins w:author="Ann">{run("new")}</w:ins><w:del w:author="Bob"><w:r><w:delText>old</w:delText></w:r></w:del>'
        f'<w:moveFrom w:author="Ann">{run("there")}</w:moveFrom><w:moveTo w:author="Ann">{run("here")}</w:moveTo>'
    )
    formatted = run("bold", '<w:b/><w:rPrChange w:author="Cid"/>')
    found = facts(docx(PARAGRAPH.format(body + formatted)), "a.docx")
    assert found.changes == Changes(1, 1, 1, 1, 0, ("Ann", "Bob", "Cid"))
    assert facts(docx(PARAGRAPH.format(run("plain"))), "a.docx").changes == NOBODY


def test_comments_of_word() -> None:
    comments = story("w:comments", '<w:comment w:author="Ann"/><w:comment w:author="Ann"/><w:comment w:author="Bob"/>')
    found = facts(docx("", comments__xml=comments), "a.docx")
    assert (found.comments, found.comment_authors) == (3, ("Ann", "Bob"))
    assert facts(docx("", comments__xml=story("w:comments", "")), "a.docx").comments == 0


def test_fields_that_reach_out() -> None:
    instruction = "</w:r><w:r><w:instrText>{}</w:instrText>"
    split = instruction.format("DDE") + instruction.format('AUTO excel "C:\\a" b')
    body = f"<w:r><w:fldChar/>{split}<w:fldChar/></w:r><w:fldSimple w:instr='INCLUDEPICTURE \"http://x/y.png\" \\d'/>"
    found = facts(docx(PARAGRAPH.format(body)), "a.docx")
    assert found.dde == ('DDEAUTO excel "C:\\a" b',)
    assert references(found) == [("image", "http://x/y.png")]
    harmless = facts(docx(PARAGRAPH.format('<w:fldSimple w:instr="PAGE \\* MERGEFORMAT"/>')), "a.docx")
    assert (harmless.dde, harmless.external) == ((), ())


def test_references_to_elsewhere_in_ooxml() -> None:
    told = relations(
        ("attachedTemplate", "http://x/evil.dotx"), ("image", "file:///C:/a.png"), ("hyperlink", "http://y")
    )
    found = facts(docx("", **{"_rels/document__xml__rels": told}), "a.docx")
    assert references(found) == [("template", "http://x/evil.dotx"), ("image", "file:///C:/a.png")]
    assert found.hyperlinks == 1
    inside = facts(docx("", **{"_rels/document__xml__rels": relations(r1="media/a.png")}), "a.docx")
    assert (inside.external, inside.hyperlinks) == ((), 0)


def test_macros_and_embedded_objects_of_ooxml() -> None:
    found = facts(docx("", vbaProject__bin="code", **{"embeddings/a__bin": "object"}), "a.docx")
    assert (found.macros, found.embedded) == (("word/vbaProject.bin",), 1)
    assert (facts(docx(""), "a.docx").macros, facts(docx(""), "a.docx").embedded) == ((), 0)


def test_metadata_of_ooxml() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>A &amp; B</dc:title><dc:creator>Ann</dc:creator>"
        "<dcterms:created>2020-01-02T03:04:05Z</dcterms:created></cp:coreProperties>"
    )
    told = packages.archive({**_parts(docx("")), "docProps/core.xml": core})
    found = facts(told, "a.docx").metadata
    assert (found.title, found.author, found.created, found.company) == ("A & B", "Ann", "2020-01-02T03:04:05Z", "")


def _parts(package: bytes) -> dict[str, bytes | str]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_sheets_and_cells_that_are_hidden() -> None:
    sheets = '<sheet name="A"/><sheet name="B" state="hidden"/><sheet name="C" state="veryHidden"/>'
    cells = sheet_part(
        "worksheet", '<cols><col min="2" max="4" hidden="1"/></cols><row r="1" hidden="true"/><row r="2"/>'
    )
    found = facts(xlsx(sheets, {"xl/worksheets/sheet1.xml": cells}), "a.xlsx")
    assert (found.hidden_sheets, found.hidden_cells) == (("B", "C"), 4)
    shown = facts(xlsx(parts={"xl/worksheets/sheet1.xml": sheet_part("worksheet", '<row r="1"/>')}), "a.xlsx")
    assert (shown.hidden_sheets, shown.hidden_cells) == ((), 0)


def test_what_workbooks_are_connected_to() -> None:
    link = sheet_part("externalLink", '<ddeLink ddeService="cmd" ddeTopic="/c calc"/>')
    web = sheet_part("connections", '<connection name="web"><webPr url="http://x/"/></connection>')
    comments = sheet_part(
        "comments", "<authors><author>Ann</author></authors><commentList><comment/><comment/></commentList>"
    )
    parts = {
        "xl/externalLinks/externalLink1.xml": link, "xl/connections.xml": web, "xl/comments1.xml": comments,
        "xl/externalLinks/_rels/externalLink2.xml.rels": relations(("externalLinkPath", "Book2.xlsx")),
    }  # fmt: skip
    found = facts(xlsx(parts=parts), "a.xlsx")
    assert found.dde == ("cmd|/c calc",)
    assert sorted(references(found)) == [("data source", "http://x/"), ("workbook", "Book2.xlsx")]
    assert (found.comments, found.comment_authors) == (2, ("Ann",))
    assert facts(xlsx(), "a.xlsx") == SourceFacts()


def test_slides_count_in_the_order_of_the_show() -> None:
    found = facts(pptx("", 'show="0"', "", ""), "a.pptx")
    assert found.hidden_slides == (2,)
    assert facts(pptx("", 'show="1"'), "a.pptx").hidden_slides == ()


def test_comments_of_a_presentation() -> None:
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    parts = {
        "ppt/comments/comment1.xml": f"<p:cmLst {names}><p:cm/><p:cm/></p:cmLst>",
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {names}><p:cmAuthor name="Ann"/></p:cmAuthorLst>',
    }
    found = facts(pptx("", parts=parts), "a.pptx")
    assert (found.comments, found.comment_authors) == (2, ("Ann",))


TEXT_OFF = '<style:text-properties text:display="none"/>'


@pytest.mark.parametrize(
    ("body", "styles", "expected"),
    [
        ("<text:p>seen</text:p>", "", (0, "")),
        ('<text:p text:style-name="hide">gone</text:p>', style("paragraph", TEXT_OFF), (4, "gone")),
        ('<text:p>a<text:span text:style-name="hide">b</text:span>c</text:p>', style("text", TEXT_OFF), (1, "b")),
        ('<text:p text:style-name="hide">seen</text:p>', style("text", TEXT_OFF), (0, "")),
        ('<text:p text:style-name="child">gone</text:p>',
         style("paragraph", TEXT_OFF) + style("paragraph", "", "child", "hide"), (4, "gone")),
        ('<text:section text:display="none"><text:p>gone</text:p></text:section>', "", (4, "gone")),
        ('<text:section text:display="true"><text:p>seen</text:p></text:section>', "", (0, "")),
        ('<text:p><text:hidden-text text:string-value="maybe"/></text:p>', "", (5, "maybe")),
    ],
)  # fmt: skip
def test_hidden_text_of_opendocument(body: str, styles: str, expected: tuple[int, str]) -> None:
    assert hidden(facts(odf("text", body, styles=styles), "a.odt")) == expected


def test_changes_and_comments_of_opendocument() -> None:
    info = "<office:change-info><dc:creator>{}</dc:creator></office:change-info>"
    region = "<text:changed-region><text:{0}>{1}<text:p>x</text:p></text:{0}></text:changed-region>"
    changes = region.format("insertion", info.format("Ann")) + region.format("deletion", info.format("Bob"))
    comment = (
        "<text:p><office:annotation><dc:creator>Cid</dc:creator><text:p>why</text:p></office:annotation>x</text:p>"
    )
    found = facts(odf("text", f"<text:tracked-changes>{changes}</text:tracked-changes>{comment}"), "a.odt")
    assert found.changes == Changes(insertions=1, deletions=1, authors=("Ann", "Bob"))
    assert (found.comments, found.comment_authors) == (1, ("Cid",))
    plain = facts(odf("text", "<text:p>x</text:p>"), "a.odt")
    assert (plain.changes, plain.comments) == (NOBODY, 0)


def test_hidden_parts_of_opendocument() -> None:
    off = style("table", '<style:table-properties table:display="false"/>')
    on = style("table", '<style:table-properties table:display="true"/>', "show")
    rows = '<table:table-row table:visibility="collapse" table:number-rows-repeated="3"/><table:table-row/>'
    tables = '<table:table table:name="A" table:style-name="hide"/>'
    tables += f'<table:table table:name="B" table:style-name="show">{rows}</table:table>'
    sheets = facts(odf("spreadsheet", tables, styles=off + on), "a.ods")
    assert (sheets.hidden_sheets, sheets.hidden_cells) == (("A",), 3)
    away = style("drawing-page", '<style:drawing-page-properties presentation:visibility="hidden"/>')
    pages = '<draw:page/><draw:page draw:style-name="hide"/>'
    assert facts(odf("presentation", pages, styles=away), "a.odp").hidden_slides == (2,)
    assert facts(odf("presentation", pages), "a.odp").hidden_slides == ()


def test_references_to_elsewhere_in_opendocument() -> None:
    image = '<draw:image xlink:href="{}"/>'
    body = "".join(map(image.format, ("http://x/a.png", "Pictures/b.png", "../c.png", "#d", "file:///e.png")))
    objects = '<draw:object xlink:href="./Object 1"/><draw:object xlink:href="./Object 2"/>'
    link = '<text:a xlink:href="http://y/">y</text:a><text:a xlink:href="#z">z</text:a>'
    media_type = "application/vnd.oasis.opendocument.chart"
    chart = f'<manifest:file-entry manifest:full-path="Object 2/" manifest:media-type="{media_type}"/>'
    manifest = {"META-INF/manifest.xml": f"<manifest:manifest {ODF_NAMES}>{chart}</manifest:manifest>"}
    dde = '<text:dde-connection-decl office:dde-application="soffice" office:dde-topic="a.ods" office:dde-item="S.A1"/>'
    found = facts(odf("text", body + objects + link + dde, parts=manifest), "a.odt")
    assert references(found) == [("image", "http://x/a.png"), ("image", "../c.png"), ("image", "file:///e.png")]
    assert (found.hyperlinks, found.embedded, found.dde) == (1, 1, ("soffice a.ods S.A1",))


def test_macros_of_opendocument() -> None:
    basic = {
        "Basic/Standard/Module1.xml": "<m/>",
        "Basic/script-lc.xml": "<m/>",
        "Basic/Standard/script-lb.xml": "<m/>",
    }
    assert facts(odf("text", "", parts=basic), "a.odt").macros == ("Basic/Standard/Module1.xml",)
    listener = '<script:event-listener xlink:href="vnd.sun.star.script:a.b.c"/>'
    listener = f"<office:scripts><office:event-listeners>{listener}</office:event-listeners></office:scripts>"
    assert facts(odf("text", "", before=listener), "a.odt").macros == ("vnd.sun.star.script:a.b.c",)
    empty = (
        '<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries/></office:script></office:scripts>'
    )
    assert facts(odf("text", "", before=empty), "a.odt").macros == ()


def test_flat_opendocument_and_what_is_wrong_with_it() -> None:
    found = facts(flat('<draw:image xlink:href="http://x/a.png"/>'), "a.fodt")
    assert references(found) == [("image", "http://x/a.png")]
    torn = facts(flat('<draw:image xlink:href="http://x/a.png"/>')[:-20], "a.fodt")
    assert references(torn) == [("image", "http://x/a.png")]
    assert "up to an error" in torn.not_read[0]
    assert facts(flat("<text:p>&b;</text:p>", BOMB), "a.fodt").not_read


BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'


def test_entities_are_not_expanded() -> None:
    styles = BOMB + HIDDEN_STYLE.replace("</w:styles>", "&b;</w:styles>")
    found = facts(docx(PARAGRAPH.format(run("gone", "<w:vanish/>")), styles__xml=styles), "a.docx")
    assert found.not_read == ("The part word/styles.xml was looked at up to an error only: it is no sound XML.",)
    assert hidden(found) == (4, "gone"), "the other parts are looked at all the same"


def test_hidden_text_and_changes_of_rtf() -> None:
    found = facts(rtf(r"seen {\v gone} seen {\revised new}{\deleted old}\par"), "a.rtf")
    assert hidden(found) == (4, "gone")
    assert (found.changes.insertions, found.changes.deletions) == (1, 1)
    assert facts(rtf(r"seen \v0 seen {\plain seen}\par"), "a.rtf") == SourceFacts()


def test_other_things_in_rtf() -> None:
    field = r"{\field{\*\fldinst DDEAUTO excel a b}{\fldrslt x}}{\field{\*\fldinst HYPERLINK http://y}{\fldrslt y}}"
    info = r"{\info{\title Caf\'e9 \u8364?}{\author Ann}{\creatim\yr2020\mo1\dy2\hr3\min4}}"
    others = r"{\*\template http://x/t.dotx}{\object\objemb x}{\*\atnauthor Bob}{\*\annotation why}"
    found = facts(rtf(info + others + field + r"\bin5 {{{{{seen\par"), "a.rtf")
    assert found.dde == ("DDEAUTO excel a b",)
    assert references(found) == [("template", "http://x/t.dotx")]
    assert (found.hyperlinks, found.embedded, found.comments, found.comment_authors) == (1, 1, 1, ("Bob",))
    assert (found.metadata.title, found.metadata.created) == ("Café €", "2020-01-02T03:04:00")
    deep = facts(rtf("{" * 20_000), "a.rtf")
    assert "too deeply" in deep.not_read[0]


def test_web_pages() -> None:
    page = (
        "<html><head><title>T</title><script src='http://x/a.js'></script></head><body onload='f()'><img src='b.png'>"
    )
    found = facts(page.encode() + b"<a href='http://y'>y</a><iframe src='//z'></iframe></body></html>", "a.html")
    assert references(found) == [("script", "http://x/a.js"), ("frame", "//z")]
    assert (found.macros, found.hyperlinks, found.metadata.title) == (("script",), 1, "T")
    assert facts(b"<html><body><p>words</p></body></html>", "a.html") == SourceFacts()


def test_binary_documents() -> None:
    fib = packages.word_stream()
    known = facts(packages.compound({"WordDocument": fib, "Macros": b"x"}), "a.doc")
    assert known.macros == ("Macros",)
    assert len(known.not_read) == 2, "its tables are not there"
    plain = facts(packages.compound({"WordDocument": fib}), "a.doc")
    assert (plain.macros, plain.comments) == ((), 0)


def _record(number: int, body: bytes) -> bytes:
    return struct.pack("<2H", number, len(body)) + body


def _sheet_record(name: str, state: int, kind: int = 0) -> bytes:
    return _record(0x85, struct.pack("<I4B", 0, state, kind, len(name), 0) + name.encode("latin-1"))


def test_binary_workbooks() -> None:
    book = _record(0x1AE, struct.pack("<2HB", 1, 10, 0) + b"\x01\x01C\x03a.xls!"[:10].ljust(10, b"!"))
    note = _record(0x1C, struct.pack("<4HHB", 0, 0, 0, 0, 3, 0) + b"Ann")
    stream = packages.workbook_stream()[:-4] + _sheet_record("Open", 0) + _sheet_record("Away", 1)
    stream += _sheet_record("Old", 2, 1) + book + note + _record(0x0A, b"")
    found = facts(packages.compound({"Workbook": stream}), "a.xls")
    assert found.hidden_sheets == ("Away", "Old")
    assert found.macros == ("macro sheet Old",)
    assert (found.comments, found.comment_authors) == (1, ("Ann",))
    assert facts(packages.compound({"Workbook": packages.workbook_stream()}), "a.xls").hidden_sheets == ()


def test_metadata_of_binary_documents() -> None:
    text = "スライド".encode("cp932") + b"\0"
    values = [(1, struct.pack("<IH2x", 2, 932)), (2, struct.pack("<2I", 30, len(text)) + text)]
    table, bodies, offset = b"", b"", 8 + 8 * len(values)
    for number, value in values:
        padded = value.ljust(-(-len(value) // 4) * 4, b"\0")
        table += struct.pack("<2I", number, offset + len(bodies))
        bodies += padded
    properties = struct.pack("<2HI16xI16xI", 0xFFFE, 0, 0, 1, 48) + struct.pack("<2I", 0, len(values)) + table + bodies
    stored = packages.compound({"WordDocument": packages.word_stream(), "\x05SummaryInformation": properties})
    assert facts(stored, "a.doc").metadata.title == "スライド"


def test_lists_are_bounded_and_counts_are_not() -> None:
    many = relations(*(("image", f"http://x/{number}") for number in range(500)))
    found = facts(docx("", **{"_rels/document__xml__rels": many}), "a.docx")
    assert (len(found.external), found.external_count) == (50, 500)
    assert found.external[0] == Reference("image", "http://x/0")
    long = facts(docx(PARAGRAPH.format(run("x" * 100_000, "<w:vanish/>"))), "a.docx")
    assert (long.hidden_text, len(long.hidden_sample)) == (100_000, 60)


def test_too_much_is_said_and_not_unpacked() -> None:
    big = docx(PARAGRAPH.format(run("x" * 5_000_000, "<w:vanish/>")))
    found = document.read(memoryview(big), "a.docx", 1 << 20)
    assert found.hidden_text == 0
    assert found.not_read == ("The part word/document.xml was not looked at: it is too large.",)


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\2\3" * 100, b"PK\3\4 torn", packages.compound({})], ids=["empty", "noise", "zip", "ole"]
)
def test_what_is_no_document_is_said(data: bytes) -> None:
    assert facts(data, "a.docx").not_read
