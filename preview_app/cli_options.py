"""What several groups of commands have in common: arguments, options, the end."""

from __future__ import annotations

import sys
from pathlib import Path

import click

ENGINES = click.Choice(["auto", "native", "wasm"])
FILE = click.Path(path_type=Path, readable=False)  # what cannot be read is an outcome of its file, not wrong usage
DOCUMENTS = click.argument("files", nargs=-1, type=click.Path(path_type=Path, exists=True))
ENGINE = click.option(
    "--engine",
    type=ENGINES,
    help="Which LibreOffice converts: the installed one, the one in WebAssembly, or the first if it can do it all.  "
    "[default: the setting `engine`, which is auto]",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file on standard output.")


def leave_with(status: int) -> None:
    """End the program with this exit status; go on if it is 0."""
    if status:
        sys.exit(status)
