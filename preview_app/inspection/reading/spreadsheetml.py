"""The parts of a workbook: hidden sheets and cells, comments, links to other workbooks and to databases."""

from __future__ import annotations

import re

from preview_app.inspection.reading import binaryworkbook
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.reading.xmlscan import Attributes

_PARTS = re.compile(
    r"xl/(?:workbook|connections|externalLinks/[^/]+|comments[^/]*|comments/[^/]+|persons/[^/]+|revisions/revisionLog[^/]*)\.xml"
)
_SHEETS = re.compile(r"xl/worksheets/[^/]+\.xml")
_HIDDEN_CELLS = re.compile(rb"<(?:\w+:)?(row|col) ([^<>]*)\bhidden=[\"'](?:1|true)[\"']([^<>]*)>")
_COLUMNS = re.compile(rb"\b(min|max)=[\"'](\d{1,5})[\"']")
_HIDDEN = frozenset({"hidden", "veryHidden"})
_SOURCES = frozenset({"s:dbPr", "s:webPr", "s:textPr", "s:olapPr"})
_CHANGES = frozenset({"s:rcc", "s:rrc", "s:rm", "s:ris"})


def read(package: Package, collector: Collector) -> None:
    """Look at the workbook, what it is connected to, its comments, its sheets."""
    for part in package.named(_PARTS.fullmatch):
        reader = _Reader(collector)
        package.scan(part, reader.start, reader.end, reader.text)
    for part in package.named(_SHEETS.fullmatch):
        collector.hidden_cells += _hidden_cells(package.read(part))
    if "xl/workbook.bin" in package:
        binaryworkbook.read_xlsb(package.read("xl/workbook.bin"), collector)
        collector.not_read("Comments and hidden cells of this binary workbook were not looked at.")


class _Reader:
    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._connection = "?"
        self._in_author = False

    def start(self, name: str, attributes: Attributes) -> None:
        self._in_author = name == "s:author"
        match name:
            case "s:sheet" if attributes.get("state") in _HIDDEN:
                self._collector.hidden_sheet(attributes.get("name", ""))
            case "s:comment":
                self._collector.comments += 1
            case "s:ddeLink":
                self._collector.dde(f"{attributes.get('ddeService', '')}|{attributes.get('ddeTopic', '')}")
            case "tc:person":
                self._collector.commented_by(attributes.get("displayName", ""))
            case "s:connection":
                self._connection = attributes.get("name", "?")
            case _ if name in _SOURCES:
                self._source(attributes)
            case _ if name in _CHANGES:
                self._collector.cells += 1

    def end(self, _name: str) -> None:
        self._in_author = False

    def text(self, content: str) -> None:
        if self._in_author and not content.startswith("tc="):  # those of threads stand among the persons
            self._collector.commented_by(content)

    def _source(self, attributes: Attributes) -> None:
        told = (attributes.get(key, "") for key in ("url", "sourceFile", "connection", "localConnection"))
        self._collector.external("data source", next(filter(None, told), self._connection))


def _hidden_cells(sheet: bytes) -> int:
    """Hidden rows, and the columns of hidden ranges."""
    count = 0
    for match in _HIDDEN_CELLS.finditer(sheet):
        bounds = dict(_COLUMNS.findall(match[2] + match[3])) if match[1] == b"col" else {}
        count += max(1, int(bounds.get(b"max", 0)) - int(bounds.get(b"min", 0)) + 1)
    return count
