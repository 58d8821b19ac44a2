"""The child that decrypts one document: `python -I -m engines.decryption_child PARENT_PID`.

See `engines.decryption` for what it is told and what it answers.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import traceback
from typing import Any, NoReturn

from engines import process
from engines.decryption import HEAD, DecryptionLimits
from engines.encryption import Scheme
from engines.errors import EngineError, ErrorKind

_DIAGNOSTICS_CHARACTERS_MAX = 4000
_MISSING = (
    "The document is encrypted. To open it with its password, install docpeek with the extra “crypto”: "
    "pip install 'docpeek[crypto]'."
)


def decrypt(scheme: Scheme, passwords: list[str], data: bytes, limits: DecryptionLimits) -> bytes:
    """The plain document. Raises `EngineError`."""
    try:
        if scheme is Scheme.ODF:
            from engines.decryption_odf import decrypt as decrypt_odf  # noqa: PLC0415 - an extra, loaded where needed

            return decrypt_odf(data, passwords, limits)
        from engines.decryption_office import decrypt as decrypt_office  # noqa: PLC0415 - as above

        return decrypt_office(data, passwords, limits)
    except ImportError as error:
        raise EngineError(ErrorKind.ENCRYPTED, _MISSING, str(error)) from error
    except MemoryError as error:
        raise EngineError(ErrorKind.LIMIT, "Decrypting the document takes more memory than is allowed.") from error


def _limit(limits: DecryptionLimits) -> None:
    """No file is written, no core dumped; memory and processor time have an end."""
    process.limit(limits.cpu_s, 0)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    bound = limits.memory_bytes_max if hard == resource.RLIM_INFINITY else min(limits.memory_bytes_max, hard)
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def _answered(order: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        limits = DecryptionLimits(**order["limits"])
        _limit(limits)
        plain = decrypt(Scheme(order["scheme"]), order["passwords"], data, limits)
    except EngineError as error:
        return {"kind": error.kind.value, "message": error.message, "diagnostics": error.diagnostics}, b""
    except Exception as error:  # noqa: BLE001 - the libraries raise many kinds on a document that is damaged
        # Frames and lines of code only: what an error says may quote what it was given.
        trace = "".join(traceback.format_tb(error.__traceback__))[-_DIAGNOSTICS_CHARACTERS_MAX:]
        message = "The document is damaged: it cannot be decrypted."
        return {
            "kind": ErrorKind.CORRUPT.value,
            "message": message,
            "diagnostics": type(error).__name__ + "\n" + trace,
        }, b""
    return {"bytes": len(plain)}, plain


def main() -> NoReturn:
    """Decrypt what comes on standard input."""
    process.die_with_parent(int(sys.argv[1]))
    process.forbid_new_privileges()
    process.set_name("docpeek-decrypt")
    (size,) = HEAD.unpack(sys.stdin.buffer.read(HEAD.size))
    order = json.loads(sys.stdin.buffer.read(size))
    head, plain = _answered(order, sys.stdin.buffer.read())
    encoded = json.dumps(head).encode()
    for part in (HEAD.pack(len(encoded)), encoded, plain):
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
