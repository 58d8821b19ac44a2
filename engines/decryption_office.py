"""Documents encrypted by Microsoft's programs: [MS-OFFCRYPTO], through msoffcrypto. Imported in the child only."""

from __future__ import annotations

import io
import re
import tempfile
from typing import Any

import msoffcrypto
import msoffcrypto.format.doc97  # the package loads each of these when it first meets the format,
import msoffcrypto.format.ooxml  # which this process, once confined, cannot do
import msoffcrypto.format.ppt97
import msoffcrypto.format.xls97
from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError

from engines import compound
from engines.decryption import BAD_PASSWORD, DecryptionLimits
from engines.errors import EngineError, ErrorKind

_SPIN_COUNT = re.compile(rb"spinCount\s*=\s*[\"'](\d{1,12})[\"']")
_INFO_BYTES_MAX = 65_536
_UNKNOWN_WAY = "The document is encrypted in a way that docpeek cannot open."


class _MemoryFile(io.BytesIO):
    """A temporary file that never touches a disk."""


def decrypt(data: bytes, passwords: list[str], limits: DecryptionLimits) -> bytes:
    """The plain document, by the first password that opens it. Raises `EngineError` and whatever the library does."""
    _check_rounds(data, limits.hash_rounds_max)
    # The library would write the plain document to a temporary file.
    setattr(tempfile, "TemporaryFile", _MemoryFile)  # noqa: B010 - an assignment that type checkers refuse
    try:
        office: Any = msoffcrypto.OfficeFile(io.BytesIO(data))
    except (DecryptionError, FileFormatError) as error:
        raise EngineError(ErrorKind.UNSUPPORTED, _UNKNOWN_WAY, str(error)) from error
    for password in filter(None, passwords):
        plain = _attempt(office, password)
        if plain is not None:
            return plain
    raise EngineError(ErrorKind.BAD_PASSWORD, BAD_PASSWORD)


def _attempt(office: Any, password: str) -> bytes | None:
    """The plain document, `None` if the password is not the right one."""
    wrapped = office.format == "ooxml"
    plain = io.BytesIO()
    try:
        office.load_key(password=password, **({"verify_password": True} if wrapped else {}))
        office.decrypt(plain)
    except InvalidKeyError:
        return None
    except DecryptionError as error:
        raise EngineError(ErrorKind.UNSUPPORTED, _UNKNOWN_WAY) from error
    return plain.getvalue()


def _check_rounds(data: bytes, rounds_max: int) -> None:
    """A wrapper says itself how often the password is to be hashed."""
    info = compound.CompoundFile(memoryview(data)).head("EncryptionInfo", _INFO_BYTES_MAX)
    if any(int(count) > rounds_max for count in _SPIN_COUNT.findall(info)):
        raise EngineError(ErrorKind.LIMIT, "The document asks for too much work to check its password.")
