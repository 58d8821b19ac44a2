"""The sheets of a workbook, read from its bytes: which there are, and which are hidden. Bounded.

Of how far they reach nothing is said. Formats that are not read (the binary ones) have no list.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib

from engines.boundedexport import Sheet
from engines.formats import Container, DocumentType

_PART_BYTES_MAX = 32 << 20
_OOXML_PART = "xl/workbook.xml"
_ODF_PART = "content.xml"
_OOXML_SHEET = re.compile(rb"<(?:\w+:)?sheet ([^>]*)>")
_ODF_STYLE = re.compile(
    rb'<style:style style:name="([^"]+)"[^>]*style:family="table"[^>]*>\s*<style:table-properties([^>]*)'
)
_ODF_TABLE = re.compile(rb"<table:table ([^>]*)>")
_NAME = re.compile(rb'(?<![\w:])(?:table:)?name="([^"]*)"')
_STYLE_NAME = re.compile(rb'table:style-name="([^"]*)"')


def sheets(source: memoryview, kind: DocumentType) -> list[Sheet]:
    """The sheets in their order; empty where they are not known."""
    if kind.container is Container.PLAIN:
        return [Sheet("", True, 0, 0)]
    if kind.container is Container.OOXML:
        return [_sheet(tag, b'"visible"' in tag or b"state=" not in tag) for tag in _tags(source, _OOXML_PART)]
    if kind.container in {Container.ODF, Container.FLAT_ODF}:
        text = bytes(source[:_PART_BYTES_MAX]) if kind.container is Container.FLAT_ODF else _part(source, _ODF_PART)
        hidden = {name for name, properties in _ODF_STYLE.findall(text) if b'table:display="false"' in properties}
        return [_sheet(tag, not hidden.intersection(_STYLE_NAME.findall(tag))) for tag in _ODF_TABLE.findall(text)]
    return []


def _tags(source: memoryview, part: str) -> list[bytes]:
    return _OOXML_SHEET.findall(_part(source, part))


def _sheet(attributes: bytes, visible: bool) -> Sheet:
    name = _NAME.search(attributes)
    return Sheet(html.unescape(name[1].decode("utf-8", "replace")) if name else "", visible, 0, 0)


def _part(source: memoryview, name: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive, archive.open(name) as part:
            return part.read(_PART_BYTES_MAX)
    except (KeyError, zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return b""
