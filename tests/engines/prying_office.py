"""An office whose document says what file to read: a stand-in for a document that has taken over its kit."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from engines.protocol import Convert
from tests.engines.fake_office import FakeOffice


class PryingOffice(FakeOffice):
    """See the module."""

    _status: Any = None

    def initialise(self) -> None:
        super().initialise()
        self._open_status()

    def after_fork(self) -> None:
        super().after_fork()
        self._open_status()

    def _open_status(self) -> None:
        self._status = open("/proc/thread-self/status", encoding="utf-8")  # noqa: SIM115 - read once it is confined

    def _attack(self, _order: dict[str, Any], _request: Convert) -> bytes:
        ctypes.CDLL(None).ptrace(0, 0, 0, 0)
        return b"it got through"

    def _read(self, order: dict[str, Any], _request: Convert) -> bytes:
        content = Path(order["path"]).read_text(encoding="utf-8")
        return f"{content}\n{self._status.read()}".encode()
