"""Encodings of text are told from the bytes."""

from __future__ import annotations

import random

import pytest

from engines.textencoding import detect_encoding

TEXTS = {
    "German": "Jürgen fährt nach Köln und München; die Straße ist naß. Größe über alles",
    "French": "Où est le garçon à l'école? Été, élève, naïve, cœur",
    "Polish": "Zażółć gęślą jaźń. Dzień dobry, proszę się nie śmiać, wszystko będzie w porządku",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Turkish": "Yağmur yağıyor, çocuklar dışarıda oynuyor. Şişe, İstanbul",
    "Russian": "Съешь же ещё этих мягких французских булок да выпей чаю. Привет мир",
    "Greek": "Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί",
    "Hebrew": "דג סקרן שט בים מאוכזב ולפתע מצא חברה",
    "Arabic": "مرحبا بالعالم هذا نص عربي طويل للاختبار",
    "Thai": "สวัสดีชาวโลก นี่คือข้อความภาษาไทย",
    "Japanese": "いろはにほへと ちりぬるを。日本語の文章をテストします、名前,年齢,住所",
    "Japanese names": "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n",
    "Chinese": "我们今天去北京大学参观,天气很好。中文文本检测,姓名,年龄,地址",
    "Taiwanese": "我們今天去臺北大學參觀,天氣很好。中文文本檢測,姓名,年齡,地址",
    "Korean": "안녕하세요 세계, 이것은 한국어 문장입니다. 이름,나이,주소",
}
LEGACY = [
    ("German", "cp1252"), ("German", "cp850"), ("French", "cp1252"), ("Polish", "cp1250"), ("Czech", "cp1250"),
    ("Turkish", "cp1254"), ("Russian", "cp1251"), ("Russian", "koi8-r"), ("Russian", "cp866"),
    ("Russian", "iso8859-5"), ("Greek", "cp1253"), ("Hebrew", "cp1255"), ("Arabic", "cp1256"), ("Thai", "cp874"),
    ("Japanese", "cp932"), ("Japanese", "euc_jp"), ("Japanese", "iso2022_jp"), ("Japanese names", "cp932"),
    ("Chinese", "gbk"), ("Chinese", "gb18030"), ("Taiwanese", "big5"), ("Korean", "cp949"), ("Korean", "euc_kr"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_legacy_encodings_come_back_as_written(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    found = detect_encoding(data)
    assert found is not None
    assert str(data, found) == TEXTS[language]
    assert detect_encoding(data, legacy=False) is None or encoding == "iso2022_jp"


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_comes_back_as_written(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    found = detect_encoding(data, legacy=False)
    assert found is not None
    assert str(data, found).removeprefix("\ufeff") == TEXTS[language]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    assert detect_encoding("Å,1\r\n2,3\r\n".encode(encoding)) == encoding


@pytest.mark.parametrize("size", [50, 100, 1000, 100_000])
def test_noise_is_no_text(size: int) -> None:
    assert detect_encoding(random.Random(size).randbytes(size)) is None


def test_ebcdic_is_no_text() -> None:
    text = "Introduction to the world of mainframes, where letters lie elsewhere.\r\n" * 20
    assert detect_encoding(text.encode("cp500")) is None


def test_a_stray_zero_is_no_text() -> None:
    assert detect_encoding(b"words and words " * 10 + b"\0" + b"more words" * 30) is None
