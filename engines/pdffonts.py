"""Which fonts a PDF of LibreOffice's was set in. Only the standard library: kits import this."""

from __future__ import annotations

import re

from engines.fonts import family_key

_BASE_FONT = re.compile(rb"/BaseFont/(?:[A-Z]{6}\+)?([^\s/<>()\[\]]+)")


def embedded_families(pdf: memoryview) -> frozenset[str]:
    """The families of the fonts in a PDF of LibreOffice's, as `family_key`: PostScript names without their style."""
    names = {match[1].decode("latin-1") for match in _BASE_FONT.finditer(pdf)}
    return frozenset(family_key(name.partition("-")[0]) for name in names)
