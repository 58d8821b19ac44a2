"""Many files: each looked at once, some at a time, their records in the order of the files.

Theory. The thread that iterates owns all state. It feeds a runner with as many files as may be under way, and learns
what became of them through one queue, which signal handlers may use too. A record waits until those before it have
been yielded, so the order is that of the files. Files with the same bytes are inspected once; records already
yielded lie in a temporary file, so that memory does not grow with them.

Guarantees: every file given has one record, unless the run was stopped; then every file that was done has one, and
none is half done. At most `window` files are under way or waiting for their turn.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Protocol

from preview_app.inspection.records import FileInspection, Times, line, record_of

_WINDOW = 256
"""Records are small, and a file that takes a minute must not leave everybody else without work."""


class Runner(Protocol):
    """Inspects files somewhere: on threads here, on a cluster."""

    @property
    def capacity(self) -> int:
        """How many files it can work on at once."""

    def submit(self, file: Path, done: Callable[[FileInspection | None], None]) -> None:
        """Inspect a file soon; returns at once. `done` is called once, on any thread: `None` if it was given up."""

    def cancel(self) -> None:
        """Give up what was submitted, soon. Idempotent."""


class Earlier(Protocol):
    """Records of an earlier run of the same settings."""

    def find(self, file: str, digest: str | None) -> FileInspection | None:
        """The record that still holds for this file."""


@dataclass(slots=True, eq=False)
class _Slot:
    """A file whose turn to be yielded has not come. One without a record at its turn is a duplicate or was given up."""

    file: Path
    key: str
    first: bool
    settled: bool = False
    record: FileInspection | None = None


class Inspector:
    """Yields the records of files in order.

    `digest` gives the digest of a file's bytes, `None` where they cannot be read. `window` bounds how many files are
    under way or done and waiting for their turn. `apart`: files with the same bytes are inspected each by itself.
    """

    def __init__(
        self,
        runner: Runner,
        digest: Callable[[Path], str | None],
        *,
        earlier: Earlier | None = None,
        window: int | None = None,
        apart: bool = False,
    ) -> None:
        self._runner = runner
        self._digest = digest
        self._earlier = earlier
        self._apart = apart
        self._window = window or max(_WINDOW, 4 * runner.capacity)
        self._news: SimpleQueue[tuple[_Slot, FileInspection | None] | None] = SimpleQueue()
        self._slots: deque[_Slot] = deque()
        self._running = 0
        self.stopped = False
        """Whether the run was given up before its end."""

    def stop(self) -> None:
        """End the run soon: what is done is still yielded. From any thread, and from a signal handler."""
        self._news.put(None)

    def run(self, files: Iterable[Path]) -> Iterator[FileInspection]:
        """The records of the files, as soon as each one's turn has come. To be called once."""
        todo = iter(files)
        with tempfile.TemporaryFile() as file:
            done = _Spool(file)
            try:
                while self._feed(todo, done) or self._slots:
                    self._learn(wait=not self._slots[0].settled)
                    if self.stopped:
                        yield from self._rest(done)
                        return
                    yield from self._ready(done)
            finally:
                self._give_up()

    def _feed(self, todo: Iterator[Path], done: _Spool) -> bool:
        """Begin with as many files as there is room for; whether there was one."""
        begun = False
        while len(self._slots) < self._window and self._running < 2 * self._runner.capacity:
            file = next(todo, None)
            if file is None:
                break
            self._begin(file, done)
            begun = True
        return begun

    def _begin(self, file: Path, done: _Spool) -> None:
        digest = self._digest(file)
        # The name may decide the type of equal bytes.
        key = f"{digest} {file if self._apart else file.suffix.lower()}" if digest else ""
        first = not key or done.expect(key)
        slot = _Slot(file, key, first)
        self._slots.append(slot)
        if not first:
            slot.settled = True
        elif self._earlier is not None and (record := self._earlier.find(str(file), digest)) is not None:
            slot.record, slot.settled = record, True
        else:
            self._running += 1
            self._runner.submit(file, lambda record: self._news.put((slot, record)))

    def _learn(self, *, wait: bool) -> None:
        """Take in all news; wait for some where the first in line runs."""
        while wait or not self._news.empty():
            news = self._news.get()
            wait = False
            if news is None:
                self.stopped = True
            else:
                self._settle(*news)

    def _settle(self, slot: _Slot, record: FileInspection | None) -> None:
        slot.record, slot.settled = record, True
        self._running -= 1
        self.stopped |= record is None

    def _ready(self, done: _Spool) -> Iterator[FileInspection]:
        while self._slots and self._slots[0].settled:
            record = self._of(self._slots.popleft(), done)
            if record is not None:
                yield record

    def _of(self, slot: _Slot, done: _Spool) -> FileInspection | None:
        if not slot.first:
            original = done.get(slot.key)
            if original is None:
                return None
            return replace(original, file=str(slot.file), duplicate_of=original.file, seconds=Times())
        if slot.record is not None and slot.key:
            done.put(slot.key, slot.record)
        return slot.record

    def _rest(self, done: _Spool) -> Iterator[FileInspection]:
        """After a stop: what is done, in order, without what is not."""
        self._give_up()
        for slot in self._slots:
            if (record := self._of(slot, done)) is not None:
                yield record
        self._slots.clear()

    def _give_up(self) -> None:
        """Give up what runs, and wait for its end."""
        if self._running:
            self._runner.cancel()
        while self._running:
            if (news := self._news.get()) is not None:
                self._settle(*news)


class _Spool:
    """Records by key, in a temporary file: what is kept in memory of each is a key and a number."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._places: dict[str, int] = {}

    def expect(self, key: str) -> bool:
        """Announce a record; whether it is the first of its key."""
        known = key in self._places
        self._places.setdefault(key, -1)
        return not known

    def put(self, key: str, record: FileInspection) -> None:
        """Keep a record."""
        self._places[key] = self._file.seek(0, 2)
        self._file.write(line(record).encode())

    def get(self, key: str) -> FileInspection | None:
        """The record of a key, if it was kept."""
        place = self._places.get(key, -1)
        if place < 0:
            return None
        self._file.seek(place)
        record = record_of(self._file.readline().decode())
        assert isinstance(record, FileInspection)
        return record
