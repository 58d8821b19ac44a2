"""Frames between parent, zygote and kit: pure encode and decode, no I/O.

A frame is a JSON object behind its length (4 bytes, little endian). Bytes of documents never travel in a frame: they
go by memfd or shared memory (`engines.blob`).

    parent -> zygote   init, convert (with three descriptors: job socket, source, result)
    zygote -> parent   ready | failed
    zygote -> kit      convert (the same frame, the same descriptors)
    kit    -> parent   phase*, then result | failed      (on the job socket)
    zygote -> parent   exited                            (on the job socket, once the kit has been reaped)

The parent's end of the job socket is the life of the job: when it is shut or closed, the zygote kills the kit.

A kit has read a hostile document, so what it says is not trusted: a frame whose values have the wrong shape is none.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

_LENGTH = struct.Struct("<I")
FRAME_BYTES_MAX = 64 << 20
"""A frame longer than this is an error of the sender (the font catalogue of a large machine takes a few MB)."""
ANSWER_BYTES_MAX = 4 << 20
"""The same for what comes from a kit or a zygote: names of fonts, sentences, some diagnostics."""
DIAGNOSTICS_CHARACTERS_MAX = 4000


class ProtocolError(Exception):
    """The other side sent what is no frame."""


@dataclass(frozen=True, slots=True)
class Init:
    """Which office to initialise (`module:class`), with what settings (plain JSON values)."""

    office: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Convert:
    """One document for a kit. `cpu_s` and `result_bytes_max` become limits of its process.

    `source` and `result` name blocks of shared memory where no descriptors come with the frame; a system may round a
    block up, hence `source_bytes`.
    """

    suffix: str
    import_options: str
    export: dict[str, Any]
    cpu_s: int
    result_bytes_max: int
    source: str = ""
    source_bytes: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """The office is initialised and warm; `seconds` says how long each step took."""

    seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Phase:
    """A milestone of a running conversion (`engines.base.Progress`)."""

    phase: str


@dataclass(frozen=True, slots=True)
class Result:
    """The PDF lies in the result blob, `pdf_bytes` long. `fonts` holds pairs (requested, used).

    `notices` are as `engines.notices.encoded` makes them, or plain sentences.
    """

    pdf_bytes: int
    seconds: dict[str, float]
    fonts: list[list[str]] = field(default_factory=list)
    notices: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failed:
    """`kind` is a value of `engines.errors.ErrorKind`."""

    kind: str
    message: str
    diagnostics: str = ""


@dataclass(frozen=True, slots=True)
class Exited:
    """The kit is gone and reaped. `status` as in `subprocess.Popen.returncode`: negative for a signal."""

    status: int
    cpu_s: float
    resident_bytes_peak: int


Frame = Init | Convert | Ready | Phase | Result | Failed | Exited
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Init, Convert, Ready, Phase, Result, Failed, Exited)}


def encode(frame: Frame) -> bytes:
    """The bytes of one frame."""
    body = json.dumps({"frame": type(frame).__name__, **asdict(frame)}, separators=(",", ":")).encode()
    return _LENGTH.pack(len(body)) + body


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, list) and len(each) == 2 and all(isinstance(text, str) for text in each) for each in value
    )


def _are_notices(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) or _is_notice(each) for each in value)


def _is_notice(value: object) -> bool:
    return isinstance(value, list) and list(map(type, value)) == [str, str, dict]


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: type(value) is int,
    "float": _is_number,
    "dict[str, Any]": lambda value: isinstance(value, dict),
    "dict[str, float]": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    "list[list[str]]": _are_pairs,
    "list[Any]": _are_notices,
}
"""By the annotation of a field: whether it may have a value."""


def _decode_body(body: bytes) -> Frame:
    try:
        values = json.loads(body)
        kind = _KINDS[values.pop("frame")]
        frame: Frame = kind(**values)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ProtocolError(f"not a frame: {body[:80]!r}") from error
    for each in fields(frame):
        if not _SHAPES[str(each.type)](getattr(frame, each.name)):
            raise ProtocolError(f"{each.name} of a frame is no {each.type}")
    return frame


class Decoder:
    """Collects bytes as they come and gives the frames that are complete."""

    def __init__(self, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._frame_bytes_max = frame_bytes_max
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Frames completed by `data`. Raises `ProtocolError`; the stream is of no use after that."""
        self._pending += data
        frames: list[Frame] = []
        while (body := self._take()) is not None:
            frames.append(_decode_body(body))
        return frames

    def _take(self) -> bytes | None:
        if len(self._pending) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._pending)
        if length > self._frame_bytes_max:
            raise ProtocolError(f"a frame of {length} bytes")
        end = _LENGTH.size + length
        if len(self._pending) < end:
            return None
        body = bytes(self._pending[_LENGTH.size : end])
        del self._pending[:end]
        return body
