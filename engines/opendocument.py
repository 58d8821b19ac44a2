"""OpenDocument packages: which kind they hold, and whether they are encrypted (ODF 1.3 part 2)."""

from __future__ import annotations

import re

from engines.archive import Archive
from engines.errors import EngineError, ErrorKind
from engines.formats import Container, DocumentType, by_mime
from engines.xmlprolog import read_prolog

MANIFEST = "META-INF/manifest.xml"
_MIMETYPE = "mimetype"
_MIMETYPE_BYTES_MAX = 256
_MANIFEST_BYTES_MAX = 8 << 20
_ENCRYPTED_PACKAGE = "encrypted-package"
_ROOT_ENTRY = re.compile(rb"<[\w.-]*:?file-entry\b[^<>]*?\bfull-path\s*=\s*[\"']/[\"'][^<>]*>")
_MEDIA_TYPE = re.compile(rb"\bmedia-type\s*=\s*[\"']([^\"'<>]{1,200})[\"']")
_ENCRYPTION = re.compile(rb"<[\w.-]*:?encryption-data\b")
_FOREIGN = {
    "application/epub+zip": "an EPUB book",
    "application/hwp+zip": "a Hangul document",
    "application/vnd.oasis.opendocument.formula": "an OpenDocument formula",
    "application/vnd.oasis.opendocument.chart": "an OpenDocument chart",
    "application/vnd.oasis.opendocument.database": "an OpenDocument database",
    "application/vnd.oasis.opendocument.base": "an OpenDocument database",
    "application/vnd.oasis.opendocument.image": "an OpenDocument picture",
    "application/vnd.oasis.opendocument.text-master": "an OpenDocument master document",
    "application/vnd.oasis.opendocument.text-web": "an OpenDocument web template",
}


def document_type(package: Archive) -> DocumentType | None:
    """The type that the package declares; `None` if it is no OpenDocument package.

    Raises `EngineError`: unsupported for other kinds of package that carry a `mimetype`, corrupt where the content is
    missing.
    """
    mime = _declared_mime(package)
    if mime is None:
        return None
    found = by_mime(mime)
    if found is None or found.container is not Container.ODF:
        what = _FOREIGN.get(mime, "an OpenOffice.org 1 document" if mime.startswith("application/vnd.sun.xml.") else "")
        if not what:
            return None
        raise EngineError(ErrorKind.UNSUPPORTED, f"The file is {what}, which docpeek does not show.")
    if "content.xml" not in package and _ENCRYPTED_PACKAGE not in package:
        raise EngineError(ErrorKind.CORRUPT, "The file is damaged: its content (content.xml) is missing.")
    return found


def _declared_mime(package: Archive) -> str | None:
    if _MIMETYPE in package:
        raw = package.read(_MIMETYPE, _MIMETYPE_BYTES_MAX) if _is_small(package, _MIMETYPE) else b""
        return raw.decode("ascii", "replace").strip()
    if MANIFEST not in package:
        return None
    root = _ROOT_ENTRY.search(package.read(MANIFEST, _MANIFEST_BYTES_MAX))
    media_type = _MEDIA_TYPE.search(root.group()) if root else None
    return media_type.group(1).decode("ascii", "replace") if media_type else None


def _is_small(package: Archive, name: str) -> bool:
    return package.entries[name].inflated_bytes <= _MIMETYPE_BYTES_MAX


def is_encrypted(package: Archive) -> bool:
    """Whether the manifest says that parts need a password."""
    if _ENCRYPTED_PACKAGE in package:
        return True
    return MANIFEST in package and _ENCRYPTION.search(package.read(MANIFEST, _MANIFEST_BYTES_MAX)) is not None


_XML_PARTS = ("content.xml", "styles.xml", "meta.xml", "settings.xml", MANIFEST)
_PROLOG_BYTES = 65_536


def check_parts(package: Archive) -> None:
    """Refuse parts that are not XML at their beginning or that declare entities.

    A document type alone is fine: early OpenDocument files name one. Raises `EngineError` (corrupt).
    """
    for name in _XML_PARTS:
        if name not in package:
            continue
        prolog = read_prolog(package.head(name, _PROLOG_BYTES))
        if prolog is None or not (prolog.root or prolog.declares_entities):
            raise EngineError(ErrorKind.CORRUPT, f"The file is damaged: its part {name} is not well-formed XML.")
        if prolog.declares_entities:
            raise EngineError(ErrorKind.CORRUPT, f"The part {name} declares XML entities, which the format forbids.")
