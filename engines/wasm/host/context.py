"""What belongs to the thread of the host that is running the guest: its instance, and the exception on its way."""

from __future__ import annotations

import threading

from engines.wasm.host.capi import Function, Instance, host_trap
from engines.wasm.host.errors import GuestError


class Current(threading.local):
    """One object for all threads; each sees its own attributes.

    An exception cannot pass through WebAssembly. A host function that raises leaves it here and returns a trap;
    where the call into the guest ends, the exception is taken out and raised as it was.
    """

    instance: Instance | None = None
    pending: BaseException | None = None

    def function(self, name: str) -> Function:
        """An exported function of this thread's instance."""
        return self.require().function(name)

    def require(self) -> Instance:
        """This thread's instance."""
        if self.instance is None:
            raise GuestError("this thread runs no guest")
        return self.instance

    def fail(self, error: BaseException) -> int:
        """Keep `error` and make the trap that a callback returns."""
        self.pending = error
        return host_trap()

    def take_pending(self) -> BaseException | None:
        """The exception on its way, if any, which is then no longer."""
        error, self.pending = self.pending, None
        return error
