"""Documents made to be measured with."""

from __future__ import annotations

import zipfile
from pathlib import Path

from preview_app import benchmark_documents
from preview_app.raster.blocking import PageRenderer


def test_copies_differ_in_their_bytes_and_are_whole(tmp_path: Path) -> None:
    paths = benchmark_documents.copies(tmp_path / "copies", 3)
    assert len({path.read_bytes() for path in paths}) == 3
    for path in paths:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None


def test_a_crowd_has_as_many_files_as_were_asked_for(tmp_path: Path) -> None:
    benchmark_documents.empty_files(tmp_path / "crowd", 40)
    assert len(list((tmp_path / "crowd").iterdir())) == 40


def test_the_long_pdf_has_its_pages() -> None:
    with PageRenderer() as renderer:
        pages = renderer.open(benchmark_documents.long_pdf(pages=4, lines=3))
        assert [(page.width_pt, page.height_pt) for page in pages] == [(595, 842)] * 4
        assert len(renderer.png(1, 72)) > len(renderer.png(0, 72)), "every second page has a picture"
