"""Presentations without the layouts that none of their slides uses. Only the standard library.

LibreOffice 26.8 reads every layout of every master (7.4 does not) and keeps each as a master page of its own, to be
chosen in the editor; no page of a PDF shows them. A presentation usually brings eleven along and uses two or three:
reading the others takes most of the time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from engines.archive import Archive
from engines.errors import EngineError, ErrorKind
from engines.repacking import with_parts

_SUFFIXES = frozenset({"pptx", "pptm", "ppsx", "ppsm", "potx", "potm"})
_RELATIONS = re.compile(r"(?:(.*)/)?_rels/([^/]+)\.rels", re.IGNORECASE)
_RELATIONS_BYTES_MAX = 4 << 20
_SLIDE, _LAYOUT, _MASTER = "/relationships/slide", "/relationships/slideLayout", "/relationships/slideMaster"
_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/relationships"


class _Relation(NamedTuple):
    """`target` is the name of the part that is meant, in lower case (names of parts know no case)."""

    attributes: dict[str, str]
    kind: str
    target: str


class _Relations(NamedTuple):
    """What a part refers to; `name` is that of the part which says so."""

    name: str
    relations: list[_Relation]

    def targets(self, kind: str) -> set[str]:
        return {each.target for each in self.relations if each.kind.endswith(kind)}


def with_used_layouts(source: bytes | memoryview, suffix: str) -> bytes | memoryview:
    """The presentation with the layouts that its slides use; `source` itself where nothing is to be done."""
    if suffix not in _SUFFIXES:
        return source
    data = memoryview(source)
    try:
        package = Archive.open(data)
        changed = _without_unused(_read(package), {name.lower() for name in package.entries})
        return with_parts(data, package, changed) if changed else source
    except EngineError:
        return source  # LibreOffice decides what becomes of it


def _without_unused(owners: dict[str, _Relations], parts: set[str]) -> dict[str, bytes]:
    """The relations of the masters that refer to an unused layout, without it."""
    masters = _all(owners.values(), _MASTER)
    slides = _all(owners.values(), _SLIDE)
    if not all(owners[slide].targets(_LAYOUT) & parts if slide in owners else False for slide in slides):
        return {}  # a slide whose layout is not to be found gets the one that LibreOffice thinks best
    used = _all((each for owner, each in owners.items() if owner not in masters), _LAYOUT)
    changed = {}
    for master in masters & owners.keys() if slides else ():
        name, relations = owners[master]
        kept = [each for each in relations if not each.kind.endswith(_LAYOUT) or each.target in used]
        if len(kept) < len(relations):
            changed[name] = _written(kept)
    return changed


def _all(relations: Iterable[_Relations], kind: str) -> set[str]:
    return set().union(*(each.targets(kind) for each in relations))


def _read(package: Archive) -> dict[str, _Relations]:
    """The relations of each part, by its name in lower case. Raises `EngineError`."""
    owners = {}
    for name in package.entries:
        if match := _RELATIONS.fullmatch(name):
            folder = match[1] or ""
            owner = posixpath.join(folder, match[2]).lower()
            owners[owner] = _Relations(name, _parsed(package.read(name, _RELATIONS_BYTES_MAX), folder))
    return owners


def _parsed(xml: bytes, folder: str) -> list[_Relation]:
    relations: list[_Relation] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(" ")[2] == "Relationship":
            target = posixpath.join("/", folder, unquote(attributes.get("Target", "")))
            internal = attributes.get("TargetMode", "Internal") == "Internal"
            resolved = posixpath.normpath(target).lstrip("/").lower() if internal else ""
            relations.append(_Relation(attributes, attributes.get("Type", ""), resolved))

    def forbid(*_: object) -> None:
        raise EngineError(ErrorKind.CORRUPT, "A part of the package declares a document type.")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = forbid
    parser.StartElementHandler = start
    try:
        parser.Parse(xml, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise EngineError(ErrorKind.CORRUPT, "A part of the package is not well-formed XML.", repr(error)) from error
    return relations


def _written(relations: Iterable[_Relation]) -> bytes:
    lines = [
        "<Relationship " + " ".join(f"{name}={quoteattr(value)}" for name, value in each.attributes.items()) + "/>"
        for each in relations
    ]
    body = "".join(lines)
    return f'<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="{_NAMESPACE}">{body}</Relationships>'.encode()
