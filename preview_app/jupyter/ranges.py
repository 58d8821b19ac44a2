"""Byte ranges of HTTP (RFC 9110, section 14). Pure."""

from __future__ import annotations

import re

_RANGE = re.compile(r"bytes=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.IGNORECASE)


class UnsatisfiableError(Exception):
    """The range begins after the end."""


def byte_range(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one after the last of what a `Range` header asks for; `None`: everything.

    What is not understood, and more than one range, may be answered with everything. Raises `UnsatisfiableError`.
    """
    match = _RANGE.fullmatch(header.strip()) if header else None
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
        if start == end:
            raise UnsatisfiableError
        return start, end
    start = int(match[1])
    end = min(int(match[2]) + 1, size) if match[2] else size
    if match[2] and int(match[2]) < start:
        return None
    if start >= size:
        raise UnsatisfiableError
    return start, end


def applies(if_range: str | None, etag: str) -> bool:
    """Whether a `Range` holds beside this `If-Range`: only for the very same bytes. Dates are not compared."""
    return if_range is None or if_range.strip() == etag
