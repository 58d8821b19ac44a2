"""A password from the person at the command line: from a file, from standard input, or typed without being shown."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engines.decryption import Password

STDIN = Path("-")
_BYTES_MAX = 4096


def ask_for(file: Path | None, *, prompt: bool) -> Password | None:
    """The password that was asked to be used, `None` if none was. Raises `click.UsageError`."""
    if file is not None and prompt:
        raise click.UsageError("Give either --password or --password-file, not both.")
    if file is not None:
        return _read(file)
    return _prompt() if prompt else None


def _prompt() -> Password:
    if not sys.stdin.isatty():
        raise click.UsageError(
            "--password asks on a terminal, and this is none: use --password-file FILE (- for stdin)."
        )
    text: str = click.prompt("Password", hide_input=True, err=True)
    return Password(text)


def _read(file: Path) -> Password:
    """The first line of the file, which may be all that there is."""
    try:
        raw = sys.stdin.buffer.readline(_BYTES_MAX) if file == STDIN else _head(file)
    except OSError as error:
        raise click.UsageError(f"The password file {file} cannot be read: {error.strerror}.") from error
    try:
        text = raw.decode().removeprefix("\ufeff").rstrip("\r\n")
    except UnicodeDecodeError:
        raise click.UsageError(f"The password in {file} is not UTF-8 text.") from None
    if not text:
        raise click.UsageError(f"There is no password in the first line of {file}.")
    return Password(text)


def _head(file: Path) -> bytes:
    with file.open("rb") as lines:
        return lines.readline(_BYTES_MAX)
