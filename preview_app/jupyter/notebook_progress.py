"""What goes below a cell: what is shown there, and while it is waited for, a line that goes when it is done."""

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
        if self._handle is None:
            self._handle = display_raw({"text/plain": line}, {}, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)


def display_raw(data: dict[str, Any], metadata: dict[str, Any], *, display_id: bool = False) -> Any:
    """Show data by their MIME types; gives a handle where an id is wanted. There must be an IPython."""
    from IPython.display import display  # noqa: PLC0415 - it is there: a shell runs

    show: Any = display
    return show(data, metadata=metadata, raw=True, display_id=display_id or None)
