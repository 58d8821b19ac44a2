"""What an HTML report holds of each file, as JSON that can stand inside a page: a row of the table, and its details."""

from __future__ import annotations

import json
from typing import Any

from preview_app.inspection.findings import Severity
from preview_app.inspection.pictures import Pictures, as_text
from preview_app.inspection.records import FileInspection, plain

FINDINGS_MAX = 300
_FONTS_MAX = 60
_DETAILS_CHARS_MAX = 96 << 10
"""Of the details without pictures; what a document tells of itself goes first where there is more."""
_IN_A_PAGE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def island(value: Any) -> str:
    """JSON that no text in it can end early: in ASCII, without what HTML knows."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).translate(_IN_A_PAGE)


def row(record: FileInspection, same: int | None) -> list[Any]:
    """The row of the table; `same` is the number of the row that has the pictures and details of equal bytes."""
    counts = [sum(found.severity is severity for found in record.findings) for severity in Severity]
    return [
        record.file,
        record.outcome,
        record.type,
        record.engine.name if record.engine else None,
        record.pages,
        *counts,
        record.seconds.total,
        sorted({found.id for found in record.findings}),
        same,
    ]


def details(record: FileInspection, pictures: Pictures) -> dict[str, Any]:
    """What is shown of a file that somebody looks at."""
    told = plain(record)
    for key in ("record", "file"):
        del told[key]
    told["findings_left"] = max(0, len(told["findings"]) - FINDINGS_MAX)
    told["findings"] = told["findings"][:FINDINGS_MAX]
    told["fonts"] = told["fonts"][:_FONTS_MAX]
    if len(json.dumps(told)) > _DETAILS_CHARS_MAX:
        told["source"], told["notices"] = None, ()
    told["pictures"] = [
        [each.kind, each.page, round(each.width, 1), round(each.height, 1), as_text(each.data)]
        for each in pictures.pages
    ]
    return told
