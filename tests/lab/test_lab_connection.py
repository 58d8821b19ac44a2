"""The server answers nonsense, refuses, forgets, goes away, comes back: told readably, and good again by itself."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.server import LabServer
from tests.lab.workbench import PICTURE, Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

LONG = "docx/unst-handbook-872p.docx"
LINES, PAGE_FOR_PEOPLE = "application/x-ndjson", "text/html; charset=utf-8"
OPENINGS = "**/docpeek/api/v1/documents"
CHECK, LOGGED_OUT = "Check that the server runs", "You may have been logged out"
AWAY = "The server cannot be reached; the document comes back by itself"
ACCEPTED = '{"event":"accepted","ticket":"t"}\n'
LAB_ITSELF = ("WebSocket", "Failed to fetch", "Server Connection Error", "ERR_CONNECTION_REFUSED", "NetworkError")
"""What JupyterLab's own parts say of a server that is away."""


@pytest.fixture
def own_lab(
    start_lab: Callable[..., LabServer], open_bench: Callable[[LabServer], Workbench]
) -> Iterator[Callable[..., Workbench]]:
    """JupyterLab on a server that the test may stop."""
    benches: list[Workbench] = []

    def start(*options: str) -> Workbench:
        benches.append(open_bench(start_lab(*options)))
        return benches[-1]

    yield start
    for bench in benches:
        bench.complaints[:] = [each for each in bench.complaints if not any(part in each for part in LAB_ITSELF)]


@pytest.mark.parametrize(
    ("status", "kind", "body", "advice"),
    [
        (200, LINES, "", CHECK),
        (200, LINES, ACCEPTED + '{"event":"phase","pha', CHECK),
        (200, LINES, ACCEPTED + "null\n", CHECK),
        (200, LINES, ACCEPTED + "[1]\n", CHECK),
        (200, LINES, ACCEPTED + '{"event":"ready","document":null}\n', CHECK),
        (200, PAGE_FOR_PEOPLE, "<html>Log in</html>", LOGGED_OUT),
        (502, PAGE_FOR_PEOPLE, "<html>Bad Gateway</html>", CHECK),
        (403, "application/json", '{"message":"Forbidden"}', LOGGED_OUT),
        (404, PAGE_FOR_PEOPLE, "<html>Not Found</html>", "The server does not know docpeek"),
    ],
    ids=["nothing", "cut", "null", "list", "hollow", "page", "gateway", "login", "absent"],
)
def test_an_answer_without_its_end_is_told_and_retried(
    bench: Workbench, samples: Path, status: int, kind: str, body: str, advice: str
) -> None:
    def answer(route: Any) -> None:
        route.fulfill(status=status, content_type=kind, body=body)

    path = bench.put(samples / "slides.pptx")
    bench.page.route(OPENINGS, answer)
    bench.start(path)
    panel = bench.viewer.get_by_role("alert")
    panel.get_by_text(advice).wait_for()
    assert not [word for word in ("TypeError", "SyntaxError", "undefined", "null") if word in panel.inner_text()]
    bench.page.unroute(OPENINGS, answer)
    bench.viewer.get_by_role("button", name="Retry", exact=True).click()
    bench.viewer.locator(PICTURE).first.wait_for()


def test_a_failure_of_the_handler_itself_is_told(bench: Workbench, samples: Path) -> None:
    """A stream that has begun can end in a bare error."""
    error = {"kind": "engine", "message": "The server failed.", "fault": "engine", "retry": True}
    body = ACCEPTED + json.dumps({"error": error}) + "\n"
    bench.page.route(OPENINGS, lambda route, _: route.fulfill(status=200, content_type=LINES, body=body))
    bench.start(bench.put(samples / "slides.pptx"))
    bench.viewer.get_by_role("alert").get_by_text("The server failed.").wait_for()


def test_who_is_logged_out_is_told_and_goes_on_after_logging_in(bench: Workbench, samples: Path) -> None:
    viewer = bench.show(bench.put(samples / "slides.pptx"))

    def refuse(route: Any) -> None:
        route.fulfill(status=403, content_type="application/json", body='{"message":"Forbidden"}')

    bench.page.route("**/api/contents/**", refuse)
    bench.page.route("**/docpeek/api/**", refuse)
    bench.page.get_by_text("The server does not let you look at this file any more").wait_for()
    bench.run("docpeek:outline")
    viewer.locator(".dp-Outline [role=alert]").wait_for()
    bench.page.unroute("**/api/contents/**", refuse)
    bench.page.unroute("**/docpeek/api/**", refuse)
    viewer.locator(".dp-Warning").wait_for(state="hidden")
    bench.run("docpeek:last-page")
    bench.wait_for_picture_of(3)


def test_a_page_says_why_it_cannot_be_drawn(bench: Workbench, corpus: Path) -> None:
    """The file is gone: pages that were not seen yet cannot be had any more."""
    bench.start(bench.put(corpus / LONG))
    bench.page.get_by_role("button", name="Open anyway").click()
    bench.wait_for_picture_of(1)
    (bench.folder / Path(LONG).name).unlink()
    bench.run("docpeek:last-page")
    note = bench.viewer.locator(".dp-PageFailure").first
    note.wait_for()
    assert "This page could not be drawn. There is no such file" in note.text_content()
    bench.page.get_by_text("The file was moved or deleted").wait_for()


def test_a_picture_that_is_none_is_told(bench: Workbench, samples: Path) -> None:
    def answer(route: Any) -> None:
        route.fulfill(status=200, content_type=PAGE_FOR_PEOPLE, body="<html>Log in</html>")

    path = bench.put(samples / "slides.pptx")
    bench.page.route("**/pages/1.png**", answer)
    bench.start(path)
    bench.viewer.locator(".dp-PageFailure").get_by_text(LOGGED_OUT).wait_for()
    bench.page.unroute("**/pages/1.png**", answer)
    bench.viewer.locator(".dp-PageFailure").get_by_role("button", name="Retry").click()
    bench.wait_for_picture_of(1)


def test_a_server_that_starts_again_is_not_noticed_for_long(own_lab: Callable[..., Workbench], samples: Path) -> None:
    """Pages stay while it is away; then the document is opened again by itself, at its page and zoom."""
    bench = own_lab()
    viewer = bench.show(bench.put(samples / "slides.pptx"))
    bench.run("docpeek:zoom-actual")
    bench.run("docpeek:next-page")
    bench.run("docpeek:thumbnails")
    bench.wait_for_page(2)
    bench.wait_for_picture_of(2)
    bench.lab.stop()
    bench.page.get_by_text(AWAY).wait_for()
    assert viewer.locator(PICTURE).count() > 0
    column = viewer.locator(".dp-Column").element_handle()
    bench.lab.restart()
    column.wait_for_element_state("hidden")  # it has given way to that of the new server
    bench.wait_for_picture_of(2)
    assert viewer.locator(".dp-Warning").is_hidden()
    assert bench.current_page() == 2
    assert bench.page.locator(".dp-ZoomSelect:visible").evaluate("box => box.selectedOptions[0].textContent") == "100 %"
    assert viewer.locator(".dp-Thumbnail").count() > 1
    bench.run("docpeek:last-page")
    bench.wait_for_picture_of(3)
    bench.run("docpeek:find")
    bench.viewer.get_by_label("Find in document").fill("person")
    bench.viewer.locator(".dp-Mark.dp-mod-current").first.wait_for()


def test_a_server_that_dies_while_it_converts(own_lab: Callable[..., Workbench], corpus: Path) -> None:
    bench = own_lab()
    bench.start(bench.put(corpus / LONG))
    bench.page.get_by_role("heading", name="Converting").wait_for()
    bench.lab.process.send_signal(signal.SIGKILL)
    bench.page.get_by_role("heading", name="The server cannot be reached").wait_for()
    assert bench.viewer.get_by_role("button", name="Retry", exact=True).count() == 1
    bench.lab.stop()
    bench.lab.restart()
    bench.wait_for_picture_of(1)
    assert bench.viewer.locator(".dp-Panel").count() == 0


def test_a_document_that_the_server_let_go_is_opened_again(own_lab: Callable[..., Workbench], samples: Path) -> None:
    """The server keeps one document; whoever comes back to the other one notices nothing."""
    bench = own_lab("--DocpeekExtension.documents_max=1")
    slides, text = bench.put(samples / "slides.pptx"), bench.put(samples / "welcome.docx")
    bench.show(slides)
    bench.open(text)
    bench.viewer.locator(PICTURE).first.wait_for()
    bench.open(slides)
    bench.run("docpeek:find")
    bench.viewer.get_by_label("Find in document").fill("person")
    bench.viewer.locator(".dp-Mark.dp-mod-current").first.wait_for()
    bench.open(text)
    with bench.page.expect_download() as download:
        bench.run("docpeek:download-pdf")
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF-")
