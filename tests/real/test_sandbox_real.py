"""Real kits in their sandbox: what the kernel says of them, and that fonts still load behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from engines import sandboxprobe
from engines.assets import assets_dir
from engines.wasm.engine import WasmEngine
from tests.real.conversions import convert, words

pytestmark = [
    pytest.mark.wasm,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of parts of Linux"),
]
SAMPLES = sorted((assets_dir() / "samples").glob("*.*x"))
FAMILIES = ("Tinos", "Cousine", "Arimo")


class Fresh:
    """An engine whose kits find nothing warm, and are forked when their document comes: there is one at a time."""

    def __init__(self) -> None:
        others = set(self._zygotes())
        self.engine = WasmEngine.found(warm_up=False, spare_kit=False)
        self.engine.start()
        (self.zygote,) = set(self._zygotes()) - others

    def _zygotes(self) -> list[psutil.Process]:
        return [child for child in psutil.Process().children() if child.name() == "docpeek-zygote"]


@pytest.fixture(scope="module")
def fresh(wasm_engine: WasmEngine) -> Iterator[Fresh]:
    one = Fresh()
    yield one
    one.engine.stop()


def status(process: psutil.Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def network(process: psutil.Process) -> str:
    return str(Path(f"/proc/{process.pid}/ns/net").readlink())


def test_the_kernel_says_that_a_kit_is_confined(fresh: Fresh) -> None:
    seen: list[dict[str, str]] = []

    def look(_step: object) -> None:
        (kit,) = fresh.zygote.children()
        seen.append(status(kit) | {"network": network(kit)})

    convert(fresh.engine, SAMPLES[0], progress=look)
    reached = sandboxprobe.probe()
    assert {each["NoNewPrivs"] for each in seen} == {"1"}
    assert {each["Seccomp"] for each in seen} == {"2" if reached.seccomp else "0"}
    assert {int(each[name], 16) for each in seen for name in ("CapEff", "CapPrm", "CapInh")} == {0}
    ours = network(psutil.Process())
    assert {each["network"] != ours for each in seen} == {reached.network_namespace}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_samples_come_out_the_same_from_a_kit_that_has_to_load_everything(
    fresh: Fresh, wasm_engine: WasmEngine, sample: Path, tmp_path: Path
) -> None:
    cold, warm = convert(fresh.engine, sample), convert(wasm_engine, sample)
    assert words(cold.pdf, tmp_path) == words(warm.pdf, tmp_path)
    assert cold.missing_fonts == warm.missing_fonts


@pytest.mark.parametrize("family", FAMILIES)
def test_fonts_are_loaded_by_the_kit(fresh: Fresh, family: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(f'<html><body style="font-family: {family}"><p>in a font of its own</p></body></html>')
    assert f"+{family}".encode() in convert(fresh.engine, file).pdf


def test_the_command_line_shows_the_level() -> None:
    def docpeek(*arguments: str) -> str:
        command = [sys.executable, "-m", "preview_app", "engines", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    reached = sandboxprobe.probe()
    assert f"sandbox: {reached}" in docpeek().splitlines()
    assert json.loads(docpeek("--json"))["sandbox"] == asdict(reached) | {"missing": list(reached.missing)}
