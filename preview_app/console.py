"""Where the command line speaks: standard output for results, standard error for a person."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

_STEERING = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "?") | {
    ord("\n"): "\n",
    ord("\t"): "\t",
}
"""C0 and C1, which a terminal obeys, and what turns the direction of text, so that a name reads as another."""


def harmless(text: str) -> str:
    """A text without what steers a terminal: names of files, and what a document says, may hold anything."""
    return text.translate(_STEERING)


class HarmlessFormatter(logging.Formatter):
    """Log records for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, or the lines with a traceback, of a record."""
        return harmless(super().format(record))


class Console:
    """Results as JSON or as text, remarks, and a progress line."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, value: dict[str, Any], text: str) -> None:
        """One result: its JSON object on one line, or its text.

        JSON in ASCII: a file name may hold bytes that no encoding of the terminal has.
        """
        click.echo(json.dumps(value) if self.as_json else harmless(text))

    def say(self, text: str) -> None:
        """Something for a person to know."""
        click.echo(harmless(text), err=True)

    def say_over(self, text: str) -> None:
        """The same while a progress line may be shown: in its place."""
        click.echo(f"\r\x1b[K{harmless(text)}" if sys.stderr.isatty() else harmless(text), err=True)

    def explain(self, details: str) -> None:
        """What stands behind an error, for whoever asked for more (`-v`)."""
        if not details:
            return
        if logging.getLogger().isEnabledFor(logging.INFO):
            click.echo(harmless(details), err=True)
        else:
            click.echo("(docpeek -v ... tells the details)", err=True)

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, float], None]]:
        """What shows `(message, percent)`: one line that is rewritten on a terminal, a line a message elsewhere."""
        terminal = sys.stderr.isatty()
        shown = ""

        def show(message: str, percent: float) -> None:
            nonlocal shown
            message = harmless(message)
            if terminal:
                click.echo(f"\r\x1b[K{percent:3.0f} %  {message}", err=True, nl=False)
            elif message != shown:
                click.echo(f"{percent:3.0f} %  {message}", err=True)
            shown = message

        try:
            yield show
        finally:
            if terminal and shown:
                click.echo("\r\x1b[K", err=True, nl=False)
