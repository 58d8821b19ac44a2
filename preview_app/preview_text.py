"""The text and the links of a document, page by page, fetched as pages come into view. Knows no toolkit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

from preview_app.raster.api import Lane, Link, RasterTask, TextDocument, TextLine

PAGES_MAX = 100
"""Pages whose text is kept beside those that are wanted now."""


class DocumentText:
    """What stands on the pages of one document. Lives on the rasterizer's thread.

    A page whose text cannot be had counts as empty.
    """

    def __init__(self, document: TextDocument, arrived: Callable[[int], None]) -> None:
        self._document = document
        self._arrived = arrived
        self._lines: OrderedDict[int, tuple[TextLine, ...]] = OrderedDict()
        self._links: dict[int, tuple[Link, ...]] = {}
        self._tasks: dict[tuple[str, int], RasterTask] = {}
        self._waiting: list[tuple[frozenset[int], Callable[[], None]]] = []
        self._wanted: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"<DocumentText pages={len(self._lines)} asked={len(self._tasks)} waiting={len(self._waiting)}>"

    @property
    def page_count(self) -> int:
        """Pages of the document."""
        return len(self._document.pages)

    def lines(self, page: int) -> tuple[TextLine, ...]:
        """The lines of a page, none as long as they have not come."""
        return self._lines.get(page, ())

    def links(self, page: int) -> tuple[Link, ...]:
        """The links of a page, none as long as they have not come."""
        return self._links.get(page, ())

    def has(self, page: int) -> bool:
        """Whether the lines of a page have come."""
        return page in self._lines

    def want(self, pages: Iterable[int]) -> None:
        """Fetch what stands on these pages, which are in view."""
        self._wanted = frozenset(pages)
        for page in self._wanted:
            self._ask_lines(page, Lane.NORMAL)
            self._ask_links(page)
        self._evict()

    def ensure(self, pages: Iterable[int], then: Callable[[], None]) -> None:
        """Fetch the lines of all these pages, then call `then`; within the call if they are there."""
        missing = frozenset(page for page in pages if page not in self._lines)
        if not missing:
            then()
            return
        self._waiting.append((missing, then))
        for page in missing:
            self._ask_lines(page, Lane.HIGH)

    def close(self) -> None:
        """Ask for nothing more; who waits is not called. Idempotent."""
        tasks, self._tasks = self._tasks, {}
        self._waiting.clear()
        for task in tasks.values():
            task.cancel()

    def _ask_lines(self, page: int, lane: Lane) -> None:
        key = ("lines", page)
        if page in self._lines:
            self._lines.move_to_end(page)
        elif key in self._tasks:
            self._tasks[key].promote(lane)
        else:
            self._tasks[key] = self._document.lines(
                page,
                lane=lane,
                done=lambda lines: self._keep_lines(page, lines),
                failed=lambda _: self._keep_lines(page, ()),
            )

    def _ask_links(self, page: int) -> None:
        key = ("links", page)
        if page in self._links or key in self._tasks:
            return
        self._tasks[key] = self._document.links(
            page,
            lane=Lane.NORMAL,
            done=lambda links: self._keep_links(page, links),
            failed=lambda _: self._keep_links(page, ()),
        )

    def _keep_lines(self, page: int, lines: tuple[TextLine, ...]) -> None:
        self._tasks.pop(("lines", page), None)
        self._lines[page] = lines
        self._arrived(page)
        waiting, self._waiting = self._waiting, []
        ready: list[Callable[[], None]] = []
        for missing, then in waiting:
            if missing - {page}:
                self._waiting.append((missing - {page}, then))
            else:
                ready.append(then)
        for then in ready:
            then()
        self._evict()

    def _keep_links(self, page: int, links: tuple[Link, ...]) -> None:
        self._tasks.pop(("links", page), None)
        self._links[page] = links
        self._arrived(page)

    def _evict(self) -> None:
        if self._waiting:
            return
        for page in [page for page in self._lines if page not in self._wanted]:
            if len(self._lines) <= PAGES_MAX:
                return
            del self._lines[page]
