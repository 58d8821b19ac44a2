"""Small guests out of WebAssembly text, with the exports that the host uses of Emscripten's runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import wasmtime

from engines.wasm.host import capi
from engines.wasm.host.fontcallback import FontFace, FontRequest
from engines.wasm.host.guest import Guest, GuestLimits

LIMITS = GuestLimits(
    memory_bytes_max=4 << 20, file_bytes_max=1 << 20, descriptors_max=16, threads_max=2, wasm_stack_bytes=1 << 20
)

# A bump allocator, a table of one thread entry, and the hooks of Emscripten's runtime, which do nothing.
RUNTIME = """
  (import "env" "memory" (memory $memory 2 64 shared))
  (export "memory" (memory $memory))
  (global $top (mut i32) (i32.const 4096))
  (func $malloc (export "malloc") (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $top))
    (global.set $top (i32.and (i32.add (i32.add (local.get $at) (local.get $size)) (i32.const 15)) (i32.const -16)))
    (local.get $at))
  (func (export "free") (param i32))
  (func (export "emscripten_stack_set_limits") (param i32 i32))
  (func (export "__set_stack_limits") (param i32 i32))
  (func (export "_emscripten_stack_restore") (param i32))
  (func (export "_emscripten_thread_init") (param i32 i32 i32 i32 i32 i32))
  (func (export "_emscripten_tls_init") (result i32) (i32.const 0))
  (func (export "_emscripten_thread_exit") (param i32))
  (func (export "_emscripten_thread_free_data") (param i32))
"""


class NoFonts:
    """A resolver that has none, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[FontRequest] = []

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        self.requests.append(request)
        return ()


GuestMaker = Callable[..., Guest]


def compiled(folder: Path, text: str, limits: GuestLimits = LIMITS) -> Path:
    """The file of a compiled module."""
    engine = capi.new_engine(limits.wasm_stack_bytes)
    path = folder / "guest.cwasm"
    path.write_bytes(bytes(wasmtime.Module(engine, text).serialize()))
    return path


def module(imports: str, body: str) -> str:
    """A module of the runtime, more imports, and more of its own."""
    head, _, rest = RUNTIME.partition("\n  (export")
    return f"(module {head} {imports} (export{rest} {body})"
