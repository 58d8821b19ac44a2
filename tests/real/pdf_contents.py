"""A program: what is on the pages of some PDFs: `python pdf_contents.py FILE...` prints `{file: [text, magenta]}`.

A process of its own, as everywhere for MuPDF; `magenta` is the number of pixels of that colour at 36 dots an inch. With
`--pages` first it prints `{file: [pages, text]}`.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import json
import sys
import warnings


def main() -> None:
    warnings.simplefilter("ignore")
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    told: dict[str, list[object]] = {}
    if sys.argv[1] == "--pages":
        for name in sys.argv[2:]:
            with pymupdf.open(name) as document:
                told[name] = [len(document), " ".join(page.get_text() for page in document)]
        print(json.dumps(told))
        return
    for name in sys.argv[1:]:
        with pymupdf.open(name) as document:
            text = " ".join(page.get_text() for page in document)
            samples = [page.get_pixmap(dpi=36, alpha=False).samples for page in document]
        pixels = sum(each[at : at + 3] == b"\xff\x00\xff" for each in samples for at in range(0, len(each), 3))
        told[name] = [text, pixels]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
