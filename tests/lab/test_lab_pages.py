"""Opening, scrolling, zooming: the right pages, no more of them than needed, nothing late."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.lab.workbench import PICTURE, Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

TYPES = {
    "docx/docling-equations.docx": "docpeek:text",
    "docx/poi-60316.dotx": "docpeek:text",
    "doc/poi-Word6.doc": "docpeek:text",
    "rtf/tika-testRTFJapanese.rtf": "docpeek:text",
    "odt/jod-test_toc.odt": "docpeek:text",
    "odt/gotenberg-libreoffice-embedded-image.fodt": "docpeek:text",
    "xlsx/poi-WithThreeCharts.xlsx": "docpeek:sheet",
    "xlsx/poi-SimpleMacro.xlsm": "docpeek:sheet",
    "sheet-other/poi-testVarious.xlsb": "docpeek:sheet",
    "xls/poi-chinese-provinces.xls": "docpeek:sheet",
    "sheet-other/odftk-chart_charttype_pie_import_xml_MSO15.ods": "docpeek:sheet",
    "sheet-other/jod-test.fods": "docpeek:sheet",
    "pptx/poi-themes.pptx": "docpeek:slides",
    "pptx/gotenberg-slideshow.ppsx": "docpeek:slides",
    "ppt/poi-table_test.ppt": "docpeek:slides",
    "odp-odg/odftk-SlideTest3.odp": "docpeek:slides",
    "odp-odg/jod-test.fodp": "docpeek:slides",
    "odp-odg/jod-test_multi_page.odg": "docpeek:drawing",
}
LONG = "docx/unst-handbook-872p.docx"
COUNT_URLS = """
  window.urls = new Set();
  const make = URL.createObjectURL, revoke = URL.revokeObjectURL;
  URL.createObjectURL = what => { const url = make.call(URL, what); window.urls.add(url); return url; };
  URL.revokeObjectURL = url => { window.urls.delete(url); revoke.call(URL, url); };
"""


def _open_long(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put(corpus / LONG))
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.wait_for_picture_of(1)


def test_every_type_opens_by_itself_with_its_icon(bench: Workbench, corpus: Path) -> None:
    bench.start()
    for source, icon in TYPES.items():
        path = bench.put(corpus / source)
        bench.open(path)
        bench.viewer.locator(PICTURE).first.wait_for()
        tab = bench.page.locator(".lm-DockPanel-tabBar .lm-mod-current .lm-TabBar-tabIcon svg")
        assert tab.get_attribute("data-icon") == icon, source
        bench.run("application:close")


def test_the_content_is_never_fetched(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    asked = [query for query in bench.asked("welcome.docx") if "content" in query]
    assert asked
    assert not [query for query in asked if query["content"] != "0" or "format" in query]


def test_other_viewers_keep_what_is_theirs(bench: Workbench, samples: Path) -> None:
    bench.start()
    bench.page.wait_for_function("window.jupyterapp")
    factories = bench.page.evaluate(
        "name => { const all = jupyterapp.docRegistry;"
        "return [all.defaultWidgetFactory(name).name, all.preferredWidgetFactories(name).map(each => each.name)]; }",
        "table.csv",
    )
    assert factories[0] != "docpeek"
    assert "docpeek" in factories[1]
    for name in ("a.pdf", "a.txt", "a.html", "a.tsv"):
        with_docpeek = bench.page.evaluate(
            "name => jupyterapp.docRegistry.preferredWidgetFactories(name).map(each => each.name)", name
        )
        assert "docpeek" in with_docpeek[1:], name


def test_a_long_document_has_few_pages_on_the_screen(bench: Workbench, corpus: Path) -> None:
    bench.page.add_init_script(COUNT_URLS)
    _open_long(bench, corpus)
    column = bench.viewer.locator(".dp-Column")
    count = int(bench.page.locator(".dp-PageCount:visible").text_content().strip("/ "))
    assert count > 300
    height = column.evaluate("column => column.scrollHeight")
    paper = bench.viewer.locator(".dp-Page").first.bounding_box()
    assert height == pytest.approx(count * (paper["height"] + 10) + 10, rel=0.02)

    column.evaluate("column => column.scrollTo({top: column.scrollHeight})")
    bench.wait_for_page(count)
    bench.wait_for_picture_of(count)
    bench.page.wait_for_function("document.querySelectorAll('.dp-Page img').length <= 10")
    assert bench.viewer.locator(".dp-Page").count() < 12
    assert bench.viewer.locator(f'.dp-Page[data-page="{count - 100}"]').count() == 0
    bench.page.wait_for_function("window.urls.size === 0")


def test_what_is_scrolled_past_is_given_up(bench: Workbench, corpus: Path) -> None:
    failed: list[str] = []
    bench.page.on("requestfailed", lambda request: failed.append(request.url))
    _open_long(bench, corpus)
    bench.page.route("**/pages/1*.png**", lambda _: None)  # these never come
    column = bench.viewer.locator(".dp-Column")
    column.evaluate("column => column.scrollTo({top: 120 * column.querySelector('.dp-Page').offsetHeight})")
    with bench.page.expect_event("requestfailed", lambda request: "/pages/1" in request.url):
        column.evaluate("column => column.scrollTo({top: 205 * column.querySelector('.dp-Page').offsetHeight})")
    bench.wait_for_picture_of(205)
    assert any("/pages/1" in url for url in failed)


def test_a_picture_of_another_zoom_is_never_painted_late(bench: Workbench, samples: Path) -> None:
    held: list[Any] = []
    let_go = threading.Event()

    def hold(route: Any) -> None:
        if let_go.is_set():
            route.continue_()
        else:
            held.append(route)

    bench.page.route("**/pages/1.png**", hold)
    bench.start(bench.put(samples / "welcome.docx"))
    bench.viewer.locator(".dp-Page").first.wait_for()
    bench.page.wait_for_function("performance.getEntriesByType('resource').length > 0")
    with bench.page.expect_request(lambda request: "/pages/1.png" in request.url):
        bench.run("docpeek:zoom-in")
    let_go.set()
    assert held
    for route in held:
        route.continue_()
    bench.page.wait_for_function(
        "() => { const page = document.querySelector('.dp-Page'), image = page.querySelector('img.dp-Picture');"
        "return image && Math.abs(image.naturalWidth - page.offsetWidth * devicePixelRatio) <= 1; }"
    )


def test_zoom_keeps_the_page_and_fits_say_what_they_do(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "slides.pptx"))
    bench.run("docpeek:next-page")
    bench.wait_for_page(2)
    bench.run("docpeek:fit-page")
    column, page = bench.viewer.locator(".dp-Column"), bench.viewer.locator('.dp-Page[data-page="2"]')
    assert page.bounding_box()["height"] <= column.bounding_box()["height"]
    bench.wait_for_page(2)
    bench.run("docpeek:fit-width")
    assert page.bounding_box()["width"] == pytest.approx(column.evaluate("column => column.clientWidth") - 20, abs=3)
    bench.run("docpeek:zoom-actual")
    assert bench.page.locator(".dp-ZoomSelect").evaluate("box => box.selectedOptions[0].textContent") == "100 %"
    box = column.bounding_box()
    bench.page.mouse.move(box["x"] + 200, box["y"] + 200)
    bench.page.keyboard.down("Control")
    bench.page.mouse.wheel(0, -400)
    bench.page.keyboard.up("Control")
    bench.page.wait_for_function(
        "() => parseInt(document.querySelector('.dp-ZoomSelect').selectedOptions[0].textContent) > 180"
    )


def test_a_large_page_comes_in_tiles(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    bench.page.locator(".dp-ZoomSelect").select_option("6")
    bench.viewer.locator(".dp-Tile").first.wait_for()
    sizes = bench.viewer.locator(".dp-Tile").evaluate_all("tiles => tiles.map(tile => tile.naturalWidth)")
    assert max(sizes) <= 1025
    assert bench.asked("/pages/1.png")[-1].keys() >= {"tile"}


def test_pages_are_as_sharp_as_the_screen(bench: Workbench, samples: Path, browser: Any) -> None:
    path = bench.put(samples / "welcome.docx")
    context = browser.new_context(viewport={"width": 900, "height": 700}, device_scale_factor=1.5)
    sharp = Workbench(bench.lab, context.new_page(), bench.folder)
    sharp.show(path)
    sharp.page.wait_for_function(
        "() => { const image = document.querySelector('img.dp-Picture');"
        "return Math.abs(image.getBoundingClientRect().width * 1.5 - image.naturalWidth) < 0.1; }"
    )
    context.close()
