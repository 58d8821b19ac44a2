"""Keys and ciphers of OpenDocument's encryption, as a package's manifest names them. Imported in the child only."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from engines.errors import EngineError, ErrorKind

_GCM_NONCE_BYTES = 12
_KEY_BYTES = frozenset({16, 24, 32})
_ARGON2_ITERATIONS_MAX, _ARGON2_LANES_MAX = 16, 16
_ARGON2_MEMORY_KIB_MAX = 512 << 10


class WrongPasswordError(Exception):
    """The password is not the one."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a key is made of the hash of a password. `memory_kib` and `lanes` are Argon2id's; without, it is PBKDF2."""

    salt: bytes
    key_bytes: int
    iterations: int
    memory_kib: int = 0
    lanes: int = 0


@dataclass(frozen=True, slots=True)
class Encryption:
    """How one part is encrypted.

    `cipher` is `blowfish`, `aes-cbc` or `aes-gcm`; `start_hash` hashes the password first; `digest` with
    `digest_hash` checks the result and may be empty.
    """

    cipher: str
    nonce: bytes
    start_hash: str
    derivation: Derivation
    digest_hash: str = ""
    digest: bytes = b""


def read_manifest(root: Element, rounds_max: int) -> Iterator[tuple[str, Encryption]]:
    """Names and encryption of the parts that a manifest says are encrypted. Raises `EngineError`."""
    for entry in root.iter():
        if _local(entry.tag) != "file-entry":
            continue
        for child in entry:
            if _local(child.tag) == "encryption-data":
                try:
                    yield _attributes(entry)["full-path"], _encryption(child, rounds_max)
                except (KeyError, ValueError) as error:
                    raise _damaged() from error


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attributes(element: Element) -> dict[str, str]:
    return {_local(name): value for name, value in element.attrib.items()}


def _encryption(data: Element, rounds_max: int) -> Encryption:
    parts = {_local(child.tag): _attributes(child) for child in data}
    checksum, derivation = _attributes(data), parts.get("key-derivation")
    if derivation is None:
        raise EngineError(
            ErrorKind.UNSUPPORTED, "The document is encrypted for OpenPGP keys, not with a password; docpeek has none."
        )
    algorithm = parts["algorithm"]
    digest_type = checksum.get("checksum-type", "")
    return Encryption(
        cipher=_cipher(algorithm["algorithm-name"]),
        nonce=base64.b64decode(algorithm["initialisation-vector"]),
        start_hash=_hash_name(parts.get("start-key-generation", {}).get("start-key-generation-name", "SHA1")),
        derivation=_derivation(derivation, rounds_max),
        digest_hash=_hash_name(digest_type) if digest_type else "",
        digest=base64.b64decode(checksum.get("checksum", "")) if digest_type else b"",
    )


def _cipher(name: str) -> str:
    lowered = name.lower()
    for mark, cipher in (("blowfish", "blowfish"), ("-cbc", "aes-cbc"), ("-gcm", "aes-gcm")):
        if mark in lowered:
            return cipher
    raise _unknown(name)


def _hash_name(name: str) -> str:
    lowered = name.lower()
    if "sha256" in lowered:
        return "sha256"
    if "sha1" in lowered:
        return "sha1"
    raise _unknown(name)


def _derivation(values: Mapping[str, str], rounds_max: int) -> Derivation:
    salt, key_bytes = base64.b64decode(values["salt"]), int(values.get("key-size", "16"))
    if key_bytes not in _KEY_BYTES:
        raise ValueError(key_bytes)
    name = values["key-derivation-name"].lower()
    if name.endswith("argon2id"):
        iterations, memory, lanes = (int(values[f"argon2-{each}"]) for each in ("iterations", "memory", "lanes"))
        over = iterations > _ARGON2_ITERATIONS_MAX or memory > _ARGON2_MEMORY_KIB_MAX or lanes > _ARGON2_LANES_MAX
        derivation = Derivation(salt, key_bytes, iterations, memory, lanes)
    elif name.endswith("pbkdf2"):
        derivation = Derivation(salt, key_bytes, int(values["iteration-count"]))
        over = derivation.iterations > rounds_max
    else:
        raise _unknown(name)
    if over:
        raise EngineError(ErrorKind.LIMIT, "The document asks for too much work to check its password.")
    if derivation.iterations < 1:
        raise ValueError(derivation.iterations)
    return derivation


def key_of(how: Encryption, secret: bytes) -> bytes:
    """The key that a password (encoded) gives."""
    start = hashlib.new(how.start_hash, secret, usedforsecurity=False).digest()
    derivation = how.derivation
    if not derivation.lanes:
        return hashlib.pbkdf2_hmac("sha1", start, derivation.salt, derivation.iterations, derivation.key_bytes)
    # Its module cannot be loaded where the library was built without it.
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415

    return Argon2id(
        salt=derivation.salt,
        length=derivation.key_bytes,
        iterations=derivation.iterations,
        lanes=derivation.lanes,
        memory_cost=derivation.memory_kib,
    ).derive(start)


def decrypt(how: Encryption, data: bytes, secret: bytes) -> bytes:
    """What was encrypted, still compressed. Raises `WrongPasswordError` where the cipher tells, `EngineError`."""
    key = key_of(how, secret)
    try:
        match how.cipher:
            case "aes-gcm":
                return _decrypt_gcm(key, how.nonce, data)
            case "aes-cbc":
                return _without_padding(_run(Cipher(AES(key), CBC(how.nonce)), data))
        return _run(Cipher(Blowfish(key), CFB(how.nonce)), data)
    except ValueError as error:
        raise _damaged() from error


def checksum(how: Encryption, data: bytes) -> bytes:
    """The digest of `data` that the manifest compares."""
    return hashlib.new(how.digest_hash, data, usedforsecurity=False).digest()


def _run(cipher: Cipher[CBC] | Cipher[CFB], data: bytes) -> bytes:
    decryptor = cipher.decryptor()
    return decryptor.update(data) + decryptor.finalize()


def _without_padding(data: bytes) -> bytes:
    """XML Encryption's padding: the last byte tells its length. A wrong password shows in the checksum."""
    return data[: -data[-1]] if data and data[-1] <= AES.block_size // 8 else data


def _decrypt_gcm(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """XML Encryption puts the nonce in front of what is encrypted, the tag stands behind it."""
    body = data[_GCM_NONCE_BYTES:] if data.startswith(nonce) else data
    try:
        return AESGCM(key).decrypt(nonce, body, None)
    except InvalidTag:
        raise WrongPasswordError from None


def _damaged() -> EngineError:
    return EngineError(ErrorKind.CORRUPT, "The file is damaged: what it says about its encryption makes no sense.")


def _unknown(name: str) -> EngineError:
    return EngineError(
        ErrorKind.UNSUPPORTED, "The document is encrypted in a way that docpeek cannot open.", f"unknown: {name[:200]}"
    )
