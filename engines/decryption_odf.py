"""OpenDocument packages with a password: ODF 1.2 to 1.4, part 2 or 3, chapter "Encryption". Imported in the child only.

Three generations are in use: Blowfish with SHA-1 (OpenOffice.org, ODF 1.0 and 1.1), AES-256-CBC with SHA-256 (ODF 1.2),
both part by part; and AES-256-GCM, which encrypts the package as a whole, with a key by Argon2id or PBKDF2.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from engines import odfkeys
from engines.archive import Archive
from engines.decryption import BAD_PASSWORD, DecryptionLimits
from engines.errors import EngineError, ErrorKind
from engines.odfkeys import Encryption, WrongPasswordError
from engines.opendocument import MANIFEST

_PACKAGE = "encrypted-package"
_MANIFEST_BYTES_MAX = 8 << 20
_ENCRYPTION_DATA = re.compile(rb"<([\w.-]+:)?encryption-data\b.*?</\1?encryption-data\s*>", re.DOTALL)
_CHECKED_BYTES = 1024
"""A checksum covers so many bytes, from the start of the compressed part."""


def decrypt(data: bytes, passwords: list[str], limits: DecryptionLimits) -> bytes:
    """The plain package, by the first password that opens it. Raises `EngineError`."""
    package = Archive.open(memoryview(data))
    manifest = package.read(MANIFEST, _MANIFEST_BYTES_MAX)
    encrypted = _encryptions(manifest, limits)
    for password in passwords:
        for secret in _encodings(password):
            try:
                return _decrypted(package, encrypted, secret, limits)
            except WrongPasswordError:
                continue
    raise EngineError(ErrorKind.BAD_PASSWORD, BAD_PASSWORD)


def _encodings(password: str) -> list[bytes]:
    """UTF-8, and what old versions made of other letters."""
    secret = password.encode()
    return [secret] if password.isascii() else [secret, password.encode("cp1252", "replace")]


def _encryptions(manifest: bytes, limits: DecryptionLimits) -> dict[str, Encryption]:
    """How each part is encrypted, by its name."""
    if b"<!ENTITY" in manifest:
        raise EngineError(ErrorKind.CORRUPT, "The manifest declares XML entities, which the format forbids.")
    try:
        root = ET.fromstring(manifest)  # noqa: S314 - there are no entities; size, time and memory are bounded
    except ET.ParseError as error:
        raise EngineError(ErrorKind.CORRUPT, "The file is damaged: its manifest is not well-formed XML.") from error
    return dict(odfkeys.read_manifest(root, limits.hash_rounds_max))


def _decrypted(package: Archive, encrypted: dict[str, Encryption], secret: bytes, limits: DecryptionLimits) -> bytes:
    if _PACKAGE in encrypted:
        raw = package.read(_PACKAGE, limits.plain_bytes_max)
        plain = odfkeys.decrypt(encrypted[_PACKAGE], raw, secret)
        return plain if plain.startswith(b"PK") else _inflate(encrypted[_PACKAGE], plain, limits.plain_bytes_max)
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name, part in _parts(package, encrypted, secret, limits):
            # The type of a package is read without inflating anything.
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            target.writestr(name, _ENCRYPTION_DATA.sub(b"", part) if name == MANIFEST else part, method)
    return result.getvalue()


def _parts(
    package: Archive, encrypted: dict[str, Encryption], secret: bytes, limits: DecryptionLimits
) -> Iterator[tuple[str, bytes]]:
    left = limits.plain_bytes_max
    for name in package.entries:
        part = package.read(name, left)
        if name in encrypted:
            part = _inflate(encrypted[name], odfkeys.decrypt(encrypted[name], part, secret), left)
        left -= len(part)
        yield name, part


def _inflate(how: Encryption, compressed: bytes, bytes_max: int) -> bytes:
    """Parts are compressed before they are encrypted; that it can be undone tells the password where nothing else does.

    Raises `WrongPasswordError`, `EngineError` (limit).
    """
    if how.digest and odfkeys.checksum(how, compressed[:_CHECKED_BYTES]) != how.digest:
        raise WrongPasswordError
    try:
        plain = zlib.decompressobj(-zlib.MAX_WBITS).decompress(compressed, bytes_max + 1)
    except zlib.error:
        if how.digest:
            raise EngineError(ErrorKind.CORRUPT, "The file is damaged: an encrypted part cannot be read.") from None
        raise WrongPasswordError from None
    if len(plain) > bytes_max:
        raise EngineError(ErrorKind.LIMIT, "The document is larger than is allowed once it is decrypted.")
    return plain
