"""The lines of text of a page, from what MuPDF extracts (its `rawdict`). Pure: it runs in the raster worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from preview_app.raster.textsearch import Box, Line


def search_lines(page: Mapping[str, Any]) -> Iterator[Line]:
    """Lines with a box for each character, for `textsearch.find`."""
    for _, line, characters in _raw_lines(page):
        del line
        boxes = [_box(character["bbox"]) for character in characters]
        yield Line("".join(character["c"] for character in characters), boxes)


def text_lines(page: Mapping[str, Any]) -> Iterator[list[object]]:
    """Lines as they go over the wire: text, x0, y0, x1, y1, block, whether it runs up or down, edges.

    `edges` has one number more than the text has characters: where each begins along the line, and where the last
    one ends.
    """
    for block, line, characters in _raw_lines(page):
        if not characters:
            continue
        direction_x, direction_y = line["dir"]
        vertical = abs(direction_y) > abs(direction_x)
        backwards = (direction_y if vertical else direction_x) < 0
        first, last = (3, 1) if vertical and backwards else (1, 3) if vertical else (2, 0) if backwards else (0, 2)
        boxes = [character["bbox"] for character in characters]
        edges = [round(box[first], 2) for box in boxes] + [round(boxes[-1][last], 2)]
        text = "".join(character["c"] for character in characters)
        yield [text, *_box(line["bbox"]), block, vertical, edges]


def _raw_lines(page: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], list[Mapping[str, Any]]]]:
    for number, block in enumerate(page["blocks"]):
        for line in block.get("lines", ()):
            yield number, line, [character for span in line["spans"] for character in span["chars"]]


def _box(rect: Iterable[float]) -> Box:
    x0, y0, x1, y1 = (round(value, 3) for value in rect)
    return x0, y0, x1, y1
