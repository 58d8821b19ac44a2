"""Encrypted documents opened with a password, each in a child process that ends with it.

The child (`engines.decryption_child`) gets the passwords and the document on its standard input and gives the plain
bytes on its standard output; neither is ever an argument, an environment variable or a file. Time, processor time
and memory are bounded.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engines.base import CancelToken
from engines.encryption import Scheme
from engines.errors import EngineError, ErrorKind

HEAD = struct.Struct("<I")
"""Length of the JSON head that stands before the bytes of a document, both ways."""
BAD_PASSWORD = "The password does not open the document."  # noqa: S105 - a sentence, not a password
_ENVIRONMENT = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class Password:
    """What a person gave to open a document. Shown nowhere, and part of no key."""

    text: str = field(repr=False)


DEFAULT_PASSWORDS = (Password("VelvetSweatshop"), Password("/01Hannes Ruescher/01"))
"""Published in [MS-OFFCRYPTO] and [MS-PPT]: Excel and PowerPoint encrypt what is only protected against changes with
a password that everybody knows, so that nobody is asked for one."""


@dataclass(frozen=True, slots=True)
class DecryptionLimits:
    """Bounds of one decryption. `hash_rounds_max` caps what a document may ask for to make a key of a password."""

    deadline_s: float = 40.0
    cpu_s: int = 30
    memory_bytes_max: int = 2 << 30
    plain_bytes_max: int = 512 << 20
    hash_rounds_max: int = 2_000_000


DEFAULT_PASSWORD_LIMITS = DecryptionLimits(deadline_s=15.0, cpu_s=10, hash_rounds_max=200_000)
"""Nobody has asked for this attempt, so it may cost less."""


def decrypt(
    data: bytes | memoryview,
    scheme: Scheme,
    passwords: Sequence[Password],
    *,
    cancel: CancelToken | None = None,
    limits: DecryptionLimits | None = None,
) -> bytes:
    """The document without its encryption, by the first of `passwords` that opens it; blocks.

    Raises `EngineError`: bad_password; encrypted where docpeek lacks what it takes, with the remedy; unsupported,
    corrupt, limit, timeout, cancelled.
    """
    limits = limits or DecryptionLimits()
    order = {"scheme": scheme.value, "passwords": [each.text for each in passwords], "limits": asdict(limits)}
    process = _start()
    revoke = cancel.on_cancel(process.kill) if cancel is not None else None
    try:
        answer, _ = process.communicate(_message(order, data), timeout=limits.deadline_s)
    except subprocess.TimeoutExpired:
        raise EngineError(ErrorKind.TIMEOUT, "Decrypting the document took too long.") from None
    finally:
        if revoke is not None:
            revoke()
        _end(process)
    if cancel is not None and cancel.cancelled:
        raise EngineError(ErrorKind.CANCELLED, "The conversion was cancelled.")
    return _plain(answer, process.returncode)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-m", "engines.decryption_child", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name in _ENVIRONMENT},
        start_new_session=True,  # Ctrl+C on the terminal is for us alone
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _message(head: dict[str, Any], data: bytes | memoryview) -> bytes:
    encoded = json.dumps(head).encode()
    return b"".join((HEAD.pack(len(encoded)), encoded, data))


def _plain(answer: bytes, status: int) -> bytes:
    if len(answer) < HEAD.size:
        raise _death(status)
    (size,) = HEAD.unpack_from(answer)
    head = json.loads(answer[HEAD.size : HEAD.size + size])
    if "kind" in head:
        raise EngineError(ErrorKind(head["kind"]), head["message"], head["diagnostics"])
    plain = answer[HEAD.size + size :]
    if len(plain) != head["bytes"]:
        raise _death(status)
    return plain


def _death(status: int) -> EngineError:
    if status == -getattr(signal, "SIGXCPU", 0):
        return EngineError(ErrorKind.LIMIT, "Decrypting the document takes more processor time than is allowed.")
    return EngineError(ErrorKind.LIMIT, "Decrypting the document failed: its process died.", f"exit status {status}")
