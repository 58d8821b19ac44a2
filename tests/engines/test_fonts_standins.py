"""Font files made for missing families: bullets do not vanish, and a substitute is asked for once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.fontmatching import FontRequest, FontResolver, Replacement
from engines.fontpatch import with_characters
from engines.fonts import FontCatalogue, FontFace
from engines.fontscan import scan_folders
from engines.fontstandins import RENAMED_FAMILIES, with_stand_ins
from engines.sfnt import SfntError, glyph_ids, read_faces

DEJAVU = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
EXPECTED = {
    "Symbol": {0xF0B7: "•", 0xF061: "α", 0xF0D6: "√", 0xF020: " ", 0x61: "α"},
    "Wingdings": {
        0xF0A7: "▪",
        0xF0D8: "➢",
        0xF0FC: "✓",
        0xF0FE: "☑",
        0xF0E8: "➔",
        0xF06C: "●",
        0xF076: "❖",
        0xF04A: "☺",
    },
    "Wingdings 2": {0xF050: "✓", 0xF097: "●", 0xF0A3: "■"},
    "Wingdings 3": {0xF07D: "▸", 0xF075: "▶"},
    "Webdings": {0xF061: "✓", 0xF067: "■"},
}


@pytest.fixture(scope="module")
def dejavu() -> FontCatalogue:
    if not DEJAVU.is_file():
        pytest.skip(f"there is no {DEJAVU}")
    return FontCatalogue(face for face in scan_folders([DEJAVU.parent]) if face.family == "DejaVu Sans")


def test_each_symbol_family_gets_a_stand_in(dejavu: FontCatalogue, tmp_path: Path) -> None:
    catalogue = with_stand_ins(dejavu, tmp_path / "made")
    originals = DEJAVU.read_bytes()
    for family, signs in EXPECTED.items():
        (face,) = catalogue.family(family)
        assert (face.made_from, face.symbol) == ("DejaVu Sans", True)
        made = glyph_ids(Path(face.path).read_bytes(), signs)
        wanted = glyph_ids(originals, map(ord, signs.values()))
        assert made == {code: wanted[ord(sign)] for code, sign in signs.items()}, family


def test_they_are_made_once_and_do_not_change_the_fingerprint(dejavu: FontCatalogue, tmp_path: Path) -> None:
    first = with_stand_ins(dejavu, tmp_path)
    ages = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    second = with_stand_ins(dejavu, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == ages
    assert len(ages) == len(EXPECTED)
    assert first.faces == second.faces
    assert with_stand_ins(dejavu, tmp_path / "elsewhere").fingerprint == first.fingerprint


def test_a_stand_in_counts_as_a_replacement(dejavu: FontCatalogue, tmp_path: Path) -> None:
    resolver = FontResolver(with_stand_ins(dejavu, tmp_path))
    (face,) = resolver.resolve(FontRequest("Wingdings"))
    assert face.family == "Wingdings"
    assert resolver.replacements() == (Replacement("Wingdings", "DejaVu Sans", same_widths=False),)
    assert all(not each.made_from for each in resolver.resolve(FontRequest("Arial", codepoints=(0x2022,))))


def test_nothing_is_made_where_nothing_is_missing(dejavu: FontCatalogue, tmp_path: Path) -> None:
    names = [*RENAMED_FAMILIES, *EXPECTED]
    complete = FontCatalogue((*dejavu.faces, *(FontFace(f"/{name}.ttf", name, (name,)) for name in names)))
    assert with_stand_ins(complete, tmp_path) is complete
    assert not list(tmp_path.iterdir())


def test_symbols_get_theirs_beside_opensymbol(dejavu: FontCatalogue, tmp_path: Path) -> None:
    opensymbol = FontFace("/opens.ttf", "OpenSymbol", ("OpenSymbol",))
    catalogue = with_stand_ins(FontCatalogue((*dejavu.faces, opensymbol)), tmp_path)
    assert FontResolver(catalogue).resolve(FontRequest("Symbol"))[0].made_from == "DejaVu Sans"


def test_without_a_source_nothing_is_made(tmp_path: Path) -> None:
    empty = FontCatalogue([])
    assert with_stand_ins(empty, tmp_path) is empty


def test_a_twin_gets_the_name_that_is_asked_for(dejavu: FontCatalogue, tmp_path: Path) -> None:
    twins = [replace(face, family="Carlito", families=("Carlito",)) for face in dejavu.faces]
    catalogue = with_stand_ins(FontCatalogue(twins), tmp_path)
    made = catalogue.family("Calibri")
    looks = {(face.style, face.made_from, face.weight, face.italic) for face in made}
    there = {(face.style, "Carlito", face.weight, face.italic) for face in twins if face.width == 100}
    assert looks == {look for look in there if look[2] in (400, 700)}
    assert {face.family for path in map(Path, (face.path for face in made)) for face in read_faces(path)} == {"Calibri"}
    resolver = FontResolver(catalogue)
    assert resolver.resolve(FontRequest("Calibri", weight=8))[0].style == "Bold"
    assert resolver.replacements() == (Replacement("Calibri", "Carlito", same_widths=True),)
    (fallback, *_others) = resolver.resolve(FontRequest("Calibri", codepoints=(0x41,)))
    assert fallback.family == "Carlito"


def test_only_the_given_characters_are_left(tmp_path: Path) -> None:
    if not DEJAVU.is_file():
        pytest.skip(f"there is no {DEJAVU}")
    font = with_characters(DEJAVU.read_bytes(), "Mine", {0xF041: ord("A"), 0xF042: 0x10FFFE})
    assert font is not None
    path = tmp_path / "mine.ttf"
    path.write_bytes(font)
    (face,) = read_faces(path)
    assert (face.family, face.coverage.text) == ("Mine", "f041")
    assert with_characters(b"ttcf", "Mine", {}) is None
    with pytest.raises(SfntError):
        glyph_ids(b"ttcf", [65])
