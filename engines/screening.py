"""Cheap checks before an engine is spent: passwords, archive bombs, damage, entities, macros."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field, replace

from engines import compound, decryption, ooxml, opendocument, pdfencryption
from engines.archive import Archive, ArchiveLimits
from engines.errors import EngineError, ErrorKind
from engines.formats import Container
from engines.sniffing import Detection, detect, normalize
from engines.xmlprolog import read_prolog

_PROLOG_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class ScreeningLimits:
    """Bounds of what is let through to an engine.

    `shared_strings_bytes_max` caps what the cells of a workbook come to when each carries its own copy of a shared
    string, which is how the engine holds them for layout.
    """

    archive: ArchiveLimits = field(default_factory=ArchiveLimits)
    shared_strings_bytes_max: int = 256 << 20


@dataclass(frozen=True, slots=True)
class Screened:
    """A document that may go to an engine.

    `data` are the bytes for it: those given, or decrypted, or text turned into UTF-8. `detection` is what they are
    (of what was inside, if a package was decrypted). `macros` tells that there is macro code, which never runs.
    """

    data: bytes | memoryview
    detection: Detection
    macros: bool = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each."""
        return self.detection.notices


def examine(data: bytes | memoryview, name: str, limits: ScreeningLimits | None = None) -> Screened:
    """Detect, screen and normalize: the one way from bytes and a name to what an engine gets.

    Raises `EngineError`: empty, unsupported, corrupt, encrypted, limit.
    """
    screened = screen(data, detect(data, name), limits)
    return replace(screened, data=normalize(screened.data, screened.detection))


def screen(data: bytes | memoryview, detection: Detection, limits: ScreeningLimits | None = None) -> Screened:
    """Screen a document that was detected; raises `EngineError`: corrupt, encrypted, limit."""
    limits = limits or ScreeningLimits()
    view = memoryview(data).cast("B")
    if detection.encrypted:
        inside = decryption.open_with_default_password(view)
        found = detect(inside, f"document.{detection.type.id}")
        return screen(inside, replace(found, notices=(*detection.notices, *found.notices)), limits)
    macros = False
    match detection.type.container:
        case Container.OOXML:
            macros = _screen_ooxml(view, limits)
        case Container.ODF:
            macros = _screen_odf(view, limits)
        case Container.FLAT_ODF:
            _screen_flat(view)
        case Container.COMPOUND:
            macros = _screen_compound(view, detection.type.id)
        case Container.OWN if detection.type.id == "pdf":
            pdfencryption.check(view)
    return Screened(data, detection, macros)


def _encrypted() -> EngineError:
    return EngineError(ErrorKind.ENCRYPTED, "The document is encrypted: a password is needed.")


def _screen_ooxml(view: memoryview, limits: ScreeningLimits) -> bool:
    package = Archive.open(view, limits.archive)
    ooxml.check_parts(package)
    ooxml.check_shared_strings(package, limits.shared_strings_bytes_max)
    return any(name.lower().endswith("vbaproject.bin") for name in package.entries)


def _screen_odf(view: memoryview, limits: ScreeningLimits) -> bool:
    package = Archive.open(view, limits.archive)
    if opendocument.is_encrypted(package):
        raise _encrypted()
    opendocument.check_parts(package)
    return any(name.startswith(("Basic/", "Scripts/")) for name in package.entries)


def _screen_flat(view: memoryview) -> None:
    prolog = read_prolog(bytes(view[:_PROLOG_BYTES]))
    if prolog is not None and prolog.declares_entities:
        raise EngineError(ErrorKind.CORRUPT, "The document declares XML entities, which its format does not use.")


def _screen_compound(view: memoryview, type_id: str) -> bool:
    if bytes(view[:8]) != compound.SIGNATURE:
        if type_id == "xls" and _has_filepass(bytes(view[:_WORKBOOK_BYTES])):
            raise _encrypted()
        return False
    container = compound.CompoundFile(view)
    if {"doc": _is_doc_encrypted, "xls": _is_xls_encrypted, "ppt": _is_ppt_encrypted}[type_id](container):
        raise _encrypted()
    return any(name in container for name in ("Macros", "_VBA_PROJECT_CUR")) or _VBA_IN_SLIDES.search(view) is not None


_VBA_IN_SLIDES = re.compile(rb"\x1f\x00\xff\x03\x14\x00{3}\x02\x00\x00\x04\x0c\x00{3}.{4}[^\x00]", re.DOTALL)
"""[MS-PPT] VBAInfoContainer with its atom, whose `fHasMacros` is set."""


def _is_doc_encrypted(container: compound.CompoundFile) -> bool:
    """[MS-DOC] FibBase: bit 8 of the flags at offset 10 (`fEncrypted`); the same bit in Word 6 and 95."""
    head = container.head("WordDocument", 32)
    if len(head) < 32 or head[:2] not in {b"\xec\xa5", b"\xdc\xa5"}:
        raise EngineError(ErrorKind.CORRUPT, "The file is damaged: its main stream is no Word document.")
    return bool(struct.unpack_from("<H", head, 10)[0] & 0x0100)


_WORKBOOK_BYTES = 16_384
_FILEPASS, _END_OF_SHEET = 0x002F, 0x000A


def _is_xls_encrypted(container: compound.CompoundFile) -> bool:
    names = ("Workbook", "Book", "WORKBOOK", "BOOK")
    return any(_has_filepass(container.head(name, _WORKBOOK_BYTES)) for name in names)


def _has_filepass(stream: bytes) -> bool:
    """[MS-XLS]: the record FILEPASS stands among the first ones of the workbook's globals."""
    position = 0
    while position + 4 <= len(stream):
        record, size = struct.unpack_from("<2H", stream, position)
        if record in {_FILEPASS, _END_OF_SHEET}:
            return bool(record == _FILEPASS)
        position += 4 + size
    return False


_PPT_ENCRYPTED_TOKEN = 0xF3D1C4DF


def _is_ppt_encrypted(container: compound.CompoundFile) -> bool:
    """[MS-PPT] CurrentUserAtom: its header token tells an encrypted presentation."""
    head = container.head("Current User", 16)
    return len(head) == 16 and struct.unpack_from("<I", head, 12)[0] == _PPT_ENCRYPTED_TOKEN
