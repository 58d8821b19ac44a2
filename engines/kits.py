"""Kits as the parent sees them: the narrow seam between one supervisor and two ways of having a process a document.

`engines.kits_forked` forks them from a zygote; `engines.kits_spawned` starts and initialises them one by one, for
systems without fork or memfd.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from engines.base import CancelToken
from engines.protocol import Convert, Exited, Failed, Ready, Result


@dataclass(frozen=True, slots=True)
class Job:
    """One document to convert, and who may stop it."""

    data: bytes | memoryview
    request: Convert
    deadline_s: float
    cancel: CancelToken
    phase: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a kit ended. Exactly one of `result` and `failed` is set when it said anything at all.

    `exited` is `None` when the process that would have told us died as well. `overdue` says that we killed it for its
    deadline. `document_read` says whether it had begun with the document.
    """

    result: Result | None = None
    failed: Failed | None = None
    exited: Exited | None = None
    pdf: bytes = b""
    overdue: bool = False
    document_read: bool = False


class Kits(Protocol):
    """Gives each document a process of its own."""

    def start(self) -> Ready:
        """Make ready for documents. Blocks. Raises `EngineError` of kind `unavailable`."""

    def alive(self) -> bool:
        """Whether documents can be converted now, without another `start`."""

    def run(self, job: Job) -> Ending:
        """Convert one document; blocks until its process is gone. From any thread, several at once.

        Raises `OSError` and `ProtocolError` where the process cannot be reached or understood.
        """

    def kill(self) -> None:
        """End what is starting or about to, from another thread than the one that waits for it in `start`."""

    def stop(self, grace_s: float) -> None:
        """End every process. Idempotent."""


def can_fork() -> bool:
    """Whether this system has what `engines.kits_forked` needs."""
    return all(hasattr(os, name) for name in ("fork", "memfd_create", "pidfd_open"))
