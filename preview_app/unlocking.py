"""Documents that come with a password, turned into plain ones, each by the child process that knows its format."""

from __future__ import annotations

from engines import decryption, encryption
from engines.base import CancelToken
from engines.decryption import DEFAULT_PASSWORDS, Password
from engines.sniffing import detect
from preview_app.raster.blocking import PdfChecker


class Unlocker:
    """See `converter.service.Unlock`. PDFs are opened by a raster worker, all others by a child of their own."""

    def __init__(self, checker: PdfChecker) -> None:
        self._checker = checker

    def __call__(self, data: bytes, name: str, password: Password, cancel: CancelToken) -> bytes:
        """The plain document. Raises `EngineError`."""
        found = detect(data, name)
        if found.type.id == "pdf":
            return self._checker.decrypt(data, password.text, cancel)
        scheme = encryption.scheme_of(data, found)
        if scheme is None:
            return data
        # Those that everybody knows too: what opens without a password also opens with one that is meant for another.
        return decryption.decrypt(data, scheme, (password, *DEFAULT_PASSWORDS), cancel=cancel)
