"""Joins the module's imports to the host's functions: all of them, by name and type, or not at all.

Each import gets one C callback, shared by the instances of all threads and kept alive here. Stores and instances are
made per thread and share no table of the host's, so threads need no lock to be started.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from struct import Struct
from typing import Any

import wasmtime

from engines.wasm.host import absent
from engines.wasm.host.binding import Failure, HostFunction
from engines.wasm.host.capi import DoubleCallback, HostCallback, Instance, SharedMemory, Store, signature
from engines.wasm.host.context import Current
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.errors import GuestFault, GuestLinkError, UnexpectedImport
from engines.wasm.host.exceptions import IMPORT_NAME as THROW
from engines.wasm.host.exceptions import ExceptionThrower

WASI = "wasi_snapshot_preview1"
_DOUBLE = Struct("<d")
_WORDS = Struct("<II")

Functions = Mapping[tuple[str, str], HostFunction]


class Linker:
    """Makes instances of one module. Raises `GuestLinkError` where the host does not fit the module."""

    def __init__(
        self,
        engine: wasmtime.Engine,
        module: wasmtime.Module,
        functions: Functions,
        memory: SharedMemory,
        current: Current,
        lock: AbstractContextManager[object],
        counts: Counter[str] | None = None,
    ) -> None:
        self._engine = engine
        self._module = module
        self._memory = memory
        self._current = current
        self._lock = lock
        self._counts = counts
        self._imports = [(imp.module, imp.name or "", imp.type) for imp in module.imports]
        _check(self._imports, functions)
        self._callbacks = [self._callback(*imp, functions) for imp in self._imports]
        throws = any(name == THROW for _, name, _ in self._imports)
        self._thrower = ExceptionThrower(engine) if throws else None

    def instantiate(self) -> tuple[Store, Instance]:
        """A new store and instance, for the calling thread alone."""
        store = Store(self._engine, self._current.take_pending)
        trampoline = self._thrower.prepare(store) if self._thrower else None
        instance = store.instantiate(self._module, list(self._externs(store, trampoline)))
        if self._thrower and trampoline:
            self._thrower.connect(store, instance, trampoline)
        return store, instance

    def _externs(self, store: Store, trampoline: Instance | None) -> Iterator[Any]:
        for (_, name, kind), callback in zip(self._imports, self._callbacks, strict=True):
            if callback is not None and isinstance(kind, wasmtime.FuncType):
                yield store.host_function(kind, callback)
            elif name == THROW and trampoline:
                yield trampoline.export("throw")
            else:
                yield self._memory.extern()

    def _callback(self, module: str, name: str, kind: Any, functions: Functions) -> Any:
        if not isinstance(kind, wasmtime.FuncType) or name == THROW:
            return None
        function = functions.get((module, name))
        if function is None:
            return HostCallback(self._counted(name, self._stand_in(name)))
        lock = self._lock if function.locked else nullcontext()
        body = _raw(function, self._current.fail) if function.raw else _plain(function, lock, self._current.fail)
        prototype = DoubleCallback if function.raw and function.signature.endswith(":d") else HostCallback
        return prototype(self._counted(name, body))

    def _stand_in(self, name: str) -> Callable[..., int]:
        if name in absent.NOTHING_TO_DO:
            return _nothing
        if name in absent.REFUSED:
            return _constant(absent.REFUSED[name])
        return _unexpected(name, self._current.fail)

    def _counted(self, name: str, body: Callable[..., int]) -> Callable[..., int]:
        counts = self._counts
        if counts is None:
            return body

        def counted(env: Any, caller: Any, slots: Any, width: int) -> int:
            counts[name] += 1
            return body(env, caller, slots, width)

        return counted


def _check(imports: list[tuple[str, str, Any]], functions: Functions) -> None:
    missing, mismatched = [], []
    for module, name, kind in imports:
        if not isinstance(kind, wasmtime.FuncType):
            if not (isinstance(kind, wasmtime.MemoryType) and kind.is_shared):
                mismatched.append(f"{module}.{name} (the host only has a shared memory and functions)")
            continue
        wanted = signature(kind)
        function = functions.get((module, name))
        known = THROW, *absent.NOTHING_TO_DO, *absent.REFUSED, *absent.UNEXPECTED
        if function is None and (module != "env" or name not in known):
            missing.append(f"{module}.{name} {wanted}")
        elif function is not None and function.signature != wanted:
            mismatched.append(f"{module}.{name} {wanted}, here {function.signature}")
    if missing or mismatched:
        raise GuestLinkError(tuple(missing), tuple(mismatched))


def _nothing(_env: Any, _caller: Any, words: Any, width: int) -> int:
    if width:
        words[0] = 0
    return 0


def _constant(value: int) -> Callable[..., int]:
    def constant(_env: Any, _caller: Any, words: Any, _width: int) -> int:
        words[0] = value
        return 0

    return constant


def _unexpected(name: str, fail: Callable[[BaseException], int]) -> Callable[..., int]:
    def unexpected(_env: Any, _caller: Any, _words: Any, _width: int) -> int:
        return fail(UnexpectedImport(name))

    return unexpected


def _raw(function: HostFunction, fail: Callable[[BaseException], int]) -> Callable[..., int]:
    call = function.call
    traps = function.failure is Failure.TRAP

    def raw(_env: Any, _caller: Any, slots: Any, _width: int) -> int:
        try:
            call(slots)
        except GuestFault as error:
            if traps:
                return fail(error)
            slots[0] = Errno.EFAULT
        except BaseException as error:  # noqa: BLE001 raised again where the call into the guest ends
            return fail(error)
        return 0

    return raw


def _plain(function: HostFunction, lock: Any, fail: Callable[[BaseException], int]) -> Callable[..., int]:
    call = function.call
    take = _taker(function.signature.partition(":")[0])
    put = _putter(function.signature.partition(":")[2])
    sign = {Failure.NEGATED: -1, Failure.POSITIVE: 1, Failure.TRAP: 0}[function.failure]

    def plain(_env: Any, _caller: Any, words: Any, _width: int) -> int:
        try:
            with lock:
                put(words, call(*take(words)))
        except ErrnoError as error:
            if not sign:
                return fail(error)
            words[0] = sign * error.errno
        except GuestFault as error:
            if not sign:
                return fail(error)
            words[0] = sign * Errno.EFAULT
        except BaseException as error:  # noqa: BLE001 raised again where the call into the guest ends
            return fail(error)
        return 0

    return plain


def _taker(params: str) -> Callable[[Any], list[Any]]:
    """How to take the parameters out of the words."""
    if set(params) <= {"i"}:
        places = tuple(range(0, 4 * len(params), 4))
        return lambda words: [words[place] for place in places]
    readers = [_READERS[kind] for kind in params]
    return lambda words: [read(words, 4 * index) for index, read in enumerate(readers)]


def _word(words: Any, place: int) -> int:
    return int(words[place])


def _signed64(words: Any, place: int) -> int:
    value = int(words[place] | words[place + 1] << 32)
    return value - (1 << 64) if value >> 63 else value


def _double(words: Any, place: int) -> float:
    value: float = _DOUBLE.unpack(_WORDS.pack(words[place], words[place + 1]))[0]
    return value


_READERS: dict[str, Callable[[Any, int], float]] = {"i": _word, "j": _signed64, "d": _double}


def _putter(results: str) -> Callable[[Any, Any], None]:
    """How to put the result into the words. C integers wrap, so signed results are put as they are."""
    return {"": _put_none, "i": _put_word, "j": _put_long}[results]


def _put_none(_words: Any, _value: Any) -> None:
    pass


def _put_word(words: Any, value: int) -> None:
    words[0] = value


def _put_long(words: Any, value: int) -> None:
    words[0] = value & 0xFFFFFFFF
    words[1] = value >> 32 & 0xFFFFFFFF
