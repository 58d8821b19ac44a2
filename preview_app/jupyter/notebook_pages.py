"""What a preview in a notebook asks for and gets: pages of one document, for the views that show it.

Each view tells the whole list of what it wants now, most urgent first. A new list takes the place of the last one: what
is not in it any more is given up, and never sent. Pictures come from the raster pool's lanes, so the order is the
list's. A document that was let go meanwhile is opened again from its file; the view is told if that has changed.

Lives on the service's loop. Messages come from a browser and are taken for what they are: whatever is malformed or out
of bounds is left out.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from preview_app.jupyter import describe
from preview_app.jupyter.asking import ask_twice
from preview_app.jupyter.documents import OpenDocument
from preview_app.jupyter.errors import ApiError, api_error
from preview_app.jupyter.notebook_service import IMAGE_PIXELS_MAX, NotebookService, Wanted
from preview_app.raster.api import Clip, Lane, Link, PageSize, TextLine

_LOG = logging.getLogger(__name__)

DPI_MAX = 1200.0
_DPI_LEAST = 4.0
_WISHES_MAX = 200
_VIEWS_MAX = 16
_KEY_CHARACTERS_MAX = 80
_CHANGED = "The file has changed since. Run the cell again to see it as it is now."
_GONE = "The document is not kept any more: run the cell again."

Send = Callable[[dict[str, Any], list[bytes]], None]
"""Sends a message and its buffers to all views of a preview."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Something of a page (counted from 0): its picture, or a part of that, or its text."""

    key: str
    page: int
    kind: str
    lane: Lane
    dpi: float
    clip: Clip | None


def wish_of(told: object, pages: frozenset[int]) -> Wish | None:
    """A wish as a browser told it; `None` for what is none. `pages` count from 0."""
    if not isinstance(told, Mapping):
        return None
    try:
        key, kind, page = str(told["key"])[:_KEY_CHARACTERS_MAX], told["kind"], int(told["page"]) - 1
        dpi, clip = float(told.get("dpi") or _DPI_LEAST), _clip(told.get("clip"))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if page not in pages or kind not in ("picture", "text") or not _DPI_LEAST <= dpi <= DPI_MAX:
        return None
    return Wish(key, page, kind, Lane.NORMAL if told.get("ahead") else Lane.CRITICAL, dpi, clip)


def _clip(told: Any) -> Clip | None:
    if told is None:
        return None
    clip = Clip(*(float(number) for number in told))
    if not (0 <= clip.x0 < clip.x1 < math.inf and 0 <= clip.y0 < clip.y1 < math.inf):
        raise ValueError(f"{clip} is no part of a page")
    return clip


class PageServer:
    """Serves the views of one preview.

    What came with a password or as bytes is not opened again: neither is kept.
    """

    def __init__(
        self, service: NotebookService, wanted: Wanted, entry: OpenDocument, pages: Sequence[int], send: Send
    ) -> None:
        self._service = service
        self._wanted = replace(wanted, data=None)
        self._reopens = wanted.data is None and not entry.opened.protected
        self._entry = entry
        self._pages = frozenset(pages)
        self._send = send
        self._running: dict[str, dict[str, asyncio.Task[None]]] = {}
        self._reopening: asyncio.Task[OpenDocument] | None = None
        self._digest = entry.digest

    def __repr__(self) -> str:
        running = sum(map(len, self._running.values()))
        return f"<PageServer of {self._wanted.name!r}: {len(self._running)} views, {running} wishes>"

    def receive(self, message: object) -> None:
        """Take a message of a view."""
        if not isinstance(message, Mapping) or not isinstance(view := message.get("view"), str):
            return
        if message.get("type") == "leave":
            self._give_up(view, frozenset())
            self._running.pop(view, None)
        elif message.get("type") == "want" and isinstance(wishes := message.get("wishes"), list):
            self._send({"type": "seen", "view": view, "number": message.get("number")}, [])
            self._take(view, [wish for told in wishes[:_WISHES_MAX] if (wish := wish_of(told, self._pages))])

    def close(self) -> None:
        """Give everything up, and the document too. Idempotent."""
        for view in tuple(self._running):
            self._give_up(view, frozenset())
        self._running.clear()
        if self._reopening is not None:
            self._reopening.cancel()
        self._service.documents.release(self._entry.id, self._entry.path)

    def _take(self, view: str, wishes: Sequence[Wish]) -> None:
        if view not in self._running and len(self._running) >= _VIEWS_MAX:
            oldest = next(iter(self._running))
            self._give_up(oldest, frozenset())
            del self._running[oldest]
        self._give_up(view, frozenset(wish.key for wish in wishes))
        running = self._running.setdefault(view, {})
        for wish in wishes:
            if wish.key not in running:
                running[wish.key] = asyncio.ensure_future(self._serve(view, wish))

    def _give_up(self, view: str, but: frozenset[str]) -> None:
        """Forgotten at once, so that who wants it again before it has ended gets it."""
        running = self._running.get(view, {})
        for key in [key for key in running if key not in but]:
            running.pop(key).cancel()

    def _done(self, view: str, wish: Wish) -> None:
        running = self._running.get(view, {})
        if running.get(wish.key) is asyncio.current_task():
            del running[wish.key]

    async def _serve(self, view: str, wish: Wish) -> None:
        about = {"view": view, "key": wish.key, "page": wish.page + 1}
        try:
            entry = await self._document(view)
            if wish.kind == "text":
                self._send({"type": "text", "text": await _text(entry, wish), **about}, [])
            else:
                self._send({"type": "picture", **about}, [await _picture(entry, wish)])
        except Exception as error:  # noqa: BLE001 - told where the page would be; the others go on
            told = api_error(error, self._service.engines)
            if told.status == 500:
                _LOG.warning("page %d of %s cannot be shown", wish.page + 1, self._wanted.name, exc_info=error)
            self._send({"type": "failed", "message": told.message, **about}, [])
        finally:
            self._done(view, wish)

    async def _document(self, view: str) -> OpenDocument:
        """The document, opened again where it was let go."""
        with suppress(ApiError):
            return self._service.documents.get(self._entry.id, self._entry.path)
        if not self._reopens:
            raise ApiError(410, "gone", _GONE)
        if self._reopening is None or self._reopening.done():
            self._reopening = asyncio.ensure_future(self._open_again())
        entry = await asyncio.shield(self._reopening)
        if entry.digest != self._digest:
            self._send({"type": "changed", "view": view, "message": _CHANGED}, [])
            raise ApiError(409, "changed", _CHANGED)
        return entry

    async def _open_again(self) -> OpenDocument:
        entry = await self._service.open(self._wanted, None, lambda _message, _percent: None)
        if entry.digest == self._digest:
            self._entry = entry
        else:
            self._service.documents.release(entry.id, entry.path)
        return entry


def pixels(size: PageSize, clip: Clip | None, dpi: float) -> float:
    """How many pixels a picture has."""
    x0, y0, x1, y1 = (clip.x0, clip.y0, clip.x1, clip.y1) if clip else (0.0, 0.0, size.width_pt, size.height_pt)
    return (min(x1, size.width_pt) - x0) * (min(y1, size.height_pt) - y0) * (dpi / 72) ** 2


async def _picture(entry: OpenDocument, wish: Wish) -> bytes:
    if not 0 < pixels(entry.pdf.document.pages[wish.page], wish.clip, wish.dpi) <= IMAGE_PIXELS_MAX:
        raise ApiError(413, "limit", "The picture would have too many pixels.")
    with entry.asked() as document:
        return await ask_twice(
            lambda done, failed: document.png(
                wish.page, wish.dpi, lane=wish.lane, done=done, failed=failed, clip=wish.clip
            )
        )


async def _text(entry: OpenDocument, wish: Wish) -> dict[str, Any]:
    lane = wish.lane
    with entry.asked() as document:
        lines: Sequence[TextLine] = await ask_twice(
            lambda done, failed: document.lines(wish.page, lane=lane, done=done, failed=failed)
        )
        links: Sequence[Link] = await ask_twice(
            lambda done, failed: document.links(wish.page, lane=lane, done=done, failed=failed)
        )
    return describe.text(lines, links)
