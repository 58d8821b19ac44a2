"""Which encoding a text is in, and whether the bytes are a text at all.

Order of evidence: a byte order mark; the zeros of UTF-16; being valid UTF-8; escape sequences; then the legacy
encodings, each scored by how much of the decoded text is what people write in it. Bytes that no encoding explains
well are no text. Only a sample is scored, but the answer must decode the whole.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

SAMPLE_BYTES = 65_536
"""How much of a text is scored."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")
_CONTROL_SHARE_MAX = 0.001
_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class _DoubleByte:
    """An East Asian encoding; `common` matches its characters of everyday use (the first level of its standard)."""

    codec: str
    common: re.Pattern[bytes]
    character: re.Pattern[bytes]


_DOUBLE_BYTE = (
    # Kana, punctuation and the kanji of JIS level 1.
    _DoubleByte(
        "cp932",
        re.compile(rb"[\x81-\x83][\x40-\xfc]|[\x88-\x97][\x40-\xfc]|\x98[\x40-\x72]"),
        re.compile(rb"[\x81-\x9f\xe0-\xfc][\x40-\xfc]|[\xa1-\xdf]"),
    ),
    _DoubleByte(
        "euc_jp",
        re.compile(rb"[\xa4\xa5][\xa1-\xf6]|\xa1[\xa2-\xdd]"),
        re.compile(rb"\x8f[\xa1-\xfe]{2}|[\x8e\xa1-\xfe][\xa1-\xfe]"),
    ),
    _DoubleByte(
        "cp949",
        re.compile(rb"[\xb0-\xc8][\xa1-\xfe]|\xa1[\xa2-\xbe]"),
        re.compile(rb"[\x81-\xfe][\x41-\xfe]"),
    ),
    _DoubleByte(
        "gb18030",
        re.compile(rb"[\xb0-\xd7][\xa1-\xfe]|\xa1[\xa2-\xbf]|\xa3[\xa1-\xfe]"),
        re.compile(rb"[\x81-\xfe][\x30-\x39][\x81-\xfe][\x30-\x39]|[\x81-\xfe][\x40-\xfe]"),
    ),
    _DoubleByte(
        "big5",
        re.compile(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|[\xa1-\xa3][\x40-\x7e\xa1-\xfe]"),
        re.compile(rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]"),
    ),
)
_DOUBLE_BYTE_SHARE_MIN = 0.72

# The letters of scripts with a code page of their own, the most frequent first.
_RUSSIAN, _GREEK = "оеаинтсрвлкмдпуяыьгзбйчжхшю", "αοιετσνρκπηυςάόίέλμθωδγή"
_SCRIPTS = (
    ("cp1251", _RUSSIAN),
    ("koi8-r", _RUSSIAN),
    ("cp866", _RUSSIAN),
    ("iso8859-5", _RUSSIAN),
    ("cp1253", _GREEK),
    ("cp1255", "יוהלאתרבשמנדעחקםפטסגזץךף"),
    ("cp1256", "اليمنوترةبدسعفكحجقطخشصذئءىأإ"),
    ("cp874", "านรอกเงมยลวดทสตะ่้บคขจหปพแไใีิุูัื็"),
)
_SCRIPT_SHARE_MIN = 0.6
_LETTER_SHARE_MAX = 0.3  # no letter of an alphabet is more frequent; the lead byte of a double-byte text is

# What tells the Latin code pages apart: letters of the languages that were written in each.
_LATIN = (
    ("cp1252", "äöüÄÖÜßàâçéèêëîïôûùñáíóúãõåÅæÆøØìòÀÉÈÇÑÁÍÓÚ’‘“”–—…€°§«»¿¡´·½£²³"),
    ("cp1250", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňóřšťúůýžÁČĎÉĚÍŇÓŘŠŤÚŮÝŽőűŐŰăţşâîäöüÄÖÜß’‘“”–„…€°§«»"),
    ("cp1254", "ğışçöüĞİŞÇÖÜâîû’‘“”–…€°"),
    ("cp1257", "āčēģīķļņšūžĀČĒĢĪĶĻŅŠŪŽąęėįųĄĘĖĮŲõäöüÕÄÖÜ’“”–„…€°"),
    ("cp850", "äöüÄÖÜßàâçéèêëîïôûùñáíóúãõåÅæÆøØìòÉÇÑ°§"),
)
_LATIN_SHARE_MIN = 0.8
_LATIN_FOREIGN_SHARE_MAX = 0.5


def detect_encoding(data: bytes | memoryview, *, legacy: bool = True) -> str | None:
    """The codec that decodes `data` as text, `None` if they are no text.

    Without `legacy` only Unicode is recognised, which needs no guessing. The codec, used strictly, decodes all of
    `data` and removes a byte order mark.
    """
    sample = bytes(data[:SAMPLE_BYTES])
    for mark, codec in _MARKS:
        if sample.startswith(mark):
            return codec if _decodes(data, codec) and not _is_noise(_text(sample, codec)) else None
    if b"\0" in sample:
        return _detect_utf16(data, sample)
    if _has_controls(sample):
        return None
    if _decodes(data, "utf-8"):
        return _escaped_japanese(data, sample) or "utf-8"
    return _detect_legacy(data, sample) if legacy else None


def _decodes(data: bytes | memoryview, codec: str) -> bool:
    try:
        str(data, codec)
    except (UnicodeError, ValueError):
        return False
    return True


def _text(sample: bytes, codec: str) -> str:
    """A sample may end inside of a character."""
    return codecs.getincrementaldecoder(codec)("replace").decode(sample, final=False)


def _has_controls(sample: bytes) -> bool:
    return len(_CONTROLS.findall(sample)) > len(sample) * _CONTROL_SHARE_MAX


def _is_noise(text: str) -> bool:
    odd = sum(char == "\ufffd" or (char < " " and char not in "\t\n\r\f\v\x1a\x1b") for char in text)
    return odd > len(text) * _CONTROL_SHARE_MAX


def _detect_utf16(data: bytes | memoryview, sample: bytes) -> str | None:
    """UTF-16 without a mark: the zeros of its ASCII characters stand on one side."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if min(even, odd) * 20 > max(even, odd):
        return None
    codec = "utf-16-le" if odd > even else "utf-16-be"
    text = _text(sample, codec)
    if max(even, odd) * 20 < len(text) or _is_noise(text) or not _decodes(data, codec):
        return None
    return codec if sum(map(str.isprintable, text)) * 10 > len(text) * 5 else None


def _escaped_japanese(data: bytes | memoryview, sample: bytes) -> str | None:
    has_escape = re.search(rb"\x1b\$[@B]|\x1b\([BJ]", sample)
    return "iso2022_jp_2" if has_escape and _decodes(data, "iso2022_jp_2") else None


def _is_ebcdic(sample: bytes) -> bool:
    """Where letters lie above 0x80 and the space is 0x40, which is `@` elsewhere."""
    return sample.count(b"@") * 20 > len(sample) and sample.count(b" ") * 100 < len(sample)


def _detect_legacy(data: bytes | memoryview, sample: bytes) -> str | None:
    if _is_ebcdic(sample):
        return None
    for find in (_detect_script, _detect_double_byte, _detect_latin):
        codec = find(sample)
        if codec is not None and _decodes(data, codec):
            return codec
    return None


def _detect_double_byte(sample: bytes) -> str | None:
    scores = [(_double_byte_score(sample, each), each.codec) for each in _DOUBLE_BYTE]
    score, codec = max(scores, key=lambda each: each[0])
    return codec if score >= _DOUBLE_BYTE_SHARE_MIN else None


def _double_byte_score(sample: bytes, encoding: _DoubleByte) -> float:
    """How much of the text beyond ASCII is in common use, 0 to 1; 0 if the sample is not in this encoding."""
    if "\ufffd" in _text(sample, encoding.codec):
        return 0.0
    characters = encoding.character.findall(sample)
    if not characters:
        return 0.0
    common = sum(encoding.common.fullmatch(each) is not None for each in characters)
    # Latin text with an accent here and there: each high byte stands alone before an ASCII letter.
    ascii_trail = sum(len(each) == 2 and each[1] < 0x80 for each in characters)
    if ascii_trail * 4 > len(characters) * 3:
        return 0.0
    score = common / len(characters)
    if encoding.codec == "euc_jp":
        # Hiragana and katakana are about half of written Japanese; a table of names may have fewer.
        return min(1.0, score * 2.2) if score >= 0.25 else 0.0
    return score


def _detect_script(sample: bytes) -> str | None:
    best, best_score = None, 0.0
    for codec, letters in _SCRIPTS:
        foreign = [char for char in _text(sample, codec) if char > "\x7f" and not char.isspace()]
        score = _script_score(Counter(foreign), letters)
        if len(foreign) * 2 >= _ascii_letters(sample) and score > best_score:
            best, best_score = codec, score
    return best


def _script_score(counts: Counter[str], letters: str) -> float:
    """How well letters and their frequencies agree, 0 to 2; 0 if this is not the script."""
    total = max(1, counts.total())
    share = sum(counts[letter] for letter in letters) / total
    if share < _SCRIPT_SHARE_MIN or max(counts.values()) > total * _LETTER_SHARE_MAX:
        return 0.0
    return share + sum(counts[letter] for letter in letters[:10]) / total


def _ascii_letters(sample: bytes) -> int:
    return len(re.findall(rb"[A-Za-z]", sample))


def _detect_latin(sample: bytes) -> str | None:
    high = len(_HIGH.findall(sample))
    if high > _LATIN_FOREIGN_SHARE_MAX * (high + _ascii_letters(sample)) and high > 3:
        return None
    best, best_share = None, _LATIN_SHARE_MIN
    for codec, letters in _LATIN:
        foreign = [char for char in _text(sample, codec) if char > "\x7f" and char != "\xa0"]
        share = sum(char in letters for char in foreign) / max(1, len(foreign))
        if share > best_share:  # the first of equals: cp1252
            best, best_share = codec, share
    return best
