"""What every engine keeps, whatever LibreOffice is in it: inherited by a class for each, which gives `engine`.

That is its life (`tests.engines.engine_life`), and what becomes of the contents of documents.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.assets import assets_dir
from engines.base import Engine, ExportOptions, SourceDocument
from engines.errors import ErrorKind
from engines.formats import by_id
from tests.engines.engine_life import Documents, EngineLife, fails
from tests.real import hostile_documents
from tests.real.conversions import SAMPLES, convert, words

_CORRUPT = ("docx", "xlsx", "pptx", "odt")
GARBAGE = b"PK\x03\x04" + bytes(range(256)) * 40
LONG_TEXT = b"All work and no play makes Jack a dull boy.\n" * 60_000


class EngineContract(EngineLife):
    """The tests of the contract."""

    @pytest.fixture
    def documents(self) -> Documents:
        small, endless = (SourceDocument(data, by_id("txt")) for data in (b"one line", LONG_TEXT))
        return Documents(small, endless, SourceDocument(GARBAGE, by_id("docx")))

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
    def test_six_runs_give_the_same_words_in_the_same_places(
        self, engine: Engine, sample: Path, tmp_path: Path
    ) -> None:
        first, *others = [words(convert(engine, sample).pdf, tmp_path) for _ in range(6)]
        assert len(first) > 10
        assert all(each == first for each in others)

    def test_a_range_of_pages(self, engine: Engine, tmp_path: Path) -> None:
        sample = assets_dir() / "samples" / "slides.pptx"
        whole = words(convert(engine, sample).pdf, tmp_path)
        part = words(convert(engine, sample, ExportOptions(page_range="2")).pdf, tmp_path)
        assert [word[5] for word in part] == [word[5] for word in whole if word[0] == 1]

    def test_a_range_may_end_behind_the_last_page(self, engine: Engine, tmp_path: Path) -> None:
        sample = assets_dir() / "samples" / "slides.pptx"
        pages = {word[0] for word in words(convert(engine, sample, ExportOptions(page_range="2-500")).pdf, tmp_path)}
        assert pages == {0, 1}

    def test_one_page_a_sheet_or_as_printed(self, engine: Engine, tmp_path: Path) -> None:
        sample = assets_dir() / "samples" / "garden.xlsx"
        single = words(convert(engine, sample).pdf, tmp_path)
        printed = words(convert(engine, sample, ExportOptions(single_page_sheets=False)).pdf, tmp_path)
        assert {word[0] for word in single} == {0, 1}
        assert len({word[0] for word in printed}) > 2
        assert "168.3" in [word[5] for word in single], "formulas are calculated"

    def test_a_table_of_text_is_read_as_it_was_found_to_be(self, engine: Engine, tmp_path: Path) -> None:
        file = tmp_path / "table.csv"
        file.write_bytes("Größe;Straße\n007;Allee\n".encode("cp1252"))
        seen = [word[5] for word in words(convert(engine, file).pdf, tmp_path)]
        assert {"Größe", "Straße", "007", "Allee"} <= set(seen)

    def test_a_page_without_a_size_of_its_own_is_a_letter(self, engine: Engine, tmp_path: Path) -> None:
        file = tmp_path / "plain.txt"
        file.write_text("one line")
        assert b"/MediaBox[0 0 612 792]" in convert(engine, file).pdf

    @pytest.mark.parametrize("type_id", _CORRUPT)
    def test_what_cannot_be_read_is_corrupt(self, engine: Engine, type_id: str) -> None:
        error = fails(engine, SourceDocument(GARBAGE, by_id(type_id)))
        assert error.kind is ErrorKind.CORRUPT
        assert error.message.endswith(".")

    @pytest.mark.parametrize("type_id", ["fodt", "fods", "fodp"])
    def test_a_damaged_flat_document_is_not_shown_letter_by_letter(self, engine: Engine, type_id: str) -> None:
        damaged = hostile_documents.flat_text("<text:p>words").replace(b"</text:p>", b"</text:q>")
        assert fails(engine, SourceDocument(damaged, by_id(type_id))).kind is ErrorKind.CORRUPT

    @pytest.mark.parametrize("packed", [False, True], ids=["flat", "packed"])
    def test_a_text_with_a_film_shows_the_rest(self, engine: Engine, packed: bool, tmp_path: Path) -> None:
        made = hostile_documents.text_with_film(packed=packed)
        file = tmp_path / f"film.{'odt' if packed else 'fodt'}"
        file.write_bytes(made)
        assert [word[5] for word in words(convert(engine, file).pdf, tmp_path)] == [hostile_documents.INSIDE]

    @pytest.mark.parametrize("before", [b"", b"<!--" + b" padding" * 1000 + b"-->"], ids=["bare", "far"])
    def test_a_flat_document_is_known_wherever_its_type_stands(
        self, engine: Engine, before: bytes, tmp_path: Path
    ) -> None:
        file = tmp_path / "flat.fodt"
        file.write_bytes(
            before + hostile_documents.flat_text("").partition(b"?>")[2].replace(b'mimetype="', b"mimetype='")
        )
        file.write_bytes(file.read_bytes().replace(b'opendocument.text"', b"opendocument.text'"))
        assert [word[5] for word in words(convert(engine, file).pdf, tmp_path)] == [hostile_documents.INSIDE]

    def test_a_font_that_is_not_there_is_named(self, engine: Engine, tmp_path: Path) -> None:
        file = tmp_path / "fancy.html"
        file.write_text('<p style="font-family: Nosuchfamily">words</p>')
        told = {font.requested: font.used for font in convert(engine, file).missing_fonts}
        assert told["Nosuchfamily"]
