"""Whether a document needs a password, told from its bytes: [MS-DOC], [MS-XLS], [MS-PPT], [MS-OFFCRYPTO], ODF."""

from __future__ import annotations

import struct
from enum import StrEnum

from engines import compound, opendocument
from engines.archive import Archive
from engines.errors import EngineError, ErrorKind
from engines.formats import Container
from engines.sniffing import Detection

_WORKBOOK_BYTES = 16_384
_WORKBOOK_STREAMS = ("Workbook", "Book", "WORKBOOK", "BOOK")
_FILEPASS, _END_OF_SHEET = 0x002F, 0x000A
_PPT_ENCRYPTED_TOKEN = 0xF3D1C4DF


class Scheme(StrEnum):
    """How a document is encrypted."""

    OFFICE = "office"
    """As Microsoft's programs do it: a package in a wrapper, or streams of a binary document."""
    ODF = "odf"
    """As OpenDocument packages have it: the parts one by one, or the whole package."""


def scheme_of(data: bytes | memoryview, detection: Detection) -> Scheme | None:
    """How the document that was detected is encrypted; `None` if it is not. Of PDFs it knows nothing.

    Raises `EngineError`: corrupt, limit.
    """
    view = memoryview(data).cast("B")
    if detection.encrypted:
        return Scheme.OFFICE
    if detection.type.container is Container.COMPOUND:
        return Scheme.OFFICE if is_binary_encrypted(view, detection.type.id) else None
    if detection.type.container is Container.ODF:
        return Scheme.ODF if opendocument.is_encrypted(Archive.open(view)) else None
    return None


def needs_password() -> EngineError:
    """What is told of a document that opens with its password only."""
    return EngineError(ErrorKind.ENCRYPTED, "The document is encrypted: a password is needed.")


def is_binary_encrypted(view: memoryview, type_id: str) -> bool:
    """Whether a `doc`, `xls` or `ppt` is encrypted; raises `EngineError` (corrupt)."""
    if bytes(view[:8]) != compound.SIGNATURE:
        return type_id == "xls" and _has_filepass(bytes(view[:_WORKBOOK_BYTES]))
    container = compound.CompoundFile(view)
    return {"doc": _is_doc_encrypted, "xls": _is_xls_encrypted, "ppt": _is_ppt_encrypted}[type_id](container)


def _is_doc_encrypted(container: compound.CompoundFile) -> bool:
    """[MS-DOC] FibBase: bit 8 of the flags at offset 10 (`fEncrypted`); the same bit in Word 6 and 95."""
    head = container.head("WordDocument", 32)
    if len(head) < 32 or head[:2] not in {b"\xec\xa5", b"\xdc\xa5"}:
        raise EngineError(ErrorKind.CORRUPT, "The file is damaged: its main stream is no Word document.")
    return bool(struct.unpack_from("<H", head, 10)[0] & 0x0100)


def _is_xls_encrypted(container: compound.CompoundFile) -> bool:
    return any(_has_filepass(container.head(name, _WORKBOOK_BYTES)) for name in _WORKBOOK_STREAMS)


def _has_filepass(stream: bytes) -> bool:
    """[MS-XLS]: the record FILEPASS stands among the first ones of the workbook's globals."""
    position = 0
    while position + 4 <= len(stream):
        record, size = struct.unpack_from("<2H", stream, position)
        if record in {_FILEPASS, _END_OF_SHEET}:
            return bool(record == _FILEPASS)
        position += 4 + size
    return False


def _is_ppt_encrypted(container: compound.CompoundFile) -> bool:
    """[MS-PPT] CurrentUserAtom: its header token tells an encrypted presentation."""
    head = container.head("Current User", 16)
    return len(head) == 16 and struct.unpack_from("<I", head, 12)[0] == _PPT_ENCRYPTED_TOKEN
