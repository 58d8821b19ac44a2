"""How far a run is: a line that is rewritten on a terminal, with rate and time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import click

_BAR_CELLS = 24
_EVERY_S = 0.1


class Progress:
    """The line. Says nothing where standard error is no terminal. `now` is for tests."""

    def __init__(self, total: int, *, now: Callable[[], float] = time.monotonic, terminal: bool | None = None) -> None:
        self._total = total
        self._now = now
        self._begun = self._shown_at = now()
        self._terminal = sys.stderr.isatty() if terminal is None else terminal
        self._done = self._reused = 0
        self._shown = False

    def advance(self, *, reused: bool = False) -> None:
        """A file is done; one whose record was there already does not count for the rate."""
        self._done += 1
        self._reused += reused
        if self._now() - self._shown_at >= _EVERY_S or self._done == self._total:
            self.show()

    def show(self) -> None:
        """Write the line."""
        if self._terminal:
            self._shown_at, self._shown = self._now(), True
            click.echo(f"\r\x1b[K{self.text()}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away, so that something else can be said."""
        if self._shown:
            self._shown = False
            click.echo("\r\x1b[K", err=True, nl=False)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._now() - self._begun

    @property
    def files_a_minute(self) -> float:
        """The rate, without those whose records were there already; 0 as long as nobody knows."""
        seconds = self.seconds
        return 60 * (self._done - self._reused) / seconds if seconds > 0 else 0.0

    def text(self) -> str:
        """What the line says."""
        share = self._done / self._total if self._total else 1.0
        bar = "█" * round(share * _BAR_CELLS)
        parts = [f"{bar:░<{_BAR_CELLS}} {self._done:,}/{self._total:,}"]
        if rate := self.files_a_minute:
            parts.append(f"{rate:,.0f} files/min")
            if left := self._total - self._done:
                parts.append(f"{duration(60 * left / rate)} left")
        return " · ".join(parts)


def duration(seconds: float) -> str:
    """A time for a person."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
