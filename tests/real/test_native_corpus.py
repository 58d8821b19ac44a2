"""Every real document through the native engine: the outcome that the manifest accepts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from converter.service import Converter
from engines.native.engine import NativeEngine
from preview_app import app
from preview_app.config import Config
from tests.real.test_corpus import _WORDS, ROWS, _outcome

pytestmark = pytest.mark.corpus


@pytest.fixture
def native_converter(native_engine: NativeEngine) -> Iterator[Converter]:
    """A conversion service over the shared native engine."""
    with app.conversion_service(Config(deadline_s=120.0), native_engine, stop_engine=False) as service:
        yield service


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("file", "accepted"), ROWS or [("none", {""})], ids=[row[0] for row in ROWS] or ["none"])
def test_outcome(file: str, accepted: set[str], corpus: Path, native_converter: Converter) -> None:
    got = _outcome(native_converter, corpus / file)
    assert _WORDS.get(got, got) in accepted
