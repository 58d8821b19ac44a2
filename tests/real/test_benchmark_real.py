"""That the memory of an engine's own processes is found, by the benchmark that tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.wasm.engine import WasmEngine
from engines.wasm.prepared import find
from preview_app import benchmark_engines, benchmark_memory
from tests.real.conftest import NOT_PREPARED


@pytest.mark.wasm
@pytest.mark.skipif(not benchmark_memory.can_measure(), reason="this system does not tell")
def test_the_zygote_its_spare_kit_and_the_kit_at_work_are_measured(tmp_path: Path) -> None:
    if find() is None:
        pytest.skip(NOT_PREPARED)
    text = tmp_path / "text.txt"
    text.write_text("All happy families are alike; each unhappy one in its own way.\n" * 2_000, encoding="utf-8")
    known = benchmark_memory.children()
    with benchmark_engines.warm(WasmEngine.found) as convert:
        told = benchmark_memory.measure(convert, {"text": text}, known)
    zygote, spare = told["at rest"]["docpeek-zygote"], told["at rest"]["docpeek-kit"]
    assert zygote.private_dirty > spare.private_dirty, "the spare kit shares what is its zygote's own"
    assert told["at work"]["text"].private_dirty > spare.private_dirty
