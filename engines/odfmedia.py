"""Films and sounds in OpenDocument texts, taken out of the way of a LibreOffice that cannot play any.

A Writer without a player crashes when it lays out a page with one on it (seen in WebAssembly builds). What a document
has in its place, a picture as a rule, is shown instead, which is what a page can show of it. Kits import this: only the
standard library.
"""

from __future__ import annotations

import re

from engines.archive import Archive
from engines.errors import EngineError
from engines.formats import Container, DocumentType, Family
from engines.repacking import with_parts

_PARTS = ("content.xml", "styles.xml")
_PART_BYTES_MAX = 256 << 20
_PLUGIN = re.compile(rb"<(/?(?:[\w.-]+:)?)plugin(?=[\s/>])")
"""`draw:plugin`, under whatever prefix: no other element of OpenDocument has that name."""
_IGNORED = rb"<\1ignored"


def without_players(source: memoryview, kind: DocumentType) -> bytes | memoryview:
    """The document with no media to play; `source` itself where there is none."""
    if kind.family is not Family.TEXT:
        return source
    if kind.container is Container.FLAT_ODF:
        return _PLUGIN.sub(_IGNORED, bytes(source)) if _PLUGIN.search(source) else source
    if kind.container is not Container.ODF:
        return source
    try:
        package = Archive.open(source)
        parts = {name: package.read(name, _PART_BYTES_MAX) for name in _PARTS if name in package}
        changed = {name: _PLUGIN.sub(_IGNORED, part) for name, part in parts.items() if _PLUGIN.search(part)}
        return with_parts(source, package, changed) if changed else source
    except EngineError:
        return source  # LibreOffice decides what becomes of it
