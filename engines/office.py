"""What a zygote and a kit need of an office: the contract on the child's side.

An implementation is imported by name in the child alone (`load`), so that a zygote loads one engine and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from engines.protocol import Convert
from engines.sandbox import SandboxPolicy


@dataclass(frozen=True, slots=True)
class Converted:
    """A finished PDF, still in the memory of the office, and what was noticed on the way."""

    pdf: memoryview
    seconds: dict[str, float]
    fonts: list[list[str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


class Office(Protocol):
    """An office in this process. Every call is made on the one thread that owns it."""

    def initialise(self) -> None:
        """Make it ready for a document. Raises `EngineError` of kind `unavailable`."""

    def warm_up(self) -> bool:
        """Do one more bounded step of what makes later documents faster; `False` when nothing is left to do."""

    def quiesce(self) -> AbstractContextManager[None]:
        """A block in which forking this process is safe."""

    def after_fork(self) -> None:
        """Called first in a forked child."""

    def sandbox_policy(self) -> SandboxPolicy | None:
        """What a kit keeps of the file system, asked in the kit, before its document; `None`: it is not confined.

        After `after_fork`, so that it can name a scratch folder which that has made for this kit alone.
        """

    def convert(self, source: memoryview, request: Convert, phase: Callable[[str], None]) -> Converted:
        """Convert the one document of this process. Raises `EngineError`."""

    def kit_gone(self, pid: int) -> None:
        """Called in the zygote when a kit has been reaped: remove what it left outside its own memory."""

    def close(self) -> None:
        """Called last in a zygote, with every kit gone: remove whatever is left."""


def load(name: str, settings: dict[str, Any]) -> Office:
    """The office that `name` (`module:class`) stands for, not yet initialised."""
    module, _, attribute = name.partition(":")
    office: Office = getattr(import_module(module), attribute)(settings)
    return office
