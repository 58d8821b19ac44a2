"""The bytes of a PDF on their way to workers: a sealed memory file where the system has them."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass, replace
from typing import Self

SEAL_SIZE = getattr(fcntl, "F_SEAL_SHRINK", 0) | getattr(fcntl, "F_SEAL_GROW", 0) | getattr(fcntl, "F_SEAL_SEAL", 0)
"""The size cannot change any more, so that reading through a map cannot fault."""


def memory_files() -> bool:
    """Whether the system has memory files that can be sealed."""
    return hasattr(os, "memfd_create")


def share(pdf: bytes | memoryview) -> int:
    """A sealed memory file with the bytes of `pdf`; the caller closes the descriptor. Raises `OSError`."""
    fd = os.memfd_create("docpeek-pdf", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        view = memoryview(pdf).cast("B")
        while view.nbytes:
            view = view[os.write(fd, view) :]
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEAL_SIZE | fcntl.F_SEAL_WRITE)
    except BaseException:
        os.close(fd)
        raise
    return fd


@dataclass(slots=True)
class Source:
    """One PDF, kept to open it in one worker after another; `fd` is -1 where it travels as bytes."""

    fd: int
    pdf: bytes
    password: str | None

    @classmethod
    def of(cls, pdf: bytes | memoryview, password: str | None, *, shared_memory: bool) -> Self:
        """Copy the bytes. Raises `OSError` when there is no memory or no descriptor for them."""
        if shared_memory:
            return cls(share(pdf), b"", password)
        return cls(-1, bytes(pdf), password)

    def close(self) -> None:
        """Give the memory back. Idempotent."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @property
    def size_bytes(self) -> int:
        """How long the PDF is."""
        return os.fstat(self.fd).st_size if self.fd >= 0 else len(self.pdf)

    def duplicate(self) -> Source:
        """A second hold on the same bytes, to be closed on its own. Raises `OSError`."""
        return replace(self, fd=os.dup(self.fd)) if self.fd >= 0 else replace(self)

    def read(self, offset: int, count: int) -> bytes:
        """At most `count` bytes from `offset`."""
        return os.pread(self.fd, count, offset) if self.fd >= 0 else self.pdf[offset : offset + count]
