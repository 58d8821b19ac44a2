"""Where one was before a jump: back and forward, as in a browser. Pure."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")

PLACES_MAX = 100


class History(Generic[_T]):
    """Places that were left by a jump, and those that were left by going back."""

    def __init__(self) -> None:
        self._back: list[_T] = []
        self._forward: list[_T] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place to go back to."""
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a place that going back has left."""
        return bool(self._forward)

    def jump(self, left: _T) -> None:
        """A jump leaves this place; what lay ahead is forgotten."""
        self._back.append(left)
        del self._back[:-PLACES_MAX]
        self._forward.clear()

    def back(self, here: _T) -> _T | None:
        """The place to go back to from here."""
        if not self._back:
            return None
        self._forward.append(here)
        return self._back.pop()

    def forward(self, here: _T) -> _T | None:
        """The place that going back has left."""
        if not self._forward:
            return None
        self._back.append(here)
        return self._forward.pop()

    def snapshot(self) -> tuple[tuple[_T, ...], tuple[_T, ...]]:
        """All places, to `restore`."""
        return tuple(self._back), tuple(self._forward)

    def restore(self, places: tuple[tuple[_T, ...], tuple[_T, ...]]) -> None:
        """As it was at a `snapshot`."""
        self._back, self._forward = map(list, places)

    def clear(self) -> None:
        """Forget all."""
        self._back.clear()
        self._forward.clear()
