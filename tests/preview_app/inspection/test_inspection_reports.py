"""Reports: the catalogue, JSON Lines and their schema, JUnit, and runs that are taken up again."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema  # type: ignore[import-untyped]
import pytest

from converter.errors import Outcome
from engines.base import FontReplacement
from preview_app.inspection import schema
from preview_app.inspection.findings import CATALOGUE, FailOn, Finding, Place, Severity, finding
from preview_app.inspection.jsonl import EarlierRun, Tally, read_records
from preview_app.inspection.junit import JUnit
from preview_app.inspection.progress import Progress, duration
from preview_app.inspection.records import (
    End,
    EngineUsed,
    FileInspection,
    FontUsed,
    PagesOfSize,
    Run,
    Times,
    line,
    record_of,
)
from preview_app.inspection.report_files import Report, ReportPlaces
from preview_app.inspection.source_facts import Changes, Metadata, Reference, SourceFacts
from preview_app.outputs import OutputError

ENGINE = EngineUsed("wasm", "26.8", "g1")
RUN = Run("1.0", ENGINE, {"pages_max": 10, "password": False, "deadline_s": None})
SOURCE = SourceFacts(
    Metadata("T"), ("m",), (Reference("image", "http://x"),), 1, 2, ("dde",), 3, "s", Changes(1, authors=("A",)), 1,
    ("B",), ("S",), (2,), 4, 1, ("n",),
)  # fmt: skip
FULL = FileInspection(
    "folder/\udcffä.docx", "ok", "fine", "docx", 12, "d1", None, ENGINE, 2, (PagesOfSize(595.0, 842.0, 2),), 99,
    (FontUsed("Carlito", "TrueType", True, 2),), (FontReplacement("Calibri", "Carlito"),), SOURCE, ("a notice",),
    (finding("no_glyph", "A sentence.", 1, (1.0, 2.0, 3.0, 4.0)), finding("macros", "M.")), Times(total=0.5),
)  # fmt: skip


def bad(name: str, outcome: str = "corrupt", digest: str | None = "d") -> FileInspection:
    return FileInspection(name, outcome, "no", digest=digest, findings=(finding(outcome, "Damaged."),))


def test_ids_are_unique_and_every_outcome_has_one() -> None:
    ids = [kind.id for kind in CATALOGUE]
    assert len(set(ids)) == len(ids)
    assert {outcome.value for outcome in Outcome} - set(ids) == {"ok"}
    assert all(kind.meaning.endswith(".") for kind in CATALOGUE)


def test_what_a_document_says_cannot_play_with_a_terminal() -> None:
    assert finding("notice", "a\x1b[2J\nb\u202e c\xa0d").sentence == "a?[2J b? c d"
    with pytest.raises(KeyError):
        finding("unheard", "of")


@pytest.mark.parametrize(
    ("words", "failing"),
    [
        (("error",), {"no_glyph"}),
        (("warning",), {"no_glyph", "macros"}),
        (("info",), {"no_glyph", "macros", "notice"}),
        (("notice", " macros "), {"macros", "notice"}),
        (("none",), set()),
        (("",), set()),
    ],
)
def test_which_findings_fail_a_run(words: tuple[str, ...], failing: set[str]) -> None:
    fails = FailOn(words)
    assert {kind for kind in ("no_glyph", "macros", "notice") if fails(finding(kind, "x"))} == failing


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="'macro' is neither"):
        FailOn(["error", "macro"])


def test_records_survive_being_written() -> None:
    for record in (RUN, FULL, bad("x"), End(3, {"ok": 3}, {"error": 1}, False, 2.0)):
        written = line(record)
        assert written.isascii()
        assert written.count("\n") == 1
        assert record_of(written) == record
        assert pickle.loads(pickle.dumps(record)) == record, "so it may come from another machine"
    assert next(iter(json.loads(line(FULL)))) == "record"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"record":"other"}', '{"record":"file","file":1}', "[" * 100_000]
)
def test_what_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match="no record"):
        record_of(text)


def closed_schema() -> Any:
    """The schema, with no field allowed that it does not know: what is written must be described."""

    def close(node: Any) -> None:
        if isinstance(node, dict):
            if "properties" in node:
                node["additionalProperties"] = False
            for value in node.values():
                close(value)
        elif isinstance(node, list):
            for value in node:
                close(value)

    made = schema.build()
    close(made)
    return made


def test_the_schema_is_that_of_the_values_and_holds() -> None:
    assert schema.PATH.read_text(encoding="ascii") == schema.text()
    validator = jsonschema.Draft202012Validator(closed_schema())
    for record in (RUN, FULL, bad("x"), Tally().end(interrupted=True, seconds=1.0)):
        validator.validate(json.loads(line(record)))
    wrong = json.loads(line(FULL))
    del wrong["findings"][0]["sentence"]
    assert not validator.is_valid(wrong)
    assert not validator.is_valid({**json.loads(line(RUN)), "more": 1})


def test_a_tally() -> None:
    tally = Tally()
    assert not tally.all_are("ok")
    tally.add(FULL)
    assert tally.all_are("ok")
    tally = Tally()
    for record in (FULL, bad("x"), bad("y")):
        tally.add(record)
    assert not tally.all_are("corrupt")
    assert tally.end(interrupted=False, seconds=1.23456) == End(
        3, {"corrupt": 2, "ok": 1}, {"error": 3, "warning": 1}, False, 1.235
    )


def test_junit_has_a_suite_a_folder_and_a_failure_a_finding(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    records = [FULL, replace(FULL, file="folder/b.docx", findings=(finding("macros", "M <&>."),)), bad("x.doc")]
    with JUnit(target, FailOn()) as report:
        for record in records:
            report.write(record)
        assert not target.exists(), "it appears when it is complete"
    assert list(tmp_path.iterdir()) == [target]
    suites = list(ET.parse(target).getroot())
    assert [suite.attrib["name"] for suite in suites] == ["folder", "."]
    assert [(suite.attrib["tests"], suite.attrib["failures"]) for suite in suites] == [("2", "1"), ("1", "1")]
    first, second = suites[0]
    assert [child.tag for child in first] == ["failure", "system-out"]
    assert first[0].attrib == {"type": "no_glyph", "message": "A sentence."}
    assert "page 1" in str(first[0].text)
    assert [child.tag for child in second] == ["system-out"]
    assert "M <&>." in str(second[0].text)
    assert first.attrib["name"] == "?ä.docx", "what no encoding has, XML has not either"


def report_at(places: ReportPlaces, run: Run = RUN, said: Callable[[str], None] = lambda _text: None) -> Report:
    return Report(places, run, FailOn(), said)


def write(places: ReportPlaces, *records: FileInspection, interrupted: bool = False, run: Run = RUN) -> Report:
    with report_at(places, run) as report:
        for record in records:
            report.write(record)
        report.end(End(len(records), {}, {}, interrupted, 1.0))
    return report


def named(path: Path) -> list[str]:
    return [record.file for record in read_records(path) if isinstance(record, FileInspection)]


def test_a_report_is_there_line_by_line(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    with report_at(ReportPlaces(target)) as report:
        assert list(read_records(target)) == [RUN]
        report.write(FULL)
        assert list(read_records(target)) == [RUN, FULL]
    assert list(tmp_path.iterdir()) == [target]


def test_a_run_that_is_taken_up_again(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    places = ReportPlaces(resume=state)
    busy = replace(FULL, file="t", outcome="timeout", digest="d3")
    write(places, replace(FULL, file="a"), bad("b", digest="d2"), busy, interrupted=True)
    with report_at(places) as report:
        assert report.earlier is not None
        assert report.earlier.find("a", "d1") == replace(FULL, file="a")
        assert report.earlier.find("b", "d2") is not None
        assert report.earlier.find("a", "other bytes") is None
        assert report.earlier.find("t", "d3") is None, "what may end otherwise is inspected anew"
        assert report.reuses(replace(FULL, file="a"))
        report.write(replace(FULL, file="a"))
    # Killed: neither an end, nor the others. The next run finds what was set aside and what is new.
    write(places, replace(FULL, file="c", digest="d9"), interrupted=True)
    with report_at(places) as report:
        found = report.earlier
        assert found is not None
        assert [found.find(*key) is not None for key in (("a", "d1"), ("b", "d2"), ("c", "d9"))] == [True] * 3
        report.write(replace(FULL, file="a"))
        report.end(End(1, {}, {}, False, 1.0))
    assert named(state) == ["a"]
    assert list(tmp_path.iterdir()) == [state], "what was set aside is gone at the end"


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    write(ReportPlaces(state), replace(FULL, file="a"), replace(FULL, file="b"))
    whole = state.read_bytes()
    state.write_bytes(whole[: whole.index(b'"file":"b"') + 20])
    assert named(state) == ["a"]
    with report_at(ReportPlaces(resume=state)) as report:
        assert report.earlier is not None
        assert len(report.earlier) == 1
    write(ReportPlaces(resume=state), replace(FULL, file="a"), interrupted=True)


def test_other_settings_are_not_taken_up(tmp_path: Path) -> None:
    state, said = tmp_path / "state.jsonl", list[str]()
    write(ReportPlaces(state), FULL)
    other = replace(RUN, engine=replace(ENGINE, generation="g2"))
    with report_at(ReportPlaces(resume=state, jsonl=tmp_path / "new.jsonl"), other, said.append) as report:
        assert report.earlier is not None
        assert report.earlier.find(FULL.file, "d1") is None
    assert "other settings" in said[0]
    assert named(state) == [FULL.file], "another file is written, this one stays"


def test_nothing_to_take_up_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    with report_at(ReportPlaces(resume=tmp_path / "new.jsonl"), said=said.append):
        pass
    assert "beginning anew" in said[0]


@pytest.mark.parametrize("words", ["words\n", "words", "{}\n", '{"record":"file"}'])
def test_what_is_no_report_is_not_overwritten(tmp_path: Path, words: str) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text(words)
    with pytest.raises(OutputError, match="Cannot continue"):
        report_at(ReportPlaces(resume=precious))
    assert precious.read_text() == words


@pytest.mark.parametrize("length", [0, 10, 40])
def test_a_report_of_a_run_that_was_killed_at_once(tmp_path: Path, length: int) -> None:
    state = tmp_path / "state.jsonl"
    write(ReportPlaces(state))
    state.write_bytes(state.read_bytes()[:length])
    write(ReportPlaces(resume=state), FULL)
    assert named(state) == [FULL.file]


@pytest.mark.parametrize(
    "places", [ReportPlaces(jsonl=Path("/no/such/folder/a")), ReportPlaces(junit=Path("/no/such/a"))]
)
def test_a_place_that_cannot_be_written(places: ReportPlaces) -> None:
    with pytest.raises(OutputError, match="Cannot write"):
        report_at(places)


def test_duplicates_are_not_taken_up_as_such(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    write(ReportPlaces(state), replace(FULL, file="b", duplicate_of="a"))
    assert len(EarlierRun(RUN, [state])) == 0


def test_a_place_is_told_in_a_record() -> None:
    assert finding("no_glyph", "S.", 3, (0.0, 1.0, 2.0, 3.0)) == Finding(
        "no_glyph", Severity.ERROR, "S.", Place(3, (0.0, 1.0, 2.0, 3.0))
    )


def test_progress_tells_rate_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([0.0, *[10.0] * 100])
    progress = Progress(40, now=lambda: next(clock), terminal=True)
    for number in range(10):
        progress.advance(reused=number < 5)
    assert progress.text().endswith("10/40 · 30 files/min · 1 min 00 s left")
    shown = capsys.readouterr()
    assert "1/40" in shown.err
    assert shown.out == ""
    progress.clear()
    assert capsys.readouterr().err == "\r"


def test_without_a_terminal_progress_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(1, terminal=False)
    progress.advance()
    progress.clear()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "text"), [(3.4, "3 s"), (61, "1 min 01 s"), (7260, "2 h 01 min")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
