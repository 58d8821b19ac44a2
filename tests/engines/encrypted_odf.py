"""OpenDocument packages encrypted for tests, in each of the ways that are in use; written from the specification."""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from dataclasses import dataclass

from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from tests.engines.packages import archive, odf

MIME = "application/vnd.oasis.opendocument.text"
_ODF_NAMES = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_LOEXT = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"


@dataclass(frozen=True)
class Way:
    """One way of encryption, by the names that stand in the manifest."""

    algorithm: str
    start: str
    checksum: str
    rounds: int = 1024
    argon2: bool = False
    declared_rounds: int = 0
    """What the manifest says instead."""

    @property
    def hash(self) -> str:
        return "sha256" if "256" in self.start else "sha1"

    @property
    def key_bytes(self) -> int:
        return 16 if "lowfish" in self.algorithm else 32


OLDEST = Way("Blowfish CFB", "SHA1", "SHA1/1K")
ODF12 = Way(
    "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "http://www.w3.org/2000/09/xmldsig#sha256", f"{_ODF_NAMES}#sha256-1k"
)
WHOLE = Way("http://www.w3.org/2009/xmlenc11#aes256-gcm", "http://www.w3.org/2001/04/xmlenc#sha256", "")
WHOLE_ARGON2 = Way(WHOLE.algorithm, WHOLE.start, "", rounds=3, argon2=True)


def _key(way: Way, secret: bytes, salt: bytes) -> bytes:
    start = hashlib.new(way.hash, secret).digest()
    if way.argon2:
        return Argon2id(salt=salt, length=32, iterations=way.rounds, lanes=4, memory_cost=65536).derive(start)
    return hashlib.pbkdf2_hmac("sha1", start, salt, way.rounds, way.key_bytes)


def _encrypt(way: Way, key: bytes, nonce: bytes, data: bytes) -> bytes:
    if "gcm" in way.algorithm:
        return nonce + AESGCM(key).encrypt(nonce, data, None)
    if "cbc" in way.algorithm:
        encryptor = Cipher(AES(key), CBC(nonce)).encryptor()
        padding = 16 - len(data) % 16
        return encryptor.update(data + os.urandom(padding - 1) + bytes([padding])) + encryptor.finalize()
    blowfish = Cipher(Blowfish(key), CFB(nonce)).encryptor()
    return blowfish.update(data) + blowfish.finalize()


def _entry(name: str, size: int, way: Way, nonce: bytes, salt: bytes, digest: bytes) -> str:
    def text(value: bytes) -> str:
        return base64.b64encode(value).decode()

    checksum = f' manifest:checksum-type="{way.checksum}" manifest:checksum="{text(digest)}"' if way.checksum else ""
    name_of_derivation = "urn:org:documentfoundation:names:experimental:office:manifest:argon2id"
    rounds = way.declared_rounds or way.rounds
    derivation = (
        f'manifest:key-derivation-name="{name_of_derivation}" loext:argon2-iterations="{rounds}" '
        'loext:argon2-memory="65536" loext:argon2-lanes="4"'
        if way.argon2
        else f'manifest:key-derivation-name="PBKDF2" manifest:iteration-count="{rounds}"'
    )
    return (
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml" manifest:size="{size}">'
        f"<manifest:encryption-data{checksum}>"
        f'<manifest:algorithm manifest:algorithm-name="{way.algorithm}" '
        f'manifest:initialisation-vector="{text(nonce)}"/>'
        f'<manifest:start-key-generation manifest:start-key-generation-name="{way.start}" manifest:key-size="32"/>'
        f'<manifest:key-derivation {derivation} manifest:key-size="{way.key_bytes}" manifest:salt="{text(salt)}"/>'
        "</manifest:encryption-data></manifest:file-entry>"
    )


def manifest(entries: str) -> str:
    """A manifest of these entries."""
    return (
        f'<?xml version="1.0"?><manifest:manifest xmlns:manifest="{_ODF_NAMES}" xmlns:loext="{_LOEXT}">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MIME}"/>{entries}</manifest:manifest>'
    )


def encrypted(way: Way, parts: dict[str, bytes], secret: bytes) -> bytes:
    """A package with these parts, each encrypted, or all in one."""
    if not way.checksum:
        parts = {"encrypted-package": odf(parts={name: data.decode() for name, data in parts.items()})}
    stored: dict[str, bytes | str] = {"mimetype": MIME}
    entries = ""
    for name, data in parts.items():
        compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        compressed = compressor.compress(data) + compressor.flush()
        nonce = os.urandom(12 if "gcm" in way.algorithm else 8 if way.key_bytes == 16 else 16)
        salt = os.urandom(16)
        digest = hashlib.new(way.hash, compressed[:1024]).digest()
        stored[name] = _encrypt(way, _key(way, secret, salt), nonce, compressed)
        entries += _entry(name, len(data), way, nonce, salt, digest)
    return archive({**stored, "META-INF/manifest.xml": manifest(entries)}, compression=0)
