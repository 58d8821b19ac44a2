"""The benchmark of a server in its shortest form: that it measures what it says. No figure is judged here."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engines.wasm.prepared import find
from preview_app.console import Console
from preview_app.jupyter import benchmark

SPREADS = ("alone_s", "distinct_s", "same_s", "scroll_alone_ms", "scroll_ms")


@pytest.mark.wasm
def test_two_users_are_measured_on_a_server_of_their_own() -> None:
    if find() is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")

    async def measure() -> dict[str, Any]:
        with benchmark.running("--DocpeekExtension.engine=wasm") as server:
            await benchmark.until_up(server)
            samples = benchmark.sample_documents()[-1:]
            figures = await benchmark.crowds(server, samples, rounds=1, users=2, console=Console(as_json=False))
            assert len(list(server.folder.iterdir())) == 1 + 2 + 1 + 2 + 2, "a document of its own for each that is new"
            return figures

    figures = asyncio.run(measure())
    assert json.loads(json.dumps(figures)) == figures
    assert all(figures[name]["max"] >= figures[name]["median"] > 0 for name in SPREADS)
    for name in ("peak", "after"):
        assert all(mib > 1 for mib in figures[f"memory_{name}_mib"].values())


def test_the_figures_are_told_in_lines() -> None:
    memory = {"server": 1.0, "engine": 2.0, "renderers": 4.0}
    figures = {name: {"median": 1.5, "max": 2.5} for name in SPREADS}
    figures |= {f"memory_{name}_mib": memory for name in ("ready", "peak", "after")}
    others = {"rounds": 3, "users": 7, "engine": "wasm", "memory_without_docpeek_mib": 50.5}
    text = benchmark.as_text({**figures, **others, "first_use_s": 3.25, "first_use_started_ahead_s": 0.25})
    for part in ("7 users at once, one document", "3.25", "0.25", "slowest 2.5", "without docpeek: 50.5", " 7.0 "):
        assert part in text
