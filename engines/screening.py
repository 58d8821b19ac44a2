"""Cheap checks before an engine is spent: passwords, archive bombs, damage, entities; macros, content elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from engines import compound, decryption, encryption, externals, ooxml, opendocument, pdfencryption
from engines.archive import Archive, ArchiveLimits
from engines.base import CancelToken
from engines.encryption import Scheme, needs_password
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
    (of what was inside, if a package was decrypted). `macros` tells that there is macro code, which never runs;
    `external` that something would be fetched from elsewhere to show it, which never is (`engines.externals`).
    """

    data: bytes | memoryview
    detection: Detection
    macros: bool = False
    external: bool = False


def examine(data: bytes | memoryview, name: str, limits: ScreeningLimits | None = None) -> Screened:
    """Detect, screen and normalize: the one way from bytes and a name to what an engine gets.

    Raises `EngineError`: empty, unsupported, corrupt, encrypted, limit.
    """
    screened = screen(data, detect(data, name), limits)
    return replace(screened, data=normalize(screened.data, screened.detection))


def screen(
    data: bytes | memoryview,
    detection: Detection,
    limits: ScreeningLimits | None = None,
    cancel: CancelToken | None = None,
) -> Screened:
    """Screen a document that was detected; raises `EngineError`: corrupt, encrypted, limit, cancelled."""
    limits = limits or ScreeningLimits()
    view = memoryview(data).cast("B")
    if detection.encrypted or _is_binary_encrypted(view, detection):
        return _screen_inside(view, detection, limits, cancel)
    return Screened(data, detection, *_screen_plain(view, detection, limits))


def _is_binary_encrypted(view: memoryview, detection: Detection) -> bool:
    if detection.type.container is not Container.COMPOUND:
        return False
    return encryption.is_binary_encrypted(view, detection.type.id)


def _screen_inside(
    view: memoryview, detection: Detection, limits: ScreeningLimits, cancel: CancelToken | None
) -> Screened:
    """What is in a document that opens with a password that everybody knows; raises `EngineError` for all others."""
    try:
        inside = decryption.decrypt(
            view, Scheme.OFFICE, decryption.DEFAULT_PASSWORDS, cancel=cancel, limits=decryption.DEFAULT_PASSWORD_LIMITS
        )
    except EngineError as error:
        if error.kind in {ErrorKind.ENCRYPTED, ErrorKind.CANCELLED}:
            raise
        raise needs_password() from error
    found = detect(inside, f"document.{detection.type.id}")
    plain = memoryview(inside)
    if found.encrypted or _is_binary_encrypted(plain, found):
        raise EngineError(ErrorKind.CORRUPT, "The document is damaged: it is encrypted twice.")
    return Screened(inside, found, *_screen_plain(plain, found, limits))


class _Inside(NamedTuple):
    """What a person should know of the inside of a document."""

    macros: bool = False
    external: bool = False


def _screen_plain(view: memoryview, detection: Detection, limits: ScreeningLimits) -> _Inside:
    """Screen a document that is not encrypted."""
    match detection.type.container:
        case Container.OOXML:
            return _screen_ooxml(view, limits)
        case Container.ODF:
            return _screen_odf(view, limits)
        case Container.FLAT_ODF:
            return _screen_flat(view)
        case Container.COMPOUND:
            return _Inside(_screen_compound(view))
    return _screen_other(view, detection)


def _screen_other(view: memoryview, detection: Detection) -> _Inside:
    match detection.type.id:
        case "pdf":
            pdfencryption.check(view)
        case "html":
            return _Inside(external=externals.in_html(_beginning(view)))
        case "rtf":
            return _Inside(external=externals.in_rtf(_beginning(view)))
    return _Inside()


def _beginning(view: memoryview) -> bytes:
    return bytes(view[: externals.PART_BYTES_MAX])


def _screen_ooxml(view: memoryview, limits: ScreeningLimits) -> _Inside:
    package = Archive.open(view, limits.archive)
    ooxml.check_parts(package)
    ooxml.check_shared_strings(package, limits.shared_strings_bytes_max)
    macros = any(name.lower().endswith("vbaproject.bin") for name in package.entries)
    return _Inside(macros, externals.in_ooxml(package))


def _screen_odf(view: memoryview, limits: ScreeningLimits) -> _Inside:
    package = Archive.open(view, limits.archive)
    if opendocument.is_encrypted(package):
        raise needs_password()
    opendocument.check_parts(package)
    macros = any(name.startswith(("Basic/", "Scripts/")) for name in package.entries)
    return _Inside(macros, externals.in_odf(package))


def _screen_flat(view: memoryview) -> _Inside:
    prolog = read_prolog(bytes(view[:_PROLOG_BYTES]))
    if prolog is not None and prolog.declares_entities:
        raise EngineError(ErrorKind.CORRUPT, "The document declares XML entities, which its format does not use.")
    xml = _beginning(view)
    return _Inside(b"<ooo:module " in xml, externals.in_flat_odf(xml))


def _screen_compound(view: memoryview) -> bool:
    if bytes(view[:8]) != compound.SIGNATURE:
        return False
    container = compound.CompoundFile(view)
    return any(name in container for name in ("Macros", "_VBA_PROJECT_CUR")) or _VBA_IN_SLIDES.search(view) is not None


_VBA_IN_SLIDES = re.compile(rb"\x1f\x00\xff\x03\x14\x00{3}\x02\x00\x00\x04\x0c\x00{3}.{4}[^\x00]", re.DOTALL)
"""[MS-PPT] VBAInfoContainer with its atom, whose `fHasMacros` is set."""
