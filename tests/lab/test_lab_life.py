"""What happens to documents: they change, they are locked, they are large, engines die, people come back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.lab.server import LabServer
from tests.lab.workbench import PICTURE, Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

LONG = "docx/unst-handbook-872p.docx"


def _put_password(bench: Workbench, password: str) -> None:
    box = bench.viewer.get_by_placeholder("Password")
    box.wait_for()
    assert box.evaluate("box => box === document.activeElement")
    bench.page.keyboard.type(password)
    bench.page.keyboard.press("Enter")


def _zygotes(lab: LabServer) -> list[psutil.Process]:
    """The processes below the server that fork an engine for each document."""
    found = []
    for process in lab.process.children(recursive=True):
        command = " ".join(process.cmdline())
        if "zygote" in command or "engines.native.office" in command:
            found.append(process)
    return found


def test_a_changed_file_is_shown_again_at_the_same_place(bench: Workbench, corpus: Path) -> None:
    """The old pages stay until the new ones are there: at no moment is there no picture."""
    path = bench.put(corpus / "docx/opf-PDF-Sample-Document-Fully-Featured-Layout.docx", "changing.docx")
    bench.show(path)
    bench.run("docpeek:next-page")
    bench.wait_for_page(2)
    bench.wait_for_picture_of(2)
    before = bench.text(2)
    bench.page.evaluate(
        """() => {
          window.blank = 0;
          new MutationObserver(() => {
            if (!document.querySelector('.dp-Column:not(.dp-mod-coming) img')) window.blank += 1;
          }).observe(document.querySelector('.dp-Stage'), { childList: true, subtree: true, attributes: true });
        }"""
    )
    scratch = bench.folder / "changing.tmp"
    shutil.copyfile(corpus / "docx/docx4j-tables.docx", scratch)
    os.replace(scratch, bench.folder / "changing.docx")
    bench.page.wait_for_function(
        "before => { const layer = document.querySelector('.dp-Page[data-page=\"2\"] .dp-TextLayer');"
        "return layer && layer.textContent !== before; }",
        arg=before,
    )
    bench.wait_for_page(2)
    assert bench.page.evaluate("window.blank") == 0


def test_what_is_no_document_any_more_leaves_the_last_pages(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    (bench.folder / "welcome.docx").write_bytes(b"PK\x03\x04 half of an archive")
    bench.page.locator(".dp-News").get_by_role("button", name="Retry").wait_for()
    assert bench.viewer.locator(PICTURE).count() > 0
    shutil.copyfile(samples / "welcome.docx", bench.folder / "welcome.docx")
    bench.page.locator(".dp-News").wait_for(state="hidden")


def test_a_deleted_file_leaves_the_last_pages(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    (bench.folder / "welcome.docx").unlink()
    bench.page.get_by_text("The file was moved or deleted").wait_for()
    assert bench.viewer.locator(PICTURE).count() > 0


def test_an_engine_that_dies_is_told_and_retried(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put_unknown(corpus / LONG))
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.page.get_by_role("heading", name="Converting").wait_for()
    kits = [kit for zygote in _zygotes(bench.lab) for kit in zygote.children(recursive=True)]
    assert kits
    for kit in kits:
        kit.kill()
    bench.page.get_by_role("heading", name="The engine failed on this document").wait_for()
    bench.viewer.get_by_role("button", name="Copy details").click()
    assert json.loads(bench.page.evaluate("navigator.clipboard.readText()"))["kind"] == "engine"
    bench.viewer.get_by_role("button", name="Retry", exact=True).click()
    bench.viewer.locator(PICTURE).first.wait_for()


SLOW_CONVERSION = """
    const fetched = window.fetch;
    const late = ['{"event":"accepted","ticket":"T"}', '{"event":"still_working","elapsed_s":16}', ''].join('\\n');
    window.extended = [];
    window.fetch = (request, ...rest) => {
      if (request.url?.endsWith('/extend')) {
        window.extended.push(request.url);
        return Promise.resolve(new Response(null, { status: 204 }));
      }
      return request.url?.endsWith('docpeek/api/v1/documents')
        ? Promise.resolve(new Response(new ReadableStream({
            start: stream => {
              window.say = line => stream.enqueue(new TextEncoder().encode(line + '\\n'));
              stream.enqueue(new TextEncoder().encode(late));
            }
          }), { headers: { 'Content-Type': 'application/x-ndjson' } }))
        : fetched(request, ...rest);
    };
"""


def test_a_slow_document_is_waited_for_with_the_keyboard(bench: Workbench, samples: Path) -> None:
    """A server that is slow at will: the answer is the test's own."""
    bench.page.add_init_script(SLOW_CONVERSION)
    bench.start(bench.put(samples / "slides.pptx"))
    bench.page.get_by_role("heading", name="Still working on it").wait_for()
    bench.viewer.get_by_role("button", name="Keep waiting").press("Enter")
    bench.viewer.get_by_role("button", name="Keep waiting").wait_for(state="detached")
    assert bench.page.evaluate("window.extended.map(url => url.split('/v1/')[1])") == ["tickets/T/extend"]
    assert bench.page.evaluate("document.activeElement.className").startswith("dp-Stage")
    error = {"kind": "timeout", "message": "Too long.", "fault": "document", "retry": True, "other_engines": ["wasm"]}
    bench.page.evaluate("line => window.say(line)", json.dumps({"event": "failed", "error": error}))
    bench.viewer.get_by_role("button", name="Retry with the bundled engine").wait_for()


def test_the_death_of_an_idle_engine_is_not_noticed(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "slides.pptx"))
    for zygote in _zygotes(bench.lab):
        zygote.kill()
    changed = samples / "garden.xlsx"
    bench.open(bench.put(changed, "fresh.xlsx"))
    bench.viewer.locator(PICTURE).first.wait_for()


def test_a_damaged_document_says_so(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put(corpus / "corrupt/poi-truncated62886.docx"))
    bench.page.get_by_role("heading", name="This document is damaged").wait_for()
    assert bench.viewer.get_by_role("alert").count() == 1


def test_a_password_is_asked_for_until_it_fits(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put(corpus / "password/msoff-ecma376standard_password.docx"))
    _put_password(bench, "wrong")
    bench.page.get_by_text("That password does not fit.").wait_for()
    _put_password(bench, "Password1234_")
    bench.viewer.locator(PICTURE).first.wait_for()
    bench.page.wait_for_function("document.activeElement.className === 'dp-Column'")
    assert not [url for _, url in bench.requests if "Password1234" in url]


def test_a_large_file_is_asked_about(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put(corpus / LONG))
    bench.page.get_by_role("heading", name="This is a large file").wait_for()
    assert bench.viewer.get_by_text("483 kB").count() == 1
    assert not bench.asked("/pages/")
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.viewer.locator(PICTURE).first.wait_for()


def test_the_place_is_kept_over_tabs_and_restarts(bench: Workbench, samples: Path) -> None:
    slides, text = bench.put(samples / "slides.pptx"), bench.put(samples / "welcome.docx")
    bench.show(slides)
    bench.run("docpeek:zoom-actual")
    bench.run("docpeek:next-page")
    bench.run("docpeek:thumbnails")
    bench.wait_for_page(2)
    bench.open(text)
    bench.wait_for_page(1)
    bench.open(slides)
    bench.wait_for_page(2)
    bench.wait_until(
        "async path => { const kept = await jupyterapp.serviceManager.workspaces.list();"
        "return kept.values.some(each => each.data['docpeek-places:all']?.[path]?.anchor.page === 1"
        " && each.data['docpeek-places:all'][path].sidebar === 'thumbnails'"
        " && JSON.stringify(each.data['layout-restorer:data'] ?? '').includes(`docpeek:${path}`)); }",
        slides,
    )
    bench.page.reload()
    bench.viewer.locator(PICTURE).first.wait_for()
    bench.wait_for_page(2)
    assert bench.page.locator(".dp-ZoomSelect:visible").evaluate("box => box.selectedOptions[0].textContent") == "100 %"
    assert bench.viewer.locator(".dp-Thumbnail").count() > 1


def test_a_renamed_file_stays_open(bench: Workbench, samples: Path) -> None:
    path = bench.put(samples / "welcome.docx")
    bench.show(path)
    bench.page.evaluate(
        "([from, to]) => jupyterapp.serviceManager.contents.rename(from, to)", [path, path.replace("welcome", "other")]
    )
    bench.page.get_by_role("tab", name="other.docx").wait_for()
    bench.viewer.locator(PICTURE).first.wait_for()
    bench.run("docpeek:find")
    bench.page.keyboard.type("welcome")
    bench.viewer.locator(".dp-Mark").first.wait_for()


def _asks_ahead_for(path: str) -> Callable[[Any], bool]:
    def is_it(request: Any) -> bool:
        if request.method != "POST" or not request.url.endswith("/documents"):
            return False
        return bool(request.post_data_json == {"path": path, "lane": "low"})

    return is_it


def test_neighbours_are_converted_ahead_and_withdrawn(bench: Workbench, samples: Path) -> None:
    before, _, after = (bench.put(samples / name) for name in ("garden.xlsx", "slides.pptx", "welcome.docx"))
    bench.start()
    item = bench.page.locator(".jp-DirListing-item", has_text="slides.pptx")
    item.wait_for()
    with bench.page.expect_request(_asks_ahead_for(before)):  # one at a time: by then the one after it is there
        item.dblclick()
    assert any(_asks_ahead_for(after)(request) for request in bench.sent)
    bench.run("application:close")
    bench.page.route("**/documents", lambda route: None if "low" in route.request.post_data else route.continue_())
    with bench.page.expect_request(_asks_ahead_for(after)):
        item.dblclick()
    with bench.page.expect_event("requestfailed", _asks_ahead_for(after)):
        bench.run("application:close")


def test_a_dark_theme_and_dark_pages(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    bench.run("apputils:change-theme", theme="JupyterLab Dark")
    bench.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    colour = bench.viewer.locator(".dp-Stage").evaluate("stage => getComputedStyle(stage).backgroundColor")
    assert max(int(part) for part in colour.strip("rgb()").split(",")) < 100
    assert not [query for query in bench.asked("/pages/1.png") if "night" in query]
    bench.run("docpeek:night")
    bench.page.wait_for_function(
        """() => {
          const image = document.querySelector('.dp-Column.dp-mod-night img.dp-Picture');
          const paint = document.createElement('canvas').getContext('2d');
          paint.drawImage(image, 0, 0);
          return Math.max(...paint.getImageData(5, 5, 1, 1).data.slice(0, 3)) < 60;
        }"""
    )
    with bench.page.expect_response(lambda said: "/settings/docpeek" in said.url and said.request.method == "PUT"):
        bench.run("docpeek:night")  # settings are the server's: the next test begins in the light
    bench.run("apputils:change-theme", theme="JupyterLab Light")


def test_the_pdf_is_downloaded(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    with bench.page.expect_download() as download:
        bench.viewer.page.get_by_role("button", name="Download as PDF").click()
    assert download.value.suggested_filename in ("welcome.pdf", "welcome.docx.pdf")
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF-")


def test_the_help_menu_offers_the_source(bench: Workbench, samples: Path) -> None:
    bench.start()
    bench.page.get_by_role("menuitem", name="Help").click()
    bench.page.get_by_role("menuitem", name="About docpeek").click()
    link = bench.page.get_by_role("link", name="Source code of this program")
    address = link.get_attribute("href")
    size = bench.page.evaluate("async url => (await (await fetch(url)).arrayBuffer()).byteLength", address)
    assert size > 100_000
