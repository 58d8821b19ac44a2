"""The part of our own code that can change a PDF: it belongs to the generation of every engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from blake3 import blake3

_ENGINES = Path(__file__).parent
_SHARED = (
    "boundedexport.py", "formats.py", "pageranges.py", "pdfexport.py", "pdfobjects.py", "repacking.py",
    "sheetviews.py", "textoverflow.py",
)  # fmt: skip


def fingerprint(own: Iterable[str]) -> str:
    """Hexadecimal BLAKE3 of what every engine's kits run and of an engine's `own` files (named from this package)."""
    digest = blake3()
    for name in (*_SHARED, *own):
        digest.update((_ENGINES / name).read_bytes())
    return digest.hexdigest()
