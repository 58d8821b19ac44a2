"""Hands documents to a window that is open already, through a socket in a folder that is the person's alone.

One line of JSON goes there, `ok` comes back. Knows no toolkit, so that it costs the second start next to nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs

MESSAGE_BYTES_MAX = 1 << 20
ANSWER_S = 2.0
"""How long the other window may take to answer; one that hangs is left alone."""
OK = b"ok\n"


def socket_path(variant: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """Where a window of this display listens; `variant` parts windows that differ. `None` without a safe folder."""
    known = os.environ if environment is None else environment
    display = f"{known.get('WAYLAND_DISPLAY', '')}|{known.get('DISPLAY', '')}|{known.get('QT_QPA_PLATFORM', '')}"
    name = hashlib.blake2b(f"{display}|{variant}".encode(), digest_size=8).hexdigest()
    folder = Path(known.get("XDG_RUNTIME_DIR") or platformdirs.user_cache_path("docpeek")) / "docpeek"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return folder / f"{name}.socket" if private else None


def hand_over(paths: Sequence[Path], path: Path, timeout_s: float = ANSWER_S) -> bool:
    """Let the window that listens at `path` open these; whether one did. Blocks for at most `timeout_s` or so."""
    message = encode(paths)
    if len(message) > MESSAGE_BYTES_MAX:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(str(path))
            connection.sendall(message)
            return connection.recv(len(OK)) == OK
        except OSError:
            return False


def encode(paths: Sequence[Path]) -> bytes:
    """A message: the absolute paths, in a line of JSON."""
    return json.dumps([str(path.absolute()) for path in paths]).encode() + b"\n"


def decode(message: bytes) -> list[Path] | None:
    """The paths of a message, `None` where it is none."""
    try:
        paths = json.loads(message)
    except ValueError:
        return None
    if not isinstance(paths, list) or not all(isinstance(each, str) and each.startswith("/") for each in paths):
        return None
    return [Path(each) for each in paths]
