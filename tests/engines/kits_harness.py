"""A supervisor over the fake office, for tests of its life and of what may go wrong in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from engines.base import Artifact, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.formats import DocumentType, Family
from engines.kits import Kits
from engines.kits_forked import ForkedKits
from engines.kits_spawned import SpawnedKits
from engines.protocol import Init
from engines.supervisor import Supervisor
from tests.engines.cancel_token import Token

OFFICE = "tests.engines.fake_office:FakeOffice"
TEXT = DocumentType("txt", "Text", Family.TEXT, "text/plain", (".txt",), "Text")
KITS: dict[str, Callable[[Init], Kits]] = {"forked": ForkedKits, "spawned": SpawnedKits}
EVERY_WAY = pytest.mark.parametrize("way", KITS)


class Harness:
    """A supervisor over the fake office, and a short way to give it an order."""

    def __init__(self, way: str, result_bytes_max: int, settings: dict[str, Any]) -> None:
        self.made: list[Kits] = []
        init = Init(OFFICE, settings)

        def make() -> Kits:
            self.made.append(KITS[way](init))
            return self.made[-1]

        self.supervisor = Supervisor(make, result_bytes_max=result_bytes_max)

    def order(
        self, *, deadline_s: float = 30, cancel: Token | None = None, phases: list[str] | None = None, **order: Any
    ) -> Artifact:
        def progress(step: Progress) -> None:
            if phases is not None:
                phases.append(step.phase)

        return self.supervisor.convert(
            SourceDocument(json.dumps(order).encode(), TEXT),
            ExportOptions(page_range="1-2"),
            deadline_s=deadline_s,
            cancel=cancel or Token(),
            progress=progress,
        )

    def fails(self, expected: ErrorKind, **order: Any) -> EngineError:
        with pytest.raises(EngineError) as caught:
            self.order(**order)
        assert caught.value.kind is expected, caught.value.message
        return caught.value

    def told(self, **order: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.order(do="convert", **order).pdf[5:])
        return answer


Make = Callable[..., Harness]
