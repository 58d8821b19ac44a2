"""Office Open XML: what the parts that Word, Excel and PowerPoint share tell, and then the parts of each."""

from __future__ import annotations

import re
from collections.abc import Callable

from engines.formats import DocumentType, Family
from preview_app.inspection.reading import presentationml, spreadsheetml, wordml
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.reading.xmlscan import Attributes

_MACROS = re.compile(r"(?:.*/)?vbaProject\.bin|xl/macrosheets/.+|xl/intlmacrosheets/.+", re.IGNORECASE)
_EMBEDDED = re.compile(r"(?:word|xl|ppt)/(?:embeddings/[^/]+|activeX/activeX\d+\.xml)", re.IGNORECASE)
_EXTERNAL = re.compile(rb"\bExternal\b")
_KINDS = {
    "attachedTemplate": "template",
    "externalLinkPath": "workbook",
    "xlPathMissing": "workbook",
    "oleObject": "object",
    "package": "object",
    "subDocument": "document",
    "mailMergeSource": "data source",
    "mailMergeHeaderSource": "data source",
    "officeDocument": "document",
}
_CORE = {
    "dc:title": "title", "dc:subject": "subject", "dc:creator": "author", "cp:lastModifiedBy": "last_author",
    "cp:keywords": "keywords", "dcterms:created": "created", "dcterms:modified": "modified",
}  # fmt: skip
_APP = {"ep:Application": "application", "ep:Company": "company", "ep:Template": "template"}
_READERS = {Family.TEXT: wordml.read, Family.SHEET: spreadsheetml.read, Family.SLIDES: presentationml.read}


def read(package: Package, kind: DocumentType, collector: Collector) -> None:
    """Look at every part that can tell something."""
    for name in package.named(_MACROS.fullmatch):
        collector.macro(name)
    collector.embedded += sum(1 for _ in package.named(_EMBEDDED.fullmatch))
    _metadata(package, "docProps/core.xml", _CORE, collector)
    _metadata(package, "docProps/app.xml", _APP, collector)
    for name in package.named(lambda name: name.endswith(".rels")):
        package.scan(name, _relation(collector), only_if=_EXTERNAL)
    _READERS[kind.family](package, collector)


def _metadata(package: Package, part: str, names: dict[str, str], collector: Collector) -> None:
    open_name = ""

    def start(name: str, _attributes: Attributes) -> None:
        nonlocal open_name
        open_name = names.get(name, "")

    def text(content: str) -> None:
        if open_name:
            collector.tell(open_name, content)

    def end(_name: str) -> None:
        nonlocal open_name
        open_name = ""

    package.scan(part, start, end, text)


def _relation(collector: Collector) -> Callable[[str, Attributes], None]:
    def start(name: str, attributes: Attributes) -> None:
        if name != "rel:Relationship" or attributes.get("TargetMode") != "External":
            return
        kind = attributes.get("Type", "").rpartition("/")[2]
        if kind == "hyperlink":
            collector.hyperlinks += 1
        else:
            collector.external(_KINDS.get(kind, kind or "content"), attributes.get("Target", ""))

    return start
