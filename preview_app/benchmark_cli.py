"""The commands that measure: arguments, and nothing that does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from preview_app.cli_options import DOCUMENTS, ENGINE, ENGINES, FILE, JSON, leave_with
from preview_app.config import Config, EngineChoice
from preview_app.console import Console


@click.group()
def benchmark() -> None:
    """Measure this machine, side by side in one run."""


@benchmark.command(name="convert")
@click.argument("files", nargs=-1, type=FILE)
@click.option("--rounds", type=click.IntRange(1, 100), default=7, show_default=True)
@JSON
@click.pass_obj
def benchmark_convert(config: Config, files: tuple[Path, ...], rounds: int, as_json: bool) -> None:
    """Documents to PDF: cold, warm, and beside soffice where it is installed."""
    from preview_app import benchmark_convert as benchmark_module

    leave_with(benchmark_module.run(config, files, rounds, Console(as_json)))


@benchmark.command(name="engines")
@DOCUMENTS
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True)
@JSON
@click.pass_obj
def benchmark_engines(config: Config, files: tuple[Path, ...], rounds: int, as_json: bool) -> None:
    """The engines beside soffice and unoserver: time and memory.

    FILES are documents, or folders of them; without any, the samples and large documents that are made for the run.

    unoserver is measured where it is found: `pip install --no-deps unoserver` into the environment of docpeek, or into
    that of the Python that has LibreOffice's module `uno` (package python3-uno), under which it runs. Nothing else of
    docpeek uses it.
    """
    from preview_app import benchmark_engines as benchmark_module

    leave_with(benchmark_module.run(config, files, rounds, Console(as_json)))


@benchmark.command(name="screening")
@DOCUMENTS
@click.option("--rounds", type=click.IntRange(1, 1000), default=20, show_default=True)
@JSON
def benchmark_screening(files: tuple[Path, ...], rounds: int, as_json: bool) -> None:
    """What it costs to tell and screen a document.

    FILES are documents, or folders of them; without any, the samples and large documents that are made for the run.
    """
    from preview_app import benchmark_screening as benchmark_module

    leave_with(benchmark_module.run(files, rounds, Console(as_json)))


@benchmark.command(name="window")
@click.argument("files", nargs=-1, type=FILE)
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True)
@JSON
def benchmark_window(files: tuple[Path, ...], rounds: int, as_json: bool) -> None:
    """From the start of the program to the first page on screen."""
    from preview_app import benchmark_window as benchmark_module

    leave_with(benchmark_module.run(files, rounds, Console(as_json)))


@benchmark.command(name="viewer")
@click.option("--rounds", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option("--engine", type=click.Choice(["native", "wasm"]), default="wasm", show_default=True)
@JSON
def benchmark_viewer(rounds: int, engine: Literal["native", "wasm"], as_json: bool) -> None:
    """How the window feels: waits, frames that come late, memory, ten thousand files."""
    from preview_app import benchmark_viewer as benchmark_module

    leave_with(benchmark_module.run(engine, rounds, Console(as_json)))


@benchmark.command(name="inspect")
@DOCUMENTS
@click.option("--rounds", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option("--many", type=click.IntRange(0, 100_000), default=0, help="Measure the memory with so many files, too.")
@JSON
@click.pass_obj
def benchmark_inspect(config: Config, files: tuple[Path, ...], rounds: int, many: int, as_json: bool) -> None:
    """Inspecting many files, beside one soffice over the same list.

    FILES are documents, or folders of them; without any, the samples and copies of one of them.
    """
    from preview_app import benchmark_inspect as benchmark_module

    leave_with(benchmark_module.run(config, files, rounds, many, Console(as_json)))


@benchmark.command(name="cluster")
@DOCUMENTS
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True)
@ENGINE
@JSON
@click.pass_obj
def benchmark_cluster(
    config: Config, files: tuple[Path, ...], rounds: int, engine: EngineChoice | None, as_json: bool
) -> None:
    """What Dask costs an inspection: two workers of one thread, beside two at once without it.

    FILES are documents, or folders of them; without any, the samples and copies of one of them.
    """
    from preview_app import benchmark_cluster as benchmark_module

    leave_with(benchmark_module.run(config, files, rounds, engine, Console(as_json)))


@benchmark.command(name="raster")
@click.argument("pdf", required=False, type=FILE)
@click.option("--rounds", type=click.IntRange(1, 100), default=7, show_default=True)
@JSON
def benchmark_raster(pdf: Path | None, rounds: int, as_json: bool) -> None:
    """From a PDF to pixels: start of a worker, first page, transfer."""
    from preview_app import commands

    leave_with(commands.benchmark_raster(pdf, rounds, Console(as_json)))


@benchmark.command(name="server")
@click.option("--rounds", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option("--users", type=click.IntRange(1, 50), default=10, show_default=True)
@click.option("--engine", type=ENGINES, default="auto", show_default=True)
@JSON
def benchmark_server(rounds: int, users: int, engine: EngineChoice, as_json: bool) -> None:
    """Many users on one Jupyter Server: time to the first page, memory."""
    from preview_app.jupyter import benchmark as benchmark_module

    leave_with(benchmark_module.run(rounds, users, engine, Console(as_json)))


@benchmark.command(name="converter")
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True)
@JSON
@click.pass_obj
def benchmark_converter(config: Config, rounds: int, as_json: bool) -> None:
    """What the queue costs, and what its reserved slot is worth."""
    from preview_app import commands

    leave_with(commands.benchmark_converter(config, rounds, Console(as_json)))
