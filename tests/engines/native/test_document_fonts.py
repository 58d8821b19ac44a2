"""The families that documents name, and which of them are told as replaced."""

from __future__ import annotations

import pytest

from engines.fonts import family_key
from engines.formats import by_id
from engines.native.documentfonts import families
from engines.native.missingfonts import replacements
from tests.engines.packages import archive

THEME = '<a:fontScheme><a:latin typeface="Aptos"/><a:ea typeface=""/><a:font script="Jpan" typeface="MS Gothic"/>'
FACES = '<style:font-face style:name="L1" svg:font-family="&apos;Open Sans&apos;"/>'


def _named(type_id: str, data: bytes) -> list[str]:
    return families(memoryview(data), by_id(type_id))


def test_of_a_word_document() -> None:
    document = (
        '<w:rFonts w:ascii="Gill &amp; Sons" w:eastAsia="SimSun" w:asciiTheme="minorHAnsi"/>'
        '<w:lang w:eastAsia="en-US"/><w:sym w:font="Wingdings" w:char="F0E0"/>'
    )
    data = archive(
        {"word/document.xml": document, "word/theme/theme1.xml": THEME, "docProps/app.xml": "<name val='X'/>"}
    )
    assert _named("docx", data) == ["Aptos", "Gill & Sons", "SimSun", "Wingdings"]


def test_of_a_workbook_and_of_slides() -> None:
    assert _named("xlsx", archive({"xl/styles.xml": '<font><name val="Segoe UI"/><rFont val="Inter"/></font>'})) == [
        "Inter",
        "Segoe UI",
    ]
    slide = '<a:latin typeface="+mn-lt"/><a:latin panose="02" typeface="Lato"/>'
    assert _named("pptx", archive({"ppt/slides/slide1.xml": slide})) == ["Lato"]


def test_of_an_opendocument_text_packed_and_flat() -> None:
    text = f'{FACES}<style:text-properties style:font-name="L1" style:font-name-asian="Noto"/>'
    assert _named("odt", archive({"content.xml": text})) == ["Noto", "Open Sans"]
    assert _named("fodt", text.encode()) == ["Noto", "Open Sans"]


def test_of_rich_text_and_html() -> None:
    assert _named("rtf", rb"{\rtf1{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1 Comic Sans MS;}}") == [
        "Arial",
        "Comic Sans MS",
    ]
    page = b"<p style='font-family: \"Fira Sans\", serif'><font face=Verdana>x</font>"
    assert "Verdana" in _named("html", page)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04nonsense", archive({"content.xml": "x"})[:-30]])
def test_what_is_damaged_names_nothing(data: bytes) -> None:
    assert _named("odt", data) == []


def test_a_bomb_is_not_inflated() -> None:
    bomb = archive({"content.xml": b"\0" * (64 << 20), "styles.xml": 'style:font-name="After"'})
    assert _named("odt", bomb) == ["After"]


def test_names_are_bounded_and_plain() -> None:
    text = "".join(f'style:font-name="F{number}" ' for number in range(1000)) + f'style:font-name="{"x" * 500}"'
    found = _named("fodt", text.encode())
    assert len(found) == 100
    assert max(map(len, found)) < 10


def _match(family: str) -> list[str]:
    return {"Installed": ["Installed", "Alias"], "Nickname": ["Real", "Nickname"]}.get(family, ["DejaVu Sans"])


def _told(named: list[str], *embedded: str) -> list[list[str]]:
    return replacements(named, frozenset(map(family_key, embedded)), _match)


def test_a_family_that_is_there_is_not_told() -> None:
    assert (
        _told(["Installed", "Nickname", "Embedded in the file", "sans-serif"], "Embedded in the file", "DejaVu Sans")
        == []
    )


def test_the_stand_in_is_the_one_in_the_pdf() -> None:
    assert _told(["Calibri"], "Carlito", "DejaVu Sans") == [["Calibri", "Carlito"]]
    assert _told(["Calibri"], "DejaVu Sans") == [["Calibri", "DejaVu Sans"]]
    assert _told(["Wingdings"], "OpenSymbol") == [["Wingdings", "OpenSymbol"]]


def test_a_family_in_which_nothing_was_set_is_not_told() -> None:
    assert _told(["Calibri"], "Liberation Serif") == []


def test_each_is_told_once() -> None:
    assert _told(["Gill Sans", "gill-sans"], "DejaVu Sans") == [["Gill Sans", "DejaVu Sans"]]
