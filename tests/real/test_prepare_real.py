"""The real payload, from the registry to native code: minutes, gigabytes and a network."""

from __future__ import annotations

from pathlib import Path

import pytest
import wasmtime

from engines.errors import EngineError
from engines.wasm.config import make_engine
from engines.wasm.manifest import load_manifest
from engines.wasm.npm import find_node_tools
from engines.wasm.prepare import prepare
from engines.wasm.prepared import find
from engines.wasm.progress import PrepareProgress


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_bare_cache_to_loadable_engine(tmp_path: Path) -> None:
    try:
        find_node_tools(load_manifest().needs)
    except EngineError as error:
        pytest.skip(error.message)
    moments: list[PrepareProgress] = []
    engine = prepare(moments.append, cache_dir=tmp_path)
    assert engine == find(tmp_path)
    percents = [moment.percent for moment in moments]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    module = wasmtime.Module.deserialize_file(make_engine(engine.runtime), str(engine.module_path))
    assert set(engine.guest.functions.values()) <= {item.name for item in module.exports}
    assert any(path.name.startswith("Carlito") for path in engine.font_files)
    assert {path.name for path in engine.licences_dir.iterdir()} >= {"LICENSE", "NOTICE"}
