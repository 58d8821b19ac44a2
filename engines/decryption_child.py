"""The child that decrypts one document: `python -I -m engines.decryption_child PARENT_PID`.

See `engines.decryption` for what it is told and what it answers.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from engines import process, sandbox
from engines.decryption import HEAD, DecryptionLimits
from engines.encryption import Scheme
from engines.errors import EngineError, ErrorKind
from engines.sandbox import SandboxPolicy

Decrypt = Callable[[bytes, list[str], DecryptionLimits], bytes]
"""Document and passwords in, the plain document out. Raises `EngineError` and whatever a library does."""

_DIAGNOSTICS_CHARACTERS_MAX = 4000
_MISSING = (
    "The document is encrypted. To open it with its password, install docpeek with the extra “crypto”: "
    "pip install 'docpeek[crypto]'."
)


def _load(scheme: Scheme) -> Decrypt:
    """What knows the scheme; before the doors are shut, since its libraries lie anywhere. Raises `EngineError`."""
    try:
        if scheme is Scheme.ODF:
            from engines.decryption_odf import decrypt as decrypt_odf  # noqa: PLC0415 - an extra, loaded where needed

            return decrypt_odf
        from engines.decryption_office import decrypt as decrypt_office  # noqa: PLC0415 - as above
    except ImportError as error:
        raise EngineError(ErrorKind.ENCRYPTED, _MISSING, str(error)) from error
    return decrypt_office


def _confine(limits: DecryptionLimits, *, network_left: bool) -> None:
    """Read Python's modules and nothing else, write no file, speak to nobody; memory and processor time have an end."""
    process.limit(limits.cpu_s, 0)
    modules = tuple(path for path in sys.path if path)
    policy = SandboxPolicy(read=modules, address_space_bytes_max=limits.memory_bytes_max)
    sandbox.enter(policy, network_namespace=network_left)


def _refusal(kind: ErrorKind, message: str, diagnostics: str = "") -> dict[str, Any]:
    return {"kind": kind.value, "message": message, "diagnostics": diagnostics}


def _answered(order: dict[str, Any], data: bytes, *, network_left: bool) -> tuple[dict[str, Any], bytes]:
    try:
        limits = DecryptionLimits(**order["limits"])
        decrypt = _load(Scheme(order["scheme"]))
        _confine(limits, network_left=network_left)
        plain = decrypt(data, order["passwords"], limits)
    except EngineError as error:
        return _refusal(error.kind, error.message, error.diagnostics), b""
    except MemoryError:
        return _refusal(ErrorKind.LIMIT, "Decrypting the document takes more memory than is allowed."), b""
    except Exception as error:  # noqa: BLE001 - the libraries raise many kinds on a document that is damaged
        # Frames and lines of code only: what an error says may quote what it was given.
        trace = "".join(traceback.format_tb(error.__traceback__))[-_DIAGNOSTICS_CHARACTERS_MAX:]
        diagnostics = f"{type(error).__name__}\n{trace}"
        return _refusal(ErrorKind.CORRUPT, "The document is damaged: it cannot be decrypted.", diagnostics), b""
    return {"bytes": len(plain)}, plain


def main() -> NoReturn:
    """Decrypt what comes on standard input."""
    process.die_with_parent(int(sys.argv[1]))
    process.forbid_new_privileges()
    process.set_name("docpeek-decrypt")
    network_left = sandbox.leave_network()
    (size,) = HEAD.unpack(sys.stdin.buffer.read(HEAD.size))
    order = json.loads(sys.stdin.buffer.read(size))
    head, plain = _answered(order, sys.stdin.buffer.read(), network_left=network_left)
    encoded = json.dumps(head).encode()
    for part in (HEAD.pack(len(encoded)), encoded, plain):
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
