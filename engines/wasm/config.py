"""The one wasmtime configuration: the compiler and the host must agree on it, or the module does not load.

Light to import (standard library and wasmtime): the compiler child and the zygote use it.
"""

from __future__ import annotations

import wasmtime
from wasmtime import _ffi as ffi

from engines.wasm.manifest import Runtime


def make_engine(runtime: Runtime) -> wasmtime.Engine:
    """A new wasmtime engine with the manifest's settings (`manifest.runtime`)."""
    config = wasmtime.Config()
    config.wasm_threads = runtime.threads
    config.wasm_exceptions = runtime.exceptions
    config.shared_memory = runtime.shared_memory
    config.cranelift_opt_level = runtime.optimization
    # wasmtime wants max_wasm_stack <= async stack, and the Python class has no setter for the latter.
    ffi.wasmtime_config_async_stack_size_set(config.ptr(), runtime.async_stack_bytes)
    config.max_wasm_stack = runtime.wasm_stack_bytes
    return wasmtime.Engine(config)
