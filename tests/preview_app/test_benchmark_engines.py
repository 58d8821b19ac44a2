"""The benchmarks of engines and of screening, in their shortest form: that they measure what they say.

No figure is judged here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from PySide6.QtGui import QImage

from engines.assets import assets_dir
from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.screening import examine
from preview_app import benchmark_engines, benchmark_large, benchmark_memory, benchmark_pictures, benchmark_screening
from preview_app.benchmark_engines import Variants
from preview_app.benchmark_large import Sizes
from preview_app.benchmark_rounds import Measure, NoMeasureError, documents_in, in_turns, labels, ratios, table
from preview_app.cli import cli
from tests.fakes import FakeEngine

SMALL = Sizes(lines=3, paragraphs=4, slides=5, pictures=2, sheets=1, rows=2)


def test_variants_take_turns_and_the_first_turn_does_not_count() -> None:
    turns: list[str] = []
    seconds = iter(range(100))

    def measure(name: str, path: Path) -> float:
        turns.append(f"{name}{path}")
        return float(next(seconds))

    done = in_turns({name: partial(measure, name) for name in "ab"}, [Path("1"), Path("2")], 2)
    assert turns == ["a1", "b1", "a2", "b2"] * 3
    assert done.values == {"a": {"1": [4, 8], "2": [6, 10]}, "b": {"1": [5, 9], "2": [7, 11]}}
    assert done.seconds["a"]["1"] == {"min": 4.0, "median": 6.0, "max": 8.0}


def test_what_a_variant_cannot_do_is_asked_once_and_told() -> None:
    asked: list[Path] = []

    def measure(path: Path) -> float:
        asked.append(path)
        if path.name == "bad":
            raise NoMeasureError("cannot")
        return 1.0

    done = in_turns({"a": measure}, [Path("bad"), Path("good")], 3)
    assert asked.count(Path("bad")) == 1
    assert done.failures == {"a": {"bad": "cannot"}}
    assert list(done.seconds["a"]) == ["good"]


def test_documents_of_one_name_are_told_apart() -> None:
    files = [Path("a/x.docx"), Path("b/x.docx"), Path("b/y.docx")]
    assert labels(files) == {"a/x.docx": files[0], "b/x.docx": files[1], "y.docx": files[2]}


def test_folders_stand_for_their_documents(tmp_path: Path) -> None:
    for name in ("b.txt", "below/a.txt", ".hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    single = tmp_path / "b.txt"
    assert documents_in([single, tmp_path]) == [single, single, tmp_path / "below" / "a.txt"]


def test_ratios_and_tables_leave_out_what_is_missing() -> None:
    seconds = {"one": {"x": {"median": 1.0}, "y": {"median": 3.0}}, "other": {"x": {"median": 2.0}}}
    found = ratios(seconds, [("one", "other"), ("one", "absent")])
    assert found == {"one / other": {"x": 0.5}}
    lines = table({"one": {"x": 1.0, "y": 3.0}, "the other one": {"x": 2.0}}, 2)
    assert [line.split() for line in lines] == [
        ["the", "other"],
        ["one", "one"],
        ["x", "1.00", "2.00"],
        ["y", "3.00", "-"],
    ]


def test_large_documents_are_what_their_names_say(tmp_path: Path) -> None:
    found = {path.name: examine(path.read_bytes(), path.name) for path in benchmark_large.make(tmp_path, SMALL)}
    types = [f"{name} {screened.detection.type.id}" for name, screened in found.items()]
    assert types == [
        "long-text.txt txt", "long-text.docx docx", "deck.pptx pptx", "photographs.docx docx", "workbook.xlsx xlsx",
    ]  # fmt: skip


def test_large_documents_are_the_same_each_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        made.append([path.read_bytes() for path in benchmark_large.make(tmp_path / name, SMALL)])
    assert made[0] == made[1]


def test_photographs_can_be_decoded_and_differ() -> None:
    one, other = (benchmark_pictures.photograph(40, 24, number) for number in (0, 1))
    pictures = [QImage.fromData(data) for data in (one, other)]
    assert [(picture.width(), picture.height()) for picture in pictures] == [(40, 24), (40, 24)]
    assert pictures[0] != pictures[1]
    assert len({pictures[0].pixel(x, y) for x in range(40) for y in range(24)}) > 100, "it is no plain colour"


@pytest.mark.skipif(not benchmark_memory.can_measure(), reason="this system does not tell")
def test_memory_is_that_of_the_process() -> None:
    block = bytearray(os.urandom(64 << 20))
    memory = benchmark_memory.of(os.getpid())
    assert memory is not None
    assert memory.private_dirty >= len(block)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert benchmark_memory.of(ended.pid) is None


def _variants(make: Callable[[], Engine]) -> Variants:
    opened = {"wasm": partial(benchmark_engines.warm, make), "native": partial(benchmark_engines.warm, make)}
    return Variants({**opened}, ("wasm",), {"wasm": "1"}, [])


def test_an_engine_is_measured_with_its_own_share_of_the_work(tmp_path: Path) -> None:
    engines: list[FakeEngine] = []

    def make() -> Engine:
        engines.append(FakeEngine())
        return engines[-1]

    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("good\n")
    bad.write_bytes(b"")
    said: list[str] = []
    result = benchmark_engines.measure(_variants(make), [good, bad], 2, said.append)
    assert json.loads(json.dumps(result)) == result
    assert set(result["seconds"]["wasm"]) == {"good.txt"}
    assert list(result["ratios"]) == ["wasm / native"]
    assert set(result["failures"]["native"]) == {"bad.txt"}
    assert said == ["one turn to warm up", "round 1 of 2", "round 2 of 2", "memory"]
    assert all(engine.stopped for engine in engines)
    text = benchmark_engines.as_text(result)
    assert "good.txt" in text
    assert "native, bad.txt: The file is empty" in text


def test_a_failed_conversion_is_no_measure_and_a_cold_engine_is_stopped(tmp_path: Path) -> None:
    engine = FakeEngine()
    engine.kit("\ufeffx\n", ends_with=EngineError(ErrorKind.ENGINE, "crashed"))
    document = tmp_path / "x.txt"
    document.write_text("x\n")
    with pytest.raises(NoMeasureError, match="crashed"):
        benchmark_engines.cold(lambda: engine)(document)
    assert engine.stopped


def test_what_does_not_start_is_named_as_absent(tmp_path: Path) -> None:
    def broken() -> AbstractContextManager[Measure]:
        raise NoMeasureError("did not start")

    document = tmp_path / "a.txt"
    document.write_text("a\n")
    variants = Variants({"unoserver": broken, **_variants(FakeEngine).all}, ("unoserver",), {}, [])
    result = benchmark_engines.measure(variants, [document], 1, lambda _line: None)
    assert result["absent"] == ["unoserver: did not start"]
    assert set(result["seconds"]) == {"wasm", "native"}


def test_screening_is_measured_by_kind(tmp_path: Path) -> None:
    (tmp_path / "empty.docx").touch()
    sample = assets_dir() / "samples" / "garden.xlsx"
    result = benchmark_screening.measure([sample, tmp_path / "empty.docx"], 2, target_ms=0.0)
    assert {kind: each["files"] for kind, each in result["kinds"].items()} == {"refused: empty": 1, "xlsx": 1}
    assert result["over"][0]["file"] == str(sample)
    text = benchmark_screening.as_text(result)
    assert "over the target: garden.xlsx, xlsx" in text


def test_the_command_screens_the_documents_of_a_folder() -> None:
    done = CliRunner().invoke(cli, ["benchmark", "screening", "--rounds", "1", "--json", str(assets_dir() / "warmup")])
    assert done.exit_code == 0, done.output
    assert set(json.loads(done.stdout)["kinds"]) == {"docx", "pptx", "xlsx"}


@pytest.mark.parametrize("command", ["engines", "screening"])
def test_a_document_that_is_not_there_is_wrong_usage(command: str) -> None:
    assert CliRunner().invoke(cli, ["benchmark", command, "no-such-file.docx"]).exit_code == 2
