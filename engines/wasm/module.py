"""From the payload's module to native code: translate its exception handling, compile it, try that it loads.

Each step runs in a process of its own, which dies with this one and leaves no memory behind. `on_tick` is called with
the seconds of processor time spent: unlike those of the clock they hardly depend on load and the number of cores.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import engines
from engines.errors import EngineError, ErrorKind
from engines.wasm.child import ChildTimeoutError, Finished, run_child
from engines.wasm.manifest import Translator

_TRANSLATE_TIMEOUT_S = 1200.0
_COMPILE_TIMEOUT_S = 1800.0
_LOAD_TIMEOUT_S = 60.0
_DIAGNOSTICS_CHARS_MAX = 4000


def translate(
    node: tuple[str, ...],
    translator: Translator,
    program: Path,
    source: Path,
    target: Path,
    on_tick: Callable[[float], None],
) -> None:
    """Rewrite legacy exception handling in `source` into the kind that wasmtime runs, as `target`.

    Raises `EngineError` of kind `unavailable`.
    """
    command = [*node, str(program), *translator.arguments, str(source), "-o", str(target)]
    finished = _run("translate", command, target.parent, _TRANSLATE_TIMEOUT_S, on_tick)
    if finished.status != 0 or not target.is_file():
        raise _died("translate", finished)


def compile_module(manifest: Path, source: Path, target: Path, on_tick: Callable[[float], None]) -> None:
    """Compile `source` for this processor as `target`, and check that it loads and has what the manifest promises.

    Raises `EngineError` of kind `unavailable`.
    """
    flaw = _compiler(["compile", str(manifest), str(source), str(target)], _COMPILE_TIMEOUT_S, on_tick)
    if flaw:
        raise EngineError(
            ErrorKind.UNAVAILABLE,
            "The engine cannot be compiled on this machine: try `docpeek engines prepare` again, or install LibreOffice"
            " to use that instead.",
            flaw,
        )


def load_flaw(manifest: Path, module: Path) -> str | None:
    """Why wasmtime refuses the compiled `module` (another version, another processor), or `None` if it loads."""
    return _compiler(["load", str(manifest), str(module)], _LOAD_TIMEOUT_S, lambda _spent: None)


def _compiler(arguments: list[str], deadline_s: float, on_tick: Callable[[float], None]) -> str | None:
    root = Path(engines.__file__).resolve().parent.parent
    search = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "engines.wasm.compiler", *arguments]
    finished = _run("compile", command, root, deadline_s, on_tick, {**os.environ, "PYTHONPATH": search})
    if finished.status != 0:
        raise _died("compile", finished)
    answer = json.loads(finished.stdout)
    return None if answer["ok"] else f"{answer['reason']}: {answer['detail']}"


def _run(
    step: str,
    command: list[str],
    cwd: Path,
    deadline_s: float,
    on_tick: Callable[[float], None],
    environment: dict[str, str] | None = None,
) -> Finished:
    try:
        return run_child(
            command,
            cwd=cwd,
            deadline_s=deadline_s,
            on_tick=lambda effort: on_tick(effort.processor_s),
            environment=environment,
        )
    except ChildTimeoutError as error:
        raise EngineError(
            ErrorKind.UNAVAILABLE,
            f"Preparing the engine takes too long on this machine (step: {step}): try again when it is less busy.",
            str(error),
        ) from error


def _died(step: str, finished: Finished) -> EngineError:
    diagnostics = f"status {finished.status}\n{finished.stderr}"[-_DIAGNOSTICS_CHARS_MAX:]
    if finished.status == -signal.SIGKILL:
        message = "The system stopped preparing the engine, most likely for want of memory: close other programs"
        return EngineError(ErrorKind.UNAVAILABLE, f"{message} and try again.", diagnostics)
    message = f"The engine could not be prepared (step: {step}): check free disk space and memory, then try again."
    return EngineError(ErrorKind.UNAVAILABLE, message, diagnostics)
