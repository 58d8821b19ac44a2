"""Which families of a document are not there, and what stood in for them: told as far as it is known.

Told is a family that the document names, that is not installed, and whose stand-in the PDF was set in. The stand-in is
the one that LibreOffice takes for signs, one of the same widths, or what fontconfig says, whichever the PDF has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engines import fontsubstitution as tables
from engines.fonts import family_key

Match = Callable[[str], list[str]]
"""All names of the family that stands for a name; the name's own among them where the family is installed."""


def replacements(named: Iterable[str], embedded: frozenset[str], match: Match) -> list[list[str]]:
    """Pairs (requested, used) by name; `embedded` are the families of the PDF as `family_key`."""
    pairs: dict[str, list[str]] = {}
    for family in named:
        key = family_key(family)
        if key in pairs or key in embedded or tables.generic_class(family) is not None:
            continue
        matched = match(family)
        if key in map(family_key, matched):
            continue
        candidates = (*tables.metric_twins(family), *tables.similar(family), *matched)
        if used := next((each for each in candidates if family_key(each) in embedded), ""):
            pairs[key] = [family, used]
    return sorted(pairs.values(), key=lambda pair: family_key(pair[0]))
