"""Both engines on the real documents: where they differ, the difference is listed with its cause, and no other is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.base import Engine
from engines.native.engine import NativeEngine
from engines.wasm.engine import WasmEngine
from tests.fuzz.fuzz_engines import engines_there
from tests.real.compare_engines import KNOWN, Seen, compare, difference, files_of, known

pytestmark = [pytest.mark.corpus, pytest.mark.wasm]
LISTED_FOR = "7.4."
"""The list names the installed LibreOffice that it is true of."""


@pytest.fixture
def both(native_engine: NativeEngine, wasm_engine: WasmEngine) -> Iterator[list[Engine]]:
    """Both, with the same fonts; the shared ones say whether they are there."""
    engines = engines_there("both")
    yield engines
    for engine in engines:
        engine.stop()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_difference_is_listed(both: list[Engine], corpus: Path) -> None:
    native, wasm = both
    if not native.info.version.startswith(LISTED_FOR):
        pytest.skip(f"the list is for LibreOffice {LISTED_FOR}, this is {native.info.version}")
    found = {each.file: each.what for each in compare(native, wasm, corpus, files_of(corpus))}
    assert found == known()


def test_the_list_names_files_of_the_corpus_and_causes(corpus: Path) -> None:
    listed = known()
    assert listed
    assert set(listed) <= set(files_of(corpus))
    rows = [row for row in KNOWN.read_text(encoding="utf-8").splitlines() if row.startswith("| `")]
    assert all(len(row.split("|")[3].strip()) > 10 for row in rows)


def test_what_a_difference_is() -> None:
    one = Seen(3, Counter("abcd" * 30))
    assert difference("f", one, one) is None
    assert difference("f", one, Seen(3, Counter("abcd" * 30 + "x"))) is None
    pages = difference("f", one, Seen(4, Counter("abcd" * 20)))
    assert pages is not None
    assert pages.what == "pages 3, 4, text"
    refused = difference("f", one, Seen(0, Counter(), "corrupt"))
    assert refused is not None
    assert refused.what == "outcome ok, corrupt"
