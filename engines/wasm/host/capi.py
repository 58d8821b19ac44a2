"""The few functions of wasmtime's C API that the host needs, without the cost of the Python package's own calls.

The package's trampoline spends about seven microseconds on each call between host and guest, and its tables are not
made for several threads. Here a host function is a plain C callback ("unchecked": its arguments are an array of
16-byte slots), which costs a fifth of a microsecond, and nothing is shared between stores. A new major version of
the package is tried here first, since `wasmtime._ffi` promises nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_double, c_size_t, c_uint32, c_void_p, pointer
from functools import partial
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi

from engines.wasm.config import make_engine
from engines.wasm.host.errors import GuestError, GuestTrap
from engines.wasm.manifest import Runtime

# Arguments (and, in their place, results) as 32-bit words: argument i starts at word 4 * i.
HostCallback = ctypes.CFUNCTYPE(c_size_t, c_void_p, c_void_p, POINTER(c_uint32), c_size_t)
# The same for functions whose result is a double.
DoubleCallback = ctypes.CFUNCTYPE(c_size_t, c_void_p, c_void_p, POINTER(c_double), c_size_t)

_NO_FINALIZER: Any = ctypes.CFUNCTYPE(None, c_void_p)()
_KINDS = {0: "i", 1: "j", 2: "f", 3: "d"}
_HOST_FAILED = ctypes.create_string_buffer(b"the host ended the call")


def new_engine(wasm_stack_bytes: int) -> wasmtime.Engine:
    """An engine for threaded modules with exceptions, whose code may use `wasm_stack_bytes` of a thread's stack.

    A serialized module is only accepted by an engine with the features that it was compiled with.
    """
    runtime = Runtime(
        optimization="speed",
        wasm_stack_bytes=wasm_stack_bytes,
        async_stack_bytes=2 * wasm_stack_bytes,
        threads=True,
        exceptions=True,
        shared_memory=True,
    )
    return make_engine(runtime)


def signature(function_type: Any) -> str:
    """A function type as text: `i`, `j`, `f`, `d` for 32- and 64-bit integers and floats, `params:results`."""
    pointer = function_type.ptr() if isinstance(function_type, wasmtime.FuncType) else function_type
    vectors = (ffi.wasm_functype_params(pointer), ffi.wasm_functype_results(pointer))
    return ":".join(
        "".join(_KINDS.get(_kind(v.contents.data[i]), "?") for i in range(v.contents.size)) for v in vectors
    )


def _kind(value_type: Any) -> int:
    kind: Any = ffi.wasm_valtype_kind(value_type)
    return int(getattr(kind, "value", kind))


def host_trap() -> int:
    """The address of a new trap, for a callback to return: it unwinds the guest up to the call into it."""
    trap = ffi.wasmtime_trap_new(_HOST_FAILED, len(_HOST_FAILED) - 1)
    return ctypes.cast(trap, c_void_p).value or 0


def error_of(trap: Any) -> GuestTrap:
    """The error that stands for a trap of the guest itself. Takes the trap over."""
    known = wasmtime.Trap._from_ptr(trap)  # noqa: SLF001 there is no public constructor from the C value
    code = known.trap_code
    frames = [frame.func_name or f"function {frame.func_index}" for frame in known.frames[:12]]
    cause = known.message.rpartition("Caused by:")[2].strip().removeprefix("wasm trap: ")
    return GuestTrap(f"{cause}, in: {' < '.join(frames)}"[:2000], code.name.lower() if code else "")


def raise_error(error: Any) -> None:
    """Raise what a `wasmtime_error_t` says. Takes it over."""
    raise GuestError(str(wasmtime.WasmtimeError._from_ptr(error)))  # noqa: SLF001 as above


class SharedMemory:
    """A linear memory that threads share. It never moves, and never grows past `pages_max`."""

    def __init__(self, engine: wasmtime.Engine, pages_min: int, pages_max: int) -> None:
        memory_type = wasmtime.MemoryType(wasmtime.Limits(pages_min, pages_max), shared=True)
        self._memory: Any = POINTER(ffi.wasmtime_sharedmemory_t)()
        error = ffi.wasmtime_sharedmemory_new(engine.ptr(), memory_type.ptr(), byref(self._memory))
        if error:
            raise_error(error)

    def __del__(self) -> None:
        if self._memory:
            ffi.wasmtime_sharedmemory_delete(self._memory)
            self._memory = None

    @property
    def address(self) -> int:
        """Where the memory begins in this process."""
        return ctypes.addressof(ffi.wasmtime_sharedmemory_data(self._memory).contents)

    @property
    def size(self) -> int:
        """Current size in bytes."""
        return int(ffi.wasmtime_sharedmemory_data_size(self._memory))

    def grow(self, pages: int) -> bool:
        """Grow by `pages`; whether it was possible."""
        error = ffi.wasmtime_sharedmemory_grow(self._memory, pages, byref(ctypes.c_uint64()))
        if error:
            ffi.wasmtime_error_delete(error)
        return not error

    def extern(self) -> Any:
        """The memory as an import."""
        union = ffi.wasmtime_extern_union(sharedmemory=self._memory)
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)


class Function:
    """A function of the guest, callable with integers on the thread that owns its store.

    Integer results are unsigned. `take_pending` gives the exception, if any, with which a host function ended the
    call; it is raised here, as it was.
    """

    __slots__ = ("_call", "_params", "_result", "_slots", "_take_pending", "_trap")

    def __init__(self, context: Any, function: Any, take_pending: Callable[[], BaseException | None]) -> None:
        self._take_pending = take_pending
        kind = ffi.wasmtime_func_type(context, byref(function))
        params, self._result = signature(kind).split(":")
        ffi.wasm_functype_delete(kind)
        if set(params + self._result) - {"i"} or len(self._result) > 1:
            raise GuestError(f"a function of type {params}:{self._result} cannot be called from the host")
        self._params = len(params)
        width = max(1, len(params))
        # Read by the callee when it starts and written when it ends, so one buffer serves nested calls too.
        self._slots = (c_uint32 * (4 * width))()
        self._trap: Any = POINTER(ffi.wasm_trap_t)()
        slots = ctypes.cast(self._slots, POINTER(ffi.wasmtime_val_raw_t))
        # All that a call needs is made once: making it anew takes longer than the call.
        self._call = partial(
            ffi.wasmtime_func_call_unchecked, context, pointer(function), slots, width, pointer(self._trap)
        )

    def __call__(self, *arguments: int) -> int:
        """Call it. Raises `GuestError`, or whatever a host function raised on the way."""
        if len(arguments) != self._params:
            raise TypeError(f"{self._params} arguments expected, {len(arguments)} given")
        slots = self._slots
        for index, argument in enumerate(arguments):
            slots[4 * index] = argument
        error = self._call()
        if error or self._trap:
            trap = ctypes.cast(self._trap, POINTER(ffi.wasm_trap_t))
            ctypes.memset(ctypes.byref(self._trap), 0, ctypes.sizeof(self._trap))
            raise_outcome(error, trap, self._take_pending())
        return slots[0] if self._result else 0


def raise_outcome(error: Any, trap: Any, pending: BaseException | None) -> None:
    """Raise what ended a call: the host's own exception first, else the trap, else the error."""
    if pending is not None:
        if trap:
            ffi.wasm_trap_delete(trap)
        if error:
            ffi.wasmtime_error_delete(error)
        raise pending
    if trap:
        raise error_of(trap)
    raise_error(error)


class Store:
    """One thread's world of instances and functions. Only that thread may use it, or what is made in it."""

    def __init__(self, engine: wasmtime.Engine, take_pending: Callable[[], BaseException | None]) -> None:
        self._take_pending = take_pending
        self._store: Any = ffi.wasmtime_store_new(engine.ptr(), None, _NO_FINALIZER)
        self.context = ffi.wasmtime_store_context(self._store)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Free everything that was made in this store. Idempotent."""
        store, self._store = getattr(self, "_store", None), None
        if store:
            ffi.wasmtime_store_delete(store)

    def host_function(self, function_type: wasmtime.FuncType, callback: Any) -> Any:
        """`callback` (a `HostCallback` or `DoubleCallback`, kept alive by the caller) as an import."""
        function = ffi.wasmtime_func_t()
        plain = ctypes.cast(callback, ffi.wasmtime_func_unchecked_callback_t)
        ffi.wasmtime_func_new_unchecked(self.context, function_type.ptr(), plain, None, _NO_FINALIZER, byref(function))
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_FUNC, ffi.wasmtime_extern_union(func=function))

    def instantiate(self, module: wasmtime.Module, imports: Sequence[Any]) -> Instance:
        """An instance of `module`, whose imports stand in its order."""
        array = (ffi.wasmtime_extern_t * len(imports))(*imports)
        instance = ffi.wasmtime_instance_t()
        trap = POINTER(ffi.wasm_trap_t)()
        error = ffi.wasmtime_instance_new(self.context, module.ptr(), array, len(imports), byref(instance), byref(trap))
        if error or trap:
            raise_outcome(error, trap, self._take_pending())
        return Instance(self, instance, self._take_pending)


class Instance:
    """An instance and its exports, looked up by name when they are first needed."""

    def __init__(self, store: Store, instance: Any, take_pending: Callable[[], BaseException | None]) -> None:
        self._store = store
        self._instance = instance
        self._take_pending = take_pending
        self._functions: dict[str, Function] = {}

    def export(self, name: str) -> Any:
        """The export as an import of another module, or None."""
        item = ffi.wasmtime_extern_t()
        encoded = name.encode()
        buffer = ctypes.create_string_buffer(encoded)
        found = ffi.wasmtime_instance_export_get(
            self._store.context, byref(self._instance), buffer, len(encoded), byref(item)
        )
        return item if found else None

    def function(self, name: str) -> Function:
        """The exported function of that name. Raises `GuestError` where there is none."""
        known = self._functions.get(name)
        if known is None:
            item = self.export(name)
            if item is None or item.kind != ffi.WASMTIME_EXTERN_FUNC.value:
                raise GuestError(f"the module exports no function {name}")
            known = self._functions[name] = Function(self._store.context, item.of.func, self._take_pending)
        return known

    def table_function(self, table: str, index: int) -> Function:
        """The function at `index` of an exported table. Raises `GuestError` where there is none."""
        item = self.export(table)
        value: Any = ffi.wasmtime_val_t()
        if item is None or item.kind != ffi.WASMTIME_EXTERN_TABLE.value:
            raise GuestError(f"the module exports no table {table}")
        found = ffi.wasmtime_table_get(self._store.context, byref(item.of.table), index, byref(value))
        if not found or value.kind != ffi.WASMTIME_FUNCREF.value or not value.of.funcref.store_id:
            raise GuestError(f"there is no function at index {index} of table {table}")
        return Function(self._store.context, value.of.funcref, self._take_pending)

    def global_u32(self, name: str) -> int | None:
        """The value of the exported 32-bit global of that name, or None."""
        item = self.export(name)
        if item is None or item.kind != ffi.WASMTIME_EXTERN_GLOBAL.value:
            return None
        value: Any = ffi.wasmtime_val_t()
        ffi.wasmtime_global_get(self._store.context, byref(item.of.global_), byref(value))
        return int(value.of.i32) & 0xFFFFFFFF if value.kind == ffi.WASMTIME_I32.value else None
