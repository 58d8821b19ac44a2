"""Whether a document has equations, which are left out where LibreOffice lacks its application for them. Bounded."""

from __future__ import annotations

import io
import zipfile
import zlib

from engines.formats import Container, DocumentType

_PART_BYTES_MAX = 32 << 20
_OOXML_MARK = b"<m:oMath"
_ODF_MARK = b"application/vnd.oasis.opendocument.formula"
_ODF_MANIFEST = "META-INF/manifest.xml"
_OOXML_PARTS = ("word/document.xml", "ppt/slides/")


def present(source: memoryview, kind: DocumentType) -> bool:
    """Whether there is one, in a format that keeps them as such; the old binary ones keep pictures of them."""
    try:
        if kind.container is Container.OOXML:
            with zipfile.ZipFile(io.BytesIO(source)) as archive:
                names = [name for name in archive.namelist() if name.startswith(_OOXML_PARTS) and name.endswith(".xml")]
                return any(_holds(archive, name, _OOXML_MARK) for name in names)
        if kind.container is Container.ODF:
            with zipfile.ZipFile(io.BytesIO(source)) as archive:
                return _holds(archive, _ODF_MANIFEST, _ODF_MARK)
    except (KeyError, zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return False  # what LibreOffice makes of it is another matter
    return False


def _holds(archive: zipfile.ZipFile, name: str, mark: bytes) -> bool:
    with archive.open(name) as part:
        return mark in part.read(_PART_BYTES_MAX)
