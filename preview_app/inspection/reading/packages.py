"""Packages (ZIP) read part by part, until so much is unpacked that it must be enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engines.archive import Archive
from engines.errors import EngineError
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.xmlscan import End, Start, Text, XmlError, scan

_PART_BYTES_MAX = 64 << 20


class Package:
    """The parts of a package."""

    def __init__(self, data: memoryview, collector: Collector, unpacked_bytes_max: int) -> None:
        """Raises `EngineError` for what is no package."""
        self._archive = Archive.open(data)
        self._collector = collector
        self._left = unpacked_bytes_max
        self.names: tuple[str, ...] = tuple(self._archive.entries)

    def __contains__(self, name: str) -> bool:
        return name in self._archive

    def named(self, fits: Callable[[str], object]) -> Iterator[str]:
        """The parts whose names fit, in the order of their names."""
        return (name for name in sorted(self.names) if fits(name))

    def read(self, name: str) -> bytes:
        """A part; empty if it is not there, or damaged, or too large, which is noted."""
        if name not in self._archive:
            return b""
        if min(_PART_BYTES_MAX, self._left) < self._archive.entries[name].inflated_bytes:
            self._collector.not_read(f"The part {name} was not looked at: it is too large.")
            return b""
        try:
            data = self._archive.read(name, min(_PART_BYTES_MAX, self._left))
        except EngineError as error:
            self._collector.not_read(f"The part {name} was not looked at: {error.message}")
            return b""
        self._left -= len(data)
        return data

    def scan(
        self,
        name: str,
        start: Start,
        end: End | None = None,
        text: Text | None = None,
        *,
        only_if: re.Pattern[bytes] | None = None,
    ) -> None:
        """Read a part that is XML, if it is there. What is wrong with it is noted.

        One in which `only_if` is not found has nothing to tell: it takes a parser a hundred times as long to see that.
        """
        data = self.read(name)
        if not data or (only_if is not None and b"\0" not in data[:4] and not only_if.search(data)):
            return
        try:
            scan(data, start, end, text)
        except XmlError:
            self._collector.not_read(f"The part {name} was looked at up to an error only: it is no sound XML.")
