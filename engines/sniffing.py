"""What the bytes of a document are. The bytes decide; the name helps only where they cannot (kinds of plain text)."""

from __future__ import annotations

from dataclasses import dataclass

from engines import archive, compound, ooxml, opendocument, plaintext
from engines.errors import EngineError, ErrorKind
from engines.formats import Container, DocumentType, by_id, by_mime, by_suffix, same_kind, suffix_of
from engines.notices import Notice, NoticeKind
from engines.signatures import BIFF_BEGINNINGS, foreign_name, has_pdf_signature
from engines.xmlprolog import Prolog, looks_like_xml, read_prolog

HEAD_BYTES = 65_536
"""How much of the beginning is looked at."""

_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_UNSUPPORTED_XML = {
    "http://schemas.microsoft.com/office/word/2003/wordml": "a Word 2003 XML document",
    "urn:schemas-microsoft-com:office:spreadsheet": "an Excel 2003 XML workbook",
    "http://schemas.microsoft.com/office/2006/xmlPackage": "a flat Office Open XML document",
    "http://www.w3.org/2000/svg": "an SVG picture",
}
_COMPOUND_STREAMS = (
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("WORKBOOK", "xls"),
    ("BOOK", "xls"),
)
_UNSUPPORTED_STREAMS = {
    "VisioDocument": "a Visio drawing",
    "Quill": "a Publisher document",
    "__properties_version1.0": "an Outlook message",
    "PP40": "a PowerPoint 4 presentation",
    "MatOST": "a Works document",
    "HwpSummaryInformation": "a Hangul document",
    "BodyText": "a Hangul document",
    "Props9": "a Project plan",
}


@dataclass(frozen=True, slots=True)
class Detection:
    """What a document is.

    `encoding` is the codec of a plain text (`csv`, `tsv`, `txt`, `html`), else empty; `normalize` turns such text into
    UTF-8. `import_options` are LibreOffice's filter options for the normalized bytes, empty for the default.
    `encrypted` marks an Office package in an encrypted wrapper, whose inside is not known: `type` is then a guess.
    """

    type: DocumentType
    encoding: str = ""
    import_options: str = ""
    encrypted: bool = False


def detect(data: bytes | memoryview, name: str) -> Detection:
    """Tell what `data` are.

    `name` is the name of the file, of which only the suffix counts, and only where the bytes do not decide.
    Raises `EngineError`: empty, unsupported, corrupt.
    """
    view = memoryview(data).cast("B")
    if not view:
        raise EngineError(ErrorKind.EMPTY, "The file is empty: it holds zero bytes.")
    suffix = suffix_of(name)
    return _detect_binary(view, suffix) or _detect_text(view, suffix)


def normalize(data: bytes | memoryview, detection: Detection) -> bytes | memoryview:
    """The bytes for the engine: text as UTF-8 with a byte order mark, everything else as it is."""
    return plaintext.to_utf8(data, detection.encoding, detection.type.id) if detection.encoding else data


def _detect_binary(view: memoryview, suffix: str) -> Detection | None:
    head = bytes(view[:HEAD_BYTES])
    if head.startswith((b"PK\3\4", b"PK\5\6", b"PK\7\x08")):
        return _detect_package(view)
    if head.startswith(compound.SIGNATURE):
        return _detect_compound(view, suffix)
    if has_pdf_signature(view):
        return Detection(by_id("pdf"))
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return Detection(by_id("rtf"))
    if head.startswith(BIFF_BEGINNINGS):
        return Detection(by_id("xls"))
    if foreign := foreign_name(head):
        raise _unsupported(foreign)
    if looks_like_xml(head):
        return _detect_xml(head)
    return None


def _unsupported(what: str) -> EngineError:
    return EngineError(ErrorKind.UNSUPPORTED, f"The file is {what}, which docpeek does not show.")


def _detect_package(view: memoryview) -> Detection:
    package = archive.Archive.open(view)
    if not package.entries:
        raise EngineError(ErrorKind.CORRUPT, "The file is an empty package: there is no document in it.")
    found = opendocument.document_type(package) or ooxml.document_type(package)
    if found is not None:
        return Detection(found)
    raise _unsupported(_foreign_package(package))


def _foreign_package(package: archive.Archive) -> str:
    names = package.entries.keys()
    if "Index/Document.iwa" in names or "Index.zip" in names or "index.apxl" in names or "index.xml" in names:
        return "an Apple iWork document"
    if "FixedDocSeq.fdseq" in names or "FixedDocumentSequence.fdseq" in names:
        return "an XPS document"
    return "a ZIP archive without a document that is known"


def _detect_compound(view: memoryview, suffix: str) -> Detection:
    container = compound.CompoundFile(view)
    if "EncryptedPackage" in container:
        promised = by_suffix(suffix)
        known = promised is not None and promised.container is Container.OOXML
        return Detection(promised if promised is not None and known else by_id("docx"), encrypted=True)
    for stream, type_id in _COMPOUND_STREAMS:
        if stream in container:
            return Detection(by_id(type_id))
    for stream, what in _UNSUPPORTED_STREAMS.items():
        if stream in container:
            raise _unsupported(what)
    if (promised := by_suffix(suffix)) is not None and promised.container is Container.COMPOUND:
        raise EngineError(ErrorKind.CORRUPT, f"The file is damaged: there is no {promised.label} in its container.")
    raise _unsupported("an OLE container without a document that is known")


def _detect_xml(head: bytes) -> Detection | None:
    prolog = read_prolog(head)
    if prolog is None or not prolog.root:
        return None
    if prolog.namespace == _OFFICE:
        return _detect_flat(prolog)
    if what := _UNSUPPORTED_XML.get(prolog.namespace):
        raise _unsupported(what)
    return None


def _detect_flat(prolog: Prolog) -> Detection:
    mime = prolog.attributes.get(f"{_OFFICE} mimetype", "")
    found = by_mime(f"{mime}-flat-xml")
    if prolog.root != "document" or found is None:
        raise _unsupported("a part of an OpenDocument file, or of a kind")
    return Detection(found)


def _detect_text(view: memoryview, suffix: str) -> Detection:
    promised = by_suffix(suffix)
    text = plaintext.inspect(view, suffix)
    if text is not None:
        return Detection(by_id(text.type_id), encoding=text.encoding, import_options=text.import_options)
    if promised is None or promised.container is Container.PLAIN:
        raise _unsupported("of a kind that is not known, and no text")
    if plaintext.is_text(view):
        raise EngineError(ErrorKind.CORRUPT, f"Named .{suffix}, but it is plain text and no {promised.label}.")
    raise EngineError(
        ErrorKind.UNSUPPORTED, f"Named .{suffix}, but it is neither a {promised.label} nor another document."
    )


def notices_of_name(found: DocumentType, name: str) -> tuple[Notice, ...]:
    """What a person should know of a document's name: that it promises something else. No part of its conversion."""
    suffix = suffix_of(name)
    promised = by_suffix(suffix)
    if not suffix or suffix in found.suffixes or (found.container is Container.PLAIN and promised is None):
        return ()
    if promised is not None and found.container is Container.OOXML and same_kind(found, promised):
        return ()
    article = "an" if found.label.startswith(("Open", "Excel", "RTF", "HTML")) else "a"
    sentence = f"Named .{suffix}, but it is {article} {found.label}."
    return (Notice(sentence, NoticeKind.FALSE_NAME, suffix=suffix, type=found.id),)
