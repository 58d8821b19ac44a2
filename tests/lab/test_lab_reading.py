"""Finding, copying, the sidebar, the keyboard, what screen readers get."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.workbench import Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

HEADED = "docx/opf-PDF-Sample-Document-Fully-Featured-Layout.docx"


def _clipboard(bench: Workbench) -> str:
    return str(bench.page.evaluate("navigator.clipboard.readText()"))


def _counted(bench: Workbench, text: str) -> None:
    bench.page.wait_for_function("text => document.querySelector('.dp-FindCount').textContent === text", arg=text)


def test_find_as_you_type(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "welcome.docx"))
    words = bench.text()
    bench.run("docpeek:last-page")
    whole = sum(text.lower().count("document") for text in (words, bench.text(2)))
    bench.run("docpeek:first-page")
    bench.wait_for_page(1)
    viewer.locator(".dp-Column").focus()
    bench.page.keyboard.press("Control+f")
    bench.page.keyboard.type("DOCUMENT")
    assert whole > 1
    _counted(bench, f"1 of {whole}")
    assert viewer.locator('.dp-Page[data-page="1"] .dp-Mark').count() == words.lower().count("document")
    assert viewer.locator(".dp-Mark.dp-mod-current").count() == 1

    bench.page.keyboard.press("Enter")
    _counted(bench, f"2 of {whole}")
    bench.page.keyboard.press("Shift+Enter")
    bench.page.keyboard.press("Shift+Enter")
    _counted(bench, f"{whole} of {whole}")

    viewer.get_by_role("button", name="Match case").click()
    _counted(bench, "Nothing found")
    viewer.get_by_role("button", name="Match case").click()
    _counted(bench, f"1 of {whole}")
    bench.page.get_by_label("Find in document").fill("OCUMEN")
    _counted(bench, f"1 of {whole}")
    viewer.get_by_role("button", name="Whole words").click()
    _counted(bench, "Nothing found")
    bench.page.keyboard.press("Escape")
    assert viewer.locator(".dp-Mark").count() == 0
    assert bench.page.evaluate("document.activeElement.className") == "dp-Column"


def test_a_search_that_breaks_off_has_not_found_nothing(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "slides.pptx"))
    lines = {"content_type": "application/x-ndjson", "body": '{"searched":1}\n'}
    bench.page.route("**/search?**", lambda route, _: route.fulfill(status=200, **lines))
    viewer.locator(".dp-Column").focus()
    bench.page.keyboard.press("Control+f")
    bench.page.keyboard.type("person")
    _counted(bench, "The search failed")


def test_a_link_is_followed_and_gone_back_from(bench: Workbench, corpus: Path) -> None:
    """Back is where the link was followed from, not the top of its page."""
    viewer = bench.show(bench.put(corpus / "docx/opf-PDF-Sample-Document-Fully-Featured-Layout.docx"))
    column = viewer.locator(".dp-Column")
    bench.run("docpeek:last-page")
    bench.wait_for_page(3)
    link = viewer.locator('.dp-Page[data-page="3"] a[href="#"]').first
    link.wait_for(state="attached")
    top = column.evaluate("column => column.scrollTop")
    place = column.evaluate("(column, top) => { column.scrollTop = top + 41; return column.scrollTop; }", top)
    assert place == top + 41
    bench.wait_until(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
    )  # the column takes notice of a scroll with the next frame
    link.evaluate("link => link.click()")
    assert column.evaluate("column => column.scrollTop") != place
    column.press("Alt+ArrowLeft")
    bench.wait_until("place => document.querySelector('.dp-Column').scrollTop === place", place)


def test_a_hit_far_away_comes_into_view(bench: Workbench, corpus: Path) -> None:
    bench.start(bench.put(corpus / "docx/unst-handbook-872p.docx"))
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.wait_for_picture_of(1)
    bench.run("docpeek:last-page")
    count = int(bench.page.locator(".dp-PageCount:visible").text_content().strip("/ "))
    bench.text(count)
    lines = bench.viewer.locator(f'.dp-Page[data-page="{count}"] .dp-Line').all_inner_texts()
    bench.run("docpeek:first-page")
    bench.wait_for_page(1)
    bench.run("docpeek:find")
    bench.page.keyboard.insert_text(next(line for line in lines if line.startswith("Page")))
    bench.wait_for_page(count)
    bench.wait_until(
        """() => {
          const mark = document.querySelector('.dp-Mark.dp-mod-current')?.getBoundingClientRect();
          const view = document.querySelector('.dp-Column').getBoundingClientRect();
          return mark && view.top <= mark.top && mark.bottom <= view.bottom;
        }"""
    )


def test_lab_finds_in_documents_too(bench: Workbench, samples: Path) -> None:
    bench.show(bench.put(samples / "welcome.docx"))
    bench.run("documentsearch:start")
    bench.page.keyboard.type("docpeek")
    bench.viewer.locator(".dp-Mark").first.wait_for()
    bench.page.wait_for_function(
        "() => /1\\/[1-9]/.test(document.querySelector('.jp-DocumentSearch-index-counter')?.textContent)"
    )
    bench.page.keyboard.press("Escape")
    bench.viewer.locator(".dp-Mark").first.wait_for(state="detached")


def test_select_with_the_mouse_and_copy(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "welcome.docx"))
    bench.text()
    first, last = (viewer.locator(".dp-Line", has_text=text).first.bounding_box() for text in ("Welcome", "You are"))
    bench.page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    bench.page.mouse.down()
    bench.page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=8)
    bench.page.mouse.up()
    bench.page.keyboard.press("Control+c")
    lines = _clipboard(bench).splitlines()
    assert lines[0] == "Welcome to docpeek"
    assert lines[1].startswith("You are looking at a word processor document")
    assert len(lines) == 2


def test_copying_all_text_takes_pages_that_are_not_on_the_screen(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "slides.pptx"))
    bench.run("docpeek:last-page")
    count = int(bench.page.locator(".dp-PageCount:visible").text_content().strip("/ "))
    words = bench.text(count)
    bench.run("docpeek:first-page")
    bench.wait_for_page(1)
    viewer.locator(".dp-Column").focus()
    bench.page.keyboard.press("Control+a")
    bench.run("docpeek:copy")
    assert words[:20] in _clipboard(bench).replace("\n", "")


def test_thumbnails_outline_and_details(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "welcome.docx"))
    viewer.locator(".dp-Column").focus()
    bench.page.keyboard.press("F4")
    viewer.locator(".dp-Thumbnail img").nth(1).wait_for()
    viewer.get_by_role("button", name="Page 2", exact=True).click()
    bench.wait_for_page(2)
    assert viewer.locator(".dp-Thumbnail[aria-current='page']").get_attribute("aria-label") == "Page 2"

    viewer.get_by_role("tab", name="Outline").click()
    entries = viewer.locator(".dp-OutlineEntry")
    entries.first.wait_for()
    entries.first.click()
    bench.wait_for_page(1)

    viewer.get_by_role("tab", name="Details").click()
    viewer.locator(".dp-Facts dt").first.wait_for()
    told = dict(
        zip(
            viewer.locator(".dp-Facts > dl > dt").all_inner_texts(),
            viewer.locator(".dp-Facts > dl > dd").all_inner_texts(),
            strict=True,
        )
    )
    assert told["Page sizes"] == "216 × 279 mm (2)"
    assert told["Size"].endswith(" kB")
    assert "_" not in "".join(told)
    viewer.get_by_role("button", name="Copy as JSON").click()
    bench.wait_until("async () => (await navigator.clipboard.readText()).startsWith('{')")
    assert "wasm" in _clipboard(bench) or "native" in _clipboard(bench)


def test_the_keyboard_turns_pages(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "slides.pptx"))
    viewer.locator(".dp-Column").focus()
    bench.page.keyboard.press("ArrowRight")
    bench.wait_for_page(2)
    bench.page.keyboard.press("ArrowLeft")
    bench.wait_for_page(1)
    count = int(bench.page.locator(".dp-PageCount").text_content().strip("/ "))
    bench.page.keyboard.press("End")
    bench.wait_for_page(count)
    bench.page.keyboard.press("Home")
    bench.wait_for_page(1)
    box = bench.page.get_by_label("Page", exact=True)
    box.fill("2")
    box.press("Enter")
    bench.wait_for_page(2)
    box.fill("rubbish")
    box.press("Enter")
    bench.wait_for_page(2)


def test_everything_has_a_name_and_pages_are_announced(bench: Workbench, corpus: Path) -> None:
    viewer = bench.show(bench.put(corpus / HEADED))
    bench.run("docpeek:find")
    bench.run("docpeek:thumbnails")
    nameless = bench.page.evaluate(
        """() => [...document.querySelectorAll('.dp-Viewer, .jp-Toolbar')].flatMap(part => [...part.querySelectorAll(
             'button, input, select, [role=document], [role=group], [role=progressbar]')])
           .filter(each => each.checkVisibility() && each.closest('.jp-DocumentWidget, .jp-MainAreaWidget'))
           .filter(each => !(each.getAttribute('aria-label') || each.title || each.textContent.trim()))
           .map(each => each.outerHTML.slice(0, 200))"""
    )
    assert not nameless
    assert "page 1 of" in viewer.locator(".dp-Live").text_content()
    bench.run("docpeek:next-page")
    bench.page.wait_for_function("/Page 2 of/.test(document.querySelector('.dp-Live').textContent)")
    assert viewer.get_by_role("document").get_attribute("aria-label").endswith(".docx")
