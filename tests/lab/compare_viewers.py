"""docpeek beside jupyterlab-doc-reader-extension, in one run: how soon a document is to be seen, and a picture of it.

The other viewer lives in a virtual environment of its own, outside of this checkout:

    python3 -m venv /tmp/other && /tmp/other/bin/pip install "jupyterlab>=4.6,<5" jupyterlab-doc-reader-extension
    python -m tests.lab.compare_viewers --other /tmp/other/bin/python --pictures out/compared

Both run in JupyterLab, one document after the other, each round on a copy that no cache knows. Both are looked at in
the same way, on the screen: a viewer shows its document once the details in its part of the window (steps of
brightness between neighbouring pixels) are half as many as in the end. What is shown, people have to judge by the
pictures: `NAME.docpeek.png` and `NAME.other.png`.
"""

from __future__ import annotations

import argparse
import io
import secrets
import shutil
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from tests.conftest import REPOSITORY
from tests.lab.conftest import CHROMIUM, FLAGS
from tests.lab.server import LabServer

DOCUMENTS = (
    "docx/opf-PDF-Sample-Document-Fully-Featured-Layout.docx",
    "docx/docling-equations.docx",
    "rtf/tika-testRTFJapanese.rtf",
    "odt/jod-test_toc.odt",
    "xlsx/poi-WithThreeCharts.xlsx",
    "pptx/poi-themes.pptx",
    "odp-odg/odftk-SlideTest3.odp",
    "doc/poi-Word6.doc",
    "xls/poi-chinese-provinces.xls",
    "sheet-other/odftk-chart_charttype_pie_import_xml_MSO15.ods",
)
VIEW: Any = {"width": 1300, "height": 850}
STEP = 24
"""A step of brightness that counts as a detail."""
QUIET_S = 2.5
PATIENCE_S = 45.0
ATTEMPTS = 3
IS_IN_FRONT = """name => {
  const isShown = each => each.checkVisibility();
  const busy = document.querySelectorAll('.lm-DockPanel-widget :is(progress, [role="progressbar"], [class*="oading"])');
  if (document.querySelector('.jp-Dialog')) {
    return true; // of an error: there will be no more
  }
  return document.querySelector('.lm-DockPanel-tabBar .lm-mod-current')?.textContent.trim() === name
    && ![...busy].some(isShown);
}"""
"""Whether the document's tab is there and nothing in it says that it is still working, or an error is told."""
DISMISS = "() => document.querySelectorAll('.jp-Dialog-button').forEach(button => button.click())"


class Viewer:
    """A JupyterLab with one of the two viewers in it."""

    def __init__(self, name: str, server: LabServer, page: Any) -> None:
        self.name = name
        self._server = server
        self._page = page
        self._copies = 0
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(server.address("lab/workspaces/compare"))
        page.wait_for_function("window.jupyterapp")
        page.evaluate("async () => { await jupyterapp.started; }")
        page.evaluate("async () => { await jupyterapp.commands.execute('application:toggle-left-area'); }")
        self._clip = page.locator(".lm-DockPanel-widget").first.bounding_box()

    def open(self, source: Path) -> tuple[float, bytes]:
        """Seconds until a copy of a document is to be seen, and the picture in the end."""
        self._copies += 1
        name = f"{self._copies}{source.suffix}"
        copy_of(source, self._server.root / name)
        self._page.bring_to_front()
        begun = time.perf_counter()
        self._page.evaluate("path => { void jupyterapp.commands.execute('docmanager:open', {path}); }", name)
        seen = list(self._look(name, begun))
        self._page.evaluate("async () => { await jupyterapp.commands.execute('application:close'); }")
        self._page.evaluate(DISMISS)
        enough = seen[-1][1] / 2
        return next(seconds for seconds, details, _ in seen if details >= enough), seen[-1][2]

    def _look(self, name: str, begun: float) -> Iterator[tuple[float, int, bytes]]:
        """Times, details and pictures, until nothing has changed for a while."""
        changed, last = begun, -1
        while True:
            in_front = self._page.evaluate(IS_IN_FRONT, name)
            now = time.perf_counter()
            picture = self._picture()
            found = details(picture) if in_front else 0
            if abs(found - last) > max(50, last // 50):
                changed, last = now, found
            if in_front:
                yield now - begun, found, picture
            is_over = now - begun > PATIENCE_S
            if is_over and not in_front:
                yield now - begun, 0, picture
            if is_over or (in_front and now - changed > QUIET_S):
                return

    def _picture(self) -> bytes:
        for _ in range(ATTEMPTS):
            with suppress(PlaywrightError):  # a browser that is busy with a document may draw nothing for long
                picture: bytes = self._page.screenshot(clip=self._clip, timeout=PATIENCE_S * 1000 / ATTEMPTS)
                return picture
        raise RuntimeError(f"{self.name}: the browser does not draw any more")


def details(picture: bytes) -> int:
    """How many pixels differ from their left neighbour."""
    grey = Image.open(io.BytesIO(picture)).convert("L")
    steps = ImageChops.difference(grey, ImageChops.offset(grey, 1, 0))
    return sum(steps.histogram()[STEP:])


def copy_of(source: Path, target: Path) -> None:
    """The same document in other bytes."""
    shutil.copyfile(source, target)
    if zipfile.is_zipfile(target):
        with zipfile.ZipFile(target, "a") as archive:
            archive.comment = secrets.token_hex(8).encode()
    else:
        with target.open("ab") as file:
            file.write(b"\n" * (1 + secrets.randbelow(4000)))


@contextmanager
def viewers(other_python: str, engine: str) -> Iterator[tuple[Viewer, Viewer]]:
    """Both, in one browser."""
    with ExitStack() as ends:
        scratch = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="docpeek-compare-")))
        playwright = ends.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        ends.callback(browser.close)
        both = []
        for name, options in (("docpeek", {}), ("other", {"python": other_python, "extension": None})):
            chosen = [f"--DocpeekExtension.engine={engine}"] if name == "docpeek" else []
            root = scratch / name
            root.mkdir()
            exposed = ["--LabApp.expose_app_in_browser=True"]
            server = LabServer(root, scratch / f"{name}-settings", [*exposed, *chosen], **options)  # type: ignore[arg-type]
            ends.callback(server.stop)
            both.append(Viewer(name, server, browser.new_context(viewport=VIEW).new_page()))
        yield both[0], both[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of medians in seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", required=True, help="the Python of the environment with the other viewer")
    parser.add_argument("--engine", default="wasm", help="docpeek's: wasm (what is installed with it), native or auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pictures", type=Path, default=REPOSITORY / "out" / "compared")
    parser.add_argument("--corpus", type=Path, default=REPOSITORY.parent / "shared" / "corpus")
    chosen = parser.parse_args(arguments)
    chosen.pictures.mkdir(parents=True, exist_ok=True)
    print("| document | docpeek s | other s |\n|---|---|---|")
    with viewers(chosen.other, chosen.engine) as both:
        for viewer in both:
            viewer.open(REPOSITORY / "assets" / "samples" / "welcome.docx")  # what is needed once is not counted
        for document in DOCUMENTS:
            times: dict[str, list[float]] = {viewer.name: [] for viewer in both}
            for _ in range(chosen.rounds):
                for viewer in both:
                    seconds, picture = viewer.open(chosen.corpus / document)
                    times[viewer.name].append(seconds)
                    (chosen.pictures / f"{Path(document).name}.{viewer.name}.png").write_bytes(picture)
            medians = [f"{statistics.median(each):.2f}" for each in times.values()]
            print(f"| {document} | {' | '.join(medians)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
