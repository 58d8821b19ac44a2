"""What an installed LibreOffice can do here, found by trying it once and remembered until it changes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from blake3 import blake3

from engines.base import CancelToken
from engines.cachedir import default_cache_dir
from engines.errors import EngineError
from engines.formats import Family, by_id
from engines.kits import Job, can_fork
from engines.native import interpreter, launch, modules
from engines.native.convert_cli import CommandKits
from engines.native.discover import Installation
from engines.native.scratch import Scratch
from engines.protocol import Convert

_TIMEOUT_S = 90.0
_VERSION_TIMEOUT_S = 20.0
_MEMORY_BYTES_MAX = 2 << 30
_FOLDER = "native"
LOCALE = "en-US"


@dataclass(frozen=True, slots=True)
class Capability:
    """What the probe found.

    `python` and `uno` are the interpreter and module folder of the warm way, empty where documents take the slower one,
    a program each; `advice` then says what would make it faster. `missing` has a sentence for each family that cannot
    be opened, `lacking` says what is left out of documents that are. `failure` says why the installation is of no use
    at all; empty if it is of use.
    """

    version: str = ""
    python: str = ""
    uno: str = ""
    advice: str = ""
    missing: dict[str, str] = field(default_factory=dict)
    lacking: str = ""
    failure: str = ""

    @property
    def complete(self) -> bool:
        """Whether every family of documents can be opened."""
        return not self.failure and not self.missing

    @property
    def why_not(self) -> str:
        """Why it is not complete, in one or a few sentences."""
        return self.failure or " ".join(self.missing.values())


def probe(installation: Installation, documents: dict[str, Path], *, again: bool = False) -> Capability:
    """What the installation can do. `documents` has a small one for each family to try.

    Takes a second or two, and nothing when the answer is known from before (`again` asks anyway).
    """
    known = _known_file(installation)
    if not again and (remembered := _remembered(known)):
        return remembered
    found = _try(installation, documents)
    with contextlib.suppress(OSError):
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return found


def forget(installation: Installation) -> None:
    """Ask anew the next time: what was found does not hold any more."""
    _known_file(installation).unlink(missing_ok=True)


def font_cache_dir() -> Path:
    """Where fontconfig keeps what it has read of font folders of ours."""
    return default_cache_dir() / _FOLDER / "fontconfig"


def _known_file(installation: Installation) -> Path:
    digest = blake3(json.dumps([installation.identity, sys.version]).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for program in interpreter.candidates():
        digest.update(f"{program} {Path(program).stat().st_mtime_ns}".encode())
    return default_cache_dir() / _FOLDER / f"probe-{digest.hexdigest()[:32]}.json"


def _remembered(file: Path) -> Capability | None:
    try:
        return Capability(**json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _try(installation: Installation, documents: dict[str, Path]) -> Capability:
    advice = _why_not_forked()
    if not advice:
        python, advice = interpreter.find()
        if python is not None:
            told = _try_warm(installation, python, documents)
            if "error" not in told:
                return Capability(
                    version=told["version"],
                    python=python.program,
                    uno=python.module_dir,
                    missing=_missing(told),
                    lacking=modules.NO_EQUATIONS if told["lacks_math"] else "",
                )
            advice = f"LibreOffice cannot be initialised ahead ({told['error']}), so each document starts it anew."
    return _try_command(installation, documents, advice)


def _why_not_forked() -> str:
    return "" if can_fork() else "This system cannot fork processes: each document starts LibreOffice anew."


def _missing(told: dict[str, Any]) -> dict[str, str]:
    names = {each.family.value: each.name for each in modules.MODULES}
    lacking = {family: modules.of_family(Family(family)).missing for family in told["missing"]}
    failed = {
        family: f"{names[family]} does not convert a document that is known to be good: {message}"
        for family, message in told["failed"].items()
    }
    return {**failed, **lacking}


def _try_warm(installation: Installation, python: interpreter.UnoPython, documents: dict[str, Path]) -> dict[str, Any]:
    scratch = Scratch()
    try:
        launch.write_settings(scratch.path, installation, (), font_cache_dir(), LOCALE)
        settings = {
            "program": str(installation.program),
            "uno": python.module_dir,
            "scratch": str(scratch.path),
            "readable": [],
            "warm_up": [],
            "memory_bytes_max": _MEMORY_BYTES_MAX,
            "try": {family: str(path) for family, path in documents.items()},
        }
        ended = subprocess.run(
            launch.command(python.program, "engines.native.probe"),
            input=json.dumps(settings).encode(),
            env=launch.environment(scratch.path, installation),
            cwd=scratch.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
        answer: dict[str, Any] = json.loads(ended.stdout or b"{}")
        return answer or {"error": f"its trial ended with status {ended.returncode}"}
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return {"error": repr(error)}
    finally:
        scratch.remove()


def _try_command(installation: Installation, documents: dict[str, Path], advice: str) -> Capability:
    scratch = Scratch()
    try:
        launch.write_settings(scratch.path, installation, (), font_cache_dir(), LOCALE)
        readable = launch.readable(scratch.path, installation, (), font_cache_dir())
        kits = CommandKits(installation, scratch.path, memory_bytes_max=_MEMORY_BYTES_MAX, readable=readable)
        kits.start()
        failed = {family: why for family, path in documents.items() if (why := _convert_one(kits, path))}
        version = _version(installation, scratch.path)
    finally:
        scratch.remove()
    if len(failed) == len(documents):
        return Capability(version, failure=f"It does not convert anything: {next(iter(failed.values()))}")
    missing = {each: modules.of_family(Family(each)).missing for each in failed}
    lacking = "" if installation.has_math else modules.NO_EQUATIONS
    return Capability(version, advice=advice, missing=missing, lacking=lacking)


def _convert_one(kits: CommandKits, path: Path) -> str:
    """Why a document that is known to be good was not converted; empty if it was."""
    kind = by_id(path.suffix[1:])
    request = Convert(kind.id, "", {"family": kind.family.value}, int(_TIMEOUT_S), 64 << 20)
    try:
        ending = kits.run(Job(path.read_bytes(), request, _TIMEOUT_S, _Never(), lambda _phase: None))
    except (OSError, EngineError) as error:
        return repr(error)
    if ending.result is not None:
        return ""
    return ending.failed.diagnostics if ending.failed else f"it crashed or hung ({ending.exited})"


def _version(installation: Installation, folder: Path) -> str:
    try:
        told = subprocess.run(
            [str(installation.executable), "--version"],
            env=launch.environment(folder, installation, folder),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_TIMEOUT_S,
            check=True,
            text=True,
        )
        return told.stdout.split()[1]
    except (OSError, subprocess.SubprocessError, IndexError):
        return installation.product


class _Never(CancelToken):
    """Nobody gives up a trial."""

    @property
    def cancelled(self) -> bool:
        return False

    def on_cancel(self, callback: Any) -> Any:  # noqa: ARG002 - never called
        return lambda: None
