"""Flat OpenDocument files, so that LibreOffice knows them for what they are. Kits import this: standard library only.

An import filter cannot be named to every LibreOffice. One that has to find out by itself looks for the media type
among the first 4,000 bytes, in the words that it would itself have written, behind an XML declaration; what it does not
find, it shows as the text of an XML file.
"""

from __future__ import annotations

import codecs
import re

_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]{0,200}\?>")
_PLAIN_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'


def recognisable(data: memoryview, mime: str) -> bytes:
    """The document with its media type (`DocumentType.mime`) in a comment at its very beginning."""
    text = _utf8(bytes(data))
    declared = _DECLARATION.match(text)
    declaration = declared.group().lstrip() if declared else _PLAIN_DECLARATION
    rest = text[declared.end() :] if declared else text.lstrip()
    comment = f'<!-- office:mimetype="{mime.removesuffix("-flat-xml")}" -->'
    return declaration + comment.encode() + rest


def _utf8(data: bytes) -> bytes:
    """Without a byte order mark; UTF-16 turned into UTF-8."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
            return _DECLARATION.sub(_PLAIN_DECLARATION, text, count=1)
    return data.removeprefix(codecs.BOM_UTF8)
