"""Notebooks run by a real kernel on the real engine: what is left in them, and what is left of them."""

from __future__ import annotations

import base64
import os
import re
import signal
from pathlib import Path
from typing import Any

import nbclient
import nbformat.v4
import psutil
import pytest
from nbconvert import HTMLExporter

from engines.wasm.prepared import find
from tests.conftest import REPOSITORY
from tests.fakes import PATIENCE_S

pytestmark = [
    pytest.mark.wasm,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries that run notebooks
]

NOTEBOOKS: Any = nbformat.v4  # neither has types
EXPORTER: Any = HTMLExporter
WIDGET = "application/vnd.jupyter.widget-view+json"
CELLS = (
    "from preview_app.jupyter import preview\npreview('welcome.docx', pages='1')",
    "preview('slides.pptx', pages='2-', interactive=True)",
    "preview('nothing.docx')",
    "import sys\nassert not {'jupyter_server', 'tornado.web', 'PySide6', 'pymupdf'} & set(sys.modules)",
)
DESCENDANTS = "import psutil\nprint(*[each.pid for each in psutil.Process().children(recursive=True)])"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nbclient.NotebookClient:
    """Runs notebooks in a folder with two samples, with settings of the test's own."""
    if find() is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    for name in ("welcome.docx", "slides.pptx"):
        (tmp_path / name).write_bytes((REPOSITORY / "assets/samples" / name).read_bytes())
    (tmp_path / "config.toml").write_text('engine = "wasm"\nraster_workers = 1\n')
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("DOCPEEK_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    notebook = NOTEBOOKS.new_notebook(cells=[NOTEBOOKS.new_code_cell(cell) for cell in CELLS])
    return nbclient.NotebookClient(
        notebook,
        timeout=90,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path)}},
    )


def _descendants(client: nbclient.NotebookClient) -> list[psutil.Process]:
    """What runs below the kernel, by its own account."""
    cell = NOTEBOOKS.new_code_cell(DESCENDANTS)
    client.nb.cells.append(cell)
    client.execute_cell(cell, len(client.nb.cells) - 1)
    return [psutil.Process(int(pid)) for pid in cell.outputs[0].text.split()]


def test_a_notebook_is_run_saved_and_converted(client: nbclient.NotebookClient) -> None:
    with client.setup_kernel():
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        client.set_widgets_metadata()
        below = _descendants(client)
    (static,), (picture, interactive), (missing,), light = [cell.outputs for cell in client.nb.cells[:4]]
    assert set(static.data) == {"text/plain", "image/png"}  # nobody looks at this run
    assert base64.b64decode(static.data["image/png"]).startswith(b"\x89PNG")
    assert set(picture.data) == {"text/plain", "image/png"}
    assert set(interactive.data) == {"text/plain", WIDGET}
    assert interactive.data["text/plain"] == "slides.pptx: pages 2-3 of 3"
    assert (missing.ename, len(missing.traceback)) == ("PreviewError", 2)
    assert light == []

    html, _ = EXPORTER().from_notebook_node(client.nb)
    assert len(re.findall(r'<img[^>]* src="data:image/png;base64,', html)) == 2

    assert len(below) >= 2  # an engine and a renderer, at least
    _, alive = psutil.wait_procs(below, timeout=PATIENCE_S)
    assert not alive


def test_nothing_is_left_of_a_kernel_that_is_killed(client: nbclient.NotebookClient) -> None:
    with client.setup_kernel():
        client.execute_cell(client.nb.cells[0], 0)
        below = _descendants(client)
        assert below
        kernel = psutil.Process().children()
        leaders = [each for each in kernel if "ipykernel_launcher" in " ".join(each.cmdline())]
        for each in leaders:
            os.kill(each.pid, signal.SIGKILL)
        assert leaders
        _, alive = psutil.wait_procs(below, timeout=PATIENCE_S)
        assert not alive
