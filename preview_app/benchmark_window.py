"""How long a person waits: from the start of the process to the first page painted, and for the next document.

The window is a process of its own, as when a person starts it; it tells when the first pixels of a document are on
screen, and is closed then.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.assets import assets_dir
from preview_app.config import Config
from preview_app.console import Console

_TIMEOUT_S = 120


def run(files: Sequence[Path], rounds: int, console: Console) -> int:
    """Measure and print; gives the exit status."""
    chosen = list(files) or [assets_dir() / "samples" / "welcome.docx"]
    seconds = {file.name: [first_page(file) for _round in range(rounds)] for file in chosen}
    medians = {name: round(statistics.median(each), 3) for name, each in seconds.items()}
    result: dict[str, Any] = {"rounds": rounds, "platform": platform(), "start_to_first_page": medians}
    lines = [f"seconds from process start to first page painted, median of {rounds} ({platform()})"]
    console.result(result, "\n".join(lines + [f"{name:<42}{middle:>8.3f}" for name, middle in medians.items()]))
    return 0


def platform() -> str:
    """Qt's platform that the window will be on."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return os.environ.get("QT_QPA_PLATFORM") or ("a display" if display else "offscreen")


def first_page(file: Path) -> float:
    """Seconds from starting the window's process until the first page of `file` is painted."""
    environment = dict(os.environ)
    if platform() == "offscreen":
        environment["QT_QPA_PLATFORM"] = "offscreen"
    begun = time.perf_counter()
    command = [sys.executable, "-m", "preview_app.benchmark_window", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as window:
        assert window.stdout is not None
        told = window.stdout.readline()
        seconds = time.perf_counter() - begun
        window.terminate()
        window.wait(_TIMEOUT_S)
    if not told.startswith("painted"):
        raise RuntimeError(f"the window ended without a page of {file}")
    return seconds


def main() -> int:
    """The window of one measurement: `python -m preview_app.benchmark_window FILE`."""
    from preview_app import app  # noqa: PLC0415 - what the measurement is of

    def painted(path: Path, _seconds: float) -> None:
        print(f"painted {path}", flush=True)

    return app.run_desktop(Config(), "wasm", [Path(sys.argv[1])], painted)


if __name__ == "__main__":
    sys.exit(main())
