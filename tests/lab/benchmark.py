"""`make lab-bench`: from the click in the file browser to the first page on the screen, in a real JupyterLab.

Cold: the document was never converted. Prefetched: it is the neighbour of the one that is read. Again: it was open
before. Medians over rounds; each round of each kind has a copy of its own, with bytes of its own, of the same document.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.conftest import REPOSITORY
from tests.lab.conftest import CHROMIUM, FLAGS
from tests.lab.server import LabServer
from tests.lab.workbench import Workbench

_SHOWN = """
  name => new Promise(resolve => {
    const item = [...document.querySelectorAll('.jp-DirListing-item')].find(each => each.title.includes(name));
    const begun = performance.now();
    item.dispatchEvent(new MouseEvent('dblclick', { bubbles: true, button: 0 }));
    const look = () => {
      const viewer = [...document.querySelectorAll('.dp-Viewer')].find(each => each.checkVisibility());
      const label = viewer?.querySelector('.dp-Column')?.getAttribute('aria-label');
      const image = viewer?.querySelector('.dp-Picture');
      if (label === name && image?.complete) {
        requestAnimationFrame(() => resolve((performance.now() - begun) / 1000));
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  })
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="docpeek-lab-bench-") as scratch:
        root = Path(scratch) / "root"
        for name in ("welcome.docx", "garden.xlsx", "slides.pptx"):
            _measure(REPOSITORY / "assets/samples" / name, root / name.partition(".")[0], Path(scratch), rounds)


def _measure(sample: Path, folder: Path, scratch: Path, rounds: int) -> None:
    folder.mkdir(parents=True)
    names = [_variant(sample, folder, number) for number in range(3 * rounds + 3)]
    server = LabServer(folder.parent, scratch / sample.stem, ["--LabApp.expose_app_in_browser=True"])
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            bench = Workbench(server, browser.new_context(viewport={"width": 1300, "height": 850}).new_page(), folder)
            bench.start()
            bench.page.locator(".jp-DirListing-item").nth(len(names) - 1).wait_for()
            told = _rounds(bench, names)
            browser.close()
    finally:
        server.stop()
    medians = "  ".join(f"{kind} {statistics.median(each):.3f}" for kind, each in told.items())
    print(f"{sample.name:<16} click to first page, seconds, median of {rounds}:  {medians}", flush=True)


def _variant(sample: Path, folder: Path, number: int) -> str:
    """A copy of a document with other bytes and the same pages."""
    name = f"{number:02}-{sample.name}"
    with zipfile.ZipFile(sample) as source, zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as target:
        target.comment = name.encode()
        for item in source.infolist():
            target.writestr(item, source.read(item))
    return name


def _rounds(bench: Workbench, names: list[str]) -> dict[str, list[float]]:
    """Three documents a round: the second is opened cold; when the third has been converted ahead, that is opened.

    The first one, which is converted ahead as well, keeps the rounds apart.
    """
    told: dict[str, list[float]] = {"cold": [], "prefetched": [], "again": []}
    _click(bench, names[-1])  # the engine is up, the extension is loaded; a page has been drawn
    for before, first, second in zip(names[:-3:3], names[1:-3:3], names[2:-3:3], strict=True):
        # Neighbours are asked for one at a time, the next one first: by then it is there.
        with bench.page.expect_request(_asked_ahead(f"{bench.folder.name}/{before}")):
            told["cold"].append(_click(bench, first))
        told["prefetched"].append(_click(bench, second))
        bench.run("application:close-all")
        told["again"].append(_click(bench, first))
        bench.run("application:close-all")
    return told


def _asked_ahead(path: str) -> Callable[[Any], bool]:
    def is_it(request: Any) -> bool:
        if request.method != "POST" or not request.url.endswith("/documents"):
            return False
        return bool(request.post_data_json == {"path": path, "lane": "low"})

    return is_it


def _click(bench: Workbench, name: str) -> float:
    return float(bench.page.evaluate(_SHOWN, name))


if __name__ == "__main__":
    main()
