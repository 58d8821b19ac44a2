"""What is told while a preview is waited for: a line below the cell that goes when it is done."""

from __future__ import annotations

import sys
from typing import Any


def shell() -> Any:
    """The IPython shell of this process, `None` where there is none. Imports nothing."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


class Progress:
    """One line, shown when there is something to tell: an engine that is prepared, once on a machine."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = ""

    def show(self, message: str, percent: float) -> None:
        """Tell it."""
        line = f"{message} ({percent:.0f} %)"
        if line == self._last:
            return
        self._last = line
        if shell() is None:
            print(line, file=sys.stderr)
        else:
            self._update(line)

    def clear(self) -> None:
        """Take it away."""
        if self._handle is not None:
            self._update("")

    def _update(self, line: str) -> None:
        from IPython.display import display  # noqa: PLC0415 - it is there: a shell runs

        if self._handle is None:
            show: Any = display
            self._handle = show({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)
