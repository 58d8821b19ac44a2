"""XML of untrusted origin read from front to back: with well-known prefixes, no entities."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "s",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "s",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": "ep",
    "http://purl.oclc.org/ooxml/officeDocument/extendedProperties": "ep",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.w3.org/1999/xlink": "xlink",
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
    "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0": "presentation",
    "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style",
    "urn:oasis:names:tc:opendocument:xmlns:meta:1.0": "meta",
    "urn:oasis:names:tc:opendocument:xmlns:script:1.0": "script",
    "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0": "svg",
    "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0": "manifest",
    "http://openoffice.org/2004/office": "ooo",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
}

Attributes = dict[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]
Text = Callable[[str], None]


class XmlError(Exception):
    """What was given is no XML, or XML that declares entities."""


class _Names:
    """Names as expat gives them (`namespace name`) to names with a prefix; those of other namespaces get `?`."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        known = self._known.get(name)
        if known is None:
            namespace, _, local = name.rpartition(" ")
            known = f"{_PREFIXES.get(namespace, '?')}:{local}" if namespace else local
            if len(self._known) < 10_000:
                self._known[name] = known
        return known


def scan(xml: bytes, start: Start, end: End | None = None, text: Text | None = None) -> None:
    """Read a part. Raises `XmlError`; what the handlers were told before stands."""
    names = _Names()

    def forbid(*_: object) -> None:
        raise XmlError("entities are declared")

    def started(name: str, attributes: Attributes) -> None:
        start(names(name), {names(key): value for key, value in attributes.items()} if attributes else attributes)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.EntityDeclHandler = forbid
    parser.StartElementHandler = started
    if end is not None:
        ended = end
        parser.EndElementHandler = lambda name: ended(names(name))
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        parser.Parse(xml, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise XmlError(str(error)) from error
