"""From the bytes of a source to what they are, and to the one name of their conversion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace

from blake3 import blake3

from converter.conversion import Conversion
from converter.request import Limits
from engines.archive import ArchiveLimits
from engines.base import CancelToken, ExportOptions, SourceDocument
from engines.formats import DocumentType, by_id
from engines.notices import Notice, NoticeKind
from engines.screening import ScreeningLimits, screen
from engines.sniffing import Detection, detect, normalize, notices_of_name

MACRO_NOTICE = Notice("The document contains macros; they are never run.", NoticeKind.MACROS)
EXTERNAL_NOTICE = Notice("The document refers to content elsewhere, which was not fetched.", NoticeKind.EXTERNAL)


@dataclass(frozen=True, slots=True)
class Cleared:
    """A document that passed the screening: what an engine gets, and what a person should know."""

    document: SourceDocument
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Classified:
    """What bytes were found to be. `clear` screens them: bounded, until it is cancelled; raises `EngineError`."""

    type: DocumentType
    import_options: str = ""
    clear: Callable[[CancelToken], Cleared] = field(kw_only=True, repr=False)


Classify = Callable[[bytes, str], Classified]
"""From bytes and a name, of which only the suffix counts; raises `EngineError`: empty, unsupported, corrupt."""


def classifier(limits: Limits) -> Classify:
    """Detection and screening by the bytes, with the converter's bounds for archives."""
    archive = ArchiveLimits(
        entries_max=limits.archive_entries_max,
        inflated_bytes_max=limits.archive_bytes_max,
        ratio_max=limits.archive_ratio_max,
        ratio_exempt_bytes=limits.archive_ratio_free_bytes,
    )
    screening = ScreeningLimits(archive)

    def classify(data: bytes, name: str) -> Classified:
        found = detect(data, name)
        return Classified(
            found.type,
            found.import_options,
            clear=lambda cancel: _cleared(data, found, screening, cancel),
        )

    return classify


def _cleared(data: bytes, found: Detection, limits: ScreeningLimits, cancel: CancelToken) -> Cleared:
    screened = screen(data, found, limits, cancel)
    inside = screened.detection
    document = SourceDocument(normalize(screened.data, inside), inside.type, inside.import_options)
    found_inside = [(screened.macros, MACRO_NOTICE), (screened.external, EXTERNAL_NOTICE)]
    return Cleared(document, tuple(notice for there, notice in found_inside if there))


def digest_of(data: bytes, found: Classified, options: ExportOptions, generation: str) -> str:
    """The identity of a conversion (C7): hexadecimal BLAKE3. Every field is preceded by its length."""
    identity = blake3()
    fields = (found.type.id, found.import_options, repr(astuple(options)), generation)
    for part in (*map(str.encode, fields), data):
        identity.update(len(part).to_bytes(8, "little"))
        identity.update(part)
    return identity.hexdigest()


def with_name(conversion: Conversion, name: str) -> Conversion:
    """What this reader's name of the document gets wrong: a conversion is shared, names are not (C7)."""
    notices = notices_of_name(by_id(conversion.document_type), name)
    return replace(conversion, notices=(*notices, *conversion.notices)) if notices else conversion
