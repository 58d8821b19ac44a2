"""Which face answers a request, and what is told of those that were missing."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from engines.fontmatching import FontRequest, FontResolver, Match, Replacement
from engines.fonts import Coverage, FontCatalogue, FontFace, family_key

LATIN = Coverage("20-7e a0-17f 2013-2022 20ac")
STYLES = (("Regular", 400, False), ("Bold", 700, False), ("Italic", 400, True), ("Bold Italic", 700, True))
CONDENSED, BOLD, ITALIC, FIXED = 3, 8, 2, 1
KANA_AND_HAN, HAN_AND_HANGUL = "3000-30ff 4e00-9fff ff00-ffef", "4e00-9fff ac00-d7a3"


def family(name: str, coverage: Coverage = LATIN, **fields: object) -> list[FontFace]:
    """The four faces of a family."""
    stem = name.replace(" ", "")
    return [
        FontFace(
            path=f"/fonts/{stem}-{style.replace(' ', '')}.ttf",
            family=name,
            families=(name,),
            style=style,
            weight=weight,
            italic=italic,
            coverage=coverage,
            bytes=1000,
            mtime_ns=1,
            **fields,  # type: ignore[arg-type]  # a few fields of this or that type
        )
        for style, weight, italic in STYLES
    ]


def single(name: str, coverage: Coverage, **fields: object) -> list[FontFace]:
    return family(name, coverage, **fields)[:1]


BARE = [
    *family("Carlito"),
    *family("Caladea"),
    *family("Arimo"),
    *family("Tinos"),
    *family("Cousine", monospace=True),
    *family("Noto Sans", Coverage("20-7e a0-52f 2013-2022 20ac")),
]
ASIAN = [
    *single("Noto Sans JP", Coverage(f"20-7e {KANA_AND_HAN}")),
    *single("Noto Serif JP", Coverage(f"20-7e {KANA_AND_HAN}")),
    *single("Noto Sans SC", Coverage(f"20-7e {KANA_AND_HAN}")),
    *single("Noto Sans KR", Coverage(f"20-7e {HAN_AND_HANGUL}")),
]
OTHERS = [
    *single("OpenSymbol", Coverage("2013-2022 2190-21ff e000-e0ff f0b7"), symbol=False),
    *single("Noto Sans Arabic", Coverage("20 600-6ff")),
    *single("Noto Emoji", Coverage("1f300-1faff")),
    *single("Last Resort", Coverage("0-10ffff")),
    *single("Unifont", Coverage("20-7e 600-6ff e00-e7f 4e00-9fff")),
]
FULL = FontCatalogue([*BARE, *ASIAN, *OTHERS])


def answer(catalogue: FontCatalogue, **request: object) -> list[tuple[str, str]]:
    faces = FontResolver(catalogue).resolve(FontRequest(**request))  # type: ignore[arg-type]
    return [(face.family, face.style) for face in faces]


def best(catalogue: FontCatalogue, **request: object) -> tuple[str, str]:
    return answer(catalogue, **request)[0]


def points(text: str) -> tuple[int, ...]:
    return tuple(map(ord, text))


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ("Carlito", "Carlito"),
        ("carlito", "Carlito"),
        ("Calibri", "Carlito"),
        ("Calibri Light", "Carlito"),
        ("Cambria", "Caladea"),
        ("Cambria Math", "Caladea"),
        ("Arial", "Arimo"),
        ("Helvetica", "Arimo"),
        ("Helvetica-Bold", "Arimo"),
        ("Liberation Sans", "Arimo"),
        ("Arial Bold", "Arimo"),
        ("ArialMT", "Arimo"),
        ("Times New Roman", "Tinos"),
        ("Times", "Tinos"),
        ("Courier New", "Cousine"),
        ("Consolas", "Cousine"),
        ("Aptos", "Noto Sans"),
        ("Segoe UI", "Noto Sans"),
        ("Georgia", "Tinos"),
        ("Adobe Garamond Pro", "Tinos"),
        ("JetBrains Mono", "Cousine"),
        ("Some Corporate Grotesk", "Arimo"),
        ("", "Arimo"),
        ("serif", "Tinos"),
        ("sans-serif", "Arimo"),
        ("monospace", "Cousine"),
        ("Wingdings", "OpenSymbol"),
        ("Symbol", "OpenSymbol"),
        ("MS Mincho", "Noto Serif JP"),
        ("ＭＳ 明朝", "Noto Serif JP"),
        ("ＭＳ Ｐゴシック", "Noto Sans JP"),
        ("@MS Gothic", "Noto Sans JP"),
        ("メイリオ", "Noto Sans JP"),
        ("宋体", "Noto Sans SC"),
        ("標楷體", "Noto Serif JP"),
        ("微软雅黑", "Noto Sans SC"),
        ("맑은 고딕", "Noto Sans KR"),
        ("Nope;Verdana;Courier New;Caladea", "Caladea"),
        ("Nope;Courier New", "Cousine"),
        ("Nope;serif", "Tinos"),
        (
            "Liberation Serif;Thorndale AMT;Thorndale;Times New Roman;Tinos;Nimbus Roman No9 L;DejaVu Serif;Times",
            "Tinos",
        ),
    ],
)
def test_the_family_that_answers(asked: str, used: str) -> None:
    assert best(FULL, family=asked)[0] == used


def test_fixed_pitch_is_respected_for_an_unknown_family() -> None:
    assert best(FULL, family="Unheard Of", pitch=FIXED)[0] == "Cousine"


@pytest.mark.parametrize(
    ("weight", "italic", "style"),
    [
        (5, 0, "Regular"), (0, 0, "Regular"), (BOLD, 0, "Bold"), (10, 0, "Bold"), (5, ITALIC, "Italic"),
        (5, 1, "Italic"), (BOLD, ITALIC, "Bold Italic"), (3, 0, "Regular"), (7, 0, "Bold"), (99, 0, "Regular"),
    ],
)  # fmt: skip
def test_weight_and_italic_are_matched(weight: int, italic: int, style: str) -> None:
    assert best(FULL, family="Calibri", weight=weight, italic=italic) == ("Carlito", style)


def test_the_other_styles_of_the_family_come_along() -> None:
    assert answer(FULL, family="Calibri", weight=BOLD) == [
        ("Carlito", style) for style in ("Bold", "Regular", "Italic", "Bold Italic")
    ]


def test_width_is_matched_inside_of_a_family() -> None:
    narrow = [
        FontFace("/n.ttf", "Wide", ("Wide",), "Condensed", width=75),
        FontFace("/w.ttf", "Wide", ("Wide",), "Regular"),
    ]
    assert best(FontCatalogue(narrow), family="Wide", width=CONDENSED) == ("Wide", "Condensed")
    assert best(FontCatalogue(narrow), family="Wide") == ("Wide", "Regular")


def test_a_static_face_is_preferred_to_a_variable_one() -> None:
    faces = [
        FontFace("/a.ttf", "V", ("V",), is_variable=True),
        FontFace("/b.ttf", "V", ("V",)),
    ]
    for order in itertools.permutations(faces):
        assert [face.path for face in FontCatalogue(order).faces] == ["/b.ttf"]


@pytest.mark.parametrize(
    ("text", "language", "asked", "used"),
    [
        ("世界", "ja-JP", "Calibri", ["Noto Sans JP"]),
        ("世界", "zh-CN", "Calibri", ["Noto Sans SC"]),
        ("世界", "ko-KR", "Calibri", ["Noto Sans KR"]),
        ("世界", "", "MS Mincho", ["Noto Serif JP"]),
        ("テスト", "zh-CN", "Calibri", ["Noto Sans JP"]),
        ("한국", "en-US", "Arial", ["Noto Sans KR"]),
        ("سلام", "ar-SA", "Arial", ["Noto Sans Arabic"]),
        ("ж", "ru-RU", "Arial", ["Noto Sans"]),
        ("世界سلام", "zh-CN", "Arial", ["Noto Sans Arabic", "Noto Sans SC"]),
        ("🎉", "en-US", "Arial", ["Noto Emoji"]),
        ("ไทย", "th-TH", "Arial", ["Unifont"]),
    ],
)
def test_missing_glyphs_are_found_by_coverage(text: str, language: str, asked: str, used: list[str]) -> None:
    faces = answer(FULL, family=asked, language=language, codepoints=points(text))
    assert sorted({name for name, _style in faces}) == sorted(used)


def test_what_no_face_covers_is_told() -> None:
    resolver = FontResolver(FULL)
    assert resolver.resolve(FontRequest("Arial", codepoints=points("\U00010332\u200d\n"))) == ()
    resolver.resolve(FontRequest("Arial", codepoints=points("世\U00010333")))
    assert resolver.uncovered() == (0x10332, 0x10333)


def test_an_empty_catalogue_answers_nothing() -> None:
    resolver = FontResolver(FontCatalogue([]))
    assert resolver.resolve(FontRequest("Arial")) == ()
    assert resolver.resolve(FontRequest("Arial", codepoints=(65,))) == ()
    assert resolver.replacements() == ()
    assert resolver.uncovered() == (65,)


def test_something_is_shown_where_no_default_is_there() -> None:
    only = FontCatalogue([*single("Last Resort", LATIN), *single("Peculiar", LATIN)])
    assert best(only, family="Arial") == ("Peculiar", "Regular")


def test_replacements_name_what_the_document_missed() -> None:
    resolver = FontResolver(FULL)
    for asked in (
        "Calibri", "Carlito", "Brand Sans", "Calibri", "ＭＳ 明朝", "Wingdings", "sans-serif", "Liberation Sans", "",
        "OpenSymbol", "Tahoma;Lucidasans;Lucida Sans;Arial Unicode MS",
        "Liberation Serif;Thorndale AMT;Thorndale;Times New Roman;Tinos",
        "思源黑体;Source Han Sans SC;Noto Sans CJK SC;Tahoma", "Nope;Carlito",
    ):  # fmt: skip
        resolver.resolve(FontRequest(asked))
    resolver.resolve(FontRequest("Calibri", weight=BOLD))
    assert resolver.replacements() == (
        Replacement("Brand Sans", "Arimo", same_widths=False),
        Replacement("Calibri", "Carlito", same_widths=True),
        Replacement("ＭＳ 明朝", "Noto Serif JP", same_widths=False),
        Replacement("Wingdings", "OpenSymbol", same_widths=False),
    )
    resolver.forget()
    assert resolver.replacements() == ()


def test_what_is_there_is_no_replacement() -> None:
    resolver = FontResolver(FULL)
    assert resolver.answer(FontRequest("Carlito")).match is Match.EXACT
    assert resolver.answer(FontRequest("Carlito Bold")).match is Match.EXACT


def test_six_runs_give_the_same_answers_whatever_the_order_of_the_faces() -> None:
    requests = [
        FontRequest(name, weight=weight, italic=italic, language="ja-JP", codepoints=points(text))
        for name in ("Calibri", "Brand Sans", "MS Mincho", "", "A;B;serif")
        for weight in (5, BOLD)
        for italic in (0, ITALIC)
        for text in ("", "世界", "سلام ж 🎉")
    ]
    answers = set()
    for turn in range(6):
        faces = [*FULL.faces[turn * 3 :], *FULL.faces[: turn * 3]]
        resolver = FontResolver(FontCatalogue(faces))
        answers.add(tuple(resolver.resolve(request) for request in requests))
    assert len(answers) == 1


def test_a_catalogue_survives_json() -> None:
    text = FULL.to_json()
    again = FontCatalogue.from_json(text)
    assert again.faces == FULL.faces
    assert again.fingerprint == FULL.fingerprint
    assert again.to_json() == text
    assert len(json.loads(text)["coverages"]) < len(FULL.faces)


def test_the_fingerprint_changes_with_a_file() -> None:
    faces = family("Carlito")
    newer = [*faces[:3], replace(faces[3], mtime_ns=2)]
    prints = {FontCatalogue(each).fingerprint for each in (faces, newer, faces[:3], [*faces, *family("Arimo")])}
    assert len(prints) == 4
    assert FontCatalogue(reversed(faces)).fingerprint == FontCatalogue(faces).fingerprint


def test_of_faces_that_look_the_same_the_first_one_counts() -> None:
    system = FontFace("/system/Carlito.ttf", "Carlito", ("Carlito",))
    bundled = FontFace("/bundled/Carlito.ttf", "carlito", ("carlito",))
    assert FontCatalogue([system, bundled]).faces == (system,)
    assert FontCatalogue([bundled, system]).faces == (bundled,)


def test_paths_can_be_moved_into_a_guest() -> None:
    face = FontFace("/host/a.ttf", "A", ("A",))
    assert FontCatalogue([face]).relocated({"/host/a.ttf": "/guest/1.ttf"}).faces[0].path == "/guest/1.ttf"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("MS Gothic", "ＭＳ ゴシック".replace("ゴシック", "Gothic")),
        ("Noto-Sans_CJK", "noto sans cjk"),
        ("@SimSun", "simsun"),
    ],
)
def test_spellings_of_one_family(name: str, same: str) -> None:
    assert family_key(name) == family_key(same)


def test_coverage_is_a_set() -> None:
    coverage = Coverage.of([0x41, 0x43, 0x42, 0x2013, 0x41])
    assert coverage.text == "41-43 2013"
    assert [point in coverage for point in (0x40, 0x41, 0x43, 0x44, 0x2013, 0x10FFFF)] == [
        False, True, True, False, True, False,
    ]  # fmt: skip
    assert Coverage.of_ranges([(5, 9), (1, 6), (10, 11)]).text == "1-b"
    assert 65 not in Coverage()
    assert Coverage("41") == Coverage.of([0x41])
    assert len({Coverage("41"), Coverage.of([0x41])}) == 1
