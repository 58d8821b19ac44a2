"""What workers of a cluster do beside inspecting: the order for it, its answers, and whole runs with pictures and
comparisons, beside the same runs here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from converter.errors import ConversionError, Outcome
from engines.base import ExportOptions
from engines.errors import EngineError
from engines.wasm.prepared import find
from preview_app import app
from preview_app.config import Config
from preview_app.inspection import pictures
from preview_app.inspection.cluster_checks import CheckOrder, listing_of, made, ordered
from preview_app.inspection.cluster_paths import RootMap
from preview_app.inspection.cluster_worker import Order, decode_answer, decode_order, encode_answer, encode_order
from preview_app.inspection.comparison_wish import ComparisonWish
from preview_app.inspection.inspect_one import failed
from preview_app.inspection.pictures import Picture, Pictures, PictureStore
from preview_app.outputs import OutputError
from tests.preview_app.inspection.cluster_processes import TestCluster, cluster
from tests.preview_app.inspection.documents import docx
from tests.preview_app.inspection.test_cluster import started
from tests.preview_app.inspection.test_inspection_command import inspect, paragraph, timeless
from tests.preview_app.inspection.test_inspection_report_html import Page

COUNT = 6
PICTURES = Pictures(b"thumbnail", (Picture("page", 1, 595.3, 842.0, b"one"), Picture("difference", 2, 1.0, 2.0, b"")))


def test_an_order_survives_the_way_whatever_names_are_in_it() -> None:
    checks = CheckOrder(pictures=True, tolerance=0.5, roots=("/da\udcff",), baseline="/ba\udcffse", save="/säve")
    order = Order(Config(), "wasm", ExportOptions(), None, 3, checks)
    assert decode_order(encode_order(order)) == order


def test_an_answer_survives_the_way() -> None:
    record = failed(Path("/a\udcff.docx"), ConversionError(Outcome.CORRUPT))
    answers = [(record, PICTURES), (None, Pictures())]
    assert decode_answer(encode_answer(answers), 2) == answers


@pytest.mark.parametrize(
    "text",
    [
        "[]", "null", '["", {}]', '["<b>", []]', '["", [["page", 0, 1, 1, ""]]]', '["", [["page", 1, 0, 1, ""]]]',
        '["", [["page", 1, 1, 1e999, ""]]]', '["", [["script", 1, 1, 1, ""]]]', '["", [["page", 1, 1, 1, "<b>"]]]',
        '["A", []]',
    ],
)  # fmt: skip
def test_what_are_no_pictures_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"picture|Base64|base64|padding"):
        pictures.decode(text)


def test_more_pictures_than_a_file_may_have_are_refused() -> None:
    fits = Picture("page", 1, 1.0, 1.0, bytes(pictures.PICTURES_BYTES_MAX))
    assert pictures.decode(pictures.encode(Pictures(pages=(fits,)))).pages == (fits,)
    for told in (Pictures(pages=(fits, replace(fits, data=b"1"))), Pictures(bytes(pictures.THUMBNAIL_BYTES_MAX + 1))):
        with pytest.raises(ValueError, match="more pictures"):
            pictures.decode(pictures.encode(told))


def test_folders_of_baselines_are_those_that_are_here(tmp_path: Path) -> None:
    base, save = tmp_path / "base", tmp_path / "deep" / "save"
    base.mkdir()
    (base / "a.docx").write_bytes(b"one")
    wish = ComparisonWish(baseline=base, save=save, tolerance=1.0)
    with ordered(wish, [tmp_path], (), pictures=False) as order:
        assert order.roots == (str(tmp_path),)
        assert len(made(order, None)) == 2
        assert len(made(order, PictureStore())) == 3
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for wrong, told in (
            (replace(order, baseline=str(tmp_path / "none")), "has no folder .*--workers-root"),
            (replace(order, baseline=str(elsewhere)), "other files than the baseline"),
            (replace(order, save=str(elsewhere)), "is not the one here"),
        ):
            with pytest.raises(OutputError, match=told):
                made(wrong, None)
    assert list(save.iterdir()) == [], "the mark is gone"
    with pytest.raises(OutputError, match="is not the one here"):
        made(order, None)


def test_a_listing_is_that_of_a_copy(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "a\udcff.docx").write_bytes(b"same size")
    assert listing_of(tmp_path / "one") == listing_of(tmp_path / "other")
    (tmp_path / "other" / "b").touch()
    assert listing_of(tmp_path / "one") != listing_of(tmp_path / "other")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    wish = ComparisonWish(save=tmp_path / "file" / "save")
    with pytest.raises(OutputError, match="Cannot save the baseline"), ordered(wish, [], (), pictures=False):
        pass


def test_paths_of_an_order_are_the_workers_own(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    maps = (RootMap(tmp_path, "/far"), RootMap(base, "/baselines/1"))
    with ordered(ComparisonWish(baseline=base), [tmp_path / "in"], maps, pictures=True) as order:
        assert (order.roots, order.baseline, order.pictures) == (("/far/in",), "/baselines/1", True)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if find() is None and not os.environ.get("CI"):
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    config = tmp_path_factory.mktemp("settings") / "config.toml"
    config.write_text('engine = "wasm"\n', encoding="utf-8")
    return os.environ | {"DOCPEEK_CONFIG": str(config)}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Iterator[TestCluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), environment) as running:
        running.add_worker()
        running.add_worker()
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for state, word in (("old", "first"), ("new", "second")):
        (tmp_path / state).mkdir()
        for number in range(COUNT):
            text = f"Document {number} in its {word if number % 2 else 'only'} state."
            (tmp_path / state / f"{number}.docx").write_bytes(docx(paragraph(text)))
    (tmp_path / "new" / "6.docx").write_bytes(docx(paragraph("New.")))
    (tmp_path / "old" / "7.docx").write_bytes(docx(paragraph("Gone.")))
    return tmp_path


def skip_without_libreoffice() -> None:
    try:
        app.choose_engine(Config(), "native")
    except EngineError as error:
        pytest.skip(f"no LibreOffice here: {error.message}")


def pictures_in(report: Path) -> list[tuple[str, bool, list[list[object]]]]:
    """Of each file in an HTML report: its name, whether it has a thumbnail, kinds and pages of its pictures."""
    texts = Page(report).texts
    told = []
    for number, row in enumerate(json.loads(texts["rows"])):
        kept = [each[:4] for each in json.loads(texts[f"f{number}"])["pictures"]]
        told.append((Path(row[0]).name, bool(json.loads(texts[f"t{number}"])[0]), kept))
    return told


@pytest.mark.wasm
def test_comparisons_and_pictures_are_those_of_a_local_run(
    pair: TestCluster, environment: dict[str, str], folder: Path
) -> None:
    told = {}
    for name, where in (("here", ()), ("there", ("--scheduler", pair.address))):
        reports = ("--jsonl", folder / f"{name}.jsonl", "--report", folder / f"{name}.html")
        ran = inspect(environment, folder / "new", "--baseline", folder / "old", *where, *reports)
        assert ran.status == 0, ran.stderr
        told[name] = timeless(folder / f"{name}.jsonl"), pictures_in(folder / f"{name}.html")
    assert told["here"] == told["there"]
    files = {name: (thumbnail, {each[0] for each in kept}) for name, thumbnail, kept in told["there"][1]}
    assert files["0.docx"] == (True, {"page"})
    assert files["1.docx"] == (True, {"page", "before", "after", "difference"})


@pytest.mark.wasm
def test_workers_save_a_baseline(pair: TestCluster, environment: dict[str, str], folder: Path) -> None:
    base = folder / "base"
    ran = inspect(environment, folder / "old", "--save-baseline", base, "--scheduler", pair.address)
    assert ran.status == 0, ran.stderr
    names = sorted(path.name for path in base.iterdir())
    assert names == sorted(f"{path.name}.pdf" for path in (folder / "old").iterdir())
    assert all(path.read_bytes().startswith(b"%PDF") for path in base.iterdir())


@pytest.mark.wasm
def test_workers_that_do_not_have_the_baseline_are_told_what_to_do(
    pair: TestCluster, environment: dict[str, str], folder: Path
) -> None:
    elsewhere = f"{folder / 'old'}={folder / 'nowhere'}"
    options = ("--baseline", folder / "old", "--scheduler", pair.address, "--workers-root", elsewhere)
    ran = inspect(environment, folder / "new", *options)
    assert ran.status == 8
    assert "is not used: it has no folder" in ran.stderr
    assert "--workers-root" in ran.stderr


@pytest.mark.wasm
def test_workers_compare_both_engines(pair: TestCluster, environment: dict[str, str], folder: Path) -> None:
    skip_without_libreoffice()
    told = {}
    for name, where in (("here", ()), ("there", ("--scheduler", pair.address))):
        report = folder / f"{name}.jsonl"
        ran = inspect(environment, folder / "new", "--engine", "both", *where, "--jsonl", report)
        assert ran.status == 0, ran.stderr
        told[name] = timeless(report)
    assert told["here"] == told["there"]


@pytest.mark.wasm
def test_a_lost_worker_costs_no_picture(environment: dict[str, str], folder: Path, tmp_path: Path) -> None:
    """Killed while it works: its files are done by the other one, with all that belongs to them."""
    (tmp_path / "cluster").mkdir()
    report = tmp_path / "report.html"
    with cluster(tmp_path / "cluster", environment) as running:
        running.add_worker()
        running.add_worker()
        arguments = (folder / "new", "--baseline", folder / "old", "--scheduler", running.address, "--report", report)
        with started(environment, *arguments) as process:
            orphans = running.kill(running.workers[0])
            _out, told = process.communicate(timeout=100)
        assert process.returncode == 0, told.decode()
    assert psutil.wait_procs(orphans, timeout=20)[1] == []
    assert [thumbnail for name, thumbnail, _kept in pictures_in(report) if name != "7.docx"] == [True] * (COUNT + 1)
