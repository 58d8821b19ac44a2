"""What Emscripten's runtime wants of its host: memory, the end of the program, messages, exported symbols."""

from __future__ import annotations

from collections.abc import Callable

from engines.wasm.host.binding import Bindings, HostFunction
from engines.wasm.host.context import Current
from engines.wasm.host.errors import GuestAbort, GuestExit, GuestMemoryLimit, GuestUnwind
from engines.wasm.host.memory import GuestMemory

FUNCTION_TABLE = "__indirect_function_table"


class RuntimeCalls:
    """The imports of Emscripten's runtime that are neither files, clocks nor threads."""

    def __init__(self, memory: GuestMemory, current: Current, log: Callable[[bytes], None]) -> None:
        self._memory = memory
        self._current = current
        self._log = log

    def bindings(self) -> Bindings:
        """The imports, by name."""
        return {
            "emscripten_resize_heap": HostFunction("i:i", self.resize_heap),
            "emscripten_get_heap_max": HostFunction(":i", lambda: self._memory.bytes_max),
            "emscripten_console_log": HostFunction("i:", self.print_line),
            "emscripten_err": HostFunction("i:", self.print_line),
            "jsGetExportedSymbol": HostFunction("i:i", self.exported_symbol),
            "__call_sighandler": HostFunction("ii:", self.call_signal_handler),
            "__assert_fail": HostFunction("iiii:", self.assert_fail),
            "_abort_js": HostFunction(":", self.abort),
            "__handle_stack_overflow": HostFunction("i:", self.stack_overflow),
            "exit": HostFunction("i:", self.exit),
            "emscripten_exit_with_live_runtime": HostFunction(":", self.unwind),
            "emscripten_unwind_to_js_event_loop": HostFunction(":", self.unwind),
        }

    def resize_heap(self, requested: int) -> int:
        """Give the memory `requested` bytes. Raises `GuestMemoryLimit` where the limit stands against it.

        Refusing politely would be worse: LibreOffice swallows failed allocations and goes on without the content, or
        tries again until its time is over.
        """
        grown = self._memory.grow_to(requested)
        if self._memory.limit_reached:
            raise GuestMemoryLimit(f"the guest wanted more than {self._memory.bytes_max >> 20} MiB of memory")
        return int(grown)

    def print_line(self, text: int) -> None:
        """A message of the guest, for the log."""
        self._log(self._text(text) + b"\n")

    def exported_symbol(self, name: int) -> int:
        """The value of an exported global, 0 where there is none: how LibreOffice finds the type of an exception."""
        symbol = self._memory.c_string(name).decode("utf-8", "replace")
        return self._current.require().global_u32(symbol) or 0

    def call_signal_handler(self, handler: int, signal: int) -> None:
        """Run the guest's handler of a signal that it raised itself."""
        self._current.require().table_function(FUNCTION_TABLE, handler)(signal)

    def _text(self, address: int) -> bytes:
        return self._memory.c_string(address) if address else b""

    def assert_fail(self, condition: int, file: int, line: int, function: int) -> None:
        """A failed `assert`."""
        texts = [self._text(address).decode("utf-8", "replace") for address in (condition, file, function)]
        raise GuestAbort(f"assertion failed: {texts[0]}, at {texts[1]}:{line}, {texts[2]}")

    def abort(self) -> None:
        """`abort`."""
        raise GuestAbort("the guest called abort")

    def stack_overflow(self, address: int) -> None:
        """The guest ran out of the stack that it keeps in its own memory."""
        raise GuestAbort(f"the guest's stack overflowed at {address:#x}")

    def exit(self, status: int) -> None:
        """`exit`."""
        raise GuestExit(status)

    def unwind(self) -> None:
        """Back to an event loop, which only a thread that has ended needs."""
        raise GuestUnwind("the guest wants an event loop")
