"""The HTML report: one page, whole or not there, whatever names and texts a document has."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from engines.base import FontReplacement
from engines.wasm.manifest import load_manifest
from preview_app import inspection
from preview_app.inspection import pictures, report_html
from preview_app.inspection import report_html_charts as charts
from preview_app.inspection.findings import finding
from preview_app.inspection.html_wish import HtmlWish
from preview_app.inspection.inspect_one import InspectOptions, Tools, inspect_one
from preview_app.inspection.pictures import Picture, PictureStore
from preview_app.inspection.records import End, EngineUsed, FileInspection, FontUsed, Run, Times
from preview_app.inspection.report_html import HtmlReport
from preview_app.inspection.report_html_pictures import PAGES_MAX, PictureTaker, pages_to_show
from preview_app.inspection.report_html_rows import FINDINGS_MAX, details, row
from preview_app.inspection.source_facts import Metadata, SourceFacts
from preview_app.outputs import OutputError
from tests.preview_app.inspection.conftest import Desk
from tests.preview_app.raster.pdfs import RED, PdfPage

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028'\"&<!--"
ENGINE = EngineUsed("wasm", EVIL, "g1")
RUN = Run("1.0", ENGINE, {"pages_max": 10, EVIL: EVIL})
PAGE = Picture("page", 1, 200.0, 100.0, b"RIFF")


class Page(HTMLParser):
    """The elements of a page and the texts of its scripts and styles, by identity or tag."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self.policy = ""
        self._in = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        assert not [name for name in found if name.startswith("on") or name == "style"], "the policy forbids it"
        assert not {"src", "href", "action"} & set(found), "it stands alone"
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag in {"script", "style"}:
            self._in = found.get("id") or tag
            self.texts[self._in] = ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.texts[self._in] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self._in = ""

    def island(self, name: str) -> Any:
        return json.loads(self.texts[name])


def record(name: str = "a.docx", **fields: Any) -> FileInspection:
    plain = FileInspection(name, "ok", "fine", "docx", 1, f"digest of {name}", engine=ENGINE, pages=1)
    return replace(plain, seconds=Times(total=0.5), **fields)


def write(path: Path, *records: FileInspection, store: PictureStore | None = None, end: End | None = None) -> Page:
    with HtmlReport(path, RUN, store or PictureStore()) as report:
        for each in records:
            report.write(each)
        if end is not None:
            report.end(end)
    return Page(path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def test_nothing_that_a_document_says_is_part_of_the_page(place: Path) -> None:
    evil = record(
        EVIL + "\udcff.docx",
        message=EVIL,
        findings=(finding("notice", EVIL, 1, (1, 2, 3, 4)),),
        fonts=(FontUsed(EVIL, EVIL, True, 1),),
        missing_fonts=(FontReplacement(EVIL, EVIL),),
        source=SourceFacts(Metadata(title=EVIL, author="\udcff")),
    )
    page = write(place, evil)
    ordinary = Page(write_ordinary(place.with_name("other.html")))
    assert page.tags == [*ordinary.tags]
    assert page.island("rows")[0][0] == evil.file
    assert page.island("f0")["source"]["metadata"]["title"] == EVIL
    assert "<img" not in place.read_text(encoding="utf-8")


def write_ordinary(path: Path) -> Path:
    font, replaced = FontUsed("F", "TrueType", True, 1), FontReplacement("A", "B")
    write(path, record(fonts=(font,), missing_fonts=(replaced,)))
    return path


def test_the_page_may_load_nothing_and_run_its_own_script_only(place: Path) -> None:
    page = write(place, record())
    for name in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.texts[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in page.policy
    assert page.policy.startswith("default-src 'none'; img-src data:;")


def test_rows_stand_in_the_order_of_the_files_and_equal_bytes_share_what_is_shown(place: Path) -> None:
    store = PictureStore()
    store.put("b.docx", PAGE)
    store.put_thumbnail("b.docx", b"small")
    found = (finding("comments", "c"), finding("no_glyph", "g", 1), finding("notice", "n"), finding("comments", "d"))
    again = replace(record("a.docx"), duplicate_of="b.docx", seconds=Times())
    page = write(place, record("b.docx", findings=found), again, store=store)
    assert page.island("rows") == [
        ["b.docx", "ok", "docx", "wasm", 1, 1, 2, 1, 0.5, ["comments", "no_glyph", "notice"], None],
        ["a.docx", "ok", "docx", "wasm", 1, 0, 0, 0, 0.0, [], 0],
    ]
    assert page.island("f0")["pictures"] == [["page", 1, 200.0, 100.0, base64.b64encode(b"RIFF").decode()]]
    assert page.island("t0")[0] == base64.b64encode(b"small").decode()
    assert page.island("f1")["pictures"] == []


def test_versions_of_engine_and_fonts_are_told(place: Path) -> None:
    write(place, record())
    text = place.read_text(encoding="utf-8")
    carlito = next(each.package for each in load_manifest().fonts if "carlito" in each.package.name)
    assert f"<td>{carlito.name}</td><td>{carlito.version}</td>" in text
    with HtmlReport(place, Run("1.0", EngineUsed("native", "7.4", "g2"), {}), PictureStore()):
        pass
    text = place.read_text(encoding="utf-8")
    assert carlito.name not in text
    assert "native, LibreOffice 7.4" in text


def test_two_runs_make_one_page(tmp_path: Path) -> None:
    paths = [tmp_path / "1.html", tmp_path / "2.html"]
    for path in paths:
        write(path, record("a"), record("b"))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_page_is_there_when_it_is_whole(place: Path) -> None:
    place.write_text("before", encoding="utf-8")
    with HtmlReport(place, RUN, PictureStore()) as report:
        report.write(record())
        assert place.read_text(encoding="utf-8") == "before"
    assert "was interrupted" in place.read_text(encoding="utf-8"), "nobody has said that it ended"
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    write(place, record(), end=End(1, {"ok": 1}, {}, interrupted=False, seconds=1.0))
    assert "was interrupted" not in place.read_text(encoding="utf-8")
    assert report.told.startswith(f"Report: {place.resolve()} (")


def test_a_run_that_is_taken_up_again_takes_over_the_pictures(place: Path) -> None:
    store = PictureStore()
    store.put("a.docx", PAGE)
    store.put_thumbnail("a.docx", b"small")
    first = write(place, record("a.docx"), store=store)
    second = write(place, record("x.docx"), record("a.docx"), replace(record("a.docx"), digest="other"))
    assert second.island("f1")["pictures"] == first.island("f0")["pictures"] != []
    assert second.island("t1")[0] == first.island("t0")[0] != ""
    assert second.island("f0")["pictures"] == second.island("f2")["pictures"] == []


def test_what_stood_at_the_place_is_not_trusted(place: Path) -> None:
    write(place, record())
    text = place.read_text(encoding="utf-8")
    bad = [
        ["page", 1, 2, 3, '"><b>'],
        ["page", 0, 2, 3, "AA=="],
        ["odd", 1, 2, 3, "AA=="],
        [],
        ["page", 1, 2, 3, "AA=="],
    ]
    place.write_text(text.replace('"pictures":[]', f'"pictures":{json.dumps(bad)}'), encoding="utf-8")
    assert write(place, record()).island("f0")["pictures"] == [bad[-1]]
    place.write_bytes(b'<script type="application/json" id="t0">[[[[</script>\n\xff\n')
    assert write(place, record()).island("f0")["pictures"] == []


def test_pictures_are_bounded_for_each_file_and_for_the_page(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "PICTURES_BYTES_MAX", 8)
    monkeypatch.setattr(report_html, "_PICTURES_BYTES_MAX", 12)
    store = PictureStore()
    assert [store.put("a", PAGE) for _ in range(3)] == [True, True, False]
    store.put("b", PAGE)
    store.put("c", PAGE)
    store.put_thumbnail("c", b"small")
    page = write(place, record("a"), record("b"), record("c"), store=store)
    assert [len(page.island(f"f{number}")["pictures"]) for number in range(3)] == [2, 1, 0]
    assert page.island("t2")[0] != ""


def test_details_are_bounded() -> None:
    many = (finding("comments", "c"),) * (FINDINGS_MAX + 5)
    told = details(record(findings=many, source=SourceFacts(Metadata("T" * 200_000))), pictures.Pictures())
    assert (len(told["findings"]), told["findings_left"], told["source"]) == (FINDINGS_MAX, 5, None)
    assert row(record(findings=many), None)[6] == FINDINGS_MAX + 5


def test_pictures_of_the_first_page_and_of_pages_with_findings(desk: Desk, tools: Tools) -> None:
    store = PictureStore()
    pages = [PdfPage(300, 150).rectangle(0, 0, 300, 75, RED), PdfPage().text(10, 50, "fine"), PdfPage()]
    path = desk.write("a.txt", "hello", *pages)
    inspect_one(path, desk.converter, tools, InspectOptions(), checks=[PictureTaker(store)])
    taken = store.take(str(path))
    assert [(each.kind, each.page, each.width, each.height) for each in taken.pages] == [
        ("page", 1, 300.0, 150.0), ("page", 3, 200.0, 100.0),
    ]  # fmt: skip
    image, thumbnail = (Image.open(io.BytesIO(data)) for data in (taken.pages[0].data, taken.thumbnail))
    assert (image.size, thumbnail.size) == ((420, 210), (60, 30))
    red, green, blue = image.convert("RGB").getpixel((210, 50))  # type: ignore[misc]
    assert red > 200 > 60 > max(green, blue)
    assert store.take(str(path)) == pictures.Pictures()


def test_which_pages_are_shown() -> None:
    found = tuple(finding("empty_page", "e", page) for page in (9, 3, 3, 11, 4, 5, 6, 7, 99))
    assert pages_to_show(found, 10) == [1, 3, 4, 5, 6, 7]
    assert len(pages_to_show(found, 10)) == PAGES_MAX
    assert pages_to_show((), 1) == [1]


def test_charts() -> None:
    assert charts.sorted_times([]) == charts.histogram([]) == ""
    seconds = [0.0, *(0.01 * number for number in range(1, 1001))]
    assert len(re.findall(r"\d+\.\d,", charts.sorted_times(seconds).split("points=")[1])) == 300
    assert "half take up to 5 s, the longest 10 s" in charts.sorted_times(seconds)
    counts = [
        int(each.replace(",", ""))
        for each in re.findall("</?title>([0-9,]+)</title></rect>", charts.histogram(seconds))
    ]
    assert sum(counts) == len(seconds)
    assert 'x2="412"' in charts.sorted_times([0.5])
    assert charts.histogram([1.0]).count("<rect") == 1


@pytest.mark.parametrize(("path", "told"), [("none/r.html", "there is no folder"), (".", "is a folder")])
def test_a_place_where_no_report_can_be(tmp_path: Path, path: str, told: str) -> None:
    with pytest.raises(OutputError, match=told):
        HtmlWish(tmp_path / path).prepare()


def test_a_report_without_its_packages_says_what_to_install(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("report_html", "report_html_pictures"):
        monkeypatch.delitem(sys.modules, f"preview_app.inspection.{name}")
        monkeypatch.delattr(inspection, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OutputError, match=r"package jinja2.*docpeek\[inspect\]"):
        HtmlWish(place).prepare()
    assert HtmlWish(None).prepare().checks == ()


def test_what_a_run_needs(place: Path, desk: Desk, tools: Tools) -> None:
    plan = HtmlWish(place).prepare()
    assert plan.page is not None
    path = desk.write("a.txt", "hello")
    told = inspect_one(path, desk.converter, tools, InspectOptions(), checks=plan.checks)
    page = plan.page(RUN)
    page.write(told)
    page.close()
    assert len(Page(place).island("f0")["pictures"]) == 1


def test_a_check_can_convert_something_else(desk: Desk, tools: Tools) -> None:
    other = desk.write("b.txt", "other", PdfPage(), PdfPage())
    seen: list[int] = []

    def check(what: Any) -> tuple[()]:
        seen.append(len(what.tools.other_renderer.open(what.convert(other, None).pdf)))
        return ()

    inspect_one(desk.write("a.txt", "hello"), desk.converter, tools, InspectOptions(), checks=[check])
    assert seen == [2]


def test_a_folder_that_cannot_be_written_into_is_known_before_the_run() -> None:
    if not Path("/proc").is_dir():
        pytest.skip("there is no folder here that nobody may write into")
    with pytest.raises(OutputError, match="Cannot write the report into /proc: "):
        HtmlWish(Path("/proc/r.html")).prepare()
