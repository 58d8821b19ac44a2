"""What a worker may answer that a PDF has taken over: numbers that nothing can hold, text that is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from preview_app.raster import replies
from preview_app.raster.protocol import Frame, ProtocolError

HUGE = 1 << 40


def _pixels(frame: Frame) -> object:
    return replies.pixels(frame, 0, 1.0, b"1234")


def _link(**values: object) -> dict[str, Any]:
    return {"links": [{"box": [0, 0, 1, 1], **values}]}


def _entry(**values: object) -> dict[str, Any]:
    return {"entries": [{"level": 1, "title": "", "page": 0, "y": 0, **values}]}


def _picture(**values: int) -> dict[str, Any]:
    return {"x": 0, "y": 0, "width": 1, "height": 1, "stride": 4, **values}


@pytest.mark.parametrize(
    ("read", "head"),
    [
        (replies.refusal, {"ok": False, "kind": [], "message": "?"}),
        (replies.page_count, {"count": HUGE}),
        (_pixels, _picture(x=HUGE)),
        (_pixels, _picture(y=-HUGE)),
        (replies.links, _link(page=-3)),
        (replies.links, _link(page=HUGE)),
        (replies.outline, _entry(page=HUGE)),
        (replies.outline, _entry(level=-5)),
        (replies.outline, _entry(level=HUGE)),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(read: Callable[[Frame], object], head: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        read(Frame(head))


@pytest.mark.parametrize("text", ['"half \\ud800 a pair"', '"\\udfff"'])
def test_text_that_no_encoding_has_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        replies.outline(Frame(_entry(title=json.loads(text))))
    with pytest.raises(ProtocolError):
        replies.links(Frame(_link(uri=json.loads(text))))


def test_what_an_honest_worker_says_is_taken() -> None:
    assert replies.links(Frame(_link(page=2, x=1.5, y=2.5)))[0].page == 2
    assert replies.links(Frame(_link(uri="https://example.org/\U0001f600")))[0].uri == "https://example.org/\U0001f600"
    assert replies.outline(Frame(_entry(page=None, y=None)))[0].page is None
    assert replies.page_count(Frame({"count": 70_000})) == 70_000
