"""Office packages in an encrypted wrapper ([MS-OFFCRYPTO]): opened where the well-known default password does it.

Excel encrypts workbooks whose structure is protected with a password of its own that everybody knows, so that
nobody is asked for one. All other passwords are a matter of the person.
"""

from __future__ import annotations

import io
import re

from engines import compound
from engines.errors import EngineError, ErrorKind

_DEFAULT_PASSWORD = "VelvetSweatshop"  # noqa: S105  # published in [MS-XLSX] and [MS-OFFCRYPTO]
_SPIN_COUNT = re.compile(rb"spinCount\s*=\s*[\"'](\d{1,12})[\"']")
_SPIN_COUNT_MAX = 200_000  # Office writes 100,000; each costs one hash
_INFO_BYTES_MAX = 65_536
_PACKAGE_BYTES_MAX = 512 << 20


def open_with_default_password(data: memoryview) -> bytes:
    """The package inside of the wrapper; raises `EngineError` (encrypted) where it takes another password."""
    info = compound.CompoundFile(data).head("EncryptionInfo", _INFO_BYTES_MAX)
    if any(int(count) > _SPIN_COUNT_MAX for count in _SPIN_COUNT.findall(info)) or len(data) > _PACKAGE_BYTES_MAX:
        raise _encrypted()
    try:
        import msoffcrypto  # noqa: PLC0415  # an extra, and slow to import
    except ImportError:
        raise _encrypted(" To try the default password of Excel, install docpeek with the extra “crypto”.") from None
    decrypted = io.BytesIO()
    try:
        office = msoffcrypto.OfficeFile(io.BytesIO(data))
        office.load_key(password=_DEFAULT_PASSWORD, verify_password=True)
        office.decrypt(decrypted)
    except Exception as error:  # the library raises many kinds on a wrapper that is damaged
        raise _encrypted() from error
    return decrypted.getvalue()


def _encrypted(remedy: str = "") -> EngineError:
    return EngineError(ErrorKind.ENCRYPTED, f"The document is encrypted: a password is needed.{remedy}")
