"""The real engine, shared by a whole run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from converter.service import Converter
from engines import select
from engines.base import Engine
from engines.native.engine import NativeEngine
from engines.wasm.engine import WasmEngine
from engines.wasm.prepared import find
from preview_app import app
from preview_app.config import Config

pytest.register_assert_rewrite("tests.engines.engine_life", "tests.real.engine_contract")

PERMISSIVE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item
 oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse">
<value>0</value></prop></item></oor:items>"""
"""A registry of LibreOffice's that lets every macro run."""
NOT_PREPARED = "the WASM engine is not prepared: run `make engine`"


@pytest.fixture(scope="session")
def wasm_engine() -> Iterator[WasmEngine]:
    """The prepared engine. In CI it must be there; elsewhere the test is skipped without it."""
    if find() is None:
        if os.environ.get("CI"):
            pytest.fail(NOT_PREPARED)
        pytest.skip(NOT_PREPARED)
    engine = WasmEngine.found()
    engine.start()
    yield engine
    _stop_and_count(engine)


@pytest.fixture(scope="session")
def native_engine() -> Iterator[NativeEngine]:
    """The engine over an installed LibreOffice, in its warm way; the test is skipped where that is not to be had."""
    state = select.look()
    if state.installation is None:
        pytest.skip(f"no LibreOffice: {state.absent}")
    if not (state.complete and state.found.python):
        pytest.skip(f"{state.title} does not do everything: {state.found.why_not} {state.found.advice}")
    engine = NativeEngine(state.installation, state.found)
    engine.start()
    yield engine
    _stop_and_count(engine)


@pytest.fixture(scope="session", params=["wasm", "native"])
def either_engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the two in its turn."""
    engine: Engine = request.getfixturevalue(f"{request.param}_engine")
    return engine


def _stop_and_count(engine: Engine) -> None:
    """Stop the engine: a zygote ends, and nothing below it lives on. Other engines may be there, whose zygotes stay."""
    families = {child: [child, *child.children(recursive=True)] for child in psutil.Process().children()}
    engine.stop()
    ended = [family for zygote, family in families.items() if not zygote.is_running()]
    assert ended, "the engine's process is still there"
    _gone, alive = psutil.wait_procs([process for family in ended for process in family], timeout=5)
    assert not alive, f"the engine left processes behind: {alive}"


@pytest.fixture
def converter(wasm_engine: WasmEngine) -> Iterator[Converter]:
    """A conversion service over the shared engine, with the real checker."""
    with app.conversion_service(Config(deadline_s=120.0), wasm_engine, stop_engine=False) as service:
        yield service


@pytest.fixture
def soffice(tmp_path: Path) -> list[str]:
    """The command of an ordinary office with a profile of its own that allows everything."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("the control needs an ordinary LibreOffice")
    user = tmp_path / "profile" / "user"
    user.mkdir(parents=True)
    (user / "registrymodifications.xcu").write_text(PERMISSIVE)
    return [program, f"-env:UserInstallation={user.parent.as_uri()}", "--headless", "--norestore"]
