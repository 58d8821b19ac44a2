"""C++ exceptions thrown by the host's `__throw_exception_with_stack_trace`.

A host function cannot throw a WebAssembly exception, so that import is given a function of WebAssembly. It must throw
the tag `__cpp_exception`, which the main module itself defines and exports, so it is only there when the import was
already needed. Two small modules break the circle: the first exports `throw`, which calls through a table of its own;
the second, instantiated after the main one, imports the tag and puts a function that throws it into that table.
"""

from __future__ import annotations

from typing import Any

import wasmtime

from engines.wasm.host.capi import Instance, Store
from engines.wasm.host.errors import GuestLinkError

IMPORT_NAME = "__throw_exception_with_stack_trace"
TAG_NAME = "__cpp_exception"

_TRAMPOLINE = """
(module
  (table (export "table") 1 funcref)
  (type $throw (func (param i32)))
  (func (export "throw") (param i32)
    (call_indirect (type $throw) (local.get 0) (i32.const 0))))
"""

_THROWER = """
(module
  (import "main" "tag" (tag $tag (param i32)))
  (import "trampoline" "table" (table 1 funcref))
  (func $throw (param i32) (throw $tag (local.get 0)))
  (elem (i32.const 0) $throw))
"""


class ExceptionThrower:
    """The two modules, compiled once for an engine; thread-safe from then on."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._trampoline = wasmtime.Module(engine, _TRAMPOLINE)
        self._thrower = wasmtime.Module(engine, _THROWER)

    def prepare(self, store: Store) -> Instance:
        """Make the first instance, before the main one; its export `throw` is the import."""
        return store.instantiate(self._trampoline, ())

    def connect(self, store: Store, main: Instance, trampoline: Instance) -> None:
        """Make the second instance, once the main one is there."""
        tag: Any = main.export(TAG_NAME)
        if tag is None:
            raise GuestLinkError((), (f"{IMPORT_NAME} without an exported tag {TAG_NAME}",))
        store.instantiate(self._thrower, (tag, trampoline.export("table")))
