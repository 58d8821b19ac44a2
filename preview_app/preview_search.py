"""Finding a phrase in a document: page by page from the current one on, results as they come. Knows no toolkit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from preview_app.raster.api import Hit, Lane, RasterTask, TextDocument

IN_FLIGHT_MAX = 4
"""Pages that are searched at once: drawing what is in view must not wait behind hundreds of them."""
HITS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    phrase: str
    match_case: bool = False
    whole_words: bool = False


class DocumentSearch:
    """One search of one document. `changed` is called when there is news: hits, the current one, the end.

    Lives on the rasterizer's thread. The first hit at or after the start becomes the current one.
    """

    def __init__(self, document: TextDocument, query: Query, start_page: int, changed: Callable[[], None]) -> None:
        self._document = document
        self._query = query
        self._changed = changed
        self._start = start_page
        count = len(document.pages)
        self._todo = [(start_page + offset) % count for offset in range(count)]
        self._tasks: dict[int, RasterTask] = {}
        self._hits: dict[int, tuple[Hit, ...]] = {}
        self._searched: set[int] = set()
        self._current: tuple[int, int] | None = None
        self._count = 0

    def __repr__(self) -> str:
        return f"<DocumentSearch hits={self._count} pages={len(self._searched)} of {len(self._document.pages)}>"

    @property
    def count(self) -> int:
        """Hits so far."""
        return self._count

    @property
    def done(self) -> bool:
        """Whether every page was searched, or there are more hits than one can look at."""
        return not self._todo and not self._tasks

    @property
    def current(self) -> Hit | None:
        """The hit that a person looks at."""
        if self._current is None:
            return None
        page, index = self._current
        return self._hits[page][index]

    @property
    def position(self) -> int:
        """The number of the current hit in the document, counted from 1; 0 without."""
        if self._current is None:
            return 0
        page, index = self._current
        return sum(len(hits) for other, hits in self._hits.items() if other < page) + index + 1

    def hits(self, page: int) -> tuple[Hit, ...]:
        """The hits of a page."""
        return self._hits.get(page, ())

    @property
    def pages(self) -> list[int]:
        """Pages with hits, in order."""
        return sorted(page for page, hits in self._hits.items() if hits)

    def start(self) -> None:
        """Begin."""
        self._ask_more()

    def step(self, direction: int) -> None:
        """Make the next hit the current one, or the one before; at an end go on at the other."""
        pages = self.pages
        if self._current is None or not pages:
            return
        page, index = self._current
        if 0 <= index + direction < len(self._hits[page]):
            self._current = page, index + direction
        else:
            other = pages[(pages.index(page) + direction) % len(pages)]
            self._current = other, 0 if direction > 0 else len(self._hits[other]) - 1
        self._changed()

    def close(self) -> None:
        """Ask for nothing more. Idempotent."""
        self._todo.clear()
        tasks, self._tasks = self._tasks, {}
        for task in tasks.values():
            task.cancel()

    def _ask_more(self) -> None:
        while self._todo and len(self._tasks) < IN_FLIGHT_MAX:
            page = self._todo.pop(0)
            self._tasks[page] = self._document.search(
                page,
                self._query.phrase,
                match_case=self._query.match_case,
                whole_words=self._query.whole_words,
                lane=Lane.HIGH if page == self._start else Lane.NORMAL,
                done=lambda hits, page=page: self._found(page, hits),  # type: ignore[misc] # mypy and defaults
                failed=lambda _, page=page: self._found(page, ()),  # type: ignore[misc]
            )

    def _found(self, page: int, hits: tuple[Hit, ...]) -> None:
        self._tasks.pop(page, None)
        self._searched.add(page)
        self._hits[page] = tuple(hit for hit in hits if hit.boxes)[: max(0, HITS_MAX - self._count)]
        self._count += len(self._hits[page])
        if self._count >= HITS_MAX:
            self._todo.clear()
        if self._current is None:
            self._choose_first()
        self._ask_more()
        self._changed()

    def _choose_first(self) -> None:
        """The first hit from the start on, once the pages before it were searched."""
        count = len(self._document.pages)
        for offset in range(count):
            page = (self._start + offset) % count
            if page not in self._searched:
                return
            if self._hits[page]:
                self._current = page, 0
                return
