"""What every engine keeps, whatever LibreOffice is in it: inherited by a class for each, which gives `engine`."""

from __future__ import annotations

import threading
from pathlib import Path

import psutil
import pytest

from engines.assets import assets_dir
from engines.base import Engine, ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from tests.engines.cancel_token import Token
from tests.real.conversions import SAMPLES, convert, words

_CORRUPT = ("docx", "xlsx", "pptx", "odt")


class EngineContract:
    """The tests of the contract."""

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
        document = SourceDocument(b"PK\x03\x04" + bytes(range(256)) * 40, by_id(type_id))
        with pytest.raises(EngineError) as caught:
            engine.convert(document, ExportOptions(), deadline_s=60, cancel=Token())
        assert caught.value.kind is ErrorKind.CORRUPT
        assert caught.value.message.endswith(".")

    def test_phases_are_told_on_the_thread_that_asked(self, engine: Engine) -> None:
        told: list[tuple[str, threading.Thread]] = []
        convert(engine, SAMPLES[0], progress=lambda step: told.append((step.phase, threading.current_thread())))
        assert told[0] == ("loading", threading.current_thread())

    def test_nothing_of_a_document_is_left(self, engine: Engine) -> None:
        convert(engine, SAMPLES[0])
        names = [child.name() for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
        assert names.count("docpeek-kit") <= names.count("docpeek-zygote"), "only the spare one of each may be there"
        assert not [name for name in names if "soffice" in name]

    def test_cancelled_while_it_converts(self, engine: Engine) -> None:
        token = Token()
        with pytest.raises(EngineError) as caught:
            convert(engine, SAMPLES[0], cancel=token, progress=lambda _step: token.cancel())
        assert caught.value.kind is ErrorKind.CANCELLED
        assert convert(engine, SAMPLES[0]).pdf

    def test_cancelled_before_it_began(self, engine: Engine) -> None:
        token = Token()
        token.cancel()
        with pytest.raises(EngineError) as caught:
            convert(engine, SAMPLES[0], cancel=token)
        assert caught.value.kind is ErrorKind.CANCELLED

    def test_the_deadline(self, engine: Engine, tmp_path: Path) -> None:
        file = tmp_path / "long.txt"
        file.write_text("All work and no play makes Jack a dull boy.\n" * 60_000)
        with pytest.raises(EngineError) as caught:
            convert(engine, file, deadline_s=0.3)
        assert caught.value.kind is ErrorKind.TIMEOUT

    def test_several_at_once(self, engine: Engine) -> None:
        sizes: dict[str, int] = {}
        threads = [
            threading.Thread(target=lambda each=each: sizes.update({each.name: len(convert(engine, each).pdf)}))
            for each in SAMPLES
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sizes.keys() == {each.name for each in SAMPLES}

    def test_a_font_that_is_not_there_is_named(self, engine: Engine, tmp_path: Path) -> None:
        file = tmp_path / "fancy.html"
        file.write_text('<p style="font-family: Nosuchfamily">words</p>')
        told = {font.requested: font.used for font in convert(engine, file).missing_fonts}
        assert told["Nosuchfamily"]
