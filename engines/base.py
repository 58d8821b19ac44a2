"""The contract that every engine keeps, and the values that cross it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from engines.formats import DocumentType
from engines.notices import tells_of_a_cut


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine is, known from discovery without starting it.

    `fingerprint` is the hexadecimal BLAKE3 of everything that can change a result: engine, version, payload,
    fonts, configuration. It is the *generation* of the conversions that the engine makes. `note` is a sentence for
    wherever the engine is shown (why an installed LibreOffice is not used, what would make it faster); often empty.
    """

    name: str
    version: str
    fingerprint: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the PDF shall be like. Part of the identity of a conversion.

    `page_range` is LibreOffice's syntax (`"1-3,7"`), `None` for all pages. `pages_max` caps the pages of the result.
    """

    single_page_sheets: bool = True
    page_range: str | None = None
    pages_max: int | None = None
    locale: str = "en-US"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """The bytes of one document and what they were found to be. A name never reaches an engine.

    `import_options` are LibreOffice's filter options for the import, empty for the default.
    """

    data: bytes | memoryview
    type: DocumentType
    import_options: str = ""


@dataclass(frozen=True, slots=True)
class FontReplacement:
    """A family that the document asks for and that was not there, and what stood in for it."""

    requested: str
    used: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """One finished conversion: the complete bytes of a PDF."""

    pdf: bytes
    missing_fonts: tuple[FontReplacement, ...] = ()
    notices: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def truncated(self) -> bool:
        """Whether a bound has left out pages or cells, which a notice tells in words."""
        return tells_of_a_cut(self.notices)


@dataclass(frozen=True, slots=True)
class Progress:
    """A milestone of a running conversion: `phase` is `loading`, `loaded`, `exporting`, `exported`."""

    phase: str


class CancelToken(Protocol):
    """What an engine needs of a caller's cancellation."""

    @property
    def cancelled(self) -> bool:
        """Whether the caller has given up."""

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Run `callback` once when cancelled (at once if it already is); returns a function that revokes it."""


class Engine(Protocol):
    """One kind of LibreOffice, initialised once, with a fresh sandboxed copy for each document."""

    @property
    def info(self) -> EngineInfo:
        """Name, version and fingerprint; cheap, starts nothing."""

    def start(self) -> None:
        """Make the engine ready. Idempotent; blocks. A failed start may be tried again.

        Raises `EngineError` of kind `unavailable`, with the remedy in its message.
        """

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        """Convert one document; blocks. May be called from several threads at once.

        When it returns or raises, the kit (the process of this document) is gone and nothing of it is left.
        `progress` is called on the calling thread. Raises `EngineError`.
        """

    def healthy(self) -> bool:
        """Whether the engine's process is there and answers, or can be started."""

    def stop(self, grace_s: float = 2.0) -> None:
        """End every process of the engine. Running conversions raise `EngineError`. Idempotent."""
