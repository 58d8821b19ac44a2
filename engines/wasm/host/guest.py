"""One guest: a module of LibreOffice with its memory, its files and its threads, driven by one thread of the host.

    guest = Guest(module_path=..., image=..., image_index=..., fonts=catalogue, log=logger)
    guest.start()
    with guest.string("file:///tmp/in.docx") as url:
        document = guest.call("dsh_lok_document_load", office, url, options)

All errors of the guest come out of `call` as `GuestError`; the process is never harmed. After a trap, an exit or an
abort the guest's state is not to be trusted any more, and further calls are refused.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import wasmtime

from engines.wasm.host import capi
from engines.wasm.host.binding import HostFunction
from engines.wasm.host.clock import Clock
from engines.wasm.host.context import Current
from engines.wasm.host.descriptors import FileDescriptors
from engines.wasm.host.errors import (
    GuestAbort,
    GuestBusy,
    GuestError,
    GuestExit,
    GuestFault,
    GuestLinkError,
    GuestMemoryLimit,
    GuestTrap,
    GuestUnwind,
    UnexpectedImport,
)
from engines.wasm.host.fontcallback import FontCallback, FontResolver
from engines.wasm.host.linker import WASI, Linker
from engines.wasm.host.mapping import FileMappings
from engines.wasm.host.memory import PAGE_BYTES, GuestMemory
from engines.wasm.host.runtime import FUNCTION_TABLE, RuntimeCalls
from engines.wasm.host.stack import stack_bytes
from engines.wasm.host.syscalls import FileSystemCalls
from engines.wasm.host.threads import GuestThreads
from engines.wasm.host.vfs import FileTree
from engines.wasm.host.wasi import WasiCalls

__all__ = [
    "Guest",
    "GuestAbort",
    "GuestBusy",
    "GuestError",
    "GuestExit",
    "GuestFault",
    "GuestLimits",
    "GuestLinkError",
    "GuestMemoryLimit",
    "GuestStatistics",
    "GuestTrap",
    "GuestUnwind",
    "UnexpectedImport",
]

_ENVIRONMENT = {"HOME": "/home", "LANG": "C.UTF-8", "LOGNAME": "guest", "PATH": "/", "PWD": "/", "USER": "guest"}
# What the host's own code needs of a thread's stack above that of the guest.
_HOST_STACK_BYTES = 4 << 20
_CLOSE_S = 1.0


@dataclass(frozen=True, slots=True)
class GuestLimits:
    """What a guest may use. `wasm_stack_bytes` is taken from the stack of each thread that runs it."""

    memory_bytes_max: int = 2 << 30
    file_bytes_max: int = 1 << 30
    descriptors_max: int = 1024
    threads_max: int = 16
    wasm_stack_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class GuestStatistics:
    """Figures of a guest: `calls` by import (empty unless counted), bytes, threads."""

    calls: dict[str, int]
    memory_bytes: int
    memory_limit_reached: bool
    file_bytes: int
    descriptors: int
    threads_running: int
    threads_started: int


class Guest:
    """See the module's text. `start`, `call` and `quiesce` belong to the thread that called `start`."""

    def __init__(
        self,
        module_path: Path,
        *,
        fonts: FontResolver,
        image: Path | None = None,
        image_index: Path | None = None,
        environment: Mapping[str, str] | None = None,
        limits: GuestLimits | None = None,
        engine: wasmtime.Engine | None = None,
        log: Callable[[bytes], None] = lambda _text: None,
        count_calls: bool = False,
    ) -> None:
        """Load the module (a serialized one, which the caller vouches for) and link it. Raises `GuestError`.

        `engine` is the one that the module was compiled for; its code may use `limits.wasm_stack_bytes` of stack.
        """
        self._limits = limits or GuestLimits()
        engine = engine or capi.new_engine(self._limits.wasm_stack_bytes)
        module = load_module(engine, module_path)
        self._wire(engine, module, fonts, environment or {}, log, Counter() if count_calls else None)
        if image is not None and image_index is not None:
            self.files.load_image(image, image_index)
        self._owner: int | None = None
        self._held = ExitStack()  # the locks of a `quiesce`
        self._failure: BaseException | None = None
        self._store: capi.Store | None = None

    def _wire(
        self,
        engine: wasmtime.Engine,
        module: wasmtime.Module,
        fonts: FontResolver,
        environment: Mapping[str, str],
        log: Callable[[bytes], None],
        counts: Counter[str] | None,
    ) -> None:
        limits = self._limits
        shared = shared_memory(engine, module, limits.memory_bytes_max)
        memory = GuestMemory(shared, limits.memory_bytes_max // PAGE_BYTES * PAGE_BYTES)
        current = Current()
        self.files = FileTree(limits.file_bytes_max)
        descriptors = FileDescriptors(self.files, log, limits.descriptors_max)
        self._clock = clock = Clock(memory)
        self._fonts = FontCallback(memory, self.files, current, fonts)
        self._threads = GuestThreads(
            self._new_instance,
            memory,
            current,
            stack_bytes=limits.wasm_stack_bytes + 2 * _HOST_STACK_BYTES,
            threads_max=limits.threads_max,
        )
        env = (
            FileSystemCalls(memory, self.files, descriptors),
            FileMappings(memory, self.files, descriptors, current),
            RuntimeCalls(memory, current, log),
            self._fonts,
            clock,
            self._threads,
        )
        functions: dict[tuple[str, str], HostFunction] = {}
        for part in env:
            functions.update({("env", name): function for name, function in part.bindings().items()})
        wasi = WasiCalls(memory, descriptors, {**_ENVIRONMENT, **environment})
        functions.update({(WASI, name): f for name, f in (wasi.bindings() | clock.wasi_bindings()).items()})
        self._memory, self._current, self._descriptors, self._counts = memory, current, descriptors, counts
        self._linker = Linker(engine, module, functions, shared, current, self.files.lock, counts)

    def _new_instance(self) -> tuple[capi.Store, capi.Instance]:
        return self._linker.instantiate()

    def start(self) -> None:
        """Instantiate the module and run its constructors on the calling thread, which from now on owns the guest."""
        needed = self._limits.wasm_stack_bytes + _HOST_STACK_BYTES
        left = stack_bytes()
        if left is not None and left < needed:
            raise GuestError(f"the thread has {left >> 20} MiB of stack, the guest needs {needed >> 20} MiB")
        self._owner = threading.get_ident()
        self._store, self._current.instance = self._linker.instantiate()
        if self.exports("emscripten_stack_init"):
            self.call("emscripten_stack_init")
            base, end = self.call("emscripten_stack_get_base"), self.call("emscripten_stack_get_end")
            self.call("__set_stack_limits", base, end)
        if self.exports("__wasm_call_ctors"):
            self.call("__wasm_call_ctors")

    def exports(self, name: str) -> bool:
        """Whether the module exports something of that name."""
        return self._current.require().export(name) is not None

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function with 32-bit integers; the result is unsigned, 0 where there is none.

        Raises `GuestError` (`GuestTrap`, `GuestExit`, `GuestAbort`, `GuestMemoryLimit` ...), or what a callback of the
        host's (fonts, log) raised, as it was.
        """
        self._check_usable()
        return self._run(self._current.function(name), arguments)

    def call_table(self, index: int, *arguments: int) -> int:
        """As `call`, for a function pointer of the guest. Raises `GuestError` where it points to no function."""
        self._check_usable()
        return self._run(self._current.require().table_function(FUNCTION_TABLE, index), arguments)

    def _run(self, function: capi.Function, arguments: tuple[int, ...]) -> int:
        try:
            self._threads.collect()
            result = function(*arguments)
            self._threads.raise_failure()
        except BaseException as error:
            self._failure = error
            self._explain(error)
            raise
        return result

    def _check_usable(self) -> None:
        if threading.get_ident() != self._owner:
            raise GuestError("the guest is driven by the thread that started it")
        if self._failure is not None:
            raise GuestError(f"the guest has ended: {self._failure}") from self._failure

    def _explain(self, error: BaseException) -> None:
        """Raise something that says more than `error`, where more is known."""
        if isinstance(error, GuestUnwind) and self._threads.failure is not None:
            raise GuestTrap(f"a thread of the guest failed: {self._threads.failure}") from self._threads.failure
        if isinstance(error, GuestMemoryLimit):
            return
        if self._memory.limit_reached and isinstance(error, GuestError):
            limit = self._memory.bytes_max >> 20
            raise GuestMemoryLimit(f"the guest wanted more than {limit} MiB of memory") from error

    @property
    def memory_limit_reached(self) -> bool:
        """Whether the guest was refused memory: the likely cause where a conversion failed without a trap."""
        return self._memory.limit_reached

    def allocate_string(self, text: str) -> int:
        """The address of a new copy of `text`, in UTF-8 with a closing zero, for `free`. Raises `GuestMemoryLimit`."""
        data = text.encode() + b"\0"
        address = self.call("malloc", len(data))
        if not address:
            raise GuestMemoryLimit("the guest has no memory left for a text")
        self._memory.write(address, data)
        return address

    def free(self, address: int) -> None:
        """Free what the guest allocated; 0 is allowed."""
        self.call("free", address)

    def read_u32(self, address: int) -> int:
        """The unsigned 32-bit number at `address`, of a structure of the guest. Raises `GuestFault`."""
        return self._memory.u32(address)

    def read_string(self, address: int) -> str:
        """The text at `address`, empty for 0. Raises `GuestFault` where it does not end within the memory."""
        return self._memory.c_string(address).decode("utf-8", "replace") if address else ""

    @contextmanager
    def string(self, text: str) -> Iterator[int]:
        """The address of a copy of `text` that is freed at the end."""
        address = self.allocate_string(text)
        try:
            yield address
        finally:
            if self._failure is None:
                self.free(address)

    @contextmanager
    def quiesce(self, settle_s: float = 5.0) -> Iterator[None]:
        """Hold the guest still, so that the owner's thread may fork inside. Raises `GuestBusy` after `settle_s`.

        Why a fork in here is safe. (1) It happens on the thread that owns the main instance, outside of any call, so no
        WebAssembly of it is half-way through anything: every mutex of the guest that this thread takes is free or is
        held across calls by its own design, and it goes on in the child. (2) Every other thread of the guest has
        ended: its OS thread was joined, so it can hold no mutex of the guest (a mutex that it never gave back was lost
        before, fork or not), no lock of the host, of Python or of wasmtime, and it cannot start again, since only the
        guest starts threads and the guest is not running. A thread that is merely asleep does not count as ended:
        nothing proves which mutexes a sleeper holds, so `GuestBusy` is the answer. (3) The host's locks (file tree,
        thread registry, memory growth) are taken here by the forking thread, hence consistent, and are released by
        parent and child alike. The guest's memory and the tree are private to the process: the child gets a copy.
        """
        self._check_usable()
        self._threads.settle(settle_s)
        self._threads.collect()
        with self._held:
            for lock in (self._threads.registry_lock, self.files.lock, self._memory.lock):
                self._held.enter_context(lock)
            yield

    def after_fork_in_child(self) -> None:
        """To be called in the child, inside of `quiesce` or after: its thread is the owner, with a document to come."""
        self._held.close()
        self._owner = threading.get_ident()
        self.begin_document()

    def begin_document(self) -> None:
        """Say that what follows serves one document: its font requests all reach the resolver once.

        Before the first call, and between the warm-up documents of a zygote, answers are kept and families are
        registered with all their faces.
        """
        self._fonts.begin_document()

    def statistics(self) -> GuestStatistics:
        """A snapshot; any thread may ask."""
        return GuestStatistics(
            calls=dict(self._counts or {}),
            memory_bytes=self._memory.size,
            memory_limit_reached=self._memory.limit_reached,
            file_bytes=self.files.budget.bytes_used,
            descriptors=len(self._descriptors),
            threads_running=self._threads.running,
            threads_started=self._threads.started,
        )

    def close(self) -> None:
        """End the guest's threads, as far as they ever ask the host for anything, and free the main instance.

        Idempotent. On the owner's thread. A thread that is still there is a daemon and ends with the process.
        """
        self._failure = self._failure or GuestError("closed")
        self._clock.stopped = True
        with suppress(GuestBusy):
            self._threads.settle(_CLOSE_S)
        self._current.instance = None
        if self._store is not None:
            self._store.close()
            self._store = None


def load_module(engine: wasmtime.Engine, path: Path) -> wasmtime.Module:
    """A module from a file that `Module.serialize` wrote. Raises `GuestError` where this engine does not take it."""
    try:
        return wasmtime.Module.deserialize_file(engine, str(path))
    except wasmtime.WasmtimeError as error:
        raise GuestError(f"the compiled module cannot be used: {error}") from error


def shared_memory(engine: wasmtime.Engine, module: wasmtime.Module, bytes_max: int) -> capi.SharedMemory:
    """The memory that the module imports, never larger than `bytes_max`.

    Raises `GuestLinkError` where the module imports none that is shared, `GuestMemoryLimit` where it starts larger.
    """
    kinds = [imp.type for imp in module.imports if isinstance(imp.type, wasmtime.MemoryType)]
    if len(kinds) != 1 or not kinds[0].is_shared or kinds[0].is_64:
        raise GuestLinkError((), ("the module must import one shared 32-bit memory",))
    limits = kinds[0].limits
    pages_max = min(bytes_max // PAGE_BYTES, limits.max if limits.max is not None else 65536)
    if pages_max < limits.min:
        raise GuestMemoryLimit(
            f"the module starts with {limits.min * PAGE_BYTES >> 20} MiB, the limit is {bytes_max >> 20} MiB"
        )
    return capi.SharedMemory(engine, limits.min, pages_max)
