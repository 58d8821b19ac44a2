"""When to do nothing ahead of need: on battery, or with little memory left."""

from __future__ import annotations

from collections.abc import Callable

import psutil
from PySide6.QtCore import QObject, QTimer, Signal

LOOK_MS = 30_000
MEMORY_BYTES_MIN = 1 << 30
"""With less than this available no document is converted ahead of time."""


def on_mains() -> bool:
    """Whether this machine is not on battery; one that knows of none is not."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery is None or battery.power_plugged is not False


def has_memory() -> bool:
    """Whether there is memory to spare."""
    return bool(psutil.virtual_memory().available >= MEMORY_BYTES_MIN)


class Thrift(QObject):
    """Looks now and then, and tells when it changes."""

    changed = Signal(bool)
    """Whether work ahead of need is all right."""

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        mains: Callable[[], bool] = on_mains,
        memory: Callable[[], bool] = has_memory,
    ) -> None:
        super().__init__(parent)
        self._mains = mains
        self._memory = memory
        self._plenty = True
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def plenty(self) -> bool:
        """Whether work ahead of need was all right at the last look."""
        return self._plenty

    def start(self) -> None:
        """Look from now on; the first time soon, since the first page comes before it."""
        self._timer.start()
        QTimer.singleShot(1000, self, self.look)

    def stop(self) -> None:
        """Look no more. Idempotent."""
        self._timer.stop()

    def look(self) -> None:
        """Look now."""
        plenty = self._mains() and self._memory()
        if plenty != self._plenty:
            self._plenty = plenty
            self.changed.emit(plenty)
