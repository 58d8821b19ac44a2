"""Ranges of pages in LibreOffice's syntax."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")
_RANGE = re.compile(r"\s*(\d{1,9})?\s*(-)?\s*(\d{1,9})?\s*")


def selected(ranges: str, pages: Sequence[_T]) -> list[_T]:
    """Those of `pages` that ranges like `1-3,7,9-` name, counted from 1; all where none of them is there."""
    chosen: set[int] = set()
    for part in ranges.split(","):
        found = _RANGE.fullmatch(part)
        if found is None or not (found[1] or found[3]):
            continue
        first = int(found[1] or 1)
        last = int(found[3]) if found[3] else len(pages) if found[2] else first
        chosen.update(range(first, min(last, len(pages)) + 1))
    return [page for number, page in enumerate(pages, 1) if number in chosen] or list(pages)
