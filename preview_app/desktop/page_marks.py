"""What is laid over the pages: places found, selected text, the link under the mouse. Values; no toolkit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from preview_app.raster.api import Box


class Mark(Enum):
    """Why a place is marked."""

    HIT = "hit"
    CURRENT_HIT = "current hit"
    SELECTION = "selection"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Marks:
    """Marked rectangles by kind and page, in points of the unturned page."""

    boxes: Mapping[Mark, Mapping[int, Sequence[Box]]] = field(default_factory=dict)

    def of(self, page: int) -> list[tuple[Mark, Sequence[Box]]]:
        """The marks on a page, in the order of painting."""
        found = [(mark, self.boxes.get(mark, {}).get(page, ())) for mark in Mark]
        return [(mark, boxes) for mark, boxes in found if boxes]

    def having(self, mark: Mark, boxes: Mapping[int, Sequence[Box]]) -> Marks:
        """The same with other places of one kind."""
        return Marks({**self.boxes, mark: boxes})
