"""A folder of documents, and a converter over a fake engine that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from converter.errors import ConversionError
from converter.request import Lane, Limits, Locator
from converter.service import Converter
from converter.ticket import Ticket
from converter.workspace import Workspace
from preview_app.inspection.inspect_one import InspectOptions, Tools, inspect_one
from preview_app.inspection.records import FileInspection
from tests.fakes import PATIENCE_S, FakeChecker, FakeEngine, Gate, Kit, classify_text
from tests.preview_app.raster.pdfs import PdfPage, make_pdf


@dataclass
class Desk:
    """A converter over a folder. Documents are texts; `write` says what PDF the engine makes of one."""

    folder: Path
    converter: Converter
    engine: FakeEngine
    gates: list[Gate] = field(default_factory=list)

    def write(self, name: str, text: str, *pages: PdfPage, **kit: Any) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.engine.kit(text, pdf=make_pdf(pages or [PdfPage().text(10, 50, "words")]), **kit)
        return path

    def hold(self, name: str, text: str) -> tuple[Path, Kit]:
        """A document whose conversion waits at a gate."""
        path = self.write(name, text, gate=Gate())
        self.gates.append(self.engine.kits[text].gate)
        return path, self.engine.kits[text]

    def ask(self, path: Path, lane: Lane = Lane.CRITICAL) -> Ticket:
        return self.converter.open(Locator.of(path), lane)

    def inspect(self, path: Path, tools: Tools, **options: Any) -> FileInspection:
        return inspect_one(path, self.converter, tools, InspectOptions(**options))


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(**limits: Any) -> Desk:
        engine = FakeEngine()
        converter = Converter(
            engine, FakeChecker(), workspace=Workspace([tmp_path]), limits=Limits(**limits), classify=classify_text
        )
        desks.append(Desk(tmp_path, converter, engine))
        return desks[-1]

    yield make
    for desk in desks:
        for gate in desk.gates:
            gate.open()
        assert desk.converter.close()


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()


@pytest.fixture
def tools() -> Iterator[Tools]:
    with Tools() as tools:
        yield tools


def outcome_of(ticket: Ticket) -> str:
    """How a ticket ends."""
    try:
        ticket.result(PATIENCE_S)
    except ConversionError as error:
        return error.outcome.value
    return "ok"
