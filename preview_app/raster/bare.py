"""PyMuPDF as a script uses it, in one process: what the raster pool is held against. For measurements only.

`python -m preview_app.raster.bare FILE` opens a PDF, says how many pages it has, and then answers each page number
(from 0) on standard input with the milliseconds that its pixels at 144 dpi took, and their width. Like a worker, it is
a process of its own.
"""

# mypy: disable-error-code="no-untyped-call"
# PyMuPDF declares that it is typed and leaves most of its functions without types.

from __future__ import annotations

import sys
import time
from pathlib import Path

import pymupdf

SCALE = 2.0


def main(arguments: list[str]) -> int:
    """Answer until the input ends."""
    document = pymupdf.open(stream=Path(arguments[0]).read_bytes(), filetype="pdf")
    print(document.page_count, flush=True)
    matrix = pymupdf.Matrix(SCALE, SCALE)
    for line in sys.stdin:
        begun = time.perf_counter()
        pixmap = document[int(line)].get_pixmap(matrix=matrix)
        print((time.perf_counter() - begun) * 1000, pixmap.width, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
