"""What is being looked at: one document at a time, its neighbours, and nothing late.

`Preview` knows no toolkit. It lives on one thread (the owner's) and never blocks it: a conversion and then a
rasterizer answer by callbacks on that thread, and each change is published as a new immutable `State`.

Every opening has a *generation*, a number that only grows. Each answer carries the generation that it was asked in
and is dropped when that is no longer the newest; a document that arrives too late is closed at once. So whatever
the order of the answers, what is published last belongs to what was asked for last.

The last good view survives until the next one is ready: `Opening` and the `Showing` after it are published before
the document of the former is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engines.decryption import Password
from preview_app.preview_states import (
    LOCKED,
    ConversionRequest,
    Conversions,
    Converted,
    Extent,
    Failed,
    Failure,
    Nothing,
    Opening,
    Showing,
    State,
)
from preview_app.raster.api import Lane, RasterError, RasterTask, TextDocument, TextRasterizer

PREFETCH_AHEAD = 2
PREFETCH_BEHIND = 1
RASTER_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class _Wishes:
    """How a person wants a document, until another one is opened."""

    password: Password | None = None
    engine: str | None = None
    extent: Extent = Extent.BOUNDED


class Preview:
    """The model behind a viewer of one document at a time."""

    def __init__(
        self,
        conversions: Conversions,
        rasterizer: TextRasterizer,
        *,
        publish: Callable[[State], None],
        clock: Callable[[], float],
        prefetch: bool = True,
    ) -> None:
        self._conversions = conversions
        self._rasterizer = rasterizer
        self._publish = publish
        self._clock = clock
        self._prefetch = prefetch
        self._state: State = Nothing()
        self._generation = 0
        self._path: Path | None = None
        self._wishes = _Wishes()
        self._shown: Showing | None = None
        self._shown_wishes = _Wishes()
        """Those of the document that is shown: it may come back when the opening of another one is given up."""
        self._documents: tuple[Path, ...] = ()
        self._places: dict[str, int] | None = None
        """Where each document is in the list, once somebody asks. By strings: paths compare and hash slowly."""
        self._direction = 1
        self._request: ConversionRequest | None = None
        self._raster_task: RasterTask | None = None
        self._neighbours: dict[Path, ConversionRequest] = {}
        self._closed = False

    @property
    def state(self) -> State:
        """What was published last."""
        return self._state

    @property
    def path(self) -> Path | None:
        """The document that is shown or asked for."""
        return self._path

    @property
    def unlocked(self) -> bool:
        """Whether a password was given for the document that is shown or asked for: nothing of it may be kept."""
        return self._wishes.password is not None

    @property
    def prefetching(self) -> frozenset[Path]:
        """The neighbours that were asked for in the background."""
        return frozenset(self._neighbours)

    def __repr__(self) -> str:
        return (
            f"<Preview {type(self._state).__name__} generation={self._generation} "
            f"documents={len(self._documents)} prefetching={len(self._neighbours)}>"
        )

    # ---- what a person does

    def open(self, path: Path) -> None:
        """Show the document at `path`; whatever else was on its way is given up."""
        there, here = self._place(path), self._place(self._path)
        if there is not None and here is not None and there != here:
            self._direction = 1 if there > here else -1
        self._start(path, reload=False)

    def retry(self) -> None:
        """Ask again for the document that failed or that is shown."""
        if self._path is not None:
            self._start(self._path, reload=self._is_shown(self._path))

    def retry_with(self, engine: str) -> None:
        """Ask again, of another engine. It is kept until another document is opened."""
        self._wishes = replace(self._wishes, engine=engine)
        self.retry()

    def show_all(self) -> None:
        """Ask again, for all pages. Holds until another document is opened."""
        if isinstance(self._state, Showing):
            self._wishes = replace(self._wishes, extent=Extent.ALL)
            self.retry()

    def unlock(self, password: Password) -> None:
        """Ask again for the document that needs a password, with one. It is kept until another document is opened."""
        if isinstance(self._state, Failed) and self._path is not None:
            self._wishes = replace(self._wishes, password=password)
            self._start(self._path, reload=False)

    def reload(self) -> None:
        """Show the newest version of the document; the place in it is kept."""
        self.retry()

    def cancel(self) -> None:
        """Give up the opening; the last good view comes back, if there is one."""
        if not isinstance(self._state, Opening):
            return
        path = self._state.path
        self._abandon()
        self._generation += 1
        if self._shown is not None:
            self._path, self._wishes = self._shown.path, self._shown_wishes
            self._shown = replace(self._shown, generation=self._generation, reload=True)
            self._set(self._shown)
        else:
            self._set(Failed(path, self._generation, Failure("cancelled", "Opening was cancelled.")))

    def keep_waiting(self) -> None:
        """Let an opening that is slow take as long as it needs, within the converter's bounds."""
        if isinstance(self._state, Opening) and self._request is not None:
            self._request.extend()
            self._set(replace(self._state, slow=False))

    def set_documents(self, documents: Sequence[Path]) -> None:
        """The list to walk through, in its order as seen. Prefetched documents that left it are withdrawn."""
        self._documents, self._places = tuple(documents), None
        if isinstance(self._state, Showing | Failed):
            self._ask_for_neighbours()

    def set_prefetch(self, enabled: bool) -> None:
        """Whether neighbours are converted ahead of time."""
        self._prefetch = enabled
        if isinstance(self._state, Showing | Failed):
            self._ask_for_neighbours()

    def neighbour(self, step: int) -> Path | None:
        """The document `step` places further in the list, `None` past its ends."""
        if not self._documents:
            return None
        here = self._place(self._path)
        if here is None:
            return self._documents[0 if step > 0 else -1]
        index = here + step
        return self._documents[index] if 0 <= index < len(self._documents) else None

    def _place(self, path: Path | None) -> int | None:
        if self._places is None:
            # From the end: of a document that is there twice, the first place counts.
            self._places = {str(each): place for place, each in reversed(list(enumerate(self._documents)))}
        return None if path is None else self._places.get(str(path))

    def next(self) -> bool:
        """Open the next document of the list; `False` at its end."""
        return self._step(1)

    def previous(self) -> bool:
        """Open the document before this one; `False` at the start of the list."""
        return self._step(-1)

    def close(self) -> None:
        """Give everything up and let the document go. Nothing is published any more. Idempotent."""
        self._closed = True
        self._wishes = self._shown_wishes = _Wishes()
        self._abandon()
        self._withdraw(set())
        self._generation += 1
        if self._shown is not None:
            shown, self._shown = self._shown, None
            shown.document.close()

    # ---- an opening, step by step

    def _step(self, step: int) -> bool:
        path = self.neighbour(step)
        if path is None:
            return False
        self._direction = step
        self._start(path, reload=False)
        return True

    def _start(self, path: Path, *, reload: bool) -> None:
        if self._closed:
            return
        former = self._request
        self._drop_raster_task()
        self._generation += 1
        generation = self._generation
        if path != self._path:
            self._wishes = _Wishes()
        self._path = path
        self._request = None
        self._set(Opening(path, generation, self._clock(), "waiting", reload))
        # Asked for before anything is withdrawn: a job that is already running for this document is joined, not lost.
        self._request = self._conversions.request(
            path,
            Lane.CRITICAL,
            phase=lambda phase: self._on_phase(generation, phase),
            slow=lambda: self._on_slow(generation),
            done=lambda converted: self._on_converted(generation, converted),
            failed=lambda failure: self._on_failed(generation, failure),
            password=self._wishes.password,
            engine=self._wishes.engine,
            extent=self._wishes.extent,
        )
        if former is not None:
            former.cancel()
        self._withdraw(set())

    def _on_phase(self, generation: int, phase: str) -> None:
        if generation == self._generation and isinstance(self._state, Opening):
            self._set(replace(self._state, phase=phase))

    def _on_slow(self, generation: int) -> None:
        if generation == self._generation and isinstance(self._state, Opening):
            self._set(replace(self._state, slow=True))

    def _on_converted(self, generation: int, converted: Converted) -> None:
        if generation != self._generation or not isinstance(self._state, Opening):
            return
        self._request = None
        self._set(replace(self._state, phase="reading pages"))
        self._rasterize(generation, converted, RASTER_ATTEMPTS)

    def _rasterize(self, generation: int, converted: Converted, attempts: int) -> None:
        if generation != self._generation:
            return

        def failed(error: RasterError) -> None:
            # A worker's death may have been another document's doing.
            if error.kind == "crashed" and attempts > 1:
                self._rasterize(generation, converted, attempts - 1)
            else:
                self._on_failed(generation, _undrawn(error, converted))

        self._raster_task = self._rasterizer.open(
            converted.pdf,
            lane=Lane.CRITICAL,
            opened=lambda document: self._on_opened(generation, converted, document),
            failed=failed,
        )

    def _on_opened(self, generation: int, converted: Converted, document: TextDocument) -> None:
        opening = self._state
        if generation != self._generation or not isinstance(opening, Opening):
            document.close()
            return
        self._raster_task = None
        former, self._shown_wishes = self._shown, self._wishes
        self._shown = Showing(opening.path, generation, opening.started_s, document, converted, opening.reload)
        self._set(self._shown)
        if former is not None:
            former.document.close()
        self._ask_for_neighbours()

    def _on_failed(self, generation: int, failure: Failure) -> None:
        opening = self._state
        if generation != self._generation or not isinstance(opening, Opening):
            return
        self._request = self._raster_task = None
        if failure.outcome in LOCKED:
            self._wishes = replace(self._wishes, password=None)
        if opening.reload and self._shown is not None and failure.outcome not in LOCKED:
            self._shown = replace(self._shown, generation=generation, reload=True, stale=failure)
            self._set(self._shown)
        else:
            former, self._shown, self._shown_wishes = self._shown, None, _Wishes()
            self._set(Failed(opening.path, generation, failure))
            if former is not None:
                former.document.close()
        self._ask_for_neighbours()

    def _set(self, state: State) -> None:
        self._state = state
        if not self._closed:
            self._publish(state)

    def _is_shown(self, path: Path) -> bool:
        return self._shown is not None and self._shown.path == path

    def _abandon(self) -> None:
        self._drop_raster_task()
        if self._request is not None:
            request, self._request = self._request, None
            request.cancel()

    def _drop_raster_task(self) -> None:
        if self._raster_task is not None:
            task, self._raster_task = self._raster_task, None
            task.cancel()

    # ---- neighbours

    def _wanted_neighbours(self) -> list[Path]:
        if not self._prefetch:
            return []
        ahead = [self.neighbour(step * self._direction) for step in range(1, PREFETCH_AHEAD + 1)]
        behind = [self.neighbour(-step * self._direction) for step in range(1, PREFETCH_BEHIND + 1)]
        wanted = [path for path in (*ahead, *behind) if path is not None and path != self._path]
        return list(dict.fromkeys(wanted))

    def _ask_for_neighbours(self) -> None:
        if self._closed:
            return
        wanted = self._wanted_neighbours()
        self._withdraw(set(wanted))
        for path in wanted:
            if path not in self._neighbours:
                self._ask_for_neighbour(path)

    def _ask_for_neighbour(self, path: Path) -> None:
        # The converter's cache keeps the result. The request stays here when it has ended, as a sign that this
        # neighbour needs no second one.
        self._neighbours[path] = self._conversions.request(
            path, Lane.LOW, phase=_drop, slow=_drop, done=_drop, failed=_drop
        )

    def _withdraw(self, keep: set[Path]) -> None:
        for path in [path for path in self._neighbours if path not in keep]:
            self._neighbours.pop(path).cancel()


def _undrawn(error: RasterError, converted: Converted) -> Failure:
    """Why a PDF that an engine made, or that was given, cannot be drawn."""
    facts = converted.facts
    return Failure(
        error.kind,
        error.message,
        engine=converted.engine,
        engine_name=facts.engine_name,
        engine_version=facts.engine_version,
    )


def _drop(_: object = None) -> None:
    """The answer to a prefetch."""
