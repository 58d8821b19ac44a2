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
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from engines.base import CancelToken
from engines.encryption import Scheme
from engines.errors import EngineError, ErrorKind
from engines.protocol import DIAGNOSTICS_CHARACTERS_MAX

HEAD = struct.Struct("<I")
"""Length of the JSON head that stands before the bytes of a document, both ways."""
BAD_PASSWORD = "The password does not open the document."  # noqa: S105 - a sentence, not a password
CHILD = (sys.executable, "-I", "-m", "engines.decryption_child")
_HEAD_BYTES_MAX = 1 << 20
_MESSAGE_CHARACTERS_MAX = 1000
_CHUNK_BYTES = 1 << 20
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
    overdue = threading.Event()

    def on_deadline() -> None:
        overdue.set()
        process.kill()

    timer = threading.Timer(limits.deadline_s, on_deadline)
    try:
        timer.start()
        answer = _answer(process, _message(order, data), HEAD.size + _HEAD_BYTES_MAX + limits.plain_bytes_max)
    except RuntimeError as error:  # of `start`
        raise EngineError(
            ErrorKind.ENGINE, "The system gives no thread to decrypt the document.", str(error)
        ) from error
    finally:
        timer.cancel()
        if revoke is not None:
            revoke()
        _end(process)
    if cancel is not None and cancel.cancelled:
        raise EngineError(ErrorKind.CANCELLED, "The conversion was cancelled.")
    if overdue.is_set():
        raise EngineError(ErrorKind.TIMEOUT, "Decrypting the document took too long.")
    return _plain(answer, process.returncode)


def _answer(process: subprocess.Popen[bytes], message: bytes, bytes_max: int) -> bytes:
    """What the child says: it hears everything first. More than the bound is not collected."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):  # its death shows in its answer
        process.stdin.write(message)
    with suppress(BrokenPipeError):
        process.stdin.close()
    answer = bytearray()
    while chunk := os.read(process.stdout.fileno(), _CHUNK_BYTES):
        answer += chunk
        if len(answer) > bytes_max:
            raise EngineError(ErrorKind.LIMIT, "The document is larger than is allowed once it is decrypted.")
    return bytes(answer)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*CHILD, str(os.getpid())],
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
            with suppress(BrokenPipeError):
                pipe.close()


def _message(head: dict[str, Any], data: bytes | memoryview) -> bytes:
    encoded = json.dumps(head).encode()
    return b"".join((HEAD.pack(len(encoded)), encoded, data))


def _plain(answer: bytes, status: int) -> bytes:
    """The document in an answer. A hostile document may have taken the child over, so nothing of it is trusted."""
    head, plain = _parted(answer)
    match head:
        case {"bytes": int(size)} if size == len(plain):
            return plain
        case {"kind": str(kind), "message": str(message), "diagnostics": str(diagnostics)} if (
            kind in ErrorKind.__members__.values()
        ):
            bounded = diagnostics[-DIAGNOSTICS_CHARACTERS_MAX:]
            raise EngineError(ErrorKind(kind), message[:_MESSAGE_CHARACTERS_MAX], bounded)
    raise _death(status)


def _parted(answer: bytes) -> tuple[object, bytes]:
    if len(answer) < HEAD.size:
        return None, b""
    (size,) = HEAD.unpack_from(answer)
    try:
        head = json.loads(answer[HEAD.size : HEAD.size + min(size, _HEAD_BYTES_MAX)])
    except (ValueError, RecursionError):
        return None, b""
    return head, answer[HEAD.size + size :]


def _death(status: int) -> EngineError:
    if status == -getattr(signal, "SIGXCPU", 0):
        return EngineError(ErrorKind.LIMIT, "Decrypting the document takes more processor time than is allowed.")
    return EngineError(ErrorKind.LIMIT, "Decrypting the document failed: its process died.", f"exit status {status}")
