"""The interpreter that LibreOffice's `uno` module was built for, which is seldom the one that runs docpeek."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_USUAL = ("/usr/bin/python3",)
_VERSION_MIN = (3, 11)
_TIMEOUT_S = 20.0
_LOOK = """
import importlib.util, json, sys
found = importlib.util.find_spec("uno")
print(json.dumps([sys.version_info[:2], found.origin if found else ""]))
"""


@dataclass(frozen=True, slots=True)
class UnoPython:
    """An interpreter with `uno`, and the folder that `uno.py` lies in."""

    program: str
    module_dir: str


def find() -> tuple[UnoPython | None, str]:
    """The interpreter, or `None` and one sentence of what would give one. About 20 ms for each that is looked at."""
    advice = "Install the package python3-uno: documents are then converted several times as fast."
    for program in candidates():
        version, module = _look_at(program)
        if not module:
            continue
        if version >= _VERSION_MIN:
            return UnoPython(program, str(Path(module).parent)), ""
        advice = f"The uno module of {program} is for Python {'.'.join(map(str, version))}; 3.11 or newer is needed."
    return None, advice


def candidates() -> Iterator[str]:
    """Where interpreters of the system are; each once."""
    on_path = shutil.which("python3", path=os.environ.get("PATH", os.defpath))
    known = dict.fromkeys(os.path.realpath(path) for path in (*_USUAL, on_path) if path and Path(path).is_file())
    yield from known


def _look_at(program: str) -> tuple[tuple[int, ...], str]:
    try:
        told = subprocess.run(
            [program, "-I", "-c", _LOOK], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=True
        )
        version, module = json.loads(told.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return (0,), ""
    return tuple(version), str(module)
