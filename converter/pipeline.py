"""The life of one running job, from its slot to its result, on one thread.

Each stage either goes on or raises; what is raised becomes the job's outcome at one place (`run`). The stages know
nothing of lanes, readers or queues: a `Desk` takes their news and tells whether the job is still wanted.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from converter.cancellation import CancellationToken, Cancelled
from converter.conversion import NO_ENGINE, Conversion, FirstPages, Phase, Seconds
from converter.errors import Bound, ConversionError, Outcome, translated
from converter.identify import Classified, Classify, digest_of
from converter.request import Limits, Request
from converter.workspace import refused
from engines.base import Artifact, Engine, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.notices import notice_of

_log = logging.getLogger(__name__)

_DIAGNOSTICS_CHARACTERS_MAX = 4000
_HEADER = b"%PDF-"
_HEADER_WITHIN_BYTES = 1024
"""Readers of PDF accept the header anywhere in the first 1,024 bytes (ISO 32000, implementation note 13)."""


class PdfChecker(Protocol):
    """Counts the pages of a PDF in a process of its own. The converter itself imports no PDF library."""

    def count_pages(self, pdf: bytes | memoryview) -> int:
        """How many pages it has; blocks, bounded. Raises `EngineError`: corrupt."""


@dataclass(slots=True, eq=False)
class Work:
    """One running job, seen from its thread. `engine` and `info` are set when it begins (C8).

    `given_over` tells that the engine has had the document: until then nothing that ends the job is its doing.
    """

    job: int
    request: Request
    capacity_bytes: int
    token: CancellationToken
    started_at: float
    engine: Engine | None = None
    info: EngineInfo = NO_ENGINE
    given_over: bool = False


class Desk(Protocol):
    """Whom a running job reports to."""

    def begin(self, work: Work) -> None:
        """Give the job its engine, of the present generation."""

    def bytes_read(self, work: Work, size_bytes: int) -> None:
        """The source was read."""

    def identified(self, work: Work, digest: str) -> bool:
        """The digest is known; `False` when a ready result or an equal job serves the readers."""

    def entered(self, work: Work, phase: Phase) -> None:
        """The job entered a phase."""

    def first_pages_wanted(self, work: Work) -> int | None:
        """How many pages the foreground readers want ahead of the rest."""

    def first_pages(self, work: Work, event: FirstPages) -> None:
        """A partial PDF is there."""

    def retried(self) -> None:
        """A kit died before it had read its document, and another took it."""

    def now(self) -> float:
        """The converter's monotonic clock."""


class Pipeline:
    """Runs jobs. Has no state of its own: one serves all threads."""

    def __init__(self, desk: Desk, checker: PdfChecker, classify: Classify, limits: Limits) -> None:
        self._desk = desk
        self._checker = checker
        self._classify = classify
        self._limits = limits

    def run(self, work: Work) -> Conversion | ConversionError | None:
        """The job's result, `None` when its readers are served otherwise. Raises nothing."""
        try:
            return self._run(work)
        except ConversionError as error:
            failed = error.copy()  # without the frames of its traceback, which hold the source
            failed.engine = failed.engine or (work.info if work.given_over else None)
            return failed
        except EngineError as error:
            return translated(error, work.info if work.given_over else None)
        except Cancelled as error:
            return ConversionError(Outcome.CANCELLED, error.message, engine=work.info)
        except MemoryError:
            return ConversionError(Outcome.LIMIT, "There is not enough memory for this document.", engine=work.info)
        except Exception as error:  # noqa: BLE001 - a fault of ours must end this job only, and be seen
            _log.exception("A conversion failed unexpectedly")
            trace = "".join(traceback.format_exception(error))[-_DIAGNOSTICS_CHARACTERS_MAX:]
            return ConversionError(Outcome.ENGINE, "The converter failed unexpectedly.", trace, work.info)

    def _run(self, work: Work) -> Conversion | None:
        """The stages in order. A stage's input is let go before the next: what is released must not live on here."""
        work.token.raise_if_cancelled()
        self._desk.begin(work)
        data = self._read(work)
        work.token.raise_if_cancelled()
        found = self._classify(data, work.request.source.name)
        digest = _digest(work, data, found)
        if not self._desk.identified(work, digest):
            return None
        work.token.raise_if_cancelled()
        source_bytes = len(data)
        del data
        self._desk.entered(work, Phase.SCREENED)
        cleared = found.clear(work.token)
        del found
        work.token.raise_if_cancelled()
        type_id, began = cleared.document.type.id, self._desk.now()
        artifact = self._artifact(work, cleared.document)
        seconds = Seconds(convert=self._desk.now() - began)
        notices = tuple(map(notice_of, (*cleared.notices, *artifact.notices)))
        del cleared
        self._desk.entered(work, Phase.CHECKED)
        return Conversion(
            pdf=artifact.pdf,
            pages=self._pages(artifact.pdf, passed_through=type_id == "pdf"),
            digest=digest,
            document_type=type_id,
            engine=work.info,
            generation=work.info.fingerprint,
            source_bytes=source_bytes,
            seconds=seconds,
            missing_fonts=artifact.missing_fonts,
            notices=notices,
        )

    def _read(self, work: Work) -> bytes:
        """Read the source within its reservation (C4), at the version that was admitted (C6)."""
        source, capacity = work.request.source, work.capacity_bytes
        try:
            data, version = source.read(capacity)
        except OSError as error:
            raise refused(error) from error
        if version != source.version and source.version is not None:
            raise ConversionError(Outcome.CHANGED)
        if len(data) > capacity:
            raise ConversionError(Outcome.LIMIT, bound=Bound("bytes of a document", capacity, len(data)))
        if work.request.decrypt is not None:
            data = work.request.decrypt(data, work.token)
            if len(data) > self._limits.source_bytes_max:
                raise ConversionError(
                    Outcome.LIMIT, bound=Bound("bytes of a document", self._limits.source_bytes_max, len(data))
                )
        self._desk.bytes_read(work, len(data))
        return data

    def _artifact(self, work: Work, document: SourceDocument) -> Artifact:
        """The PDF: the document itself if it is one, else what the engine makes of it."""
        if document.type.id == "pdf":
            work.info = NO_ENGINE
            return Artifact(bytes(document.data))
        self._desk.entered(work, Phase.CONVERTING)
        return self._convert(work, document)

    def _convert(self, work: Work, document: SourceDocument) -> Artifact:
        engine = work.engine
        if engine is None:
            raise ConversionError(Outcome.UNAVAILABLE)
        work.given_over = True
        engine.start()
        options = work.request.options
        first = self._desk.first_pages_wanted(work)
        if first is not None and options.page_range is None:
            self._send_first_pages(work, engine, document, first)
        return self._attempt(work, engine, document, options)

    def _send_first_pages(self, work: Work, engine: Engine, document: SourceDocument, pages: int) -> None:
        """A partial PDF as an event (C1). If it fails, the whole conversion decides what becomes of the document."""
        try:
            artifact = self._attempt(work, engine, document, replace(work.request.options, page_range=f"1-{pages}"))
            count = self._pages(artifact.pdf, passed_through=False)
        except (EngineError, ConversionError):
            _log.debug("No first pages", exc_info=True)
        else:
            self._desk.first_pages(work, FirstPages(artifact.pdf, count))
        work.token.raise_if_cancelled()

    def _attempt(self, work: Work, engine: Engine, document: SourceDocument, options: ExportOptions) -> Artifact:
        """Convert; once more after a kit that died before it had read the document (C11)."""
        touched: list[Progress] = []
        try:
            return self._convert_once(work, engine, document, options, touched.append)
        except EngineError as error:
            if error.kind is not ErrorKind.ENGINE or touched or work.token.cancelled:
                raise
        self._desk.retried()
        engine.start()
        return self._convert_once(work, engine, document, options, touched.append)

    def _convert_once(
        self,
        work: Work,
        engine: Engine,
        document: SourceDocument,
        options: ExportOptions,
        progress: Callable[[Progress], None],
    ) -> Artifact:
        """One kit. The engine gets the ceiling: the deadline itself, which a reader may extend, comes by the token."""
        left_s = work.started_at + self._limits.deadline_max_s - self._desk.now()
        return engine.convert(document, options, deadline_s=max(0.001, left_s), cancel=work.token, progress=progress)

    def _pages(self, pdf: bytes, *, passed_through: bool) -> int:
        """Success is a PDF header and at least one page (C30)."""
        if len(pdf) > self._limits.pdf_bytes_max:
            raise ConversionError(Outcome.LIMIT, bound=Bound("bytes of a PDF", self._limits.pdf_bytes_max, len(pdf)))
        blame = Outcome.CORRUPT if passed_through else Outcome.ENGINE
        if _HEADER not in pdf[:_HEADER_WITHIN_BYTES]:
            raise ConversionError(blame, "" if passed_through else "The engine's result is not a PDF.")
        try:
            pages = self._checker.count_pages(pdf)
        except EngineError as error:
            if error.kind is not ErrorKind.CORRUPT or passed_through:
                raise
            raise ConversionError(blame, "The engine's PDF is damaged.", error.message) from error
        if pages < 1:
            raise ConversionError(blame, "" if passed_through else "The engine's PDF has no pages.")
        return pages


def _digest(work: Work, data: bytes, found: Classified) -> str:
    """The identity of the conversion (C7). No engine has a part in that of a PDF."""
    generation = "" if found.type.id == "pdf" else work.info.fingerprint
    return digest_of(data, found, work.request.options, generation)
