"""Previews in notebooks, in a real JupyterLab with a real kernel."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.lab.workbench import Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(90)]

COLUMN = ".dpn-Column"


def _notebook(bench: Workbench, *cells: str) -> str:
    """A notebook with these cells, beside the documents; its path below the server's root."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    told = [{**code, "id": f"cell-{number}", "source": cell} for number, cell in enumerate(cells)]
    notebook = {"cells": told, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (bench.folder / "look.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return f"{bench.folder.name}/look.ipynb"


def _run(bench: Workbench, *cells: str) -> Any:
    """Open such a notebook and run it; the notebook in front."""
    bench.start(_notebook(bench, *cells))
    front = bench.page.locator(".jp-NotebookPanel:visible")
    _wait_for_kernel(bench)
    bench.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    return front


def _wait_for_kernel(bench: Workbench) -> None:
    bench.page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    )


def _wait_for_exact_picture(bench: Workbench, number: int, ratio: float = 1.0) -> None:
    """Wait until a page's picture has a pixel for each of the screen's."""
    bench.page.wait_for_function(
        "([number, ratio]) => { const page = document.querySelector(`.dpn-Page[data-page='${number}']`);"
        "const image = page && page.querySelector('img.dpn-Picture');"
        "return image && image.complete && Math.abs(image.naturalWidth - page.offsetWidth * ratio) < 1.01"
        "  && Math.abs(image.getBoundingClientRect().width * ratio - image.naturalWidth) < 0.1; }",
        arg=[number, ratio],
    )


def test_pages_come_as_they_are_scrolled_to(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "slides.pptx")
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("slides.pptx")')
    column = front.locator(COLUMN)
    column.wait_for()
    _wait_for_exact_picture(bench, 1)
    assert front.locator(".dpn-Page[data-page='3']").count() == 0
    column.evaluate("column => column.scrollTo({top: column.scrollHeight})")
    _wait_for_exact_picture(bench, 3)
    assert front.locator(".dpn-PageInput").input_value() == "3"
    front.locator(".dpn-Page[data-page='3'] .dpn-Line").first.wait_for(state="attached")


def test_zoom_page_box_and_keys(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "slides.pptx")
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("slides.pptx", pages="2-")')
    column, zoom = front.locator(COLUMN), front.locator(".dpn-Zoom")
    column.wait_for()
    _wait_for_exact_picture(bench, 2)
    zoom.select_option("2")
    _wait_for_exact_picture(bench, 2)
    assert front.locator(".dpn-Page[data-page='2']").evaluate("page => page.offsetWidth") == 1920
    front.get_by_label("Zoom out").click()
    assert zoom.evaluate("box => box.selectedOptions[0].textContent") == "175 %"
    column.focus()
    bench.page.keyboard.press("p")  # fit the page
    assert zoom.input_value() == "page"
    bench.page.keyboard.press("ArrowRight")
    bench.page.wait_for_function("document.querySelector('.dpn-PageInput').value === '3'")
    front.locator(".dpn-PageInput").fill("2")
    bench.page.keyboard.press("Enter")
    bench.page.wait_for_function("document.querySelector('.dpn-Column').scrollTop < 20")
    cells = front.locator(".jp-CodeCell").count()
    for key in ("b", "x", "d", "d"):  # commands of the notebook, which are not meant here
        bench.page.keyboard.press(key)
    assert front.locator(".jp-CodeCell").count() == cells


def test_text_is_selected_and_copied(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "welcome.docx")
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("welcome.docx", pages=1)')
    line = front.locator(".dpn-Line").first
    line.wait_for(state="attached")
    line.evaluate("line => getSelection().selectAllChildren(line)")
    front.locator(COLUMN).focus()
    bench.page.keyboard.press("Control+c")
    assert bench.page.evaluate("navigator.clipboard.readText()") == line.text_content()


def test_what_is_saved_is_seen_without_the_kernel(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "slides.pptx")
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("slides.pptx")')
    front.locator(COLUMN).wait_for()
    still = front.locator(".jp-RenderedImage img")
    still.wait_for(state="hidden")  # while the pages are there
    bench.run("docmanager:save")
    saved = json.loads((bench.folder / "look.ipynb").read_text(encoding="utf-8"))
    assert [set(output["data"]) & {"image/png"} for output in saved["cells"][0]["outputs"]] == [{"image/png"}, set()]
    assert "widgets" not in saved["metadata"]

    bench.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    bench.page.reload()
    bench.page.locator(".jp-RenderedImage img:visible").wait_for()
    _wait_for_kernel(bench)  # one that starts while its folder goes leaves the server unable to connect the next one


def test_an_error_is_short(bench: Workbench) -> None:
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("nothing.docx")')
    error = front.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"], .jp-RenderedText')
    error.first.wait_for()
    assert re.match(r"PreviewError \(not_found\): nothing.docx: There is no such file", error.first.inner_text())
    assert len(error.first.inner_text().splitlines()) <= 3


def test_a_busy_kernel_is_told_and_answers_later(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "welcome.docx")
    wait = "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.05)"
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("welcome.docx")', wait)
    front.locator(COLUMN).wait_for()
    front.locator("img.dpn-Picture").first.wait_for()  # what came with the preview
    (bench.folder / "go").touch()
    _wait_for_exact_picture(bench, 1)


def test_pages_are_as_sharp_as_the_screen_and_as_dark_as_the_notebook(
    bench: Workbench, samples: Path, browser: Any
) -> None:
    bench.put(samples / "welcome.docx")
    context = browser.new_context(viewport={"width": 1000, "height": 800}, device_scale_factor=1.5)
    sharp = Workbench(bench.lab, context.new_page(), bench.folder)
    front = _run(sharp, 'from preview_app.jupyter import preview\npreview("welcome.docx")')
    front.locator(COLUMN).wait_for()
    _wait_for_exact_picture(sharp, 1, 1.5)
    sharp.run("apputils:change-theme", theme="JupyterLab Light")  # another test may have left the server's setting dark
    sharp.page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")
    light = front.locator(COLUMN).evaluate("column => getComputedStyle(column).backgroundColor")
    sharp.run("apputils:change-theme", theme="JupyterLab Dark")
    sharp.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    assert front.locator(COLUMN).evaluate("column => getComputedStyle(column).backgroundColor") != light
    sharp.run("apputils:change-theme", theme="JupyterLab Light")
    context.close()


def test_a_large_page_comes_in_tiles(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "welcome.docx")
    front = _run(bench, 'from preview_app.jupyter import preview\npreview("welcome.docx")')
    front.locator(COLUMN).wait_for()
    front.locator(".dpn-Zoom").select_option("6")
    front.locator(".dpn-Tile").nth(1).wait_for(state="attached")
    tiles = front.locator(".dpn-Tile").evaluate_all(
        "tiles => tiles.map(tile => [tile.naturalWidth, parseInt(tile.style.left), parseInt(tile.style.top)])"
    )
    assert all(width <= 1025 and left % 1024 == top % 1024 == 0 for width, left, top in tiles)
    assert len(tiles) < 12  # those on the screen, of 30


def test_the_place_is_kept_over_tabs_and_scrolling_away(bench: Workbench, samples: Path) -> None:
    bench.put(samples / "slides.pptx")
    front = _run(
        bench, 'from preview_app.jupyter import preview\npreview("slides.pptx")', *["print('line\\n' * 200)"] * 5
    )
    column = front.locator(COLUMN)
    column.wait_for()
    _wait_for_exact_picture(bench, 1)
    column.evaluate("column => column.scrollTo({top: column.scrollHeight})")
    _wait_for_exact_picture(bench, 3)
    notebook = bench.page.evaluate("jupyterapp.shell.currentWidget.id")
    bench.run("launcher:create")
    column.wait_for(state="hidden")
    bench.page.evaluate("id => jupyterapp.shell.activateById(id)", notebook)
    _wait_for_exact_picture(bench, 3)
    assert front.locator(".dpn-PageInput").input_value() == "3"
    outer = front.locator(".jp-WindowedPanel-outer")
    outer.evaluate("outer => outer.scrollTo({top: outer.scrollHeight})")
    bench.page.wait_for_function(
        "() => { const frame = document.querySelector('.dpn-Frame');"
        "return !frame || frame.getBoundingClientRect().bottom <= 0; }"
    )
    outer.evaluate("outer => outer.scrollTo({top: 0})")
    _wait_for_exact_picture(bench, 3)
    assert front.locator(".dpn-PageInput").input_value() == "3"
