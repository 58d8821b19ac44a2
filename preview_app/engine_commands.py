"""`docpeek engines`: what is there, preparing it ahead of time, removing it; each gives the exit status."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from converter.errors import Outcome, outcome_of
from engines import select
from engines.errors import EngineError
from engines.sandboxprobe import probe
from engines.wasm import prepared
from engines.wasm.engine import WasmEngine
from engines.wasm.prepare import prepare
from engines.wasm.prepared import EngineStatus, PreparedEngine
from preview_app import app
from preview_app.config import Config
from preview_app.console import Console

_MIB = 1 << 20


def show(config: Config, console: Console) -> int:
    """Print which engines there are, with versions, fingerprints and sizes, and which one is taken.

    The installed LibreOffice is tried anew, which takes a second or two.
    """
    try:
        status = prepared.status()
    except EngineError as error:
        return _refuse(error, console)
    generation = WasmEngine.found().info.fingerprint if status.prepared else None
    native = select.look(config.native_program, again=True)
    told = _native_json(config, native)
    in_use, note = _decision(config, native)
    sandbox = probe()
    console.result(
        {
            "engines": [_json(status, generation), told],
            "in_use": in_use,
            "note": note,
            "sandbox": asdict(sandbox),
        },
        "\n".join(
            (_text(status, generation), _native_text(native, told), _in_use_text(in_use, note), f"sandbox: {sandbox}")
        ),
    )
    return 0


def _decision(config: Config, native: select.NativeState) -> tuple[str | None, str]:
    """The engine that is taken without `--engine`, if any, and what to tell of that."""
    try:
        decision = select.decide(config.engine, lambda: native)
    except EngineError as error:
        return None, error.message
    return decision.name, decision.note


def _in_use_text(in_use: str | None, note: str) -> str:
    return f"in use: {in_use or 'none'}" + (f"\n  {note}" if note else "")


def _native_json(config: Config, native: select.NativeState) -> dict[str, Any]:
    usable = native.installation is not None and not native.found.failure
    generation = app.make_engine(config, select.Decision("native", native)).info.fingerprint if usable else None
    return {
        "name": "native",
        "installed": native.installation is not None,
        "usable": usable,
        "complete": native.complete,
        "program": str(native.installation.executable) if native.installation else None,
        "version": native.found.version or None,
        "forked": bool(native.found.python),
        "python": native.found.python or None,
        "missing": native.found.missing,
        "lacking": native.found.lacking,
        "advice": native.found.advice,
        "reason": native.absent or native.found.why_not,
        "generation": generation,
    }


def _native_text(native: select.NativeState, told: dict[str, Any]) -> str:
    if native.installation is None:
        return f"native: {native.absent}"
    lines = [f"native: {native.title}"]
    lines.append(f"  state        {'ready' if told['complete'] else told['reason']}")
    if told["usable"]:
        way = "a process a document"
        if told["python"]:
            way = f"initialised once, forked by {told['python']}"
        lines.append(f"  way          {way}")
        lines.append(f"  generation   {told['generation']} (with the fonts and settings of this machine)")
    if told["lacking"]:
        lines.append(f"  lacking      {told['lacking']}")
    if told["advice"]:
        lines.append(f"  faster       {told['advice']}")
    return "\n".join(lines)


def prepare_now(console: Console) -> int:
    """Prepare the engine, with progress on standard error."""
    try:
        made = prepared.find() or _prepare(console)
        # What the engine makes once of the fonts of this machine; a later user may not be allowed to write there.
        WasmEngine(made)
    except EngineError as error:
        return _refuse(error, console)
    except KeyboardInterrupt:
        console.say("Interrupted; what is complete is kept, and the next run goes on from there.")
        return Outcome.CANCELLED.exit_status
    console.say(f"The WASM engine (LibreOffice {made.versions['libreoffice']}) is ready: {_mib(made.sizes)} MiB.")
    return 0


def _prepare(console: Console) -> PreparedEngine:
    with console.progress() as progress:
        return prepare(lambda moment: progress(moment.message, moment.percent))


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
    console.explain(error.diagnostics)
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
    return "\n".join(lines)
