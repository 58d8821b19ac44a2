"""The parts of a presentation: hidden slides, comments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.reading.xmlscan import Attributes

_COMMENTS = re.compile(r"ppt/(?:comments/[^/]+|commentAuthors|authors)\.xml")
_SHOW = re.compile(rb"\sshow\s*=")
_SLIDES_MAX = 5000


def read(package: Package, collector: Collector) -> None:
    """Look at the slides in their order, then at the comments."""
    for number, part in enumerate(_slide_parts(package), 1):
        package.scan(part, _slide(number, collector), only_if=_SHOW)

    def comment(name: str, attributes: Attributes) -> None:
        if name in {"p:cm", "p188:cm"}:
            collector.comments += 1
        elif name in {"p:cmAuthor", "p188:author"}:
            collector.commented_by(attributes.get("name", ""))

    for part in package.named(_COMMENTS.fullmatch):
        package.scan(part, comment)


def _slide(number: int, collector: Collector) -> Callable[[str, Attributes], None]:
    def start(name: str, attributes: Attributes) -> None:
        if name == "p:sld" and attributes.get("show") in {"0", "false"}:
            collector.hidden_slide(number)

    return start


def _slide_parts(package: Package) -> list[str]:
    """The parts of the slides in the order of the presentation."""
    targets: dict[str, str] = {}
    order: list[str] = []

    def relation(name: str, attributes: Attributes) -> None:
        if name == "rel:Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def slide(name: str, attributes: Attributes) -> None:
        if name == "p:sldId":
            order.append(attributes.get("r:id", ""))

    package.scan("ppt/_rels/presentation.xml.rels", relation)
    package.scan("ppt/presentation.xml", slide)
    return [
        posixpath.normpath(posixpath.join("/ppt", targets.get(each, "?"))).lstrip("/") for each in order[:_SLIDES_MAX]
    ]
