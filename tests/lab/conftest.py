"""A real JupyterLab and a real browser, shared by all tests here; each test gets a workspace of its own.

`DOCPEEK_LAB_PYTHON` names the Python of another environment into which the wheel is installed: its JupyterLab is
tested then. `DOCPEEK_SCREENSHOTS` names a folder for pictures of what the tests see, and for the server's log.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.lab.server import LAB_EXTENSION, LabServer
from tests.lab.workbench import Workbench

playwright_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-print-preview",  # without a window Chromium (seen with 156) crashes at the preview of a PDF in a frame
)
LARGE_FILE_BYTES = 470_000
"""Below the size of the longest document of the corpus, above that of every other one that is opened here."""


@contextmanager
def running(
    root: Path, scratch: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[LabServer]:
    """A server of the JupyterLab that is tested."""
    python = os.environ.get("DOCPEEK_LAB_PYTHON")
    if not python and not LAB_EXTENSION.is_dir():
        pytest.skip("the extension is not built (make lab-build)")
    server = LabServer(
        root,
        scratch,
        ["--LabApp.expose_app_in_browser=True", *options],
        python=python or sys.executable,
        extension=None if python else LAB_EXTENSION,
        environment=environment,
    )
    try:
        yield server
    finally:
        server.stop()
        if pictures := os.environ.get("DOCPEEK_SCREENSHOTS"):
            (Path(pictures) / f"{scratch.name}.log").write_text("".join(server.log), encoding="utf-8")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """The server, in an empty folder."""
    options = [f"--DocpeekExtension.large_file_bytes={LARGE_FILE_BYTES}"]
    with running(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("jupyter"), options) as server:
        yield server


@pytest.fixture
def start_lab(tmp_path: Path) -> Iterator[Callable[..., LabServer]]:
    """Starts a server for one test: with options and variables of its own, or to be stopped."""
    with ExitStack() as stack:

        def start(*options: str, environment: Mapping[str, str] | None = None) -> LabServer:
            root = tmp_path / "root"
            root.mkdir()
            return stack.enter_context(running(root, tmp_path / "jupyter", options, environment))

        yield start


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, without a window."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_bench(browser: Any, request: pytest.FixtureRequest) -> Iterator[Callable[[LabServer], Workbench]]:
    """Gives JupyterLab of a server in a new browser profile, in a folder and a workspace of this test."""
    name = request.node.name.replace("[", "-").replace("]", "")
    with ExitStack() as stack:
        yield lambda lab: stack.enter_context(_bench(lab, browser, name))


@contextmanager
def _bench(lab: LabServer, browser: Any, name: str) -> Iterator[Workbench]:
    folder = lab.root / name
    folder.mkdir()
    context = browser.new_context(viewport={"width": 1300, "height": 850}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    bench = Workbench(lab, context.new_page(), folder)
    yield bench
    pictures = os.environ.get("DOCPEEK_SCREENSHOTS")
    if pictures:
        (Path(pictures) / f"{name}.png").write_bytes(bench.page.screenshot())
    context.close()
    shutil.rmtree(folder)
    assert not bench.complaints, bench.complaints


@pytest.fixture
def bench(lab: LabServer, open_bench: Callable[[LabServer], Workbench]) -> Workbench:
    """JupyterLab in a new browser profile, in a folder and a workspace of this test."""
    return open_bench(lab)


@pytest.fixture
def samples() -> Path:
    """The documents that come along."""
    return REPOSITORY / "assets/samples"
