"""The socket by which a second LibreOffice with the same profile would find the first. Only the standard library.

LibreOffice makes it where it is of no use to us, outside its own folder, and leaves it there when it is killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

PIPE_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108 - LibreOffice's choice: the first that it may write to


def remove(profile: Path) -> None:
    """Remove the socket of a LibreOffice that has ended, by its very name."""
    for path in paths(profile):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def paths(profile: Path) -> list[Path]:
    """What it may be called. Source: `desktop/source/app/officeipcthread.cxx`, `sal/osl/unx/pipe.cxx`."""
    digest = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    name = "SingleOfficeIPC_" + "".join(f"{byte:x}" for byte in digest)
    user = f"{os.getuid()}_" if os.name == "posix" else ""
    return [Path(folder, f"OSL_PIPE_{owner}{name}") for folder in PIPE_FOLDERS for owner in {user, ""}]
