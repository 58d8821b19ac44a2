"""`docpeek` and `python -m preview_app`."""

from __future__ import annotations

import io
import os
import sys

import click

from preview_app.cli import cli
from preview_app.console import harmless

_INTERRUPTED = 130
_MACHINE = 8
"""The exit status of `unavailable`: the machine lacks something."""


def main() -> None:
    """Run the command line; exits with its status."""
    _open_missing_streams()
    sys.exit(_run())


def _open_missing_streams() -> None:
    """Whoever started us may have closed them; then nothing is said, and no file gets their number."""
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
            setattr(sys, name, os.fdopen(descriptor, "w"))


def _run() -> int:
    try:
        status = cli.main(prog_name="docpeek", standalone_mode=False)
    except click.ClickException as error:
        told = io.StringIO()
        error.show(told)
        click.echo(harmless(told.getvalue()), err=True, nl=False)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python must not try to flush the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        click.echo(harmless(f"docpeek: {error}"), err=True)
        return _MACHINE
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    main()
