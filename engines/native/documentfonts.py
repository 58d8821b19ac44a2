"""The font families that a document names, read from its bytes: those of its styles, themes and direct formatting.

A document may name a family and show nothing in it, and the old binary formats are not read: what comes out is a set of
candidates, to be held against the fonts of the PDF. Bounded, and run in the kit: the bytes may be hostile.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from engines.formats import Container, DocumentType

_PART_BYTES_MAX = 8 << 20
_TOTAL_BYTES_MAX = 24 << 20
_FAMILIES_MAX = 100
_NAME_CHARACTERS_MAX = 100
_PARTS = re.compile(
    r"(?:word/(?:document|styles|numbering|footnotes|endnotes|header\d*|footer\d*)|xl/(?:styles|sharedStrings)"
    r"|ppt/(?:slides|slideLayouts|slideMasters|charts)/[^/]+|(?:word|xl|ppt)/theme/theme1)\.xml|content\.xml|styles\.xml"
)
_OOXML_TAG = re.compile(rb"<(?:w:rFonts|w:sym|a:latin|a:ea|a:cs|a:sym|name|rFont) ([^>]*)>")
_OOXML_NAME = re.compile(rb'(?:w:(?:ascii|hAnsi|eastAsia|cs|font)|typeface|val)="([^"]+)"')
_ODF_FACE = re.compile(rb'<style:font-face style:name="([^"]+)"[^>]*? svg:font-family="([^"]+)"')
_ODF_USE = re.compile(rb'style:font-name(?:-asian|-complex)?="([^"]+)"')
_RTF = re.compile(rb"\{\\f\d+[^;{}]*? ([^;{}\\]+);")
_HTML = re.compile(rb"""font-family\s*:\s*([^;}"<]+)|<font[^>]*? face\s*=\s*["']?([^"'>]+)""", re.IGNORECASE)


def families(source: memoryview, kind: DocumentType) -> list[str]:
    """The families that the document names, each once, in the order of their names."""
    found: set[str] = set()
    for text in _texts(source, kind):
        found.update(_named(text, kind))
        if len(found) >= _FAMILIES_MAX:
            break
    return sorted(found)[:_FAMILIES_MAX]


def _texts(source: memoryview, kind: DocumentType) -> Iterator[bytes]:
    if kind.container in {Container.OOXML, Container.ODF}:
        yield from _parts(source)
    elif kind.container is Container.FLAT_ODF or kind.id in {"rtf", "html"}:
        yield bytes(source[:_PART_BYTES_MAX])


def _parts(source: memoryview) -> Iterator[bytes]:
    left = _TOTAL_BYTES_MAX
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            for name in filter(_PARTS.fullmatch, archive.namelist()):
                with archive.open(name) as part:
                    text = part.read(min(_PART_BYTES_MAX, left))
                left -= len(text)
                yield text
                if left <= 0:
                    return
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return  # LibreOffice reads damaged packages, and tells of their fonts by what it embeds


def _named(text: bytes, kind: DocumentType) -> set[str]:
    if kind.container in {Container.ODF, Container.FLAT_ODF}:
        faces = dict(_ODF_FACE.findall(text))
        raw = {faces.get(name, name) for name in _ODF_USE.findall(text)}
    elif kind.id == "html":
        raw = {name for match in _HTML.findall(text) for name in (match[0] or match[1]).split(b",")}
    elif kind.id == "rtf":
        raw = set(_RTF.findall(text))
    else:
        raw = {name for tag in set(_OOXML_TAG.findall(text)) for name in _OOXML_NAME.findall(tag)}
    return {name for each in raw if (name := _plain(each))}


def _plain(raw: bytes) -> str:
    """A family's name without entities and quotes; empty for references to a theme and for what is no name."""
    name = html.unescape(raw.decode("utf-8", "replace")).strip().strip("'\"").strip()
    return "" if name.startswith(("+", "@")) or len(name) > _NAME_CHARACTERS_MAX or not name.isprintable() else name
