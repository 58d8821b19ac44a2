"""What a document is told of its fonts: what it was set in, however early the guest had asked for it."""

from __future__ import annotations

from engines.fonts import Coverage, FontCatalogue, FontFace
from engines.pdffonts import embedded_families
from engines.wasm.host import fontcallback
from engines.wasm.officefonts import OfficeFonts

_LATIN = Coverage("20-7e")


def _fonts() -> OfficeFonts:
    faces = [FontFace(f"/{name}.ttf", name, (name,), coverage=_LATIN) for name in ("Carlito", "Caladea", "Tinos")]
    return OfficeFonts(FontCatalogue(faces).to_json())


def _ask(fonts: OfficeFonts, family: str, codepoints: str = "") -> str:
    return fonts.resolve(fontcallback.FontRequest(family, "", 5, 0, 5, 2, "en-US", codepoints))[0].family


def _pdf(*names: str) -> memoryview:
    return memoryview(b"%PDF-1.7\n" + b"".join(b"<</Type/Font/BaseFont/" + name.encode() + b">>\n" for name in names))


def test_families_are_read_from_postscript_names() -> None:
    pdf = _pdf("BAAAAA+Carlito-Bold", "CAAAAA+DejaVuSans", "Helvetica")
    assert embedded_families(pdf) == {"carlito", "dejavusans", "helvetica"}


def test_only_what_was_set_is_told() -> None:
    fonts = _fonts()
    fonts.begin_document()
    assert _ask(fonts, "Calibri") == "Carlito"
    assert _ask(fonts, "Cambria") == "Caladea"
    assert fonts.replacements(_pdf("AAAAAA+Carlito-Regular")) == [["Calibri", "Carlito"]]


def test_what_was_asked_for_before_is_told_too() -> None:
    fonts = _fonts()
    _ask(fonts, "Calibri")
    fonts.begin_document()
    assert fonts.replacements(_pdf("AAAAAA+Carlito")) == [["Calibri", "Carlito"]]
    assert fonts.replacements(_pdf("AAAAAA+Tinos-Regular")) == []


def test_a_family_that_is_there_is_not_taken_for_a_stand_in() -> None:
    fonts = _fonts()
    _ask(fonts, "Calibri")
    fonts.begin_document()
    _ask(fonts, "Carlito")
    assert fonts.replacements(_pdf("AAAAAA+Carlito")) == []


def test_a_family_that_missing_characters_fall_back_on_may_be_a_stand_in() -> None:
    fonts = _fonts()
    _ask(fonts, "Calibri")
    fonts.begin_document()
    fonts.resolve(fontcallback.FontRequest("Calibri", "", 5, 0, 5, 2, "en-US", "\N{HIRAGANA LETTER A}"))
    _ask(fonts, "Carlito")
    assert fonts.replacements(_pdf("AAAAAA+Carlito")) == [["Calibri", "Carlito"]]


def test_characters_without_a_font_are_named() -> None:
    fonts = _fonts()
    fonts.begin_document()
    assert fonts.notices() == []
    fonts.resolve(fontcallback.FontRequest("Calibri", "", 5, 0, 5, 2, "en-US", "\N{HIRAGANA LETTER A}"))
    assert fonts.notices() == ["No installed font shows these characters: あ (U+3042)."]
