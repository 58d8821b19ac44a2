"""The commands that show or convert documents; each gives the exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome, outcome_of
from converter.service import Converter
from engines.base import Engine, ExportOptions
from engines.decryption import Password
from engines.errors import EngineError
from preview_app import app, batch, display, report
from preview_app import benchmark_converter as benchmarks
from preview_app.config import Config, EngineChoice
from preview_app.console import Console, harmless
from preview_app.outputs import OutputError, PageRanges, folder_names, pdf_paths, write_stream
from preview_app.raster import benchmark as raster_benchmark
from preview_app.raster.blocking import PageRenderer, PdfChecker

_STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the person chose for a run."""

    config: Config
    engine: EngineChoice | None
    deadline_s: float | None = None
    print_layout: bool = False
    password: Password | None = None

    @property
    def batch(self) -> batch.Settings:
        """The part that holds for each file."""
        single = self.config.single_page_sheets and not self.print_layout
        options = ExportOptions(single_page_sheets=single, pages_max=self.config.pages_max)
        return batch.Settings(options, self.deadline_s, self.password)


def convert(settings: Settings, files: Sequence[Path], output: Path, console: Console) -> int:
    """Convert files to PDFs at `output`."""
    if output == _STDOUT:
        return _convert_to_stdout(settings, files, console)
    try:
        outputs = pdf_paths(files, output)
    except OutputError as error:
        raise click.UsageError(str(error)) from error
    with _converter(settings, files, console) as converter:
        return _report_each(converter, files, outputs, settings, batch.save_pdf, console)


def _convert_to_stdout(settings: Settings, files: Sequence[Path], console: Console) -> int:
    if len(files) != 1 or console.as_json:
        raise click.UsageError("`-o -` takes one file, and not --json, which needs standard output itself.")

    def write(_file: Path, _output: Path, conversion: Conversion) -> None:
        try:
            write_stream(sys.stdout.fileno(), conversion.pdf)
        except OSError as error:
            raise OutputError(f"Cannot write to standard output: {error.strerror}.") from error

    with _converter(settings, files, console) as converter:
        for _output, told in batch.convert_each(converter, files, [_STDOUT], settings.batch, write):
            if not told["ok"]:
                console.say(report.sentence(told, "-"))
                return Outcome(told["kind"]).exit_status
    return 0


def render(
    settings: Settings, files: Sequence[Path], output: Path, pages: PageRanges, dpi: int, console: Console
) -> int:
    """Render pages to pictures in the folder `output`, in a folder a file where there are several."""
    if output.exists() and not output.is_dir():
        raise click.UsageError(f"{output} is a file; the pages need a folder.")
    outputs = [output] if len(files) == 1 else [output / name for name in folder_names(files)]

    def said(path: Path) -> None:
        if not console.as_json:
            click.echo(harmless(str(path)) if sys.stdout.isatty() else path)

    with _converter(settings, files, console) as converter, PageRenderer() as renderer:
        consume = batch.page_writer(renderer, pages, dpi, said)
        return _report_each(converter, files, outputs, settings, consume, console)


def _report_each(
    converter: Converter,
    files: Sequence[Path],
    outputs: Sequence[Path],
    settings: Settings,
    consume: batch.Consume,
    console: Console,
) -> int:
    status = 0
    for output, told in batch.convert_each(converter, files, outputs, settings.batch, consume):
        text = report.sentence(told, str(output))
        if console.as_json:
            console.result(told, text)
        else:
            console.say(text)
            for line in report.remarks(told):
                console.say(f"    {line}")
        status = status or Outcome(told["kind"]).exit_status
    return status


@contextmanager
def _converter(settings: Settings, files: Sequence[Path], console: Console) -> Iterator[Converter]:
    """The conversion service of a run. Where there can be none, every file is told so and the program ends."""
    with ExitStack() as ends:
        try:
            engine = engine_for(settings, console)
            converter = ends.enter_context(app.conversion_service(settings.config, engine))
        except EngineError as error:
            _refuse(files, ConversionError(outcome_of(error.kind), error.message, error.diagnostics), console)
        except OSError as error:
            message = f"This machine cannot run a conversion now: {error.strerror or error}."
            _refuse(files, ConversionError(Outcome.UNAVAILABLE, message), console)
        yield converter


def _refuse(files: Sequence[Path], error: ConversionError, console: Console) -> NoReturn:
    for file in files if console.as_json else ():
        console.result(report.failed(file, error), "")
    if not console.as_json:
        console.say(error.message)
    console.explain(error.diagnostics)
    sys.exit(error.outcome.exit_status)


def engine_for(settings: Settings, console: Console) -> Engine:
    """The engine that was chosen, prepared first where that is needed. Raises `EngineError`."""
    decision = app.choose_engine(settings.config, settings.engine)
    if decision.name == "wasm":
        with console.progress() as show:
            app.ensure_prepared(lambda moment: show(moment.message, moment.percent))
    if decision.note and not decision.native.complete:
        console.say(decision.note)
    return app.make_engine(settings.config, decision)


def benchmark_raster(pdf: Path | None, rounds: int, console: Console) -> int:
    """Measure the raster workers."""
    figures = raster_benchmark.measure(pdf.read_bytes() if pdf else None, rounds=rounds)
    text = "\n".join(
        f"{name.removesuffix('_ms').replace('_', ' '):<44}{value:>9.1f} ms" for name, value in figures.items()
    )
    console.result(dict(figures), text)
    return 0


def benchmark_converter(config: Config, rounds: int, console: Console) -> int:
    """Measure the conversion service over the WASM engine."""
    engine = engine_for(Settings(config, "wasm"), console)
    checker = PdfChecker()
    try:
        figures = benchmarks.benchmark(engine, checker, rounds=rounds, say=console.say)
    finally:
        engine.stop()
        checker.close()
    console.result(figures, benchmarks.as_text(figures))
    return 0


def open_window(settings: Settings, paths: Sequence[Path], console: Console) -> int:
    """Show documents in a window until it is closed."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        console.say(f"{missing[0]}: there is no such file or folder.")
        return Outcome.NOT_FOUND.exit_status
    if no_window := display.problem():
        console.say(no_window)
        return Outcome.UNAVAILABLE.exit_status
    return app.run_desktop(settings.config, settings.engine, list(paths))
