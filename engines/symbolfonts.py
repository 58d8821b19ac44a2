"""What the symbol fonts of Office show at their private code points: tables of signs, nothing else.

After Adobe's Symbol encoding and Unicode's notes on Wingdings, with signs that common fonts have.
"""

from __future__ import annotations

_PRIVATE = 0xF000

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
_SIGNS = {
    "Symbol": _SYMBOL,
    "Wingdings": _WINGDINGS,
    "Wingdings 2": _WINGDINGS_2,
    "Wingdings 3": _WINGDINGS_3,
    "Webdings": _WEBDINGS,
}

SYMBOL_FAMILIES = tuple(_SIGNS)
"""The families that have a table here."""


def characters_of(family: str) -> dict[int, int]:
    """Code point of the symbol font -> Unicode; both at the private code point and at the byte itself."""
    found = {}
    for first, signs in _SIGNS[family]:
        for code, sign in enumerate(signs, first):
            if sign != " " or code == 0x20:
                found[_PRIVATE + code] = found[code] = ord(sign)
    return found
