"""Documents against another state of them: which pages belong together, what differs, and the pictures of it."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from preview_app.inspection import comparison, comparison_pixels
from preview_app.inspection.comparison import Comparer, Tolerance
from preview_app.inspection.comparison_sources import (
    Baseline,
    BaselineSaver,
    OtherEngine,
    OtherFile,
    OtherState,
    relative_name,
    state_of,
)
from preview_app.inspection.comparison_text import PageText, Pair, align
from preview_app.inspection.comparison_wish import ComparisonWish
from preview_app.inspection.findings import COMPARED, Finding
from preview_app.inspection.inspect_one import InspectOptions, Tools, inspect_one
from preview_app.inspection.inspector import Inspector
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.pictures import PictureStore
from preview_app.outputs import OutputError
from tests.preview_app.inspection.conftest import Desk
from tests.preview_app.raster.pdfs import BLUE, RED, PdfPage, make_pdf

TEXTS = (
    "the first page tells of apples and pears in autumn",
    "on the second one there are rules for the road at night",
    "nobody reads a third page about insurance in detail",
    "at the end stand signatures of both parties with dates",
)


def texts(*pages: str) -> list[PageText]:
    return [PageText(tuple(page.split())) for page in pages]


def numbers(pairs: list[Pair]) -> list[tuple[int | None, int | None]]:
    return [(pair.before, pair.after) for pair in pairs]


def test_equal_documents_are_paired_in_order() -> None:
    assert numbers(align(texts(*TEXTS), texts(*TEXTS))) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert align([], []) == []


def test_a_page_that_was_put_in_shifts_no_other() -> None:
    new = (TEXTS[0], "something entirely different", *TEXTS[1:])
    assert numbers(align(texts(*TEXTS), texts(*new))) == [(0, 0), (None, 1), (1, 2), (2, 3), (3, 4)]
    assert numbers(align(texts(*new), texts(*TEXTS))) == [(0, 0), (1, None), (2, 1), (3, 2), (4, 3)]


def test_a_page_that_was_put_in_among_changed_ones() -> None:
    changed = [f"{text} indeed" for text in TEXTS]
    new = (changed[0], "something entirely different", *changed[1:])
    assert numbers(align(texts(*TEXTS), texts(*new))) == [(0, 0), (None, 1), (1, 2), (2, 3), (3, 4)]


def test_a_page_that_was_written_anew_is_a_changed_page() -> None:
    new = (TEXTS[0], "something entirely different", *TEXTS[2:])
    assert numbers(align(texts(*TEXTS), texts(*new))) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_pages_of_pictures_are_known_by_their_look() -> None:
    before, after = ([PageText((), look) for look in looks] for looks in ("abc", "xabc"))
    assert numbers(align(before, after)) == [(None, 0), (0, 1), (1, 2), (2, 3)]


pages = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4).map(lambda words: PageText(tuple(words))), max_size=8)


@given(pages, pages)
@settings(max_examples=200, deadline=None)
def test_each_page_is_in_one_pair_and_pairs_do_not_cross(before: list[PageText], after: list[PageText]) -> None:
    pairs = align(before, after)
    assert [pair.before for pair in pairs if pair.before is not None] == list(range(len(before)))
    assert [pair.after for pair in pairs if pair.after is not None] == list(range(len(after)))
    assert Pair(None, None) not in pairs


def picture(size: tuple[int, int] = (100, 100), spot: tuple[int, int, int, int] | None = None) -> Image.Image:
    image = Image.new("RGB", size, "white")
    if spot:
        image.paste((0, 0, 200), spot)
    return image


def test_pixels_that_differ() -> None:
    difference = comparison_pixels.compare(picture(), picture(spot=(10, 20, 20, 40)))
    assert (difference.share, difference.box) == (0.02, (10, 20, 20, 40))
    shown = comparison_pixels.picture(picture(spot=(10, 20, 20, 40)), difference)
    assert shown.getpixel((15, 30)) == (220, 20, 40)
    assert shown.getpixel((60, 60)) == (255, 255, 255)
    assert comparison_pixels.compare(picture(), picture()).box is None


def test_shades_that_nobody_sees_do_not_count() -> None:
    faint = Image.new("RGB", (100, 100), (215, 215, 215))
    assert comparison_pixels.compare(picture(), faint).share == 0


def test_a_page_that_grew() -> None:
    assert comparison_pixels.compare(picture(), picture((100, 200), (0, 150, 100, 160))).share == 0.05


def compared(
    desk: Desk, path: Path, tools: Tools, other: OtherState, store: PictureStore | None = None
) -> list[Finding]:
    check = Comparer(other, Tolerance(), store)
    record = inspect_one(path, desk.converter, tools, InspectOptions(), checks=[check])
    return [found for found in record.findings if found.id in COMPARED]


def told(found: list[Finding]) -> list[tuple[str, int | None]]:
    return [(each.id, each.place.page if each.place else None) for each in found]


def page(text: str, **size: float) -> PdfPage:
    return PdfPage(400, 100).text(10, 50, text)


def test_equal_documents_have_no_differences(desk: Desk, tools: Tools) -> None:
    old, new = (desk.write(name, name, *map(page, TEXTS)) for name in ("old.txt", "new.txt"))
    store = PictureStore()
    assert compared(desk, new, tools, OtherFile(old), store) == []
    assert store.take(str(new)).pages == ()


def test_a_page_more_and_a_word_that_changed(desk: Desk, tools: Tools) -> None:
    old = desk.write("old.txt", "old", *map(page, TEXTS))
    second = TEXTS[1].replace("night", "noon")
    new = desk.write("new.txt", "new", page(TEXTS[0]), page("put in"), page(second), *map(page, TEXTS[2:]))
    store = PictureStore()
    found = compared(desk, new, tools, OtherFile(old), store)
    assert told(found) == [("page_count_changed", None), ("page_added", 2), ("text_changed", 3)]
    assert found[0].sentence == "The number of pages changed from 4 to 5."
    assert found[2].sentence == "The text differs: “night” became “noon”."
    box = found[2].place.box if found[2].place else None
    assert box is not None
    assert 200 < box[0] < box[2] < 300
    kept = store.take(str(new)).pages
    assert [(each.kind, each.page, each.width) for each in kept] == [
        ("before", 2, 400.0), ("after", 3, 400.0), ("difference", 3, 400.0),
    ]  # fmt: skip
    assert all(Image.open(io.BytesIO(each.data)).width == 400 for each in kept)
    assert told(compared(desk, old, tools, OtherFile(new)))[:2] == [
        ("page_count_changed", None),
        ("page_removed", None),
    ]


def test_what_only_looks_different(desk: Desk, tools: Tools) -> None:
    old, new = (
        desk.write(f"{name}.txt", name, page(TEXTS[0]).rectangle(300, 10, 20, 10, colour))
        for name, colour in (("old", RED), ("new", BLUE))
    )
    (found,) = compared(desk, new, tools, OtherFile(old))
    assert (found.id, found.sentence) == ("pixels_changed", "0.5 % of the page look different.")
    assert found.place is not None
    assert found.place.box == (300.0, 10.0, 320.0, 20.0)
    check = Comparer(OtherFile(old), Tolerance(0.006))
    assert not COMPARED & {
        each.id for each in inspect_one(new, desk.converter, tools, InspectOptions(), checks=[check]).findings
    }


def test_pictures_of_a_few_pages_are_kept(desk: Desk, tools: Tools) -> None:
    old, new = (desk.write(f"{name}.txt", name, *[page(name)] * 6) for name in ("old", "new"))
    store = PictureStore()
    assert sum(each.id == "text_changed" for each in compared(desk, new, tools, OtherFile(old), store)) == 6
    assert {each.page for each in store.take(str(new)).pages} == {1, 2, 3, 4}


def test_what_cannot_be_compared(desk: Desk, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = desk.write("new.txt", "new", *[PdfPage()] * 3), desk.write("old.txt", "old")
    (found,) = compared(desk, new, tools, OtherFile(desk.folder / "none.txt"))
    assert found.id == "not_compared"
    desk.engine.kits["old"].pdf = b"%PDF-1.7 it ends here"
    assert told(compared(desk, new, tools, OtherFile(old))) == [("not_compared", None)]
    three = desk.write("three.txt", "three", *[PdfPage()] * 2, PdfPage().text(10, 50, "words"))
    monkeypatch.setattr(comparison, "_PAGES_MAX", 2)
    (found,) = compared(desk, new, tools, OtherFile(three))
    assert found.sentence == "The last 1 pages were not compared: there are too many."
    monkeypatch.setattr(comparison, "_SECONDS_MAX", -1.0)
    assert told(compared(desk, new, tools, OtherFile(three))) == [("not_compared", None)]


def test_a_pdf_is_the_same_with_each_engine(desk: Desk, tools: Tools) -> None:
    path = desk.folder / "a.pdf"
    path.write_bytes(make_pdf([PdfPage()]))
    assert compared(desk, path, tools, OtherEngine("wasm")) == []


def test_an_engine_that_is_not_there(desk: Desk, tools: Tools) -> None:
    (found,) = compared(desk, desk.write("a.txt", "a"), tools, OtherEngine("wasm"))
    assert found.id == "not_compared"
    assert found.sentence.startswith("What the engine wasm makes of it is not shown: ")


def test_a_baseline_is_saved_and_compared_with(desk: Desk, tools: Tools) -> None:
    base = desk.folder / "base"
    path, roots = desk.write("in/a.txt", "one", page(TEXTS[0])), [desk.folder / "in"]
    check = BaselineSaver(base, roots)
    inspect_one(path, desk.converter, tools, InspectOptions(), checks=[check])
    assert [each.name for each in base.iterdir()] == ["a.txt.pdf"]
    assert compared(desk, path, tools, Baseline(base, roots)) == []
    before = state_of(base)
    path = desk.write("in/a.txt", "two", page(TEXTS[1]))
    assert told(compared(desk, path, tools, Baseline(base, roots))) == [("text_changed", 1)]
    assert told(compared(desk, desk.write("in/b.txt", "b"), tools, Baseline(base, roots))) == [
        ("not_in_baseline", None)
    ]
    desk.write("base/b.txt", "b")
    assert compared(desk, desk.folder / "in" / "b.txt", tools, Baseline(base, roots)) == []
    assert state_of(base) != before


def test_a_baseline_that_cannot_be_written(desk: Desk, tools: Tools) -> None:
    (desk.folder / "base").write_text("a file", encoding="utf-8")
    check = BaselineSaver(desk.folder / "base", [])
    record = inspect_one(desk.write("a.txt", "a"), desk.converter, tools, InspectOptions(), checks=[check])
    assert [each.id for each in record.findings] == ["not_saved"]


def test_relative_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert relative_name(Path("in/deep/a.txt"), [tmp_path / "in", Path("in/deep")]) == Path("deep/a.txt")
    assert relative_name(tmp_path / "a.txt", [Path("a.txt")]) == Path("a.txt")
    assert relative_name(tmp_path / "a.txt", [Path()]) == Path("a.txt")


def test_equal_files_are_compared_each_with_its_own(desk: Desk) -> None:
    base, roots = desk.folder / "base", [desk.folder / "in"]
    desk.write("base/b.txt", "other", page(TEXTS[1]))
    files = [desk.write(f"in/{name}.txt", "same", page(TEXTS[0])) for name in "ab"]
    checks = [Comparer(Baseline(base, roots), Tolerance())]
    with LocalRunner(desk.converter, InspectOptions(), checks=checks) as runner:
        records = list(Inspector(runner, lambda file: "digest", apart=True).run(files))
    assert [told(list(record.findings)) for record in records] == [
        [("not_in_baseline", None)], [("text_changed", 1)],
    ]  # fmt: skip
    assert [record.duplicate_of for record in records] == [None, None]


def test_wishes(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    nothing = ComparisonWish().prepare([], None)
    assert (nothing.checks, nothing.settings, ComparisonWish(engines=True).apart) == ([], {}, False)
    wish = ComparisonWish(engines=True, baseline=base, save=tmp_path / "new")
    plan = wish.prepare([], None)
    assert (len(plan.checks), wish.apart) == (3, True)
    assert set(plan.settings) == {
        "compared_with_engine", "baseline", "baseline_state", "saved_baseline", "tolerance_percent",
    }  # fmt: skip
    (base / "file").touch()
    wrong: list[dict[str, Any]] = [
        {"baseline": tmp_path / "none"},
        {"baseline": base, "save": base},
        {"save": base / "file"},
    ]
    for each in wrong:
        with pytest.raises(OutputError, match="Cannot"):
            ComparisonWish(**each).prepare([], None)


def test_a_comparison_without_its_packages_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "preview_app.inspection.comparison")
    monkeypatch.delitem(sys.modules, "preview_app.inspection.comparison_pixels")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(OutputError, match=r"package PIL.*docpeek\[inspect\]"):
        ComparisonWish(file=tmp_path).prepare([], None)
