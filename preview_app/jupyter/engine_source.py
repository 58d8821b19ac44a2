"""Where a server's engines come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.base import CancelToken, Engine
from engines.errors import EngineError
from engines.wasm.prepared import find
from preview_app import app
from preview_app.config import Config

Report = Callable[[str, float], None]
"""Told what is being prepared: a sentence, and percent."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The default engine and those that a request may name beside it. Whoever makes a converter of them stops them."""

    default: Engine
    others: Sequence[Engine] = ()


class EngineSource(Protocol):
    """Finds, prepares and makes engines. Both methods block."""

    def prepared(self, config: Config) -> bool:
        """Whether `make` would be done at once."""

    def make(self, config: Config, report: Report, cancel: CancelToken) -> Engines:
        """The engines; takes minutes where one must be prepared, and calls `report` on the calling thread.

        Raises `EngineError`.
        """


class MachineEngines:
    """The engines of this machine, as the settings want them."""

    def prepared(self, config: Config) -> bool:
        """See `EngineSource`."""
        try:
            return app.choose_engine(config).name == "native" or find() is not None
        except EngineError:
            return False  # told to whoever opens a document

    def make(self, config: Config, report: Report, cancel: CancelToken) -> Engines:
        """See `EngineSource`."""
        decision = app.choose_engine(config)
        if decision.name == "wasm":
            app.ensure_prepared(lambda moment: report(moment.message, moment.percent), cancel)
        engine = app.make_engine(config, decision)
        return Engines(engine, app.other_engines(config, config.engine, engine))
