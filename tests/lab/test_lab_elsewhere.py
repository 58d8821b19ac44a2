"""JupyterLab as others have set it up: files that are not on the server's disk, another language."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.server import LabServer
from tests.lab.workbench import PICTURE, Workbench

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

BUCKET = Path(__file__).parent / "remote"
GERMAN = {
    "Zoom in": "Vergrößern",
    "Next Page": "Nächste Seite",
    "Page %1 of %2": "Seite %1 von %2",
    "Document Preview (docpeek)": "Dokumentvorschau (docpeek)",
    "Find in document": "Im Dokument suchen",
}


def _upload(bench: Workbench, source: Path, path: str) -> None:
    """Save a file through the contents API: a bucket has no other door."""
    content = base64.b64encode(source.read_bytes()).decode()
    bench.page.evaluate(
        "async ([path, content]) => { await jupyterapp.started; await jupyterapp.serviceManager.contents.save("
        "path, { type: 'file', format: 'base64', content }); }",
        [path, content],
    )


def test_a_document_in_a_bucket(
    start_lab: Callable[..., LabServer], open_bench: Callable[[LabServer], Workbench], samples: Path, corpus: Path
) -> None:
    """It opens page by page, and another one saved in its place is shown by itself, on the same page."""
    manager = "--ServerApp.contents_manager_class=bucket_contents.BucketManager"
    bench = open_bench(start_lab(manager, environment={"PYTHONPATH": str(BUCKET)}))
    bench.page.goto(bench.lab.address())
    bench.page.wait_for_function("window.jupyterapp")
    _upload(bench, samples / "welcome.docx", "letter.docx")
    bench.open("letter.docx")
    bench.viewer.locator(PICTURE).first.wait_for()
    assert "Welcome to docpeek" in bench.text()
    bench.run("docpeek:next-page")
    bench.wait_for_page(2)
    before = bench.text(2)
    fetched = [query for query in bench.asked("contents/letter.docx") if query.get("content", "1") != "0"]
    assert not [query for query in fetched if query], fetched

    _upload(bench, corpus / "docx/opf-PDF-Sample-Document-Fully-Featured-Layout.docx", "letter.docx")
    bench.page.wait_for_function(
        "before => { const layer = document.querySelector('.dp-Page[data-page=\"2\"] .dp-TextLayer');"
        "return layer && layer.textContent !== before; }",
        arg=before,
    )
    bench.wait_for_page(2)


def _put_language_pack(folder: Path) -> None:
    """A language pack as JupyterLab's own are: a package with catalogues, found by its entry point."""
    package = folder / "docpeek_test_language_pack"
    messages = package / "locale/de_DE/LC_MESSAGES"
    messages.mkdir(parents=True)
    (package / "__init__.py").touch()
    head = {"domain": "docpeek", "language": "de-DE", "plural_forms": "nplurals=2; plural=(n != 1);", "version": "1"}
    catalogue = {"": head, **{text: [said] for text, said in GERMAN.items()}}
    (messages / "docpeek.json").write_text(json.dumps(catalogue), encoding="utf-8")
    about = folder / "docpeek_test_language_pack-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: docpeek-test-language-pack\nVersion: 1\n", "utf-8")
    (about / "entry_points.txt").write_text("[jupyterlab.languagepack]\nde_DE = docpeek_test_language_pack\n", "utf-8")


def _choose_language(scratch: Path, locale: str) -> None:
    folder = scratch / "settings/@jupyterlab/translation-extension"
    folder.mkdir(parents=True)
    (folder / "plugin.jupyterlab-settings").write_text(json.dumps({"locale": locale}), encoding="utf-8")


def test_it_speaks_the_language_of_lab(
    start_lab: Callable[..., LabServer], open_bench: Callable[[LabServer], Workbench], tmp_path: Path, samples: Path
) -> None:
    """What a catalogue has is said in its language: buttons, commands, pages; the rest stays English."""
    _put_language_pack(tmp_path / "packages")
    _choose_language(tmp_path / "jupyter", "de_DE")
    bench = open_bench(start_lab(environment={"PYTHONPATH": str(tmp_path / "packages")}))
    viewer = bench.show(bench.put(samples / "welcome.docx"))
    bench.page.get_by_role("button", name="Vergrößern").wait_for()
    assert bench.page.get_by_role("button", name="Zoom in", exact=True).count() == 0
    assert bench.page.get_by_role("button", name="Zoom out", exact=True).count() == 1
    assert viewer.locator(".dp-Page").first.get_attribute("aria-label") == "Seite 1 von 2"
    assert bench.page.evaluate("jupyterapp.commands.label('docpeek:next-page')") == "Nächste Seite"
    labels = "jupyterapp.docRegistry.preferredWidgetFactories('a.docx').map(each => each.label)"
    assert "Dokumentvorschau (docpeek)" in bench.page.evaluate(labels)
    bench.run("docpeek:find")
    bench.page.get_by_label("Im Dokument suchen").wait_for()
