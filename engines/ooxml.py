"""Office Open XML packages: which kind they hold, and what is forbidden in them (ISO/IEC 29500-2)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from xml.parsers import expat

from engines.archive import Archive, printable
from engines.errors import EngineError, ErrorKind
from engines.formats import Container, DocumentType, by_mime
from engines.xmlprolog import read_prolog

CONTENT_TYPES = "[Content_Types].xml"
_ROOT_RELATIONS = "_rels/.rels"
_PART_BYTES_MAX = 4 << 20
_PROLOG_BYTES = 1024
_PROLOG_BYTES_MAX = 65_536
_MAIN_SUFFIX = ".main+xml"
_BINARY_WORKBOOK = "application/vnd.ms-excel.sheet.binary.macroenabled.main"
_OFFICE_DOCUMENT = "/relationships/officeDocument"
_PLAIN_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml[^<>]*\?>)?\s*<[A-Za-z_\x80-\xff]")
"""Nothing but the XML declaration before the first tag: what nearly every part has, told without a parser."""
_PLAIN_PARTS = (".xml", ".rels", ".vml")


def document_type(package: Archive) -> DocumentType | None:
    """The type of the main part; `None` if this is no OOXML package. Raises `EngineError` (corrupt)."""
    if CONTENT_TYPES not in package:
        return None
    types = _ContentTypes(package)
    main = _main_part(package)
    if main is None or main not in package:
        main = next((part for part in types.overrides if _type_of(types.overrides[part]) is not None), None)
    if main is None:
        return None
    found = _type_of(types.of(main))
    if found is not None and main not in package:
        raise EngineError(ErrorKind.CORRUPT, f"The file is damaged: its main part {printable(main)} is missing.")
    return found


def _type_of(content_type: str) -> DocumentType | None:
    """`application/...document.main+xml` and `application/...macroEnabled.main+xml` lead to the type's MIME type."""
    content_type = content_type.lower()
    if content_type == _BINARY_WORKBOOK:
        return by_mime("application/vnd.ms-excel.sheet.binary.macroEnabled.12")
    if not content_type.endswith(_MAIN_SUFFIX):
        return None
    stem = content_type.removesuffix(_MAIN_SUFFIX)
    found = by_mime(f"{stem}.12") if stem.endswith(".macroenabled") else by_mime(stem)
    return found if found is not None and found.container is Container.OOXML else None


class _ContentTypes:
    """`[Content_Types].xml`: part names are without their leading slash."""

    def __init__(self, package: Archive) -> None:
        self._defaults: dict[str, str] = {}
        self.overrides: dict[str, str] = {}
        _parse(package.read(CONTENT_TYPES, _PART_BYTES_MAX), self._start, CONTENT_TYPES)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind, content_type = name.rpartition(" ")[2], attributes.get("ContentType", "")
        if kind == "Default":
            self._defaults[attributes.get("Extension", "").lower()] = content_type
        elif kind == "Override":
            self.overrides[attributes.get("PartName", "").removeprefix("/")] = content_type

    def of(self, part: str) -> str:
        """The content type of a part, empty if none is given."""
        return self.overrides.get(part) or self._defaults.get(part.rpartition(".")[2].lower(), "")


def _main_part(package: Archive) -> str | None:
    if _ROOT_RELATIONS not in package:
        return None
    targets: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(" ")[2] == "Relationship" and attributes.get("Type", "").endswith(_OFFICE_DOCUMENT):
            targets.append(attributes.get("Target", ""))

    try:
        _parse(package.read(_ROOT_RELATIONS, _PART_BYTES_MAX), start, _ROOT_RELATIONS)
    except EngineError:
        return None  # the content types alone may still tell
    return posixpath.normpath(targets[0].removeprefix("/")) if targets else None


def _parse(xml: bytes, start: Callable[[str, dict[str, str]], None], part: str) -> None:
    def forbid(*_: object) -> None:
        raise _declares_type(part)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = forbid
    parser.StartElementHandler = start
    try:
        parser.Parse(xml, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _broken(part) from error


def _broken(part: str) -> EngineError:
    return EngineError(ErrorKind.CORRUPT, f"The file is damaged: its part {printable(part)} is not well-formed XML.")


def _declares_type(part: str) -> EngineError:
    return EngineError(
        ErrorKind.CORRUPT, f"The part {printable(part)} declares a document type (DTD), which the format forbids."
    )


def check_parts(package: Archive) -> None:
    """Refuse parts that are not XML at their beginning or that declare a document type (entities, XXE).

    Raises `EngineError` (corrupt).
    """
    for name, entry in package.entries.items():
        if entry.inflated_bytes and name.lower().endswith(_PLAIN_PARTS):
            _check_part(package, name)


def _check_part(package: Archive, name: str) -> None:
    for size in (_PROLOG_BYTES, _PROLOG_BYTES_MAX):
        head = package.head(name, size)
        if _PLAIN_PROLOG.match(head):
            return
        prolog = read_prolog(head)
        if prolog is None:
            if name.endswith(".vml"):
                return
            raise _broken(name)
        if prolog.declares_type:
            raise _declares_type(name)
        if prolog.root:
            return
    raise _broken(name)


_SHARED_STRINGS = "xl/sharedStrings.xml"
_LONG_STRING_BYTES = 16_384
_SHARED_STRINGS_BYTES_MAX = 64 << 20
_SHEETS = "xl/worksheets/"
_CELL_BYTES_MIN = 24  # <c r="A1" t="s"><v>0</v></c> is the least that a cell takes


def check_shared_strings(package: Archive, bytes_max: int) -> None:
    """Refuse a workbook in which a few very long strings are shared by very many cells.

    Looks only at the beginning of the table of strings, and at declared sizes: ordinary workbooks have short strings.
    Raises `EngineError` (limit).
    """
    if _SHARED_STRINGS not in package:
        return
    head = package.head(_SHARED_STRINGS, 4 * _LONG_STRING_BYTES)
    strings = head.count(b"<si>") + head.count(b"<si ")
    mean = len(head) // max(1, strings) if len(head) == 4 * _LONG_STRING_BYTES else 0
    if mean < _LONG_STRING_BYTES:
        return
    sheet_bytes = sum(each.inflated_bytes for name, each in package.entries.items() if name.startswith(_SHEETS))
    if mean * (sheet_bytes // _CELL_BYTES_MIN) > bytes_max:
        raise EngineError(ErrorKind.LIMIT, "The workbook repeats very long texts in very many cells.")
