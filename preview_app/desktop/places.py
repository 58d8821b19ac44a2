"""What lasts from one run to the next of where a person was: the place in each document, the last files and folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings

from preview_app.desktop.page_column import Place
from preview_app.desktop.page_layout import ZOOM_MAX, ZOOM_MIN, Anchor, Fit

PLACES_MAX = 300
"""Documents whose place is remembered, the last ones."""
RECENT_MAX = 12


class Places:
    """Places by document, last ones last; kept in the settings once `save` is called, or nowhere without them."""

    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings
        self._places: dict[str, Place] = {}
        self._recent: list[Path] = []
        if settings is not None:
            self._places = _read_places(settings.value("places"))
            self._recent = _read_recent(settings.value("recent"))

    @property
    def recent(self) -> Sequence[Path]:
        """The files and folders that a person opened, the last one first."""
        return tuple(self._recent)

    def get(self, path: Path) -> Place | None:
        """Where a person was in a document."""
        return self._places.get(str(path))

    def keep(self, path: Path, place: Place) -> None:
        """A person leaves a document here."""
        self._places.pop(str(path), None)
        self._places[str(path)] = place
        while len(self._places) > PLACES_MAX:
            del self._places[next(iter(self._places))]

    def opened(self, path: Path) -> None:
        """A person opened a file or a folder."""
        self._recent = [path, *(other for other in self._recent if other != path)][:RECENT_MAX]

    def forget(self) -> None:
        """Forget all files, folders and places."""
        self._places.clear()
        self._recent.clear()
        self.save()

    def save(self) -> None:
        """Write them to the settings."""
        if self._settings is not None:
            rows = [[path, *_row(place)] for path, place in self._places.items()]
            self._settings.setValue("places", json.dumps(rows, ensure_ascii=False))
            self._settings.setValue("recent", json.dumps([str(path) for path in self._recent], ensure_ascii=False))


def _row(place: Place) -> list[object]:
    anchor = place.anchor
    return [anchor.page, round(anchor.x, 4), round(anchor.y, 4), place.fit.value, round(place.zoom, 4), place.turns]


def _read_places(value: object) -> dict[str, Place]:
    """What `save` has written; what is no such thing is left out."""
    places: dict[str, Place] = {}
    for row in _read_list(value):
        try:
            path, page, x, y, fit, zoom, turns = row
            zoom = min(max(float(zoom), ZOOM_MIN), ZOOM_MAX)
            anchor = Anchor(max(0, int(page)), float(x), float(y))
            places[str(path)] = Place(anchor, Fit(fit), zoom, int(turns) % 4)
        except (TypeError, ValueError):
            continue
    return places


def _read_recent(value: object) -> list[Path]:
    return [Path(each) for each in _read_list(value) if isinstance(each, str) and each][:RECENT_MAX]


def _read_list(value: object) -> list[Any]:
    try:
        read = json.loads(value) if isinstance(value, str) else []
    except ValueError:
        return []
    return read if isinstance(read, list) else []
