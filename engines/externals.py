"""Whether a document refers to content elsewhere: pictures, objects, parts that a program would fetch to show it.

Links that a person would follow are none of that. Nothing here decides whether something is fetched (nothing is: an
engine has no network); it lets a person know why something may be missing. Looks are cheap and bounded, so that what
lies beyond `PART_BYTES_MAX`, or inside binary formats, is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engines.archive import Archive
from engines.errors import EngineError

PART_BYTES_MAX = 2 << 20
"""How much of a part is looked at, and how much of all relations together."""
_RELATIONS_PARTS_MAX = 500

# What nobody can make slow: nothing here tries a second time what it has passed over (`*+` gives nothing back).
_RELATION = re.compile(rb"<(?:\w++:)?Relationship\b([^<>]*+)>")
_EXTERNAL = re.compile(rb"\bTargetMode\s*+=\s*+[\"']External[\"']")
_TYPE = re.compile(rb"\bType\s*+=\s*+[\"']([^\"']*+)[\"']")
_TARGET = re.compile(rb"\bTarget\s*+=\s*+[\"']([^\"']*+)[\"']")
_REMOTE = re.compile(rb"(?:https?|ftp|smb|webdavs?):|(?:file:)?(?://|\\\\)[^/\\]", re.IGNORECASE)
_FOLLOWED_BY_A_PERSON = (b"hyperlink",)
_SHOWS_NOTHING = (b"attachedTemplate",)
"""Nearly every document of an office names its template, on a disk of its own: worth a word only if it is remote."""

_LOADED_BY_ODF = (
    rb"<(?:draw:(?:image|object|object-ole|floating-frame|plugin|applet|fill-image)|text:section-source"
    rb"|table:(?:table-source|cell-range-source)|style:background-image|text:list-level-style-image"
    rb"|presentation:sound|form:image(?:-frame)?)\b[^<>]*?\bxlink:href\s*+=\s*+[\"']"
)
_IN_ODF = re.compile(_LOADED_BY_ODF + rb"(?!data:|vnd\.sun\.star\.)(?:[A-Za-z][A-Za-z0-9+.-]+:|/|\.\./|\\\\)")
_IN_HTML = re.compile(
    rb"<(?:(?:img|iframe|frame|embed|script|audio|video|source|input|track)\b[^<>]*?\bsrc"
    rb"|(?:link|image)\b[^<>]*?\bhref|object\b[^<>]*?\bdata|body\b[^<>]*?\bbackground)"
    rb"\s*+=\s*+[\"']?\s*+(?:https?:|ftp:|file:|//)",
    re.IGNORECASE,
)
_IN_RTF = re.compile(
    rb"\\\*\\template [^{}\\]*https?:|\bINCLUDE(?:PICTURE|TEXT)\s++\"?(?:https?:|file:|\\\\)", re.IGNORECASE
)


def in_ooxml(package: Archive) -> bool:
    """Whether a part of an Office Open XML package has such a relation."""
    return any(_is_loaded(relation) for relation in _external_relations(package))


def in_odf(package: Archive) -> bool:
    """Whether the content or the styles of an OpenDocument package have such a reference."""
    return any(name in package and in_flat_odf(_head(package, name)) for name in ("content.xml", "styles.xml"))


def in_flat_odf(xml: bytes) -> bool:
    """Whether OpenDocument XML has such a reference."""
    return _IN_ODF.search(xml) is not None


def in_html(page: bytes) -> bool:
    """Whether a page loads something by a full address; what lies beside it is not there either, but expected."""
    return _IN_HTML.search(page) is not None


def in_rtf(text: bytes) -> bool:
    """Whether a field of a text, or its template, is elsewhere."""
    return _IN_RTF.search(text) is not None


def _external_relations(package: Archive) -> Iterator[bytes]:
    left = PART_BYTES_MAX
    parts = [name for name in package.entries if name.endswith(".rels")]
    for name in parts[:_RELATIONS_PARTS_MAX]:
        relations = _head(package, name, left)
        left -= len(relations)
        yield from filter(_EXTERNAL.search, _RELATION.findall(relations))
        if left <= 0:
            return


def _is_loaded(relation: bytes) -> bool:
    kind, target = _TYPE.search(relation), _TARGET.search(relation)
    name = kind.group(1).rpartition(b"/")[2] if kind else b""
    if name in _FOLLOWED_BY_A_PERSON:
        return False
    return name not in _SHOWS_NOTHING or (target is not None and _REMOTE.match(target.group(1)) is not None)


def _head(package: Archive, name: str, bytes_max: int = PART_BYTES_MAX) -> bytes:
    try:
        return package.head(name, bytes_max)
    except EngineError:
        return b""  # the engine will meet the damage; a notice is no reason to refuse a document
