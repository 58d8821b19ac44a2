"""Stand-ins for Symbol, Wingdings and their kin on machines that have neither them nor OpenSymbol.

Word writes the bullet of a list as a private code point of Symbol (U+F0B7). Without a font that has it, bullets and
check marks vanish. A stand-in is a copy of a font with many symbols (DejaVu Sans) whose glyphs are found
at those private code points; the tables after Adobe's Symbol encoding and Unicode's notes on Wingdings.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from engines.fontpatch import with_characters
from engines.fonts import Coverage, FontCatalogue, FontFace, family_key
from engines.sfnt import SfntError, read_faces

_PRIVATE = 0xF000
_SOURCES = ("DejaVu Sans", "Noto Sans Symbols 2", "Noto Sans Symbols")
_ENOUGH = ("OpenSymbol",)

# Each row: the first byte, then one character for each byte that follows; a space is a byte without one.
_SYMBOL = (
    (0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"),
    (0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"),
)
_WINGDINGS = (
    (0x21, "✎✂✁"),
    (0x28, "☎✆✉"),
    (0x36, "⌛"),
    (0x3E, "✇✍✍✌"),
    (0x45, "☜☞☝☟✋☺☺☹ ☠⚐⚐✈☼ ❄✝✞✟✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓&&●❍■□◻❑❒⬧⧫◆❖⬥⌧⍓⌘❀✿❝❞"),
    (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x9E, "·•∙○◉◉◉◎○▪◻▴✦★✶✴✹✵⊕⌖✧⌑ ✪✰"),
    (0xD5, "⌫⌦◀➢▲▼⇦➲⇧⇩←→↑↓↖↗↙↘⬅➔⬆⬇↖↗↙↘⇦⇨⇧⇩⇔⇕⇖⇗⇙⇘▭▫✗✓☒☑"),
)
_WINGDINGS_2 = (
    (0x4F, "✗✓☒☑☒☒⊗⊘⊘"),
    (0x69, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x95, "•●●●○○○◎◉·▪▪■■■■□□□□◻"),
)
_WINGDINGS_3 = (
    (0x21, "←→↑↓↖↗↙↘"),
    (0x70, "▲▼△▽◀▶◁▷◣◢◤◥◂▸▴"),
    (0x80, "▾"),
)
_WEBDINGS = (
    (0x33, "◀▶▲▼⏪⏩"),
    (0x61, "✓"),
    (0x67, "■"),
    (0x6E, "●"),
    (0x72, "✗"),
)
_FAMILIES = {
    "Symbol": _SYMBOL,
    "Wingdings": _WINGDINGS,
    "Wingdings 2": _WINGDINGS_2,
    "Wingdings 3": _WINGDINGS_3,
    "Webdings": _WEBDINGS,
}


def with_stand_ins(catalogue: FontCatalogue, folder: Path) -> FontCatalogue:
    """The catalogue, with stand-ins for the symbol families that it has not; their files are put into `folder`.

    Nothing is made where OpenSymbol is there, which LibreOffice knows to use. Raises `OSError`.
    """
    source = next((faces[0] for name in _SOURCES if (faces := _regular(catalogue.family(name)))), None)
    missing = [family for family in _FAMILIES if family not in catalogue]
    if source is None or not missing or any(name in catalogue for name in _ENOUGH):
        return catalogue
    made = [face for family in missing if (face := _stand_in(source, family, folder)) is not None]
    return FontCatalogue((*catalogue.faces, *made))


def _regular(faces: Iterable[FontFace]) -> list[FontFace]:
    return [each for each in faces if each.weight == 400 and not each.italic and not each.index and each.width == 100]


def _stand_in(source: FontFace, family: str, folder: Path) -> FontFace | None:
    path = folder / f"{family_key(family)}-{source.bytes:x}-{source.mtime_ns:x}.ttf"
    if not path.is_file():
        font = with_characters(Path(source.path).read_bytes(), family, _characters(family))
        if font is None:
            return None
        _publish(path, font)
    try:
        (face,) = read_faces(path)
    except (SfntError, ValueError):
        return None
    # Made from the source and nothing else, so it has that one's age: the same fonts, the same fingerprint.
    return replace(face, made_from=source.family, mtime_ns=source.mtime_ns, symbol=True, coverage=Coverage())


def _characters(family: str) -> dict[int, int]:
    """Code point of the symbol font -> Unicode; both at the private code point and at the byte itself."""
    found = {}
    for first, signs in _FAMILIES[family]:
        for code, sign in enumerate(signs, first):
            if sign != " " or code == 0x20:
                found[_PRIVATE + code] = found[code] = ord(sign)
    return found


def _publish(path: Path, font: bytes) -> None:
    """Whole or not at all: another process may make the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, staged = tempfile.mkstemp(dir=path.parent, prefix=".making-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(font)
        Path(staged).replace(path)
    except OSError:
        Path(staged).unlink(missing_ok=True)
        raise
