"""Frames between the raster pool and its workers: pure encode and decode, standard library only.

A frame is two big-endian 32-bit lengths, a JSON object (the head) and raw bytes (the blob, mostly empty). Requests
carry `op` and `id`, replies the same `id` and `ok`; a refusal has `kind` and `message`. A request that hands over a
PDF says `fd: true`; the descriptor travels beside the bytes. Pixels and PNGs come back through the slot, a piece of
shared memory that the parent owns (`bytes` in the head says how many), or as the blob where there is no such memory.

Either side treats what it cannot decode as the end of the other: a frame is never skipped.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LENGTHS = struct.Struct("!II")
HEAD_BYTES_MAX = 64 << 20
BLOB_BYTES_MAX = 1 << 30


class ProtocolError(Exception):
    """The other side sent what is no frame, or a frame that makes no sense."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `head` is untrusted until its reader has checked each value that it uses."""

    head: Mapping[str, Any]
    blob: bytes = b""


def encode(head: Mapping[str, Any], blob: bytes | memoryview = b"") -> bytes:
    """The bytes of a frame. Raises `ValueError` if it is larger than a reader takes."""
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    size = memoryview(blob).nbytes
    if len(text) > HEAD_BYTES_MAX or size > BLOB_BYTES_MAX:
        raise ValueError("frame too large")
    return b"".join((_LENGTHS.pack(len(text), size), text, blob))


class Decoder:
    """Turns a byte stream into frames. Bounded: a frame that announces too much is an error at once."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; returns the frames that are complete. Raises `ProtocolError`."""
        self._buffer += data
        frames = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    @property
    def pending_bytes(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return len(self._buffer)

    def _next(self) -> Frame | None:
        if len(self._buffer) < _LENGTHS.size:
            return None
        head_bytes, blob_bytes = _LENGTHS.unpack_from(self._buffer)
        if head_bytes > HEAD_BYTES_MAX or blob_bytes > BLOB_BYTES_MAX:
            raise ProtocolError("a frame announces more bytes than allowed")
        start, middle = _LENGTHS.size, _LENGTHS.size + head_bytes
        end = middle + blob_bytes
        if len(self._buffer) < end:
            return None
        with memoryview(self._buffer) as view:
            head, blob = _parse_head(bytes(view[start:middle])), bytes(view[middle:end])
        del self._buffer[:end]
        return Frame(head, blob)


def _parse_head(text: bytes) -> dict[str, Any]:
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("the head of a frame is not JSON") from error
    if not isinstance(head, dict):
        raise ProtocolError("the head of a frame is not an object")
    return head
