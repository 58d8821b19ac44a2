"""The pictures of a report that is about to be replaced, for files whose records are used again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from preview_app.inspection.pictures import KINDS, is_text
from preview_app.inspection.records import FileInspection
from preview_app.inspection.report_html_rows import island

_LINE = re.compile(rb'<script type="application/json" id="([ft])(\d{1,9})">(.*)</script>\n')
_LINE_BYTES_MAX = 2 << 20


class EarlierPage:
    """Finds pictures in the page at `path`, by file and digest; there are none if it is no report. A context manager.

    Kept in memory are places in the file. What is in it is not trusted: pictures are Base64 or left out.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] | None = None
        self._places: dict[str, tuple[int, str]] = {}
        try:
            if path.is_file():
                self._file = path.open("rb")
                self._index(self._file)
        except OSError:
            self._places.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def pictures(self, record: FileInspection) -> tuple[list[list[Any]], str] | None:
        """Pages and thumbnail as the page holds them."""
        if self._file is None or record.digest is None:
            return None
        found = self._places.get(island([record.file, record.digest]))
        if found is None:
            return None
        place, thumbnail = found
        self._file.seek(place)
        told = _content(self._file.readline(_LINE_BYTES_MAX))
        listed = told.get("pictures") if isinstance(told, dict) else None
        return [each for each in listed if _is_picture(each)] if isinstance(listed, list) else [], thumbnail

    def _index(self, file: IO[bytes]) -> None:
        """The line of a thumbnail says whose it is, and follows that of the details."""
        details, place = 0, 0
        while text := file.readline(_LINE_BYTES_MAX):
            match = _LINE.fullmatch(text)
            if match and match[1] == b"f":
                details = place
            elif match:
                self._learn(_content(text), details)
            place += len(text)

    def _learn(self, told: Any, details: int) -> None:
        match told:
            case [str(thumbnail), str(key)] if is_text(thumbnail):
                self._places[key] = (details, thumbnail)


def _content(text: bytes) -> Any:
    match = _LINE.fullmatch(text)
    try:
        return json.loads(match[3]) if match else None
    except (ValueError, RecursionError):
        return None


def _is_picture(value: Any) -> bool:
    match value:
        case [str(kind), int(page), float() | int() as width, float() | int() as height, str(data)]:
            return kind in KINDS and page > 0 and width > 0 and height > 0 and is_text(data)
    return False
