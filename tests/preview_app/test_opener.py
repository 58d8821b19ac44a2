"""To what extent the window's requests reach the converter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from converter.errors import ConversionError
from converter.identify import Classify
from converter.request import Lane
from converter.service import Converter
from converter.ticket import Ticket
from converter.workspace import Workspace
from engines.base import Artifact, ExportOptions, SourceDocument
from preview_app.app import THUMBNAIL_DEADLINE_S, opener
from preview_app.config import Config
from preview_app.preview_states import Extent
from tests.fakes import PATIENCE_S, FakeChecker, FakeClock, FakeEngine, Gate, classify_text

CLASSIFY: Classify = classify_text


class Engine(FakeEngine):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int | None, str | None, bool]] = []

    def convert(self, document: SourceDocument, options: ExportOptions, **how: Any) -> Artifact:
        self.asked.append((options.pages_max, options.page_range, options.single_page_sheets))
        return super().convert(document, options, **how)


def ask(converter: Converter, path: Path, extent: Extent) -> Ticket:
    open_ticket = opener(converter, Config(pages_max=7, single_page_sheets=False))
    return open_ticket(path, Lane.LOW, lambda call: call(), None, None, extent)


def test_extents(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words")
    engine = Engine()
    with Converter(engine, FakeChecker(), workspace=Workspace([tmp_path]), classify=CLASSIFY) as converter:
        for extent in (Extent.BOUNDED, Extent.ALL, Extent.FIRST_PAGE):
            ask(converter, path, extent).result(PATIENCE_S)
        assert engine.asked == [(7, None, False), (None, None, False), (None, "1", False)]
        assert converter.statistics().cached_pdfs == 2, "what is made for a small picture takes nobody's place"
        with pytest.raises(ConversionError):
            ask(converter, tmp_path / "nowhere.txt", Extent.FIRST_PAGE).result(PATIENCE_S)


@pytest.mark.parametrize(("extent", "ends"), [(Extent.FIRST_PAGE, True), (Extent.BOUNDED, False)])
def test_a_small_picture_gets_little_time(tmp_path: Path, extent: Extent, ends: bool) -> None:
    (tmp_path / "slow.txt").write_text("slow")
    engine, clock = FakeEngine(), FakeClock()
    kit = engine.kit("slow", gate=Gate())
    with Converter(engine, FakeChecker(), workspace=Workspace([tmp_path]), classify=CLASSIFY, clock=clock) as converter:
        ticket = ask(converter, tmp_path / "slow.txt", extent)
        kit.gate.wait_for_arrivals()
        clock.advance(THUMBNAIL_DEADLINE_S + 0.1)
        assert ticket.done() is ends
        kit.gate.open()
