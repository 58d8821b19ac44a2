"""A document opened in the raster pool: each method puts one question to its worker."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from preview_app.raster import replies
from preview_app.raster.api import (
    Clip,
    Hit,
    Lane,
    Link,
    OutlineEntry,
    PageSize,
    Pixels,
    RasterError,
    RasterTask,
    TextLine,
    Word,
)
from preview_app.raster.protocol import Frame

_T = TypeVar("_T")
_Failed = Callable[[RasterError], None]

_SCREEN_PNG_LEVEL = 1
"""A picture that somebody waits for."""


@dataclass(frozen=True, slots=True)
class Question(Generic[_T]):
    """What is asked of the worker that has the document open.

    Equal `key`s are the same question. `decode` gets the answer and its payload (empty if it has none); it raises
    `ProtocolError`.
    """

    key: Hashable
    arguments: Mapping[str, object] = field(compare=False)
    decode: Callable[[Frame, bytes | memoryview], _T] = field(compare=False)
    has_payload: bool = field(default=False, compare=False)


class Asker(Protocol):
    """What a document needs of its pool."""

    def ask(
        self, document: int, question: Question[_T], lane: Lane, done: Callable[[_T], None], failed: _Failed
    ) -> RasterTask:
        """Put a question."""

    def forget(self, document: int) -> None:
        """Cancel what is asked about the document and let it go. Idempotent."""


class PooledDocument:
    """See `preview_app.raster.api.RasterDocument`. Methods raise `IndexError` for a page that the document has not."""

    def __init__(self, pool: Asker, identity: int, pages: tuple[PageSize, ...]) -> None:
        self._pool = pool
        self._identity = identity
        self._pages = pages

    @property
    def pages(self) -> tuple[PageSize, ...]:
        """One entry a page, in order."""
        return self._pages

    def render(
        self,
        page: int,
        scale: float,
        *,
        lane: Lane,
        done: Callable[[Pixels], None],
        failed: _Failed,
        clip: Clip | None = None,
        night: bool = False,
    ) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        if not (math.isfinite(scale) and scale > 0):
            raise ValueError("a scale is a positive number")
        box = None if clip is None else (clip.x0, clip.y0, clip.x1, clip.y1)
        arguments: dict[str, Any] = {"op": "render", "page": page, "scale": scale, "clip": box, "night": night}
        return self._ask(
            arguments, lambda frame, data: replies.pixels(frame, page, scale, data), lane, done, failed, payload=True
        )

    def png(
        self,
        page: int,
        dpi: float,
        *,
        lane: Lane,
        done: Callable[[bytes], None],
        failed: _Failed,
        clip: Clip | None = None,
        night: bool = False,
    ) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        if not (math.isfinite(dpi) and dpi > 0):
            raise ValueError("a resolution is a positive number")
        box = None if clip is None else (clip.x0, clip.y0, clip.x1, clip.y1)
        arguments: dict[str, Any] = {"op": "png", "page": page, "dpi": dpi, "clip": box, "night": night}
        arguments["level"] = _SCREEN_PNG_LEVEL
        return self._ask(arguments, lambda _, data: bytes(data), lane, done, failed, payload=True)

    def words(self, page: int, *, lane: Lane, done: Callable[[tuple[Word, ...]], None], failed: _Failed) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        return self._ask({"op": "words", "page": page}, lambda frame, _: replies.words(frame), lane, done, failed)

    def lines(
        self, page: int, *, lane: Lane, done: Callable[[tuple[TextLine, ...]], None], failed: _Failed
    ) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        return self._ask({"op": "lines", "page": page}, lambda frame, _: replies.lines(frame), lane, done, failed)

    def links(self, page: int, *, lane: Lane, done: Callable[[tuple[Link, ...]], None], failed: _Failed) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        return self._ask({"op": "links", "page": page}, lambda frame, _: replies.links(frame), lane, done, failed)

    def outline(self, *, lane: Lane, done: Callable[[tuple[OutlineEntry, ...]], None], failed: _Failed) -> RasterTask:
        """See `RasterDocument`."""
        return self._ask({"op": "outline"}, lambda frame, _: replies.outline(frame), lane, done, failed)

    def search(
        self,
        page: int,
        phrase: str,
        *,
        lane: Lane,
        done: Callable[[tuple[Hit, ...]], None],
        failed: _Failed,
        match_case: bool = False,
        whole_words: bool = False,
    ) -> RasterTask:
        """See `RasterDocument`."""
        self._check(page)
        arguments: dict[str, Any] = {"op": "search", "page": page, "needle": phrase}
        arguments.update(match_case=match_case, whole_words=whole_words)
        return self._ask(arguments, lambda frame, _: replies.hits(frame, page), lane, done, failed)

    def close(self) -> None:
        """Cancel what is asked and let the document go. Idempotent."""
        self._pool.forget(self._identity)

    def _check(self, page: int) -> None:
        if not 0 <= page < len(self._pages):
            raise IndexError(f"no page {page} in a document of {len(self._pages)}")

    def _ask(
        self,
        arguments: Mapping[str, object],
        decode: Callable[[Frame, bytes | memoryview], _T],
        lane: Lane,
        done: Callable[[_T], None],
        failed: _Failed,
        *,
        payload: bool = False,
    ) -> RasterTask:
        question = Question(tuple(arguments.items()), arguments, decode, payload)
        return self._pool.ask(self._identity, question, lane, done, failed)
