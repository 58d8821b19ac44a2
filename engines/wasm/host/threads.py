"""The guest's threads: each an OS thread of the host with its own store and instance over the one shared memory.

A guest thread is a daemon thread that lets nothing out: a trap in it is kept as `failure` and told to the guest, whose
main thread then asks to unwind, and raised from the call that the main thread is in.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from engines.wasm.host.binding import Bindings, HostFunction
from engines.wasm.host.capi import Instance, Store
from engines.wasm.host.context import Current
from engines.wasm.host.errors import GuestBusy, GuestError, GuestTrap, GuestUnwind
from engines.wasm.host.memory import GuestMemory
from engines.wasm.host.runtime import FUNCTION_TABLE

_EAGAIN = 6
# struct pthread of Emscripten's musl
_STACK_TOP_OFFSET = 52
_STACK_SIZE_OFFSET = 56
_MAIN_STACK_BYTES = 65536  # what JavaScript's runtime passes for the main thread

# `threading.stack_size` is one setting of the process.
_stack_size_lock = threading.Lock()


class GuestThreads:
    """Starts, counts, ends and remembers the guest's threads."""

    def __init__(
        self,
        instantiate: Callable[[], tuple[Store, Instance]],
        memory: GuestMemory,
        current: Current,
        *,
        stack_bytes: int,
        threads_max: int,
    ) -> None:
        self._instantiate = instantiate
        self._memory = memory
        self._current = current
        self._stack_bytes = stack_bytes
        self._max = threads_max
        self.registry_lock = threading.Lock()
        # Threads stay listed, with the address of their block, until they were joined.
        self._threads: list[tuple[int, threading.Thread]] = []
        self._released: list[int] = []
        self.started = 0
        self.failure: BaseException | None = None

    def bindings(self) -> Bindings:
        """The imports, by name."""
        return {
            "__pthread_create_js": HostFunction("iiii:i", self.create),
            "_emscripten_init_main_thread_js": HostFunction("i:", self.init_main),
            "_emscripten_thread_cleanup": HostFunction("i:", self.cleanup),
            "emscripten_num_logical_cores": HostFunction(":i", lambda: 2),
        }

    @property
    def running(self) -> int:
        """How many threads of the guest run now, besides its main thread."""
        # Without the lock, so that it can be asked at any time: the list is copied in one step.
        return sum(thread.is_alive() for _, thread in tuple(self._threads))

    def init_main(self, block: int) -> None:
        """Register the calling thread as the guest's main one, which may block."""
        self._current.function("_emscripten_thread_init")(block, 1, 1, 1, _MAIN_STACK_BYTES, 0)
        self._current.function("_emscripten_tls_init")()

    def create(self, block: int, _attributes: int, entry: int, argument: int) -> int:
        """`pthread_create`: 0, or EAGAIN where there are too many already."""
        thread = threading.Thread(
            target=self._run, args=(block, entry, argument), name=f"guest-{block:#x}", daemon=True
        )
        with self.registry_lock:
            if sum(other.is_alive() for _, other in self._threads) >= self._max:
                return _EAGAIN
            try:
                self._start(thread)
            except RuntimeError:  # the system gives no more threads
                return _EAGAIN
            self._threads.append((block, thread))
            self.started += 1
        return 0

    def _start(self, thread: threading.Thread) -> None:
        with _stack_size_lock:
            usual = threading.stack_size(self._stack_bytes)
            try:
                thread.start()
            finally:
                threading.stack_size(usual)

    def _run(self, block: int, entry: int, argument: int) -> None:
        store: Store | None = None
        try:
            store, instance = self._instantiate()
            self._current.instance = instance
            self._body(instance, block, entry, argument)
        except GuestUnwind:
            pass
        except BaseException as error:  # noqa: BLE001 nobody above could handle it; it is raised on the main thread
            self._record(error)
        finally:
            self._current.instance = None
            if store is not None:
                store.close()

    def _body(self, instance: Instance, block: int, entry: int, argument: int) -> None:
        call = instance.function
        top = self._memory.u32(block + _STACK_TOP_OFFSET)
        bottom = top - self._memory.u32(block + _STACK_SIZE_OFFSET)
        call("emscripten_stack_set_limits")(top, bottom)
        call("__set_stack_limits")(top, bottom)
        call("_emscripten_stack_restore")(top)
        call("_emscripten_thread_init")(block, 0, 0, 1, 0, 0)
        call("_emscripten_tls_init")()
        result = instance.table_function(FUNCTION_TABLE, entry)(argument)
        call("_emscripten_thread_exit")(result)

    def _record(self, error: BaseException) -> None:
        self.failure = self.failure or error
        instance = self._current.instance
        if instance is not None and instance.export("_emscripten_thread_crashed") is not None:
            with suppress(GuestError):  # beyond telling, perhaps; the failure is kept all the same
                instance.function("_emscripten_thread_crashed")()

    def cleanup(self, block: int) -> None:
        """The guest is done with a thread's block, which `collect` frees once the OS thread has gone."""
        with self.registry_lock:
            self._released.append(block)

    def collect(self) -> None:
        """Free the blocks of threads that have gone. On the main thread, outside of any call."""
        with self.registry_lock:
            self._threads = [(block, thread) for block, thread in self._threads if thread.is_alive()]
            alive = {block for block, _ in self._threads}
            ready = [block for block in self._released if block not in alive]
            self._released = [block for block in self._released if block in alive]
        for block in ready:
            self._current.function("_emscripten_thread_free_data")(block)

    def raise_failure(self) -> None:
        """Raise what ended a thread, if anything did."""
        if self.failure is not None:
            raise GuestTrap(f"a thread of the guest failed: {self.failure}") from self.failure

    def settle(self, timeout_s: float) -> None:
        """Wait until no guest thread is left, not even its OS thread. Raises `GuestBusy` after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        with self.registry_lock:
            threads = [thread for _, thread in self._threads]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if running := self.running:
            raise GuestBusy(f"{running} threads of the guest are still running")
