"""The life of an engine, whatever is in it: start, ways to end a document, ways to give one up, stop.

Inherited by a class for each engine, real or fake, which gives `engine` (others may use it too), `fresh` (makes one
that a test may stop) and `documents`. What becomes of the contents of a document is `tests.real.engine_contract`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import psutil
import pytest

from engines.base import Artifact, Engine, ExportOptions, FontReplacement, SourceDocument
from engines.errors import EngineError, ErrorKind
from tests.engines.cancel_token import Token

PATIENCE_S = 60.0
PHASES = ("loading", "loaded", "exporting", "exported")


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents of an engine's own kind: one for a moment, one that takes longer than anyone waits, a damaged one."""

    small: SourceDocument
    endless: SourceDocument
    damaged: SourceDocument


class EngineLife:
    """The tests of the contract that need no LibreOffice."""

    def test_it_says_what_it_is_without_being_started(self, fresh: Callable[[], Engine]) -> None:
        engine = fresh()
        assert engine.info.name
        assert engine.info.version
        assert engine.info.fingerprint
        assert engine.info == engine.info
        assert engine.healthy()

    def test_starting_twice_is_starting(self, engine: Engine) -> None:
        engine.start()
        engine.start()
        assert engine.healthy()

    def test_a_document_becomes_a_pdf(self, engine: Engine, documents: Documents) -> None:
        artifact = run(engine, documents.small)
        assert artifact.pdf.startswith(b"%PDF-")
        assert isinstance(artifact.pdf, bytes)
        assert all(isinstance(each, FontReplacement) for each in artifact.missing_fonts)
        assert all(isinstance(each, str) and each for each in artifact.notices)
        assert all(seconds >= 0 for seconds in artifact.seconds.values())

    def test_the_bytes_may_be_a_view(self, engine: Engine, documents: Documents) -> None:
        view = replace(documents.small, data=memoryview(documents.small.data))
        assert run(engine, view).pdf.startswith(b"%PDF-")

    def test_phases_are_told_in_order_on_the_thread_that_asked(self, engine: Engine, documents: Documents) -> None:
        told: list[tuple[str, threading.Thread]] = []
        run(engine, documents.small, progress=lambda step: told.append((step.phase, threading.current_thread())))
        phases = [phase for phase, _ in told]
        assert phases[0] == "loading"
        assert phases == sorted(phases, key=PHASES.index)
        assert {thread for _, thread in told} == {threading.current_thread()}

    def test_what_cannot_be_read_is_corrupt_and_harms_no_other(self, engine: Engine, documents: Documents) -> None:
        error = fails(engine, documents.damaged)
        assert error.kind is ErrorKind.CORRUPT
        assert error.message.endswith(".")
        assert run(engine, documents.small).pdf

    def test_cancelled_while_it_converts(self, engine: Engine, documents: Documents) -> None:
        token = Token()
        error = fails(engine, documents.endless, cancel=token, progress=lambda _step: token.cancel())
        assert error.kind is ErrorKind.CANCELLED
        assert run(engine, documents.small).pdf

    def test_cancelled_from_another_thread(self, engine: Engine, documents: Documents) -> None:
        token, begun = Token(), threading.Event()

        def give_up() -> None:
            begun.wait(PATIENCE_S)
            token.cancel()

        other = threading.Thread(target=give_up)
        other.start()
        error = fails(engine, documents.endless, cancel=token, progress=lambda _step: begun.set())
        other.join()
        assert error.kind is ErrorKind.CANCELLED

    def test_cancelled_before_it_began(self, engine: Engine, documents: Documents) -> None:
        token = Token()
        token.cancel()
        assert fails(engine, documents.endless, cancel=token).kind is ErrorKind.CANCELLED

    def test_a_token_outlives_the_document_and_keeps_nothing_of_it(self, engine: Engine, documents: Documents) -> None:
        token = Token()
        run(engine, documents.small, cancel=token)
        assert not token._callbacks
        token.cancel()

    def test_the_deadline(self, engine: Engine, documents: Documents) -> None:
        error = fails(engine, documents.endless, deadline_s=0.3)
        assert error.kind is ErrorKind.TIMEOUT
        assert error.message.endswith(".")
        assert run(engine, documents.small).pdf

    def test_several_at_once(self, engine: Engine, documents: Documents) -> None:
        pdfs: list[bytes] = []
        threads = [threading.Thread(target=lambda: pdfs.append(run(engine, documents.small).pdf)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert [pdf[:5] for pdf in pdfs] == [b"%PDF-"] * 3

    def test_one_that_is_given_up_leaves_the_others_alone(self, engine: Engine, documents: Documents) -> None:
        token, begun, ended = Token(), threading.Event(), list[EngineError]()

        def give_up() -> None:
            ended.append(fails(engine, documents.endless, cancel=token, progress=lambda _step: begun.set()))

        other = threading.Thread(target=give_up)
        other.start()
        assert begun.wait(PATIENCE_S)
        assert run(engine, documents.small).pdf
        token.cancel()
        other.join(PATIENCE_S)
        assert [error.kind for error in ended] == [ErrorKind.CANCELLED]

    def test_nothing_of_a_document_is_left(self, engine: Engine, documents: Documents) -> None:
        run(engine, documents.small)
        names = [child.name() for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
        assert names.count("docpeek-kit") <= names.count("docpeek-zygote"), "only the spare one of each may be there"
        assert not [name for name in names if "soffice" in name]

    def test_stopping_ends_what_runs_and_takes_no_more(self, fresh: Callable[[], Engine], documents: Documents) -> None:
        engine, begun, ended = fresh(), threading.Event(), list[EngineError]()
        thread = threading.Thread(
            target=lambda: ended.append(fails(engine, documents.endless, progress=lambda _step: begun.set()))
        )
        thread.start()
        assert begun.wait(PATIENCE_S)
        engine.stop(0.5)
        thread.join(PATIENCE_S)
        assert [error.kind for error in ended] in ([ErrorKind.ENGINE], [ErrorKind.UNAVAILABLE])
        assert not engine.healthy()
        assert fails(engine, documents.small).kind is ErrorKind.UNAVAILABLE
        engine.stop()

    def test_one_that_was_never_started_can_be_stopped(self, fresh: Callable[[], Engine]) -> None:
        engine = fresh()
        engine.stop()
        engine.stop()
        assert not engine.healthy()


def run(engine: Engine, document: SourceDocument, **how: object) -> Artifact:
    """Convert a document, with time to spare."""
    return run_with(engine, document, ExportOptions(), **how)


def run_with(engine: Engine, document: SourceDocument, options: ExportOptions, **how: object) -> Artifact:
    """The same with options."""
    arguments: dict[str, object] = {"deadline_s": PATIENCE_S, "cancel": Token()} | how
    return engine.convert(document, options, **arguments)  # type: ignore[arg-type]


def fails(engine: Engine, document: SourceDocument, **how: object) -> EngineError:
    """The error with which a conversion ends."""
    with pytest.raises(EngineError) as caught:
        run(engine, document, **how)
    return caught.value
