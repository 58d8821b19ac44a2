"""Which LibreOffice converts: the installed one where it does everything, else the one in WebAssembly. Decided once.

A conversion that fails never changes the engine by itself: the same document would look different for no reason that a
person can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engines.base import Engine
from engines.errors import EngineError, ErrorKind
from engines.native import capability, discover
from engines.native.capability import Capability
from engines.native.discover import Installation
from engines.native.engine import NativeEngine, NativeLimits, trial_documents
from engines.wasm.engine import WasmEngine, WasmLimits

Choice = Literal["auto", "native", "wasm"]
Name = Literal["native", "wasm"]


@dataclass(frozen=True, slots=True)
class NativeState:
    """What is known of an installed LibreOffice. `absent` says why there is none to speak of; empty if there is one."""

    installation: Installation | None = None
    found: Capability = Capability()  # noqa: RUF009 - frozen
    absent: str = ""
    misnamed: bool = False

    @property
    def title(self) -> str:
        """What it is and where."""
        if self.installation is None:
            return "LibreOffice"
        return f"LibreOffice {self.found.version or self.installation.product} in {self.installation.program}"

    @property
    def complete(self) -> bool:
        """Whether it is there and opens every family of documents."""
        return self.installation is not None and self.found.complete

    @property
    def trouble(self) -> str:
        """Why it is not the one that `auto` takes, for somebody who has installed or named it; else empty."""
        if self.installation is None:
            return self.absent if self.misnamed else ""
        return "" if self.complete else f"{self.title} is not used: {self.found.why_not}"


@dataclass(frozen=True, slots=True)
class Decision:
    """The engine of a run. `note` is what to tell wherever the engine is shown; empty where there is nothing."""

    name: Name
    native: NativeState
    note: str = ""


def look(setting: str = "", *, again: bool = False) -> NativeState:
    """Find and probe the installed LibreOffice (see `capability.probe`, also for `again`). Raises nothing."""
    try:
        installation = discover.find(setting)
    except EngineError as error:
        return NativeState(absent=error.message, misnamed=error.message != discover.NOT_INSTALLED)
    return NativeState(installation, capability.probe(installation, trial_documents(), again=again))


def decide(choice: Choice, native: Callable[[], NativeState]) -> Decision:
    """The engine for a choice; `native` is asked only where it matters.

    Raises `EngineError` of kind `unavailable` where the installed LibreOffice is demanded and of no use.
    """
    if choice == "wasm":
        return Decision("wasm", NativeState())
    state = native()
    if choice == "native":
        if state.installation is None:
            raise EngineError(ErrorKind.UNAVAILABLE, state.absent)
        if state.found.failure:
            raise EngineError(ErrorKind.UNAVAILABLE, f"{state.title} cannot be used: {state.found.failure}")
        return Decision("native", state, " ".join(filter(None, (state.found.why_not, state.found.advice))))
    if state.complete:
        return Decision("native", state, state.found.advice)
    return Decision("wasm", state, state.trouble)


def make(
    decision: Decision, *, native_limits: NativeLimits, wasm_limits: WasmLimits, font_dirs: tuple[Path, ...] = ()
) -> Engine:
    """The engine that was decided on; starts nothing. `font_dirs` are fonts that come along, for the native one.

    Raises `EngineError` of kind `unavailable` where the WASM engine is not prepared.
    """
    if decision.name == "wasm":
        return WasmEngine.found(limits=wasm_limits, note=decision.note)
    assert decision.native.installation is not None
    return NativeEngine(
        decision.native.installation,
        decision.native.found,
        limits=native_limits,
        font_dirs=font_dirs,
        note=decision.note,
    )
