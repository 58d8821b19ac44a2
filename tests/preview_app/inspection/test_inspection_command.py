"""`docpeek inspect` as a person and as CI see it, with the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema  # type: ignore[import-untyped]
import pytest

from engines.wasm.prepared import find
from preview_app.inspection.findings import CATALOGUE
from preview_app.inspection.jsonl import read_records
from preview_app.inspection.records import End, FileInspection, Run
from tests.preview_app.inspection.documents import docx, flat, relations, run, story
from tests.preview_app.inspection.test_inspection_reports import closed_schema

PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p/>'
NARROW = """<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>
 <style:style style:name="co" style:family="table-column"><style:table-column-properties style:column-width="0.8cm"/>
 </style:style></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="S">
 <table:table-column table:style-name="co" table:number-columns-repeated="4"/><table:table-row>
 <table:table-cell office:value-type="float" office:value="123456789"><text:p>123456789</text:p></table:table-cell>
 <table:table-cell office:value-type="string"><text:p>A text that is too long for its cell</text:p></table:table-cell>
 <table:table-cell office:value-type="string"><text:p>next</text:p></table:table-cell></table:table-row></table:table>
 </office:spreadsheet></office:body></office:document>"""


def paragraph(text: str) -> str:
    return f"<w:p>{run(text)}</w:p>"


def documents() -> dict[str, bytes]:
    comments = story("w:comments", '<w:comment w:author="Ann"><w:p/></w:comment>')
    review = f"<w:p>{run('seen')}{run('gone', '<w:vanish/>')}<w:ins w:id='1' w:author='Ann'>{run('new')}</w:ins></w:p>"
    far = relations(("attachedTemplate", "http://192.0.2.1/t.dotx"))
    return {
        "clean.docx": docx(paragraph("Nothing is wrong here.")),
        "copies/again.docx": docx(paragraph("Nothing is wrong here.")),
        "empty.docx": docx(paragraph("One page, and one of nothing.") + PAGE_BREAK),
        "glyph.docx": docx(
            paragraph("A character that no font can have: \u0378.").encode("ascii", "xmlcharrefreplace").decode()
        ),
        "narrow.fods": NARROW.encode(),
        "noise.docx": bytes(range(256)) * 8,
        "review.docx": docx(review, comments__xml=comments, **{"_rels/settings__xml__rels": far}),
        "notes.md": b"no document",
        "~$clean.docx": b"of Word's own",
        "deep/inside.fodt": flat("<text:p>inside</text:p>"),
    }


@dataclass(frozen=True)
class Ran:
    status: int
    records: list[dict[str, Any]]
    stderr: str

    def ids(self, name: str) -> set[str]:
        """The findings of a file, without those that depend on the fonts of this machine."""
        (record,) = (record for record in self.records if Path(record["file"]).name == name)
        return {each["id"] for each in record["findings"] if not each["id"].startswith(("font_", "signs_"))}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if find() is None and not os.environ.get("CI"):
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    config = tmp_path_factory.mktemp("settings") / "config.toml"
    config.write_text('engine = "wasm"\n', encoding="utf-8")
    return os.environ | {"DOCPEEK_CONFIG": str(config)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, data in documents().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def inspect(environment: dict[str, str], *arguments: object) -> Ran:
    command = [sys.executable, "-m", "preview_app", "inspect", *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, timeout=110, check=False, env=environment, stdin=subprocess.DEVNULL
    )
    lines = done.stdout.decode().splitlines()
    return Ran(done.returncode, [json.loads(line) for line in lines if line.startswith("{")], done.stderr.decode())


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def everything(environment: dict[str, str], folder: Path, places: Path) -> Ran:
    reports = ["--jsonl", places / "a.jsonl", "--junit", places / "a.xml", "--report", places / "a.html"]
    return inspect(environment, "-r", folder, "--json", *reports)


pytestmark = pytest.mark.wasm


def test_each_file_is_told_in_order(everything: Ran, folder: Path) -> None:
    names = [str(Path(record["file"]).relative_to(folder)) for record in everything.records]
    assert names == [
        "clean.docx", "empty.docx", "glyph.docx", "narrow.fods", "noise.docx", "review.docx", "copies/again.docx",
        "deep/inside.fodt",
    ]  # fmt: skip
    assert everything.status == 1
    assert "8 files" in everything.stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clean.docx", set()),
        ("again.docx", set()),
        ("inside.fodt", set()),
        ("empty.docx", {"empty_page"}),
        ("glyph.docx", {"no_glyph"}),
        ("narrow.fods", {"cells_too_narrow", "text_clipped"}),
        ("noise.docx", {"unsupported"}),
        ("review.docx", {"hidden_text", "tracked_changes", "comments", "external_reference"}),
    ],
)
def test_what_is_found(everything: Ran, name: str, expected: set[str]) -> None:
    assert everything.ids(name) == expected


def test_places_of_findings(everything: Ran) -> None:
    by_name = {Path(record["file"]).name: record for record in everything.records}
    (empty,) = (each for each in by_name["empty.docx"]["findings"] if each["id"] == "empty_page")
    assert empty["place"] == {"page": 2, "box": None}
    (narrow,) = (each for each in by_name["narrow.fods"]["findings"] if each["id"] == "cells_too_narrow")
    left, top, right, bottom = narrow["place"]["box"]
    assert 0 <= left < right < 30
    assert 0 <= top < bottom < 20


def test_the_same_bytes_are_inspected_once(everything: Ran, folder: Path) -> None:
    again = next(record for record in everything.records if record["file"].endswith("again.docx"))
    assert again["duplicate_of"] == str(folder / "clean.docx")
    assert again["seconds"]["convert"] == 0


def test_the_reports(everything: Ran, places: Path, folder: Path) -> None:
    first, *files, last = read_records(places / "a.jsonl")
    assert isinstance(first, Run)
    assert isinstance(last, End)
    assert (first.engine.name, last.files, last.interrupted) == ("wasm", 8, False)
    assert [record.file for record in files if isinstance(record, FileInspection)] == [
        record["file"] for record in everything.records
    ]
    validator = jsonschema.Draft202012Validator(closed_schema())
    for line in (places / "a.jsonl").read_text(encoding="ascii").splitlines():
        validator.validate(json.loads(line))
    suites = {suite.attrib["name"]: suite.attrib for suite in ET.parse(places / "a.xml").getroot()}
    assert set(suites) == {str(folder), str(folder / "copies"), str(folder / "deep")}
    assert (suites[str(folder)]["tests"], suites[str(folder)]["failures"]) == ("6", "3")


def test_the_page(everything: Ran, places: Path) -> None:
    assert f"Report: {places / 'a.html'} (" in everything.stderr
    lines = (places / "a.html").read_text(encoding="utf-8").splitlines()
    details = [
        json.loads(line.split(">", 1)[1][:-9])
        for line in lines
        if line.startswith('<script type="application/json" id="f')
    ]
    assert [[each[:2] for each in told["pictures"]] for told in details] == [
        [["page", 1]], [["page", 1], ["page", 2]], [["page", 1]], [["page", 1]], [], [["page", 1]], [], [["page", 1]],
    ]  # fmt: skip


def timeless(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(10):
        (folder / f"{number}.docx").write_bytes(docx(paragraph(f"Document {number}.")))
    return folder


def test_interrupted_and_taken_up_again(environment: dict[str, str], many: Path, tmp_path: Path) -> None:
    """What was done is there and whole; the second run does the rest, and both make the report of one run."""
    state, whole = tmp_path / "state.jsonl", tmp_path / "whole.jsonl"
    assert inspect(environment, many, "--jsonl", whole).status == 0
    page = tmp_path / "page.html"
    _interrupt_after_the_first(environment, many, "--json", "--jsonl", state, "--report", page)
    assert "was interrupted" in page.read_text(encoding="utf-8")
    first, *files, last = read_records(state)
    assert isinstance(first, Run)
    assert isinstance(last, End)
    assert last.interrupted
    assert 1 <= len(files) < 10
    resumed = inspect(environment, many, "--resume", state, "--report", page)
    assert resumed.status == 0, resumed.stderr
    assert timeless(state) == timeless(whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "state.jsonl", "whole.jsonl"]
    text = page.read_text(encoding="utf-8")
    assert "was interrupted" not in text
    assert text.count('"pictures":[["page",1,') == 10, "those of the first run are taken over"
    times = [record.seconds for record in read_records(state) if isinstance(record, FileInspection)]
    assert times[0] == next(record.seconds for record in files if isinstance(record, FileInspection))


def _interrupt_after_the_first(environment: dict[str, str], *arguments: object) -> None:
    command = [sys.executable, "-m", "preview_app", "inspect", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"{")
        process.send_signal(signal.SIGINT)
        _out, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Interrupted: " in told


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["review.docx", "--fail-on", "macros,error"], 0),
        (["review.docx", "--fail-on", "comments"], 1),
        (["none.docx"], 1),
    ],
)
def test_the_exit_status(environment: dict[str, str], folder: Path, arguments: list[str], status: int) -> None:
    name, *options = arguments
    assert inspect(environment, folder / name, *options).status == status


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "PATHS"),
        ([".", "--fail-on", "oddities"], 2, "neither a severity"),
        ([".", "--jobs", "0"], 2, "--jobs"),
        ([".", "--jsonl", "/no/such/folder/a.jsonl"], 10, "Cannot write the report"),
        ([".", "--resume", "notes.md"], 10, "Cannot continue"),
        ([".", "--include", "*.nothing"], 0, "no document"),
    ],
)
def test_wrong_usage(
    environment: dict[str, str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    status: int,
    told: str,
) -> None:
    monkeypatch.chdir(folder)
    ran = inspect(environment, *arguments)
    assert (ran.status, told in ran.stderr) == (status, True), ran.stderr


def test_the_catalogue_is_listed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "preview_app", "findings", "--json"], capture_output=True, check=True, timeout=60
    )
    listed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["id"] for each in listed] == [kind.id for kind in CATALOGUE]


@pytest.fixture(autouse=True)
def no_part_left(places: Path) -> Iterator[None]:
    yield
    assert not list(places.glob(".docpeek-*"))


def test_a_name_does_not_play_with_the_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\n\u202eb.docx").write_bytes(b"no document")
    command = [sys.executable, "-m", "preview_app", "inspect", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
    assert b"a?[31m??b.docx\n" in done.stdout
    assert done.returncode == 1


def test_a_report_does_not_replace_a_document(environment: dict[str, str], tmp_path: Path) -> None:
    document = tmp_path / "a.docx"
    document.write_bytes(docx(paragraph("A letter.")))
    before = document.read_bytes()
    for option in ("--report", "--junit", "--jsonl"):
        ran = inspect(environment, tmp_path, option, document)
        assert (ran.status, "is one of the documents" in ran.stderr) == (10, True), ran.stderr
    assert document.read_bytes() == before
