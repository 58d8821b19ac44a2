"""The long form of the fuzz program, for `make fuzz`: a new seed each time, unless `DOCPEEK_FUZZ_SEED` names one.

`DOCPEEK_FUZZ_COUNT` and `DOCPEEK_FUZZ_MINUTES` bound it. Findings are saved in `out/fuzz`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from engines.base import Engine
from tests.conftest import REPOSITORY
from tests.fuzz.fuzz_engines import engines_there, fuzz, show

COUNT = int(os.environ.get("DOCPEEK_FUZZ_COUNT", "1500"))
MINUTES = float(os.environ.get("DOCPEEK_FUZZ_MINUTES", "15"))


@pytest.fixture
def engines() -> Iterator[list[Engine]]:
    found = engines_there("both")
    if not found:
        pytest.skip("there is no engine to try")
    yield found
    for engine in found:
        engine.stop()


@pytest.mark.slow
@pytest.mark.timeout(MINUTES * 60 + 120)
def test_damaged_documents_come_to_an_end_and_leave_nothing(engines: list[Engine]) -> None:
    seed = int(os.environ.get("DOCPEEK_FUZZ_SEED", str(int(time.time()))))
    report = fuzz(engines, seed, range(COUNT), minutes=MINUTES, folder=REPOSITORY / "out" / "fuzz")
    show(report)
    assert report.documents > 0
    assert not [(each.number, each.engine, each.what) for each in report.findings]
