"""What a worker answers, checked and made into values of `preview_app.raster.api`. Pure.

A worker parses hostile PDFs, so its answers are not trusted: what has the wrong shape raises `ProtocolError`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from preview_app.raster.api import Box, Hit, Link, OutlineEntry, PageSize, Pixels, RasterError, TextLine, Word
from preview_app.raster.protocol import Frame, ProtocolError

_T = TypeVar("_T")

_KINDS = frozenset({"corrupt", "limit", "encrypted", "bad_password", "crashed", "closed", "cancelled"})
_MESSAGE_MAX = 500
_INTEGER_MAX = (1 << 31) - 1
"""What Qt and a browser take as a place, a page or a level."""


def refusal(frame: Frame) -> RasterError | None:
    """The error that the answer states, `None` if it is a success."""
    if frame.head.get("ok") is True:
        return None
    kind, message = frame.head.get("kind"), frame.head.get("message")
    if not isinstance(kind, str) or kind not in _KINDS or not isinstance(message, str):
        raise ProtocolError("an answer is neither a success nor a refusal")
    return RasterError(kind, message[:_MESSAGE_MAX])


def page_sizes(frame: Frame) -> tuple[PageSize, ...]:
    """The answer to `open`."""
    return _checked(lambda: tuple(PageSize(_number(w), _number(h)) for w, h in frame.head["pages"]))


def page_count(frame: Frame) -> int:
    """The answer to `count`: at least 1."""
    count = _checked(lambda: int(frame.head["count"]))
    if not 1 <= count <= _INTEGER_MAX:
        raise ProtocolError("a count of pages is not positive, or none that a document has")
    return count


def pixels(frame: Frame, page: int, scale: float, data: bytes | memoryview) -> Pixels:
    """The answer to `render`; `data` is its payload."""
    head = frame.head
    x, y, width, height, stride = _checked(lambda: [int(head[key]) for key in ("x", "y", "width", "height", "stride")])
    if width < 1 or height < 1 or stride < 4 * width or len(data) != stride * height:
        raise ProtocolError("the size of an image does not fit its bytes")
    if max(abs(x), abs(y)) > _INTEGER_MAX:
        raise ProtocolError("the place of an image is none")
    return Pixels(page, scale, width, height, stride, memoryview(data), x, y)


def words(frame: Frame) -> tuple[Word, ...]:
    """The answer to `words`."""
    return _checked(lambda: tuple(_word(*item) for item in frame.head["words"]))


def lines(frame: Frame) -> tuple[TextLine, ...]:
    """The answer to `lines`."""
    return _checked(lambda: tuple(_line(*item) for item in frame.head["lines"]))


def links(frame: Frame) -> tuple[Link, ...]:
    """The answer to `links`."""
    return _checked(lambda: tuple(_link(item) for item in frame.head["links"]))


def outline(frame: Frame) -> tuple[OutlineEntry, ...]:
    """The answer to `outline`."""
    return _checked(lambda: tuple(_outline_entry(item) for item in frame.head["entries"]))


def hits(frame: Frame, page: int) -> tuple[Hit, ...]:
    """The answer to `search`."""
    return _checked(lambda: tuple(Hit(page, tuple(_box(box) for box in boxes)) for boxes in frame.head["hits"]))


def _checked(read: Callable[[], _T]) -> _T:
    try:
        return read()
    except (KeyError, AttributeError, TypeError, ValueError, OverflowError) as error:
        raise ProtocolError("an answer has the wrong shape") from error


def _box(values: Any) -> Box:
    x0, y0, x1, y1 = _numbers(values)
    return Box(x0, y0, x1, y1)


def _word(x0: Any, y0: Any, x1: Any, y1: Any, text: Any, block: Any, line: Any) -> Word:
    return Word(_text(text), _box((x0, y0, x1, y1)), int(block), int(line))


def _line(text: Any, x0: Any, y0: Any, x1: Any, y1: Any, block: Any, vertical: Any, edges: Any) -> TextLine:
    places = _numbers(edges)
    if len(places) != len(_text(text)) + 1:
        raise ValueError("a line has an edge more than characters")
    return TextLine(text, _box((x0, y0, x1, y1)), int(block), bool(vertical), places)


def _link(item: Any) -> Link:
    uri = item.get("uri")
    target = _optional(item.get("page"), _natural), _optional(item.get("x"), _number), _optional(item.get("y"), _number)
    return Link(_box(item["box"]), None if uri is None else _text(uri), *target)


def _outline_entry(item: Any) -> OutlineEntry:
    page, y = _optional(item["page"], _natural), _optional(item["y"], _number)
    return OutlineEntry(_natural(item["level"]), _text(item["title"]), page, y)


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a finite number expected")
    return number


def _numbers(values: Any) -> tuple[float, ...]:
    """Like `_number` of each; a page of text has thousands, and the main thread reads them between two frames."""
    numbers = tuple(map(float, values))
    if not all(map(math.isfinite, numbers)):
        raise ValueError("finite numbers expected")
    return numbers


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    value.encode()  # half a pair of surrogates is no text, and fails wherever it is shown or written
    return value


def _natural(value: Any) -> int:
    number = int(value)
    if not 0 <= number <= _INTEGER_MAX:
        raise ValueError("a page or a level expected")
    return number


def _optional(value: Any, kind: Callable[[Any], _T]) -> _T | None:
    return None if value is None else kind(value)
