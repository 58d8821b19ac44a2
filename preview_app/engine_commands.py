"""`docpeek engines`: what is there, preparing it ahead of time, removing it; each gives the exit status."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from converter.errors import outcome_of
from engines.errors import EngineError
from engines.sandboxprobe import probe
from engines.wasm import prepared
from engines.wasm.engine import WasmEngine
from engines.wasm.prepare import prepare
from engines.wasm.prepared import EngineStatus
from preview_app.console import Console

_MIB = 1 << 20


def show(console: Console) -> int:
    """Print which engines there are, with versions, fingerprints and sizes."""
    try:
        status = prepared.status()
    except EngineError as error:
        return _refuse(error, console)
    generation = WasmEngine.found().info.fingerprint if status.prepared else None
    sandbox = probe()
    console.result(
        {"engines": [_json(status, generation)], "sandbox": asdict(sandbox)},
        f"{_text(status, generation)}\nsandbox: {sandbox}",
    )
    return 0


def prepare_now(console: Console) -> int:
    """Prepare the engine, with progress on standard error."""
    if found := prepared.find():
        console.say(f"The WASM engine (LibreOffice {found.versions['libreoffice']}) is ready.")
        return 0
    try:
        with console.progress() as progress:
            made = prepare(lambda moment: progress(moment.message, moment.percent))
    except EngineError as error:
        return _refuse(error, console)
    except KeyboardInterrupt:
        console.say("Interrupted; what is complete is kept, and the next run goes on from there.")
        return 130
    console.say(f"The WASM engine (LibreOffice {made.versions['libreoffice']}) is ready: {_mib(made.sizes)} MiB.")
    return 0


def remove_prepared(console: Console) -> int:
    """Remove the prepared engine."""
    try:
        freed = prepared.remove()
    except EngineError as error:
        return _refuse(error, console)
    console.say(f"Removed: {freed // _MIB} MiB freed." if freed else "There was nothing to remove.")
    return 0


def _refuse(error: EngineError, console: Console) -> int:
    console.say(error.message)
    if error.diagnostics:
        console.say(error.diagnostics)
    return outcome_of(error.kind).exit_status


def _mib(sizes: dict[str, int]) -> int:
    return sum(sizes.values()) // _MIB


def _json(status: EngineStatus, generation: str | None) -> dict[str, Any]:
    values = asdict(status) | {"name": "wasm", "generation": generation}
    values["directory"] = str(status.directory)
    values["paths"] = {name: str(path) for name, path in status.paths.items()}
    return values


def _text(status: EngineStatus, generation: str | None) -> str:
    lines = [
        f"wasm: LibreOffice {status.versions['libreoffice']} in WebAssembly, hosted in wasmtime "
        f"{status.versions['wasmtime']}",
        f"  state        {'ready' if status.prepared else status.reason}",
        f"  payload      {status.versions['payload']}",
        f"  translator   {status.versions['translator']}",
        f"  fingerprint  {status.fingerprint}",
    ]
    if generation:
        lines.append(f"  generation   {generation} (with the fonts and settings of this machine)")
    lines.append(f"  folder       {status.directory}")
    lines += [f"  {name:<12} {size // _MIB} MiB" for name, size in status.sizes.items()]
    lines.append(f"  npm          {status.npm or 'none found; preparing needs one'}")
    lines.append("native: not part of this version")
    return "\n".join(lines)
