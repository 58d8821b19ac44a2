"""A tiny payload that goes the same way as the real one: packages in a folder, a manifest for them, and a program to
prepare them in a process of its own.

    python -m tests.engines.wasm.tiny_engine FOLDER CACHE_DIR

The module is a few lines of WAT. The translator is a Python script, started where Node would be: it copies its input
and notes its run in `translations`. If the FIFO `reached` exists it first writes its process id there and then waits
until `release` is written or closed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import wasmtime

from engines.wasm.manifest import Manifest, Package, load_manifest
from engines.wasm.npm import NodeTools
from engines.wasm.payload import FolderFetcher
from engines.wasm.prepare import Surroundings, prepare
from engines.wasm.progress import PrepareProgress

_WAT = """
(module
  (import "env" "memory" (memory 1))
  (import "env" "host_log" (func (param i32)))
  (tag (export "tag") (param i32))
  (func (export "office_start") (result i32) (i32.const 42))
  (func (export "office_stop")))
"""
_TRANSLATOR = """
import os, shutil, sys
folder = {folder!r}
flags, (source, dash_o, target) = sys.argv[1:-3], sys.argv[-3:]
assert flags == ["--enable-threads", "--enable-simd", "--translate"] and dash_o == "-o", sys.argv
with open(os.path.join(folder, "translations"), "a") as log:
    log.write("once\\n")
if os.path.exists(os.path.join(folder, "reached")):
    with open(os.path.join(folder, "reached"), "w") as gate:
        gate.write(str(os.getpid()))
    with open(os.path.join(folder, "release")) as gate:
        gate.read()
shutil.copyfile(source, target)
"""


@dataclass(frozen=True)
class CountingFetcher:
    """Fetches from a folder and notes each package in the file `fetches` there."""

    folder: Path

    def fetch(self, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]) -> None:
        with (self.folder / "fetches").open("a", encoding="ascii") as log:
            log.writelines(f"{package.name}\n" for package in packages)
        FolderFetcher(self.folder / "packages").fetch(packages, into, on_tick)


def make_tiny_engine(folder: Path) -> Path:
    """Write packages and manifest under `folder`; returns the manifest's path."""
    packages = folder / "packages"
    files = {
        "tiny-office/assets/office.wasm": bytes(wasmtime.wat2wasm(_WAT)),
        "tiny-office/assets/office.data": b"hello world",
        "tiny-office/assets/office.json": _index([("/a.txt", 0, 5), ("/b.txt", 6, 11)]),
        "tiny-office/LICENSE": b"do what you like",
        "tiny-translator/bin/opt": _TRANSLATOR.format(folder=str(folder)).encode(),
        "tiny-fonts/400/Tiny.ttf": b"not really a font",
        "tiny-fonts/LICENSE_FONT": b"free",
    }
    for name, data in files.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps(_manifest(files)), encoding="utf-8")
    return manifest


def surroundings(folder: Path) -> Surroundings:
    """What `prepare` takes to prepare the engine under `folder`, with Python in the place of Node."""
    manifest: Manifest = load_manifest(folder / "manifest.json")
    tools = NodeTools((sys.executable,), (), "test")
    return Surroundings(manifest, lambda: tools, lambda _tools: CountingFetcher(folder))


def without_source(around: Surroundings) -> Surroundings:
    """The same, on a machine that has no npm client any more."""

    def no_tools() -> NodeTools:
        raise AssertionError("nothing should be fetched or translated")

    return replace(around, find_tools=no_tools)


def lines(path: Path) -> list[str]:
    """The lines of a log of the tiny engine; none if it was never written."""
    return path.read_text(encoding="ascii").split() if path.exists() else []


def _index(files: list[tuple[str, int, int]]) -> bytes:
    return json.dumps({"files": [{"filename": n, "start": s, "end": e} for n, s, e in files]}).encode()


def _manifest(files: dict[str, bytes]) -> dict[str, Any]:
    def package(name: str) -> dict[str, str]:
        return {"name": name, "version": "1.0.0", "integrity": "sha512-none", "licence": "MIT"}

    def file(name: str) -> dict[str, Any]:
        data = files[name]
        path = name.split("/", 1)[1]
        return {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}

    return {
        "schema": 1,
        "payload": {
            **package("tiny-office"),
            "libreoffice": "0.1",
            "module": file("tiny-office/assets/office.wasm"),
            "image": file("tiny-office/assets/office.data"),
            "index": file("tiny-office/assets/office.json"),
            "licences": [file("tiny-office/LICENSE")],
        },
        "translator": {
            **package("tiny-translator"),
            "program": file("tiny-translator/bin/opt"),
            "features": ["threads", "simd"],
            "passes": ["translate"],
        },
        "runtime": {
            "optimization": "speed",
            "wasm_stack_bytes": 1 << 20,
            "async_stack_bytes": 2 << 20,
            "threads": True,
            "exceptions": True,
            "shared_memory": True,
        },
        "guest": {
            "program_directory": "/program",
            "load_options": "",
            "functions": {"initialize": "office_start", "destroy": "office_stop"},
            "imports": {"memory": "memory", "log": "host_log"},
            "exports": {"exception_tag": "tag"},
            "memory_pages_min": 1,
            "memory_pages_max": 2,
        },
        "fonts": [{**package("tiny-fonts"), "files": ["400/*.ttf"], "licences": ["LICENSE_FONT"]}],
        "needs": {"memory_bytes": 1000, "disk_bytes": 1000, "npm_major_min": 9, "node_major_min": 18},
        "expected_s": {"fetch": 1, "verify": 1, "translate": 1, "compile": 1, "store": 1},
    }


def _print(moment: PrepareProgress) -> None:
    sys.stdout.write(f"{moment.phase}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    prepare(_print, cache_dir=Path(sys.argv[2]), surroundings=surroundings(Path(sys.argv[1])))
