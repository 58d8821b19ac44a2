"""The one table of document types that docpeek shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """The kind of document, as a person would call it."""

    TEXT = "text"
    SHEET = "sheet"
    SLIDES = "slides"
    DRAWING = "drawing"
    PDF = "pdf"


class Container(StrEnum):
    """What the bytes of a type are packed in."""

    OOXML = "ooxml"
    """A ZIP package by the Open Packaging Conventions (ISO/IEC 29500-2)."""
    ODF = "odf"
    """A ZIP package by the OpenDocument format."""
    FLAT_ODF = "flat-odf"
    """One OpenDocument XML file."""
    COMPOUND = "compound"
    """A Compound File Binary ([MS-CFB], "OLE"); the oldest Excel files are a bare stream of records."""
    PLAIN = "plain"
    """Text of some encoding, whose only sure mark is its name."""
    OWN = "own"
    """A format with a signature of its own: RTF, PDF."""


@dataclass(frozen=True, slots=True)
class DocumentType:
    """One accepted type.

    `id` is the canonical suffix without a dot (`"docx"`); it names the staged file, since an engine may look at it.
    `suffixes` are all that a person may use for these bytes, without dots. `import_filter` is LibreOffice's name of
    the filter, empty where no engine is needed.
    """

    id: str
    label: str
    family: Family
    mime: str
    suffixes: tuple[str, ...]
    import_filter: str
    container: Container = Container.OWN


_OOXML_MIME = "application/vnd.openxmlformats-officedocument."
_ODF_MIME = "application/vnd.oasis.opendocument."


def _ooxml(type_id: str, label: str, family: Family, mime: str, import_filter: str) -> DocumentType:
    mime = mime if mime.startswith("application/") else _OOXML_MIME + mime
    return DocumentType(type_id, label, family, mime, (type_id,), import_filter, Container.OOXML)


def _odf(type_id: str, label: str, family: Family, mime: str, import_filter: str) -> DocumentType:
    return DocumentType(type_id, label, family, _ODF_MIME + mime, (type_id,), import_filter, Container.ODF)


def _flat(type_id: str, label: str, family: Family, mime: str, import_filter: str) -> DocumentType:
    mime = f"{_ODF_MIME}{mime}-flat-xml"
    return DocumentType(type_id, label, family, mime, (type_id,), import_filter, Container.FLAT_ODF)


def _types() -> Iterator[DocumentType]:
    yield from _text_types()
    yield from _sheet_types()
    yield from _slides_types()
    yield _odf("odg", "OpenDocument drawing", Family.DRAWING, "graphics", "draw8")
    yield _odf("otg", "OpenDocument drawing template", Family.DRAWING, "graphics-template", "draw8_template")
    yield _flat("fodg", "flat OpenDocument drawing", Family.DRAWING, "graphics", "OpenDocument Drawing Flat XML")
    yield DocumentType("pdf", "PDF document", Family.PDF, "application/pdf", ("pdf",), "")


def _text_types() -> Iterator[DocumentType]:
    word, text, compound, plain = "MS Word 2007 XML", Family.TEXT, Container.COMPOUND, Container.PLAIN
    macro_mime = "application/vnd.ms-word.{}.macroEnabled.12"
    yield _ooxml("docx", "Word document", text, "wordprocessingml.document", word)
    yield _ooxml("docm", "Word document with macros", text, macro_mime.format("document"), f"{word} VBA")
    yield _ooxml("dotx", "Word template", text, "wordprocessingml.template", f"{word} Template")
    yield _ooxml("dotm", "Word template with macros", text, macro_mime.format("template"), f"{word} Template")
    yield DocumentType(
        "doc", "Word 97-2003 document", text, "application/msword", ("doc", "dot", "wiz"), "MS Word 97", compound
    )
    yield DocumentType("rtf", "RTF document", text, "application/rtf", ("rtf",), "Rich Text Format")
    yield _odf("odt", "OpenDocument text", text, "text", "writer8")
    yield _odf("ott", "OpenDocument text template", text, "text-template", "writer8_template")
    yield _flat("fodt", "flat OpenDocument text", text, "text", "OpenDocument Text Flat XML")
    yield DocumentType("txt", "plain text", text, "text/plain", ("txt", "text", "log"), "Text (encoded)", plain)
    yield DocumentType("html", "HTML page", text, "text/html", ("html", "htm", "xhtml"), "HTML (StarWriter)", plain)


def _sheet_types() -> Iterator[DocumentType]:
    excel, sheet, compound, plain = "Calc MS Excel 2007", Family.SHEET, Container.COMPOUND, Container.PLAIN
    macro_mime = "application/vnd.ms-excel.{}.macroEnabled.12"
    csv_filter = "Text - txt - csv (StarCalc)"
    yield _ooxml("xlsx", "Excel workbook", sheet, "spreadsheetml.sheet", f"{excel} XML")
    yield _ooxml("xlsm", "Excel workbook with macros", sheet, macro_mime.format("sheet"), f"{excel} VBA XML")
    yield _ooxml("xltx", "Excel template", sheet, "spreadsheetml.template", f"{excel} XML Template")
    yield _ooxml("xltm", "Excel template with macros", sheet, macro_mime.format("template"), f"{excel} XML Template")
    yield _ooxml("xlsb", "Excel binary workbook", sheet, macro_mime.format("sheet.binary"), f"{excel} Binary")
    yield DocumentType(
        "xls",
        "Excel 97-2003 workbook",
        sheet,
        "application/vnd.ms-excel",
        ("xls", "xlt", "xlw"),
        "MS Excel 97",
        compound,
    )
    yield _odf("ods", "OpenDocument spreadsheet", sheet, "spreadsheet", "calc8")
    yield _odf("ots", "OpenDocument spreadsheet template", sheet, "spreadsheet-template", "calc8_template")
    yield _flat("fods", "flat OpenDocument spreadsheet", sheet, "spreadsheet", "OpenDocument Spreadsheet Flat XML")
    yield DocumentType("csv", "CSV table", sheet, "text/csv", ("csv",), csv_filter, plain)
    yield DocumentType("tsv", "TSV table", sheet, "text/tab-separated-values", ("tsv", "tab"), csv_filter, plain)


def _slides_types() -> Iterator[DocumentType]:
    powerpoint, slides = "Impress MS PowerPoint 2007 XML", Family.SLIDES
    macro_mime = "application/vnd.ms-powerpoint.{}.macroEnabled.12"
    show, show_macros = "PowerPoint slide show", "PowerPoint slide show with macros"
    yield _ooxml("pptx", "PowerPoint presentation", slides, "presentationml.presentation", powerpoint)
    yield _ooxml(
        "pptm", "PowerPoint presentation with macros", slides, macro_mime.format("presentation"), f"{powerpoint} VBA"
    )
    yield _ooxml("ppsx", show, slides, "presentationml.slideshow", f"{powerpoint} AutoPlay")
    yield _ooxml("ppsm", show_macros, slides, macro_mime.format("slideshow"), f"{powerpoint} AutoPlay")
    yield _ooxml("potx", "PowerPoint template", slides, "presentationml.template", f"{powerpoint} Template")
    yield _ooxml(
        "potm", "PowerPoint template with macros", slides, macro_mime.format("template"), f"{powerpoint} Template"
    )
    yield DocumentType(
        "ppt",
        "PowerPoint 97-2003 presentation",
        slides,
        "application/vnd.ms-powerpoint",
        ("ppt", "pps", "pot"),
        "MS PowerPoint 97",
        Container.COMPOUND,
    )
    yield _odf("odp", "OpenDocument presentation", slides, "presentation", "impress8")
    yield _odf("otp", "OpenDocument presentation template", slides, "presentation-template", "impress8_template")
    yield _flat("fodp", "flat OpenDocument presentation", slides, "presentation", "OpenDocument Presentation Flat XML")


DOCUMENT_TYPES: tuple[DocumentType, ...] = tuple(_types())

_BY_ID = {each.id: each for each in DOCUMENT_TYPES}
_BY_SUFFIX = {suffix: each for each in DOCUMENT_TYPES for suffix in each.suffixes}
_BY_MIME = {each.mime.lower(): each for each in DOCUMENT_TYPES}


def by_id(type_id: str) -> DocumentType:
    """The type of that `id`; raises `KeyError`."""
    return _BY_ID[type_id]


def by_suffix(suffix: str) -> DocumentType | None:
    """The type that a suffix, with or without a dot, in any case, promises."""
    return _BY_SUFFIX.get(suffix.removeprefix(".").lower())


def by_mime(mime: str) -> DocumentType | None:
    """The type of a MIME type; parameters (`; charset=...`) are ignored."""
    return _BY_MIME.get(mime.partition(";")[0].strip().lower())


def same_kind(one: DocumentType, other: DocumentType) -> bool:
    """Whether two types differ only in their role (document, template, slide show), which changes nothing to see."""
    marks = [(each.family, each.container, "macros" in each.label, "binary" in each.label) for each in (one, other)]
    return marks[0] == marks[1]


def suffix_of(name: str) -> str:
    """The suffix of a file name, lower case and without its dot; empty if there is none (`".profile"` has none)."""
    stem, dot, suffix = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return suffix.lower() if dot and stem else ""
