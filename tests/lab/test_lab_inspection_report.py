"""The page that an inspection writes, in a real browser: nothing is fetched, nothing of a document runs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from preview_app.inspection.findings import finding
from preview_app.inspection.pictures import Picture, PictureStore
from preview_app.inspection.records import End, EngineUsed, FileInspection, Run, Times
from preview_app.inspection.report_html import HtmlReport

pytestmark = [pytest.mark.lab]

EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
ENGINE = EngineUsed("wasm", "26.8", "g1")
COUNT = 1000


def _picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(file, "WEBP")
    return file.getvalue()


def _record(number: int) -> FileInspection:
    place = (10.0, 20.0, 110.0, 60.0)
    found = (finding("no_glyph", EVIL, 1, place), finding("comments", "c"))[: number % 3]
    name = f"/data/{number:04}.docx" if number else f"/data/{EVIL}.docx"
    times = Times(total=(number * 7 % COUNT) / 10 + 0.01)
    return FileInspection(name, "ok", "fine", "docx", 1, f"d{number}", None, ENGINE, 1, findings=found, seconds=times)


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """The page of a thousand files, open."""
    store, picture = PictureStore(), _picture()
    with HtmlReport(tmp_path / "report.html", Run("1.0", ENGINE, {}), store) as report:
        for number in range(COUNT):
            record = _record(number)
            store.put_thumbnail(record.file, picture)
            store.put(record.file, Picture("page", 1, 200.0, 100.0, picture))
            report.write(record)
        report.write(replace(_record(1), file="/data/copy.docx", duplicate_of="/data/0001.docx"))
        report.end(End(COUNT + 1, {"ok": COUNT + 1}, {}, interrupted=False, seconds=9.0))
    context = browser.new_context(viewport={"width": 1300, "height": 850})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    yield page
    context.close()
    assert not complaints
    assert [url for url in requests if not url.startswith("data:")] == [(tmp_path / "report.html").as_uri()]


def _names(page: Any) -> list[str]:
    return list(page.locator("#files .open").all_text_contents())


def test_the_table_is_filtered_and_sorted(page: Any) -> None:
    assert page.locator("#count").text_content() == "1,001 of 1,001 files"
    assert (len(_names(page)), _names(page)[:2]) == (100, ["script>.docx", "0001.docx"])
    page.get_by_role("button", name="Seconds").click()
    slowest = max(range(COUNT), key=lambda number: number * 7 % COUNT)
    assert _names(page)[0] == f"{slowest:04}.docx"
    assert page.locator("th[aria-sort=descending]").text_content() == "Seconds"
    page.get_by_role("button", name="Name").click()
    assert _names(page)[0] == "script>.docx"
    page.keyboard.press("/")
    page.keyboard.type("/099")
    assert page.locator("#count").text_content() == "10 of 1,001 files"
    page.select_option("#by-finding", "comments")
    assert page.locator("#count").text_content() == "3 of 1,001 files"
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Last").click()
    assert _names(page) == ["copy.docx"]


def test_a_finding_is_marked_on_its_page(page: Any) -> None:
    first = page.locator("#files .open").nth(1)
    first.focus()
    page.keyboard.press("Enter")
    pane = page.locator("#details")
    assert EVIL in pane.locator(".findings").text_content()
    mark, sheet = pane.locator("rect.error").bounding_box(), pane.locator(".sheet img").bounding_box()
    width = sheet["width"]
    assert mark["x"] - sheet["x"] == pytest.approx(width * 10 / 200, abs=2)
    assert mark["width"] == pytest.approx(width * 100 / 200, abs=4)
    pane.get_by_role("button", name="page 1").click()
    assert pane.locator("rect.shown").count() == 1
    first.focus()
    page.keyboard.press("ArrowDown")
    assert pane.locator("h2").text_content() == "/data/0002.docx"
    page.keyboard.press("Escape")
    assert not pane.is_visible()
    assert page.evaluate("document.activeElement.textContent") == "0002.docx"


def test_equal_bytes_show_the_pictures_of_the_first(page: Any) -> None:
    page.fill("#by-name", "copy")
    page.locator("#files .open").click()
    assert page.locator("#details .sheet img").count() == 1
    assert page.locator("#files td.picture img").count() == 1


def test_all_rows_are_printed(page: Any) -> None:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(_names(page)) == COUNT + 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(_names(page)) == 100


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"compared_with_engine": "wasm"}, ["Page 1 by wasm", "Page 1 by native", "Difference"]),
        ({"baseline": "/old"}, ["Page 1 before", "Page 1 after", "Difference"]),
        ({"baseline": "/old", "compared_with_engine": "wasm"}, ["Page 1 before", "Page 1 after", "Difference"]),
    ],
)
def test_pictures_of_two_engines_have_no_before(
    browser: Any, tmp_path: Path, settings: dict[str, str | int | float | bool | None], names: list[str]
) -> None:
    store, record = PictureStore(), _record(1)
    with HtmlReport(tmp_path / "report.html", Run("1.0", replace(ENGINE, name="native"), settings), store) as report:
        for kind in ("before", "after", "difference"):
            store.put(record.file, Picture(kind, 1, 200.0, 100.0, _picture()))
        report.write(record)
        report.end(End(1, {"ok": 1}, {}, interrupted=False, seconds=1.0))
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#files .open").click()
    assert page.locator("#details figcaption").all_text_contents() == names
    context.close()
