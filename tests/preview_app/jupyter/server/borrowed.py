"""The extension as it is, on engines that somebody else has made and will stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.base import Artifact, CancelToken, Engine, EngineInfo, ExportOptions, Progress, SourceDocument
from preview_app.config import Config
from preview_app.jupyter.extension import DocpeekExtension
from preview_app.jupyter.machinery import Engines, MakeEngines, Report


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


class BorrowedExtension(DocpeekExtension):
    """See above."""

    borrowed: tuple[Engine, ...] = ()

    def make_engines(self) -> MakeEngines:
        def make(config: Config, report: Report, cancel: CancelToken) -> Engines:
            report("Borrowing the engine", 50.0)
            default, *others = map(Borrowed, self.borrowed)
            return Engines(default, others)

        return make


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": __name__, "app": BorrowedExtension}]
