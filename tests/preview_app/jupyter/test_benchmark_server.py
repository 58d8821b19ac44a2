"""The benchmark of a server in its shortest form: that it measures what it says. No figure is judged here."""

from __future__ import annotations

import asyncio
import json

import pytest

from engines.wasm.prepared import find
from preview_app.console import Console
from preview_app.jupyter import benchmark


@pytest.mark.wasm
def test_two_users_are_measured_on_servers_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    if find() is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    figures = asyncio.run(benchmark.measure(1, 2, "wasm", Console(as_json=False), browser_s=0.0))
    assert json.loads(json.dumps(figures)) == figures
    assert set(figures["memory_peak_mib"]) == {"server", "engine", "renderers"}
    assert all(mib > 1 for mib in figures["memory_peak_mib"].values())
    assert figures["memory_after_mib"]["server"] > figures["memory_without_docpeek_mib"] > 1
    text = benchmark.as_text(figures)
    assert "2 users at once, one document" in text
    assert "10 users" not in text
