"""Jupyter Notebook 7 shows documents too: it has one page for each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.server import LAB_EXTENSION, LabServer
from tests.lab.workbench import PICTURE, Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]


@pytest.fixture
def notebook(tmp_path: Path, samples: Path) -> Iterator[LabServer]:
    """Notebook's own server, with a document in its root."""
    python = os.environ.get("DOCPEEK_LAB_PYTHON")
    if not python and not LAB_EXTENSION.is_dir():
        pytest.skip("the extension is not built (make lab-build)")
    root = tmp_path / "root"
    root.mkdir()
    shutil.copyfile(samples / "welcome.docx", root / "welcome.docx")
    extension = None if python else LAB_EXTENSION
    server = LabServer(
        root, tmp_path / "jupyter", python=python or sys.executable, application="notebook", extension=extension
    )
    yield server
    server.stop()


def test_notebook_opens_a_document(notebook: LabServer, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 850})
    bench = Workbench(notebook, context.new_page(), notebook.root)
    bench.page.goto(notebook.address("tree"))
    with context.expect_page() as opened:
        bench.page.get_by_text("welcome.docx").dblclick()
    page = Workbench(notebook, opened.value, notebook.root)
    page.viewer.locator(PICTURE).first.wait_for()
    assert "Welcome to docpeek" in page.text()
    page.viewer.locator(".dp-Column").focus()
    page.page.keyboard.press("Control+f")
    page.page.keyboard.type("docpeek")
    page.viewer.locator(".dp-Mark.dp-mod-current").first.wait_for()
    pictures = os.environ.get("DOCPEEK_SCREENSHOTS")
    if pictures:
        (Path(pictures) / "notebook7.png").write_bytes(page.page.screenshot())
    context.close()
    assert not [complaint for complaint in page.complaints if "docpeek" in complaint]
