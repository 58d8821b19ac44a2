"""Frames: what is encoded comes back, in pieces of any size; what is no frame is refused."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.protocol import (
    FRAME_BYTES_MAX,
    Convert,
    Decoder,
    Exited,
    Failed,
    Frame,
    Init,
    Phase,
    ProtocolError,
    Ready,
    Result,
    encode,
)

_TEXT = st.text(max_size=20)
_SECONDS = st.dictionaries(_TEXT, st.floats(0, 1e6), max_size=3)
_FRAMES = st.one_of(
    st.builds(Init, _TEXT, st.dictionaries(_TEXT, st.integers() | _TEXT, max_size=3)),
    st.builds(Convert, _TEXT, _TEXT, st.just({"page_range": None}), st.integers(0, 99), st.integers(0, 1 << 40)),
    st.builds(Ready, _SECONDS),
    st.builds(Phase, _TEXT),
    st.builds(Result, st.integers(0, 1 << 40), _SECONDS, st.lists(st.lists(_TEXT, min_size=2, max_size=2), max_size=3)),
    st.builds(Failed, _TEXT, _TEXT, _TEXT),
    st.builds(Exited, st.integers(-64, 255), st.floats(0, 1e6), st.integers(0, 1 << 40)),
)


@given(st.lists(_FRAMES, max_size=5), st.lists(st.integers(1, 50), min_size=1, max_size=20))
def test_frames_come_back_whole_however_they_are_cut(frames: list[Frame], sizes: list[int]) -> None:
    data = b"".join(encode(frame) for frame in frames)
    decoder, got, position, turn = Decoder(), [], 0, 0
    while position < len(data):
        size = sizes[turn % len(sizes)]
        got += decoder.feed(data[position : position + size])
        position, turn = position + size, turn + 1
    assert got == frames


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b'{"frame":"Other"}', b'{"frame":"Phase"}', b'{"frame":"Phase","x":1}', b"\xff"]
)
def test_what_is_no_frame_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        Decoder().feed(struct.pack("<I", len(body)) + body)


def test_an_endless_frame_is_refused_before_it_has_come() -> None:
    with pytest.raises(ProtocolError):
        Decoder().feed(struct.pack("<I", FRAME_BYTES_MAX + 1))
