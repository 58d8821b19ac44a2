"""Printing, by the browser's own viewer of PDFs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.workbench import Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

LONG = "docx/unst-handbook-872p.docx"
COUNT_PRINTS = """
  if (window !== top) {
    const print = window.print.bind(window);
    window.print = () => { top.printed = [...(top.printed ?? []), document.contentType]; print(); };
  }
"""
NO_VIEWER = "Object.defineProperty(navigator, 'pdfViewerEnabled', { get: () => false });"


def test_a_long_document_is_printed_again_and_again(bench: Workbench, corpus: Path) -> None:
    """Each time the browser gets the whole PDF; what it got the last time goes."""
    bench.page.add_init_script(COUNT_PRINTS)
    bench.start(bench.put(corpus / LONG))
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.wait_for_picture_of(1)
    for count in range(1, 5):
        bench.run("docpeek:print")
        assert bench.page.evaluate("top.printed") == ["application/pdf"] * count
    assert bench.page.locator("iframe.dp-Print").count() == 1
    bench.run("docpeek:last-page")
    bench.wait_for_picture_of(int(bench.page.locator(".dp-PageCount:visible").text_content().strip("/ ")))


def test_a_browser_that_shows_no_pdf_gets_it_as_a_file(bench: Workbench, samples: Path) -> None:
    bench.page.add_init_script(NO_VIEWER)
    bench.show(bench.put(samples / "welcome.docx"))
    with bench.page.expect_download() as download:
        bench.page.get_by_role("button", name="Print", exact=True).click()
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF-")
