"""Whether a PDF opens without a password: the standard security handler of ISO 32000-2, 7.6.

Many PDFs are encrypted with an empty user password, to restrict printing; those open for everybody. The empty
password is tried here for the older revisions; revision 6 needs a cipher that the standard library does not have, so
its verdict is left to whoever opens the file.
"""

from __future__ import annotations

import hashlib
import hmac
import re

from engines.errors import EngineError, ErrorKind

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_REFERENCE = re.compile(rb"/Encrypt\s+(\d{1,10})\s+(\d{1,5})\s+R\b")
_DIRECT = re.compile(rb"/Encrypt\s*<<")
_DICTIONARY_BYTES_MAX = 8192
_ID = re.compile(rb"/ID\s*\[\s*(<[0-9A-Fa-f\s]*>|\((?:[^()\\]|\\.)*\))", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b""}


def check(view: memoryview) -> None:
    """Raise `EngineError` (encrypted) if the PDF is known to need a password."""
    dictionary = _encryption_dictionary(view)
    if dictionary is not None and _opens_without_password(dictionary, _document_id(view)) is False:
        raise EngineError(ErrorKind.ENCRYPTED, "The document is encrypted: a password is needed.")


def _encryption_dictionary(view: memoryview) -> bytes | None:
    direct = _DIRECT.search(view)
    if direct is not None:
        return bytes(view[direct.end() : direct.end() + _DICTIONARY_BYTES_MAX])
    references = _REFERENCE.findall(view)
    if not references:
        return None
    number, generation = references[-1]
    found = re.search(rb"(?<!\d)0*%b\s+0*%b\s+obj\b" % (number, generation), view)
    return bytes(view[found.end() : found.end() + _DICTIONARY_BYTES_MAX]).partition(b"endobj")[0] if found else None


def _document_id(view: memoryview) -> bytes:
    found = _ID.search(view)
    return _string(found[1]) if found else b""


def _string(raw: bytes) -> bytes:
    """The bytes of a literal or hexadecimal string."""
    if raw.startswith(b"<"):
        digits = re.sub(rb"[^0-9A-Fa-f]", b"", raw)
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    return re.sub(rb"\\([0-7]{1,3}|\r\n|.)", _unescape, raw[1:-1], flags=re.DOTALL)


def _unescape(found: re.Match[bytes]) -> bytes:
    escaped = found[1]
    if escaped.isdigit():
        return bytes([int(escaped, 8) & 0xFF])
    return _ESCAPES.get(escaped, escaped)


def _number(dictionary: bytes, key: bytes, default: int) -> int:
    found = re.search(rb"/%b\s+(-?\d{1,10})(?![\d.])" % key, dictionary)
    return int(found[1]) if found else default


def _entry(dictionary: bytes, key: bytes) -> bytes:
    found = re.search(rb"/%b\s*(<[0-9A-Fa-f\s]*>|\((?:[^()\\]|\\.|\([^()]*\))*\))" % key, dictionary, re.DOTALL)
    return _string(found[1]) if found else b""


def _opens_without_password(dictionary: bytes, document_id: bytes) -> bool | None:
    """Whether the empty user password is right (algorithms 6 and 11); `None` if it cannot be told."""
    revision = _number(dictionary, b"R", 0)
    user = _entry(dictionary, b"U")
    if revision == 5 and len(user) >= 48:
        return hmac.compare_digest(hashlib.sha256(user[32:40]).digest(), user[:32])
    if revision not in {2, 3, 4} or len(user) < 32:
        return None
    key = _file_key(dictionary, revision, document_id)
    if revision == 2:
        return _rc4(key, _PADDING) == user[:32]
    digest = _rc4(key, hashlib.md5(_PADDING + document_id, usedforsecurity=False).digest())
    for turn in range(1, 20):
        digest = _rc4(bytes(byte ^ turn for byte in key), digest)
    return digest == user[:16]


def _file_key(dictionary: bytes, revision: int, document_id: bytes) -> bytes:
    """Algorithm 2 for the empty password."""
    size = 5 if revision == 2 else min(16, max(5, _number(dictionary, b"Length", 40) // 8))
    if revision == 4:
        size = 16
    permissions = (_number(dictionary, b"P", 0) & 0xFFFFFFFF).to_bytes(4, "little")
    hashed = _PADDING + _entry(dictionary, b"O")[:32] + permissions + document_id
    if revision == 4 and re.search(rb"/EncryptMetadata\s+false", dictionary):
        hashed += b"\xff\xff\xff\xff"
    key = hashlib.md5(hashed, usedforsecurity=False).digest()
    for _ in range(50 if revision >= 3 else 0):
        key = hashlib.md5(key[:size], usedforsecurity=False).digest()
    return key[:size]


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 0xFF
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) & 0xFF
        j = (j + state[i]) & 0xFF
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) & 0xFF])
    return bytes(out)
