"""The command line: arguments, and nothing that does the work.

Results for scripts go to standard output, everything for a person to standard error. The exit status is that of the
table of outcomes (`converter.errors.Outcome`); 2 is wrong usage.
"""

from __future__ import annotations

import logging
import math
import sys
from pathlib import Path
from typing import Any, Literal

import click

from preview_app import __version__
from preview_app.benchmark_cli import benchmark
from preview_app.cli_options import ENGINE, FILE, JSON, leave_with
from preview_app.config import Config, ConfigError, EngineChoice, load_config
from preview_app.console import Console, HarmlessFormatter
from preview_app.outputs import PageRanges


class _SecondsType(click.FloatRange):
    """Seconds within bounds; no number is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is no time.", param, ctx)
        return seconds


_FILES = click.argument("files", nargs=-1, required=True, type=FILE)
_ENGINE_OR_BOTH = click.option(
    "--engine",
    type=click.Choice(["auto", "native", "wasm", "both"]),
    help="Which LibreOffice converts; both: the installed one, compared with the one in WebAssembly.",
)
_TOLERANCE = click.option(
    "--tolerance",
    type=click.FloatRange(0, 100),
    default=0.03,
    show_default=True,
    metavar="PERCENT",
    help="How many of a page's pixels may differ from what it is compared with.",
)
_DEADLINE = click.option(
    "--deadline", type=_SecondsType(0.1, 600.0), metavar="SECONDS", help="Give up on a file after so long."
)
_PRINT_LAYOUT = click.option(
    "--print-layout", is_flag=True, help="Spreadsheets as they would be printed, instead of one page a sheet."
)
_PASSWORD = click.option(
    "--password", "ask_password", is_flag=True, help="Ask for the password of encrypted documents."
)
_PASSWORD_FILE = click.option(
    "--password-file", type=FILE, metavar="FILE", help="Read that password from the first line of FILE; - for stdin."
)


class _PagesType(click.ParamType[PageRanges]):
    """Ranges of page numbers."""

    name = "RANGE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> PageRanges:
        try:
            return value if isinstance(value, PageRanges) else PageRanges.parse(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="docpeek")
@click.option("-v", "--verbose", count=True, help="Say more on standard error; twice for everything.")
@click.pass_context
def cli(context: click.Context, verbose: int) -> None:
    """See any office document, instantly and safely.

    Documents are converted by LibreOffice, each in a sandbox of its own; nothing needs to be installed for that.
    """
    level = (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbose, 2)]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(HarmlessFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    try:
        context.obj = load_config()
    except ConfigError as error:
        raise click.UsageError(str(error)) from error


@cli.command()
@_FILES
@click.option(
    "-o", "--output", required=True, type=FILE, metavar="OUT", help="The PDF; a folder for several files; - for stdout."
)
@ENGINE
@_DEADLINE
@_PRINT_LAYOUT
@_PASSWORD
@_PASSWORD_FILE
@JSON
@click.pass_obj
def convert(
    config: Config,
    files: tuple[Path, ...],
    output: Path,
    engine: EngineChoice | None,
    deadline: float | None,
    print_layout: bool,
    ask_password: bool,
    password_file: Path | None,
    as_json: bool,
) -> None:
    """Convert documents to PDF."""
    from preview_app import commands, passwords

    password = passwords.ask_for(password_file, prompt=ask_password)
    settings = commands.Settings(config, engine, deadline, print_layout, password)
    leave_with(commands.convert(settings, files, output, Console(as_json)))


@cli.command()
@_FILES
@click.option("-o", "--output", required=True, type=FILE, metavar="DIR", help="Folder for page-0001.png ...")
@click.option("--pages", type=_PagesType(), default="1-", help="Which pages, for example 1-3,7,9-  [default: all]")
@click.option("--dpi", type=click.IntRange(10, 1200), default=144, show_default=True, help="Dots an inch.")
@ENGINE
@_DEADLINE
@_PRINT_LAYOUT
@_PASSWORD
@_PASSWORD_FILE
@JSON
@click.pass_obj
def render(
    config: Config,
    files: tuple[Path, ...],
    output: Path,
    pages: PageRanges,
    dpi: int,
    engine: EngineChoice | None,
    deadline: float | None,
    print_layout: bool,
    ask_password: bool,
    password_file: Path | None,
    as_json: bool,
) -> None:
    """Render the pages of documents to PNG pictures."""
    from preview_app import commands, passwords

    password = passwords.ask_for(password_file, prompt=ask_password)
    settings = commands.Settings(config, engine, deadline, print_layout, password)
    leave_with(commands.render(settings, files, output, pages, dpi, Console(as_json)))


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=FILE)
@click.option("-r", "--recursive", is_flag=True, help="Look into the folders of folders as well.")
@click.option("--include", multiple=True, metavar="GLOB", help="Of folders take what fits, instead of all documents.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Of folders leave out what fits.")
@click.option("--jsonl", type=FILE, metavar="OUT", help="Write everything as JSON Lines.")
@click.option("--junit", type=FILE, metavar="OUT.xml", help="Write JUnit XML for CI.")
@click.option("--report", type=FILE, metavar="OUT.html", help="Write a page with a table, pictures and times.")
@click.option("--resume", type=FILE, metavar="JSONL", help="Go on where that run was interrupted, and in that file.")
@click.option(
    "--fail-on",
    default="error",
    show_default=True,
    metavar="KIND,...",
    help="What makes the exit status 1: error, warning or info (and what weighs more), ids of findings, or none.",
)
@click.option("--baseline", type=FILE, metavar="DIR", help="Compare with the documents, or saved PDFs, of that folder.")
@click.option("--save-baseline", type=FILE, metavar="DIR", help="Save the PDFs as a baseline for later.")
@_TOLERANCE
@click.option("--pages-max", type=click.IntRange(1), metavar="N", help="Convert and look at the first N pages only.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Conversions at once.  [default: by processors]")
@click.option("--scheduler", metavar="ADDRESS", help="Work on that Dask cluster, for example tcp://host:8786.")
@click.option("--workers-root", multiple=True, metavar="HERE=THERE", help="Its workers have the folder HERE as THERE.")
@_ENGINE_OR_BOTH
@_DEADLINE
@_PRINT_LAYOUT
@_PASSWORD
@_PASSWORD_FILE
@JSON
@click.pass_context
def inspect(
    context: click.Context,
    paths: tuple[Path, ...],
    recursive: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jsonl: Path | None,
    junit: Path | None,
    report: Path | None,
    resume: Path | None,
    fail_on: str,
    baseline: Path | None,
    save_baseline: Path | None,
    tolerance: float,
    pages_max: int | None,
    jobs: int | None,
    scheduler: str | None,
    workers_root: tuple[str, ...],
    engine: Literal["auto", "native", "wasm", "both"] | None,
    deadline: float | None,
    print_layout: bool,
    ask_password: bool,
    password_file: Path | None,
    as_json: bool,
) -> None:
    """Look at many documents, and tell what is wrong with them.

    PATHS are documents, and folders of them. Findings go to standard output; what each id means is listed by
    `docpeek findings`. Nothing is fetched and no macro is run.
    """
    from preview_app import commands, inspect_command, passwords
    from preview_app.inspection.cluster_wish import cluster_wish
    from preview_app.inspection.comparison_wish import ComparisonWish
    from preview_app.inspection.findings import FailOn
    from preview_app.inspection.html_wish import HtmlWish
    from preview_app.inspection.paths import Selection
    from preview_app.inspection.report_files import ReportPlaces

    try:
        fails = FailOn(fail_on.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--fail-on") from error
    if scheduler and (ask_password or password_file):
        raise click.UsageError(
            "A password is not sent to a cluster, whose messages others may read. Inspect the documents that need one "
            "without --scheduler."
        )
    try:
        cluster = cluster_wish(scheduler, workers_root, jobs)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--workers-root") from error
    wishes = inspect_command.Wishes(
        Selection(recursive, include, exclude),
        fails,
        ReportPlaces(jsonl, junit, resume),
        HtmlWish(report),
        jobs,
        pages_max,
        verbose=context.find_root().params["verbose"] > 0,
        comparison=ComparisonWish(engine == "both", baseline, save_baseline, tolerance=tolerance),
        cluster=cluster,
    )
    password = passwords.ask_for(password_file, prompt=ask_password)
    settings = commands.Settings(
        context.obj, "native" if engine == "both" else engine, deadline, print_layout, password
    )
    leave_with(inspect_command.inspect(settings, paths, wishes, Console(as_json)))


@cli.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.option("--report", type=FILE, metavar="OUT.html", help="Write a page with pictures of the differences.")
@_TOLERANCE
@ENGINE
@_DEADLINE
@_PRINT_LAYOUT
@_PASSWORD
@_PASSWORD_FILE
@JSON
@click.pass_obj
def compare(
    config: Config,
    before: Path,
    after: Path,
    report: Path | None,
    tolerance: float,
    engine: EngineChoice | None,
    deadline: float | None,
    print_layout: bool,
    ask_password: bool,
    password_file: Path | None,
    as_json: bool,
) -> None:
    """Tell how two documents differ, or the documents of two folders.

    Pages are compared by words and by looks; one that was put in shifts no other. The exit status is 1 where there are
    differences.
    """
    from preview_app import commands, compare_command, passwords

    password = passwords.ask_for(password_file, prompt=ask_password)
    settings = commands.Settings(config, engine, deadline, print_layout, password)
    leave_with(compare_command.compare(settings, before, after, report, tolerance, Console(as_json)))


@cli.command()
@JSON
def findings(as_json: bool) -> None:
    """List what `docpeek inspect` can find: id, severity, meaning."""
    from preview_app import inspect_command

    inspect_command.list_findings(Console(as_json))


@cli.command(name="open")
@click.argument("paths", nargs=-1, type=FILE)
@ENGINE
@click.pass_obj
def open_(config: Config, paths: tuple[Path, ...], engine: EngineChoice) -> None:
    """Show documents and folders in a window."""
    from preview_app import commands

    settings = commands.Settings(config, engine)
    leave_with(commands.open_window(settings, paths, Console(as_json=False)))


@cli.group(invoke_without_command=True)
@JSON
@click.pass_context
def engines(context: click.Context, as_json: bool) -> None:
    """Tell which engines are there; prepare or remove the WASM one."""
    if context.invoked_subcommand is None:
        from preview_app import engine_commands

        leave_with(engine_commands.show(context.obj, Console(as_json)))


@engines.command()
def prepare() -> None:
    """Fetch, verify and compile the WASM engine: once a machine, about two minutes."""
    from preview_app import engine_commands

    leave_with(engine_commands.prepare_now(Console(as_json=False)))


@engines.command()
def remove() -> None:
    """Remove the prepared engine from the cache."""
    from preview_app import engine_commands

    leave_with(engine_commands.remove_prepared(Console(as_json=False)))


@cli.group(name="desktop-entry", invoke_without_command=True)
@JSON
@click.pass_context
def desktop_entry(context: click.Context, as_json: bool) -> None:
    """Tell whether docpeek is in the menu of the desktop; put it there or take it away."""
    if context.invoked_subcommand is None:
        from preview_app import desktop_entry_commands

        leave_with(desktop_entry_commands.show(Console(as_json)))


@desktop_entry.command(name="install")
@click.option("--default", is_flag=True, help="Make docpeek the first program for documents as well.")
def desktop_entry_install(default: bool) -> None:
    """Add docpeek to the menu, with its icon, and offer it for documents."""
    from preview_app import desktop_entry_commands

    leave_with(desktop_entry_commands.install(Console(as_json=False), default=default))


@desktop_entry.command(name="remove")
def desktop_entry_remove() -> None:
    """Take that back; what was the first program for documents before is so again."""
    from preview_app import desktop_entry_commands

    leave_with(desktop_entry_commands.remove(Console(as_json=False)))


cli.add_command(benchmark)
