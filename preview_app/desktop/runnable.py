"""Files that another program would run instead of showing them: those are never handed on."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engines.formats import DOCUMENT_TYPES

_SUFFIXES = frozenset(
    (
        *("action", "appimage", "application", "bash", "bat", "bin", "class", "cmd", "com", "command", "cpl", "csh"),
        *("deb", "desktop", "dll", "elf", "exe", "fish", "flatpakref", "gadget", "hta", "inf", "inx", "ipa", "jar"),
        *("jnlp", "js", "jse", "ksh", "lnk", "lua", "mjs", "msc", "msi", "msp", "mst", "out", "perl", "php", "pif"),
        *("pl", "ps1", "psm1", "pyc", "pyw", "py", "rb", "reg", "rgs", "rpm", "run", "scpt", "scr", "sct", "service"),
        *("sh", "shb", "snap", "so", "sys", "tcl", "url", "vb", "vbe", "vbs", "webloc", "workflow", "ws", "wsc"),
        *("wsf", "wsh", "zsh"),
    )
)
_BEGINNINGS = (
    b"#!",
    b"\x7fELF",
    b"MZ",
    b"\xca\xfe\xba\xbe",  # Java classes, and programs of macOS for several processors
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),  # programs of macOS
)
_DESKTOP_ENTRY = b"[Desktop Entry]"
_HEAD_BYTES = 4096
_DOCUMENT_SUFFIXES = frozenset(suffix for each in DOCUMENT_TYPES for suffix in each.suffixes)


def would_run(path: Path) -> bool:
    """Whether opening the file may run it: by its name, its target's name, its first bytes, its permission to be run.

    That permission alone says nothing where the name is one of a document: some file systems give it to every file.
    What cannot be looked at is taken for something that runs. Raises nothing.
    """
    try:
        target = path.resolve(strict=True)
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            return True
        with target.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except (OSError, RuntimeError):
        return True
    suffixes = {each.suffix[1:].lower() for each in (path, target)}
    permitted = bool(status.st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)) and os.name == "posix"
    return bool(suffixes & _SUFFIXES) or _begins_as_program(head) or (permitted and not suffixes <= _DOCUMENT_SUFFIXES)


def _begins_as_program(head: bytes) -> bool:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    # A desktop entry may begin with comments.
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return head.startswith(_BEGINNINGS) or text.startswith(b"#!") or first == _DESKTOP_ENTRY
