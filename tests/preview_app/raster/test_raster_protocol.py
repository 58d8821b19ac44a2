"""Frames and the values made of them."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preview_app.raster import replies
from preview_app.raster.api import Box, Hit, Link, OutlineEntry, PageSize, Word
from preview_app.raster.protocol import BLOB_BYTES_MAX, Decoder, Frame, ProtocolError, encode

HEADS = st.dictionaries(st.text(max_size=5), st.none() | st.integers(-1000, 1000) | st.text(max_size=8), max_size=4)


@given(st.lists(st.tuples(HEADS, st.binary(max_size=50)), max_size=5), st.integers(1, 40))
def test_frames_survive_any_cut(frames: list[tuple[dict[str, Any], bytes]], step: int) -> None:
    stream = b"".join(encode(head, blob) for head, blob in frames)
    decoder = Decoder()
    found: list[Frame] = []
    for start in range(0, len(stream), step):
        found += decoder.feed(stream[start : start + step])
    assert [(frame.head, frame.blob) for frame in found] == frames
    assert decoder.pending_bytes == 0


@given(st.binary(max_size=200))
def test_garbage_is_an_error_or_incomplete(data: bytes) -> None:
    decoder = Decoder()
    try:
        frames = decoder.feed(data)
    except ProtocolError:
        return
    assert all(isinstance(frame.head, dict) for frame in frames)


@pytest.mark.parametrize("text", [b"[1]", b"nope", b"\xff\xfe", b"[" * 100_000, b'"x"'])
def test_a_head_that_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(ProtocolError):
        Decoder().feed(struct.pack("!II", len(text), 0) + text)


def test_a_frame_that_announces_too_much_is_refused_at_once() -> None:
    with pytest.raises(ProtocolError):
        Decoder().feed(struct.pack("!II", 2, BLOB_BYTES_MAX + 1))


def test_numbers_that_json_does_not_have_are_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"x": float("nan")})


def test_answers_become_values() -> None:
    assert replies.page_sizes(Frame({"pages": [[10, 20.5]]})) == (PageSize(10.0, 20.5),)
    assert replies.words(Frame({"words": [[1, 2, 3, 4, "hi", 5, 6]]})) == (Word("hi", Box(1, 2, 3, 4), 5, 6),)
    link = {"box": [1, 2, 3, 4], "page": 7, "x": None, "y": 8}
    assert replies.links(Frame({"links": [link]})) == (Link(Box(1, 2, 3, 4), None, 7, None, 8.0),)
    entry = {"level": 1, "title": "One", "page": 0, "y": None}
    assert replies.outline(Frame({"entries": [entry]})) == (OutlineEntry(1, "One", 0, None),)
    assert replies.hits(Frame({"hits": [[[1, 2, 3, 4]]]}), 3) == (Hit(3, (Box(1, 2, 3, 4),)),)


@pytest.mark.parametrize(
    "read",
    [
        lambda: replies.page_sizes(Frame({})),
        lambda: replies.page_sizes(Frame({"pages": [[1]]})),
        lambda: replies.page_sizes(Frame({"pages": [["a", "b"]]})),
        lambda: replies.page_count(Frame({"count": 0})),
        lambda: replies.words(Frame({"words": [[1, 2, 3, 4, 5, 6, 7]]})),
        lambda: replies.links(Frame({"links": [3]})),
        lambda: replies.outline(Frame({"entries": [{"level": 1, "title": None, "page": 1, "y": 1}]})),
        lambda: replies.hits(Frame({"hits": [[[1, 2]]]}), 0),
        lambda: replies.refusal(Frame({"ok": False, "kind": "surprise", "message": "x"})),
        lambda: replies.refusal(Frame({})),
    ],
)
def test_an_answer_of_the_wrong_shape_is_refused(read: Any) -> None:
    with pytest.raises(ProtocolError):
        read()


@pytest.mark.parametrize(
    ("width", "height", "stride", "size"), [(2, 2, 8, 15), (2, 2, 4, 8), (0, 2, 8, 16), (2, -2, 8, 16), (2, 2, 8, 17)]
)
def test_an_image_must_fit_its_bytes(width: int, height: int, stride: int, size: int) -> None:
    frame = Frame({"x": 0, "y": 0, "width": width, "height": height, "stride": stride})
    with pytest.raises(ProtocolError):
        replies.pixels(frame, 0, 1.0, bytes(size))
