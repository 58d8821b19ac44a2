"""Every real document inspected, held against the findings that are written down.

In `inspection_corpus.tsv` stand the findings that do not depend on the fonts of a machine, nor on how an engine lays a
document out. Documents that are marked `slow` there take long or have nothing to find.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from converter.service import Converter
from preview_app.inspection.findings import CATALOGUE
from preview_app.inspection.inspect_one import InspectOptions, Tools, inspect_one
from preview_app.inspection.records import FileInspection, record_of
from preview_app.inspection.records import line as line_of

pytestmark = [pytest.mark.corpus, pytest.mark.wasm]

EXPECTED = Path(__file__).with_name("inspection_corpus.tsv")
OF_THE_MACHINE = frozenset(
    {
        "font_replaced", "font_replaced_same_widths", "font_not_embedded", "signs_replaced", "no_glyph",
        "unreadable_character", "text_clipped", "beyond_page", "off_page", "cells_too_narrow", "equations_left_out",
        "print_layout", "invisible_text",
    }
)  # fmt: skip


def rows() -> list[dict[str, str]]:
    with EXPECTED.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(row: dict[str, str]) -> set[str]:
    return {each for each in row["findings"].split(",") if each}


PARAMETERS = [
    pytest.param(
        row["file"],
        row["outcome"],
        words(row),
        marks=[pytest.mark.slow] if row["when"] == "slow" else [],
        id=row["file"],
    )
    for row in rows()
]


@pytest.fixture(scope="module")
def tools() -> Iterator[Tools]:
    with Tools() as tools:
        tools.reader.read(b"", "so that its process is there before the first test.txt")
        yield tools


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("file", "outcome", "expected"), PARAMETERS)
def test_findings(
    file: str, outcome: str, expected: set[str], corpus: Path, converter: Converter, tools: Tools
) -> None:
    if not (corpus / file).is_file():
        pytest.skip("this corpus does not have it")
    record = inspect_one(corpus / file, converter, tools, InspectOptions())
    assert record.outcome == outcome
    found = {each.id for each in record.findings} - OF_THE_MACHINE
    assert found == expected | ({outcome} - {"ok"})
    _is_sound(record)


def _is_sound(record: FileInspection) -> None:
    """It can be written and read, its sentences are sentences, its places lie on its pages."""
    assert record_of(line_of(record)) == record
    for each in record.findings:
        assert each.sentence.endswith((".", ")")), each.sentence
        assert each.place is None or 1 <= each.place.page <= (record.pages or 0)


def test_what_is_written_down_is_in_the_catalogue() -> None:
    assert set.union(*map(words, rows())) <= {kind.id for kind in CATALOGUE}
