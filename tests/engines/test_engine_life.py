"""Engines without LibreOffice keep the contract of those with one: real processes over a fake office, and the fake."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engines.base import Artifact, CancelToken, Engine, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.protocol import Init
from engines.supervisor import Supervisor
from tests.engines.engine_life import Documents, EngineLife
from tests.engines.kits_harness import KITS, OFFICE
from tests.fakes import FakeEngine, Gate


class OrderedEngine:
    """A supervisor over kits of the fake office, whose documents say what is to happen to them."""

    def __init__(self, way: str) -> None:
        self.info = EngineInfo("ordered", "1.0", way)
        self._supervisor = Supervisor(lambda: KITS[way](Init(OFFICE, {})), result_bytes_max=1 << 20)

    def start(self) -> None:
        self._supervisor.start()

    def healthy(self) -> bool:
        return self._supervisor.healthy()

    def stop(self, grace_s: float = 2.0) -> None:
        self._supervisor.stop(grace_s)

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        return self._supervisor.convert(document, options, deadline_s=deadline_s, cancel=cancel, progress=progress)


def _order(**order: Any) -> SourceDocument:
    return SourceDocument(json.dumps(order).encode(), by_id("txt"))


class _Ordered(EngineLife):
    way: str

    @pytest.fixture
    def engine(self, fresh: Callable[[], Engine]) -> Engine:
        return fresh()

    @pytest.fixture
    def fresh(self) -> Iterator[Callable[[], Engine]]:
        made: list[Engine] = []

        def make() -> Engine:
            made.append(OrderedEngine(self.way))
            return made[-1]

        yield make
        for engine in made:
            engine.stop()

    @pytest.fixture
    def documents(self) -> Documents:
        return Documents(_order(do="convert"), _order(do="hang"), _order(do="fail", kind="corrupt", message="Damaged."))


class TestForked(_Ordered):
    """Kits of a zygote."""

    way = "forked"


class TestSpawned(_Ordered):
    """Kits one by one."""

    way = "spawned"


class TestFake(EngineLife):
    """The stand-in that the converter is tested with."""

    @pytest.fixture
    def engine(self) -> FakeEngine:
        return self._made()

    @pytest.fixture
    def fresh(self) -> Callable[[], Engine]:
        return self._made

    @pytest.fixture
    def documents(self) -> Documents:
        return Documents(*(SourceDocument(text.encode(), by_id("txt")) for text in ("small", "endless", "damaged")))

    def _made(self) -> FakeEngine:
        engine = FakeEngine()
        engine.kit("endless", gate=Gate())
        engine.kit("damaged", ends_with=EngineError(ErrorKind.CORRUPT, "The document is damaged."))
        return engine
