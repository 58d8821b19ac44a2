"""What can end a call into the guest. None of it harms the host's process; after most of it the guest is unusable."""

# ruff: noqa: N818 the names are the usual words for what happens: trap, exit, abort, fault, busy

from __future__ import annotations


class GuestError(Exception):
    """The guest, or a call into it, failed."""


class GuestTrap(GuestError):
    """WebAssembly code trapped: `code` is wasmtime's name for the reason (`unreachable`, `stack_overflow`, ...)."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class GuestExit(GuestError):
    """The guest ended itself through `exit`."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the guest exited with status {status}")
        self.status = status


class GuestAbort(GuestError):
    """The guest gave up: `abort`, a failed assertion, an overflow of its own stack."""


class GuestUnwind(GuestError):
    """The guest asked to return to an event loop. Ends a guest thread quietly; on the owner's thread it is an error."""


class GuestFault(GuestError):
    """The guest handed over a range that is not inside its memory."""

    def __init__(self, address: int, length: int) -> None:
        super().__init__(f"{length} bytes at {address:#x} are outside the guest's memory")
        self.address = address
        self.length = length


class GuestMemoryLimit(GuestError):
    """The guest needs, or its end was brought about by wanting, more memory than its limit."""


class GuestBusy(GuestError):
    """Threads of the guest are running, so the process cannot be forked safely now."""


class GuestLinkError(GuestError):
    """The module and the host do not fit: `missing` imports, and `mismatched` ones with both types."""

    def __init__(self, missing: tuple[str, ...], mismatched: tuple[str, ...] = ()) -> None:
        parts = []
        if missing:
            parts.append("imports that the host does not have: " + ", ".join(missing))
        if mismatched:
            parts.append("imports of another type than the host's: " + ", ".join(mismatched))
        super().__init__("; ".join(parts))
        self.missing = missing
        self.mismatched = mismatched


class UnexpectedImport(GuestError):
    """The guest called an import that a conversion never needs, and that the host therefore does not implement."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the guest called {name}, which the host does not implement")
        self.name = name
