"""What identifies each product of preparing: BLAKE3 of everything that it is made from.

Two machines or two versions that could differ in a product never share its key.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import blake3

from engines.wasm.manifest import Manifest

# What cranelift may use of a processor (x86-64, then AArch64). Other flags come and go with kernels and say nothing.
_USED_FLAGS = frozenset(
    (
        *("cx16", "pni", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2"),
        *("abm", "lzcnt", "avx512_bitalg", "avx512bitalg", "avx512dq", "avx512f", "avx512vl", "avx512vbmi"),
        *("atomics", "paca", "pacg", "fphp"),
    )
)
_CPUINFO_BYTES_MAX = 16384


@dataclass(frozen=True, slots=True)
class Keys:
    """One hexadecimal key a product, and `fingerprint` over all that can change a result or the compiled code."""

    source: str
    image: str
    translated: str
    module: str
    fonts: str
    fingerprint: str


def wasmtime_version() -> str:
    """The installed wasmtime, without loading it (it maps 20 MB of native code)."""
    return importlib.metadata.version("wasmtime")


def machine(cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[str, ...]:
    """System, architecture and, where the system tells, the features of the processor that compiled code may use."""
    return (platform.system(), platform.machine(), *_processor_features(cpuinfo))


def _processor_features(cpuinfo: Path) -> tuple[str, ...]:
    try:
        with cpuinfo.open(encoding="ascii", errors="replace") as file:
            head = file.read(_CPUINFO_BYTES_MAX)
    except OSError:
        return ()
    for line in head.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"flags", "Features"}:
            return tuple(sorted(_USED_FLAGS.intersection(value.split())))
    return ()


def make_keys(manifest: Manifest, wasmtime: str, host: tuple[str, ...]) -> Keys:
    """The keys for `manifest` with this version of wasmtime on this `host` (see `machine`)."""
    payload, translator = manifest.payload, manifest.translator
    source = _key("source", payload.package, payload.module, translator.package, translator.program)
    image = _key("image", payload.package, payload.image, payload.index, payload.licences)
    translated = _key("translated", source, translator.arguments)
    module = _key("module", translated, wasmtime, manifest.runtime, host)
    fonts = _key("fonts", manifest.fonts)
    fingerprint = _key("engine", image, module, fonts, manifest.guest)
    return Keys(source, image, translated, module, fonts, fingerprint)


def _key(*parts: Any) -> str:
    canonical = json.dumps(parts, default=dataclasses.asdict, sort_keys=True, ensure_ascii=True)
    return blake3.blake3(canonical.encode("ascii")).hexdigest()
