"""One file: converted, looked at from both sides, and judged. Blocks; needs a converter and tools of its own.

It can run wherever there is a converter: on a thread here, or in a worker of a cluster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from blake3 import blake3

from converter.cancellation import CancellationToken
from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome
from converter.request import Lane, Locator, Request, Source
from converter.service import Converter
from engines import decryption, encryption
from engines.base import CancelToken, ExportOptions
from engines.decryption import Password
from engines.errors import EngineError
from engines.formats import by_id
from engines.notices import NoticeKind
from engines.sniffing import detect
from preview_app.inspection import judging
from preview_app.inspection.findings import Finding, finding
from preview_app.inspection.records import EngineUsed, FileInspection, Times
from preview_app.inspection.seen_pages import SeenPages, look_at_pages, of_pdf, page_sizes
from preview_app.inspection.source_facts import SourceFacts
from preview_app.inspection.source_reader import SourceReader
from preview_app.raster.blocking import PageRenderer

_BUSY_FIRST_S, _BUSY_LAST_S = 0.05, 1.0
"""How long to wait before a request is put again to a converter that is busy: longer each time."""
_PASSING = frozenset({Outcome.BUSY, Outcome.EVICTED})

Unlock = Callable[[bytes, str, Password, CancelToken], bytes]
"""See `converter.service.Unlock`."""


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """What holds for every file. `engine` names one that is not the converter's default. `pages_s_max` bounds the time
    that the pages of one file are looked at."""

    export: ExportOptions = field(default_factory=ExportOptions)
    deadline_s: float | None = None
    engine: str | None = None
    password: Password | None = None
    pages_s_max: float = 120.0


class Tools:
    """The processes that read pages and documents, for one thread that inspects. A context manager.

    `unlock` opens documents that come with a password. Raises `OSError` where no process can be started.
    """

    def __init__(self, unlock: Unlock | None = None) -> None:
        self.renderer = PageRenderer()
        self.reader = SourceReader()
        self.unlock = unlock
        self._other_renderer: PageRenderer | None = None

    @property
    def other_renderer(self) -> PageRenderer:
        """One for another PDF at the same time. Raises `OSError`."""
        self._other_renderer = self._other_renderer or PageRenderer()
        return self._other_renderer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. Idempotent."""
        self.reader.close()
        self.renderer.close()
        if self._other_renderer is not None:
            self._other_renderer.close()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a check gets: the conversion, its pages as they were found, and a renderer that has its PDF open; what was
    found before it; `convert`, which converts another file, or this one with another engine, under the same conditions
    (raises `ConversionError`, `Cancelled`); the tools, and the token of the file."""

    file: Path
    conversion: Conversion
    pages: SeenPages
    renderer: PageRenderer
    findings: tuple[Finding, ...]
    convert: Callable[[Path, str | None], Conversion]
    tools: Tools
    token: CancellationToken


Check = Callable[[Seen], Iterable[Finding]]
"""Looks at a converted file for something else. Raises nothing but `Cancelled`."""


def digest_of(converter: Converter, file: Path) -> str | None:
    """The digest of a file's bytes, `None` if they cannot be read within the converter's bounds."""
    try:
        source = _authorized(converter, file)
        data, _version = source.read(converter.limits.source_bytes_max)
    except (ConversionError, OSError):
        return None
    return blake3(data).hexdigest() if len(data) <= converter.limits.source_bytes_max else None


def inspect_one(
    file: Path,
    converter: Converter,
    tools: Tools,
    options: InspectOptions,
    *,
    token: CancellationToken | None = None,
    checks: Sequence[Check] = (),
) -> FileInspection:
    """Inspect a file; whatever is wrong with it is in the record. Raises `Cancelled` when `token` is cancelled."""
    return _Inspection(file, converter, tools, options, token or CancellationToken()).run(checks)


def failed(file: Path, error: ConversionError) -> FileInspection:
    """The record of a file of which nothing is known but its error."""
    return FileInspection(
        str(file), error.outcome.value, error.message, findings=(finding(error.outcome.value, error.message),)
    )


def _authorized(converter: Converter, file: Path) -> Source:
    if converter.workspace is None:
        raise ValueError("the converter has no workspace")
    if file.is_dir():  # one that is among the files is one that could not be looked into
        raise ConversionError(Outcome.NOT_ALLOWED, "The folder cannot be read: what is in it was not inspected.")
    return converter.workspace.authorize(Locator.of(file.absolute()))


class _Inspection:
    """One file on its way."""

    def __init__(
        self, file: Path, converter: Converter, tools: Tools, options: InspectOptions, token: CancellationToken
    ) -> None:
        self._file = file
        self._converter = converter
        self._tools = tools
        self._options = options
        self._token = token
        self._plain: bytes | None = None
        self._facts: SourceFacts | None = None
        self._opened_with_password = False
        self._document_s = 0.0

    def run(self, checks: Sequence[Check]) -> FileInspection:
        begun = time.monotonic()
        try:
            source, data = self._source()
        except ConversionError as error:
            return failed(self._file, error)
        record = self._begun(source, data)
        self._plain = None if self._options.password else data
        del data
        try:
            conversion = self._convert(source)
        except ConversionError as error:
            record = self._not_converted(record, error)
        else:
            self._read_document()
            record = self._converted(record, conversion, checks)
        seconds = replace(record.seconds, document=_s(self._document_s), total=_s(time.monotonic() - begun))
        return replace(record, seconds=seconds)

    def _source(self) -> tuple[Source, bytes | None]:
        """The authorized source and its bytes; none if it is too large, which the converter will say."""
        source = _authorized(self._converter, self._file)
        bytes_max = self._converter.limits.source_bytes_max
        if source.size_bytes is not None and source.size_bytes > bytes_max:
            return source, None
        try:
            data, version = source.read(bytes_max)
        except OSError as error:
            raise ConversionError(Outcome.NOT_ALLOWED, f"The file cannot be read: {error.strerror}.") from error
        if version != source.version:
            raise ConversionError(Outcome.CHANGED)
        return (
            (replace(source, read=lambda _capacity: (data, version)), data)
            if len(data) <= bytes_max
            else (source, None)
        )

    def _begun(self, source: Source, data: bytes | None) -> FileInspection:
        """What is known before the conversion."""
        record = FileInspection(str(self._file), "", "", bytes=source.size_bytes)
        if data is None:
            return record
        return replace(record, type=_type_of(data, source.name), bytes=len(data), digest=blake3(data).hexdigest())

    def _convert(self, source: Source) -> Conversion:
        """The conversion; a converter that is busy is asked again."""
        wait_s = _BUSY_FIRST_S
        while True:
            self._token.raise_if_cancelled()
            try:
                return self._ask(source)
            except ConversionError as error:
                self._token.raise_if_cancelled()
                if error.outcome not in _PASSING:
                    raise
            self._token.wait(wait_s)
            wait_s = min(2 * wait_s, _BUSY_LAST_S)

    def _ask(self, source: Source) -> Conversion:
        """Ask once; while the converter is at work, the document itself is read."""
        ticket = self._converter.submit(self._request(source))
        revoke = self._token.on_cancel(partial(ticket.cancel, "the inspection was given up"))
        try:
            self._read_document()
            return ticket.result()
        finally:
            revoke()
            ticket.cancel("the inspection needs it no more")

    def _request(self, source: Source) -> Request:
        decrypt = None if self._options.password is None else partial(self._decrypt, source.name)
        options = self._options
        return Request(source, Lane.HIGH, options.export, options.deadline_s, engine=options.engine, decrypt=decrypt)

    def _decrypt(self, name: str, data: bytes, cancel: CancelToken) -> bytes:
        """On a thread of the converter. What is not encrypted comes back as it is."""
        if self._tools.unlock is None or self._options.password is None:
            raise ValueError("these tools were made without `unlock`: they cannot use a password")
        plain = self._tools.unlock(data, name, self._options.password, cancel)
        self._opened_with_password = plain is not data
        self._plain = plain
        return plain

    def _read_document(self) -> None:
        """Look at the document itself, once, and let its bytes go."""
        data, self._plain = self._plain, None
        if data is None:
            return
        begun = time.monotonic()
        plain = _opened(data, self._file.name, self._token)
        self._opened_with_password |= plain is not None and plain is not data
        self._facts = None if plain is None else self._tools.reader.read(plain, self._file.name)
        self._document_s += time.monotonic() - begun

    def _not_converted(self, record: FileInspection, error: ConversionError) -> FileInspection:
        engine, facts = error.engine, self._facts
        found = [finding(error.outcome.value, error.message), *(judging.of_source(facts) if facts else ())]
        return replace(
            record,
            outcome=error.outcome.value,
            message=error.message,
            engine=EngineUsed(engine.name, engine.version, engine.fingerprint) if engine else None,
            source=facts,
            findings=judging.bounded(found),
        )

    def _converted(self, record: FileInspection, conversion: Conversion, checks: Sequence[Check]) -> FileInspection:
        seen = self._look_at_pages(conversion)
        found = [*self._judged(conversion, seen)]
        for check in checks if seen.sizes else ():
            found += check(self._seen(conversion, seen, found))
        return replace(
            record,
            outcome=Outcome.OK.value,
            message=Outcome.OK.sentence,
            type=conversion.document_type,
            engine=EngineUsed(conversion.engine.name, conversion.engine.version, conversion.generation),
            pages=conversion.pages,
            page_sizes=page_sizes(seen.sizes),
            pdf_bytes=len(conversion.pdf),
            fonts=seen.fonts,
            missing_fonts=conversion.missing_fonts,
            source=self._facts,
            notices=tuple(map(str, conversion.notices)),
            findings=judging.bounded(found),
            seconds=Times(_s(conversion.seconds.queue), _s(conversion.seconds.convert), 0.0, _s(seen.seconds)),
        )

    def _seen(self, conversion: Conversion, pages: SeenPages, found: Sequence[Finding]) -> Seen:
        tools = self._tools
        return Seen(self._file, conversion, pages, tools.renderer, tuple(found), self._another, tools, self._token)

    def _another(self, file: Path, engine: str | None) -> Conversion:
        """Another conversion of the same conditions, for a check."""
        options = replace(self._options, engine=engine or self._options.engine)
        return _Inspection(file, self._converter, self._tools, options, self._token).only_convert()

    def only_convert(self) -> Conversion:
        """The conversion without any looking. Raises `ConversionError`, `Cancelled`."""
        source, _data = self._source()
        return self._convert(source)

    def _look_at_pages(self, conversion: Conversion) -> SeenPages:
        seen = look_at_pages(self._tools.renderer, conversion.pdf, self._token, self._options.pages_s_max)
        if conversion.document_type == "pdf" and seen.pdf is not None:
            self._facts = of_pdf(seen.pdf)
        return seen

    def _judged(self, conversion: Conversion, seen: SeenPages) -> Iterator[Finding]:
        is_pdf = conversion.document_type == "pdf"
        if self._opened_with_password:
            yield finding("password", "The document is encrypted, and was opened with its password.")
        yield from judging.of_notices(conversion.notices, self._facts)
        yield from judging.of_missing_fonts(conversion.missing_fonts)
        yield from judging.of_pdf_fonts(seen.fonts)
        yield from judging.of_source(self._facts) if self._facts else ()
        yield from seen.findings
        empty_is_known = any(notice.kind is NoticeKind.EMPTY for notice in conversion.notices)
        family = by_id(conversion.document_type).family.value
        yield from judging.of_pages(seen.pages, family=family, empty_is_known=empty_is_known)
        yield from judging.of_annotations(seen.pages) if is_pdf else ()


def _type_of(data: bytes, name: str) -> str | None:
    try:
        return detect(data, name).type.id
    except EngineError:
        return None


def _opened(data: bytes, name: str, token: CancellationToken) -> bytes | None:
    """The document as it is, or without the password that everybody knows; `None` if it cannot be read."""
    try:
        found = detect(data, name)
        scheme = None if found.type.id == "pdf" else encryption.scheme_of(data, found)
        if scheme is None:
            return data
        limits = decryption.DEFAULT_PASSWORD_LIMITS
        return decryption.decrypt(data, scheme, decryption.DEFAULT_PASSWORDS, cancel=token, limits=limits)
    except EngineError:
        return None


def _s(seconds: float) -> float:
    return round(seconds, 4)
