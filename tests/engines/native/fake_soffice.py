"""A program that takes soffice's command line and does as the document tells it: an installation for tests.

The document is plain text: `convert`, `nothing` (status 0 and no PDF), `half` (a PDF and status 1), `restart` (status
81, the first time), `crash`, `hang`, `grandchild` (hangs, and has started something where it may), `memory`.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROGRAM = """#!{python}
import contextlib, json, os, subprocess, sys, time
from pathlib import Path
if sys.argv[1] == "--version":
    print("LibreOffice 7.9.1.2 40(Build:2)")
    sys.exit()
document = Path(sys.argv[-1])
order = document.read_text(errors="replace")
told = {{"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd()}}
if order == "restart" and not Path("again").exists():
    Path("again").touch()
    sys.exit(81)
if order == "crash":
    os.abort()
if order == "grandchild":
    with contextlib.suppress(PermissionError):  # seccomp lets it start nothing; without that, it must be killed as well
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
if order == "memory":
    block = bytearray(os.urandom(1 << 20) * 300)
if order in ("hang", "grandchild", "memory"):
    time.sleep(600)
broken = Path({root!r}, "broken").read_text().split()
if order != "nothing" and document.suffix[1:] not in broken:
    document.with_suffix(".pdf").write_bytes(b"%PDF-" + json.dumps(told).encode())
sys.exit(1 if order == "half" else 0)
"""


def install(root: Path, *, broken: str = "") -> Path:
    """Put an installation into `root`; `broken` are suffixes whose documents it does not convert. Gives its program."""
    program = root / "program"
    program.mkdir(parents=True)
    (root / "share" / "registry").mkdir(parents=True)
    (root / "share" / "registry" / "main.xcd").touch()
    (root / "broken").write_text(broken)
    (program / "bootstraprc").write_text("[Bootstrap]\nProductKey=LibreOffice 7.9\n")
    (program / "versionrc").write_text("[Version]\nbuildid=40(Build:2)\n")
    executable = program / "soffice.bin"
    executable.write_text(PROGRAM.format(python=sys.executable, root=str(root)))
    executable.chmod(0o755)
    return executable
