"""`docpeek` and `python -m preview_app`."""

from __future__ import annotations

import os
import sys

import click

from preview_app.cli import cli

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; exits with its status."""
    sys.exit(_run())


def _run() -> int:
    try:
        status = cli.main(prog_name="docpeek", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python must not try to flush the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    main()
