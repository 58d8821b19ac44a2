"""OpenDocument, in a package or as one flat file (ODF 1.3 part 3)."""

from __future__ import annotations

import re

from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.reading.xmlscan import Attributes, XmlError, scan

_CODE = re.compile(r"Basic/(?!.*/?(?:script|dialog)-l[bc]\.xml).+\.xml|Scripts/.+\.\w+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|/|\\\\|\.\./")
_META = {
    "dc:title": "title", "dc:subject": "subject", "meta:initial-creator": "author", "dc:creator": "last_author",
    "meta:keyword": "keywords", "meta:creation-date": "created", "dc:date": "modified", "meta:generator": "application",
}  # fmt: skip
_LOADED = {
    "draw:image": "image", "draw:fill-image": "image", "style:background-image": "image", "text:section-source": "text",
    "table:table-source": "table", "table:cell-range-source": "table", "draw:object": "object",
    "draw:object-ole": "object", "draw:plugin": "media", "draw:floating-frame": "frame", "draw:applet": "applet",
    "svg:font-face-uri": "font", "presentation:sound": "sound",
}  # fmt: skip
_LINKS = frozenset({"text:a", "draw:a"})
_LISTENERS = frozenset({"script:event-listener", "presentation:event-listener"})
_PARAGRAPHS = frozenset({"text:p", "text:h", "text:span"})
_CHANGES = {
    "text:insertion": "insertions", "text:deletion": "deletions", "text:format-change": "formatting",
    "table:cell-content-change": "cells", "table:insertion": "insertions", "table:deletion": "deletions",
    "table:movement": "moves",
}  # fmt: skip


def read(package: Package, collector: Collector) -> None:
    """Look at the parts that can tell something."""
    for name in package.named(_CODE.fullmatch):
        collector.macro(name)
    reader = _Reader(collector, _own_objects(package))
    for part in ("meta.xml", "styles.xml", "content.xml"):
        package.scan(part, reader.start, reader.end, reader.text)


def _own_objects(package: Package) -> frozenset[str]:
    """The objects that are charts and formulas, which every office draws itself."""
    found: set[str] = set()

    def start(name: str, attributes: Attributes) -> None:
        if name == "manifest:file-entry" and attributes.get("manifest:media-type", "").endswith((".chart", ".formula")):
            found.add(attributes.get("manifest:full-path", "").rstrip("/"))

    package.scan("META-INF/manifest.xml", start)
    return frozenset(found)


def read_flat(data: memoryview, collector: Collector) -> None:
    """Look at a flat file."""
    reader = _Reader(collector)
    try:
        scan(bytes(data), reader.start, reader.end, reader.text)
    except XmlError:
        collector.not_read("The document was looked at up to an error only: it is no sound XML.")


class _Styles:
    """What styles hide: text, sheets, slides. Keys are family and name."""

    def __init__(self) -> None:
        self._current = ("", "")
        self._parents: dict[tuple[str, str], str] = {}
        self._hides: dict[tuple[str, str], bool] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "style:style":
                self._current = (attributes.get("style:family", ""), attributes.get("style:name", ""))
                self._parents[self._current] = attributes.get("style:parent-style-name", "")
                self._hides.pop(self._current, None)
            case "style:text-properties" if "text:display" in attributes:
                self._hides[self._current] = attributes["text:display"] == "none"
            case "style:table-properties" if "table:display" in attributes:
                self._hides[self._current] = attributes["table:display"] == "false"
            case "style:drawing-page-properties" if "presentation:visibility" in attributes:
                self._hides[self._current] = attributes["presentation:visibility"] == "hidden"

    def end(self, name: str) -> None:
        if name == "style:style":
            self._current = ("", "")

    def hide(self, family: str, style: str | None) -> bool:
        """Whether what has this style is not shown."""
        for _ in range(20):
            if not style:
                return False
            if (family, style) in self._hides:
                return self._hides[family, style]
            style = self._parents.get((family, style))
        return False


class _Reader:
    """All of a document: metadata, styles, content."""

    def __init__(self, collector: Collector, own_objects: frozenset[str] = frozenset()) -> None:
        self._collector = collector
        self._own_objects = own_objects
        self._styles = _Styles()
        self._open: list[str] = []
        self._hidden: list[int] = []
        """At which depths something was opened that is not shown."""
        self._text: list[str] = []
        self._slides = 0

    def start(self, name: str, attributes: Attributes) -> None:
        self._open.append(name)
        self._styles.start(name, attributes)
        if self._hides(name, attributes):
            self._hidden.append(len(self._open))
        if (target := attributes.get("xlink:href")) is not None:
            self._link(name, target)
        match name:
            case "office:annotation":
                self._collector.comments += 1
            case "text:hidden-text":
                self._collector.hidden_text(attributes.get("text:string-value", ""))
            case "draw:page":
                self._slide(attributes)
            case "table:table-row" | "table:table-column":
                self._cells(name, attributes)
            case "office:dde-source" | "text:dde-connection-decl":
                keys = ("office:dde-application", "office:dde-topic", "office:dde-item")
                self._collector.dde(" ".join(attributes.get(key, "") for key in keys))
            case "ooo:module" if "office:script" in self._open:
                self._collector.macro(attributes.get("ooo:name", "script"))
            case _:
                self._count(name, attributes)

    def _count(self, name: str, attributes: Attributes) -> None:
        if name in _LISTENERS:
            self._listener(attributes)
        elif counted := _CHANGES.get(name):
            setattr(self._collector, counted, getattr(self._collector, counted) + 1)

    def end(self, name: str) -> None:
        self._styles.end(name)
        if self._hidden and self._hidden[-1] == len(self._open):
            self._hidden.pop()
            if not self._hidden and self._text:
                self._collector.hidden_text("".join(self._text))
                self._text.clear()
        if self._open:
            self._open.pop()

    def text(self, content: str) -> None:
        inside = self._open[-1] if self._open else ""
        around = self._open[-2] if len(self._open) > 1 else ""
        if around == "office:meta" and inside in _META:
            self._collector.tell(_META[inside], content)
        elif inside == "dc:creator" and around == "office:annotation":
            self._collector.commented_by(content)
        elif inside == "dc:creator" and around == "office:change-info":
            self._collector.changed_by(content)
        elif self._hidden and inside in _PARAGRAPHS and not self._is_beside_the_text():
            self._text.append(content)

    def _is_beside_the_text(self) -> bool:
        return "text:tracked-changes" in self._open or "office:annotation" in self._open

    def _hides(self, name: str, attributes: Attributes) -> bool:
        match name:
            case "text:p" | "text:h":
                return self._styles.hide("paragraph", attributes.get("text:style-name"))
            case "text:span":
                return self._styles.hide("text", attributes.get("text:style-name"))
            case "text:section":
                return attributes.get("text:display", "true") != "true"
            case "table:table" if self._open[-2:-1] == ["office:spreadsheet"]:
                hidden = self._styles.hide("table", attributes.get("table:style-name"))
                if hidden:
                    self._collector.hidden_sheet(attributes.get("table:name", ""))
        return False

    def _slide(self, attributes: Attributes) -> None:
        if self._open[-2:-1] == ["office:presentation"]:
            self._slides += 1
            if self._styles.hide("drawing-page", attributes.get("draw:style-name")):
                self._collector.hidden_slide(self._slides)

    def _cells(self, name: str, attributes: Attributes) -> None:
        if attributes.get("table:visibility", "visible") != "visible":
            repeated = attributes.get(f"table:number-{name.removeprefix('table:table-')}s-repeated", "1")
            self._collector.hidden_cells += int(repeated) if repeated.isdecimal() and len(repeated) < 9 else 1

    def _link(self, name: str, target: str) -> None:
        if name in _LINKS:
            self._collector.hyperlinks += not target.startswith("#")
        elif kind := _LOADED.get(name):
            if _SCHEME.match(target):
                self._collector.external(kind, target)
            elif kind == "object":
                self._collector.embedded += target.removeprefix("./").rstrip("/") not in self._own_objects

    def _listener(self, attributes: Attributes) -> None:
        target = attributes.get("xlink:href", "") or attributes.get("script:macro-name", "")
        if target.startswith("vnd.sun.star.script:") or attributes.get("script:macro-name"):
            self._collector.macro(target)
