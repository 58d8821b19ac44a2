"""The extension as it is, on engines that somebody else has made and will stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traitlets import Bool

from engines.base import Artifact, CancelToken, Engine, EngineInfo, ExportOptions, Progress, SourceDocument
from preview_app.config import Config
from preview_app.jupyter.engine_source import Engines, EngineSource, Report
from preview_app.jupyter.extension import DocpeekExtension


class Borrowed:
    """An engine that goes on after the server that borrowed it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def info(self) -> EngineInfo:
        return self._engine.info

    def start(self) -> None:
        self._engine.start()

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        return self._engine.convert(document, options, deadline_s=deadline_s, cancel=cancel, progress=progress)

    def healthy(self) -> bool:
        return self._engine.healthy()

    def stop(self, grace_s: float = 2.0) -> None:
        """It is somebody else's."""


class BorrowedEngines:
    """An `EngineSource`. `unprepared` engines are not started ahead."""

    def __init__(self, engines: tuple[Engine, ...], *, unprepared: bool) -> None:
        self._engines = engines
        self._unprepared = unprepared

    def prepared(self, config: Config) -> bool:
        return not self._unprepared

    def make(self, config: Config, report: Report, cancel: CancelToken) -> Engines:
        report("Borrowing the engine", 50.0)
        default, *others = map(Borrowed, self._engines)
        return Engines(default, others)


class BorrowedExtension(DocpeekExtension):
    """See above."""

    borrowed: tuple[Engine, ...] = ()
    unprepared = Bool(False).tag(config=True)

    def engine_source(self) -> EngineSource:
        return BorrowedEngines(self.borrowed, unprepared=self.unprepared)


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": __name__, "app": BorrowedExtension}]
