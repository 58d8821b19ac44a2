"""Where a PDF leads, read in the child: the links of its pages and its table of contents."""

# mypy: disable-error-code="no-untyped-call"
# PyMuPDF declares that it is typed and leaves most of its functions without types.

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pymupdf import mupdf

OUTLINE_MAX = 20_000
DAMAGED = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError, mupdf.FzErrorBase)
"""What PyMuPDF raises for a damaged document; its own checks speak in the built-in ones."""


def links(document: Any, number: int) -> Iterator[dict[str, object]]:
    """The links of a page: its box, and an address or a place."""
    page = document[number]
    link = page.first_link
    while link is not None:
        box = [_round(value) for value in link.rect]
        if link.is_external:
            yield {"box": box, "uri": link.uri}
        elif link.uri:
            target, x, y = _resolve(document, link.uri)
            yield {"box": box, "page": target, "x": x, "y": y}
        link = link.next


def outline(document: Any) -> Iterator[dict[str, object]]:
    """The outline, depth first, without recursion: a hostile one may be deep."""
    stack = [(1, document.outline)]
    count = 0
    while stack and count < OUTLINE_MAX:
        level, item = stack.pop()
        if item is None or not item.this.m_internal:
            continue
        target, _, y = (None, None, None) if item.is_external else _resolve(document, item.uri)
        yield {"level": level, "title": item.title or "", "page": target, "y": y}
        count += 1
        stack += [(level, item.next), (level + 1, item.down)]


def _resolve(document: Any, uri: str) -> tuple[int | None, float | None, float | None]:
    """The page (from 0) and the point that an internal link leads to, `None` where it leads nowhere."""
    try:
        location, x, y = mupdf.fz_resolve_link(document.this, uri)
        page = mupdf.fz_page_number_from_location(document.this, location)
    except DAMAGED:
        return None, None, None
    return (page, _finite(x), _finite(y)) if page >= 0 else (None, None, None)


def _finite(value: float) -> float | None:
    return _round(value) if math.isfinite(value) else None


def _round(value: float) -> float:
    return round(value, 3)
