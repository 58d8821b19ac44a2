"""The short form of the fuzz program (`make fuzz`), and that it finds what it looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from converter.conversion import NO_ENGINE, Conversion
from converter.errors import ConversionError, Outcome
from engines.base import Artifact, CancelToken, Engine, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from tests.fuzz.fuzz_engines import Fuzzer, wrong_with
from tests.fuzz.mutation import Mutant, mutant
from tests.fuzz.originals import originals

SEED, COUNT = 20, 40


@pytest.mark.wasm
def test_damaged_documents_come_to_an_end_and_leave_nothing(either_engine: Engine) -> None:
    fuzzer = Fuzzer([either_engine], originals(None), SEED)
    try:
        report = fuzzer.run(range(COUNT), seconds=60)
    finally:
        fuzzer.close()
    assert not [(each.number, each.what, each.document.recipe) for each in report.findings]
    outcomes = report.outcomes[either_engine.info.name]
    assert outcomes.total() == report.documents > 0
    assert {"ok", "corrupt"} <= set(outcomes), "or nothing came through to the engine, or nothing was damaged"


def test_a_seed_and_a_number_make_one_document() -> None:
    first, second = [[mutant(originals(None), SEED, number) for number in range(60)] for _ in range(2)]
    assert first == second
    assert len({each.data for each in first}) > 50
    assert {each.name.rpartition(".")[2] for each in first} > {"docx", "xlsx", "rtf", "fodt"}
    assert mutant(originals(None), SEED + 1, 0) != first[0]


class _Careless:
    """An engine that shows every document, whatever it is, and has a fault of ours in every tenth."""

    def __init__(self, engine: Engine) -> None:
        self.info = replace(engine.info, name="careless")
        self._supervisor = engine._supervisor  # type: ignore[attr-defined]
        self._number = 0

    def start(self) -> None:
        """It needs nothing."""

    def healthy(self) -> bool:
        return True

    def stop(self, grace_s: float = 2.0) -> None:
        """It has nothing."""

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        self._number += 1
        if self._number % 10 == 0:
            raise EngineError(ErrorKind.UNAVAILABLE, "gone")
        return Artifact(b"%PDF-1.7 but for this line it is none")


@pytest.fixture
def careless(either_engine: Engine) -> Iterator[Fuzzer]:
    fuzzer = Fuzzer([_Careless(either_engine)], originals(None), SEED)
    yield fuzzer
    fuzzer.close()


@pytest.mark.wasm
def test_an_engine_that_is_gone_is_a_finding(careless: Fuzzer) -> None:
    report = careless.run(range(60), seconds=60)
    what = {each.what for each in report.findings}
    assert what >= {"ended as unavailable: gone", "no sentence: gone"}
    assert report.crashes, "and a result that is no PDF is the engine's failure"


def test_what_is_wrong_with_an_outcome() -> None:
    good = Conversion(b"%PDF-", 1, "", "docx", NO_ENGINE, "", 1)
    assert not wrong_with(good)
    assert wrong_with(replace(good, pages=0))
    assert wrong_with(replace(good, pdf=b"text"))
    assert not wrong_with(ConversionError(Outcome.CORRUPT))
    assert wrong_with(ConversionError(Outcome.BUSY))
    assert wrong_with(ConversionError(Outcome.ENGINE, "It failed.", "Traceback (most recent call last)"))
    assert Mutant("noise.docx", b"", (), noise=True).noise
