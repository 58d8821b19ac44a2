"""Child main: compile a module ahead of time, or try whether a compiled one loads.

    python -m engines.wasm.compiler compile MANIFEST INPUT.wasm OUTPUT.cwasm
    python -m engines.wasm.compiler load MANIFEST MODULE.cwasm

Compiling takes gigabytes, which must not stay in the application: hence a process of its own. Exit status 0 and one
JSON object on standard output: `ok`, and `reason` (`refused` by wasmtime, `incomplete` by the manifest) with `detail`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from pathlib import Path

import wasmtime

from engines.wasm.config import make_engine
from engines.wasm.manifest import Guest, Manifest, load_manifest


def main(arguments: list[str]) -> int:
    """Do what the command line says; every failure that wasmtime or the manifest explains is in the answer."""
    action, manifest_path, *paths = arguments
    manifest = load_manifest(Path(manifest_path))
    try:
        if action == "compile":
            compile_file(manifest, Path(paths[0]), Path(paths[1]))
        missing = missing_names(manifest.guest, load_file(manifest, Path(paths[-1])))
    except wasmtime.WasmtimeError as error:
        answer = {"ok": False, "reason": "refused", "detail": str(error)[:2000]}
    else:
        answer = {"ok": not missing, "reason": "incomplete", "detail": ", ".join(missing)}
    sys.stdout.write(json.dumps(answer))
    return 0


def compile_file(manifest: Manifest, source: Path, target: Path) -> None:
    """Compile `source` to `target`, a new file that its owner alone can read."""
    module = wasmtime.Module.from_file(make_engine(manifest.runtime), str(source))
    _give_memory_back()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(module.serialize())


def _give_memory_back() -> None:
    """The compiler leaves gigabytes of free memory in the C library's heap; serializing on top would be the peak."""
    with contextlib.suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)


def load_file(manifest: Manifest, path: Path) -> wasmtime.Module:
    """Map a compiled module. wasmtime refuses one of another version, configuration or processor."""
    return wasmtime.Module.deserialize_file(make_engine(manifest.runtime), str(path))


def missing_names(guest: Guest, module: wasmtime.Module) -> list[str]:
    """The exports and imports that the manifest promises and the module does not have."""
    exports = {item.name for item in module.exports}
    imports = {item.name for item in module.imports}
    wanted_exports = {*guest.functions.values(), *guest.exports.values()}
    return sorted((wanted_exports - exports) | (set(guest.imports.values()) - imports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
