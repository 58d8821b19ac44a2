"""Which worker of a cluster gets which files, and what is lost with a worker: a pure state machine.

Theory. Files wait in one line and go to workers in small batches, so that Dask's cost per task is shared, while each
worker has enough to keep its converter at work and no more. A worker that is gone takes its batches along. Each file
of those is suspected of having been the cause: it goes once more, alone, to another worker, at most one suspect a
worker at a time. Only a suspect whose second worker is gone too is given up, and nobody suffers for its neighbours.

Guarantees: a file is with one worker at most; every file that was added comes back exactly once, from `answered`,
`lost`, `failed` or `drain`; no worker has more files than its room, but for one suspect.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

BATCH_FILES_MAX = 4
"""A few: what a worker that is lost has to do again stays small."""

_F = TypeVar("_F")


@dataclass(slots=True, eq=False)
class _Waiting(Generic[_F]):
    file: _F
    lost_with: str | None = None
    """The worker that was lost with it, if one was: it is a suspect."""


@dataclass(slots=True, eq=False)
class Batch(Generic[_F]):
    """Files on their way to a worker."""

    number: int
    worker: str
    items: list[_Waiting[_F]]

    @property
    def files(self) -> list[_F]:
        """The files, in the order in which they were added."""
        return [item.file for item in self.items]

    @property
    def is_suspect(self) -> bool:
        """Whether it is a file that was with a lost worker."""
        return self.items[0].lost_with is not None


@dataclass(slots=True, eq=False)
class _Worker(Generic[_F]):
    address: str
    at_once: int
    batches: list[Batch[_F]] = field(default_factory=list)

    @property
    def files(self) -> int:
        return sum(len(batch.items) for batch in self.batches)

    @property
    def room(self) -> int:
        return room_for(self.at_once) - self.files

    @property
    def is_short_of_work(self) -> bool:
        return self.files < self.at_once

    @property
    def has_suspect(self) -> bool:
        return any(batch.is_suspect for batch in self.batches)


def room_for(at_once: int) -> int:
    """How many files a worker may have that works on so many at once: a batch more than it is busy with."""
    return max(2 * BATCH_FILES_MAX, 2 * at_once)


class Plan(Generic[_F]):
    """See above. Not for several threads."""

    def __init__(self) -> None:
        self._workers: dict[str, _Worker[_F]] = {}
        self._waiting: deque[_Waiting[_F]] = deque()
        self._suspects: deque[_Waiting[_F]] = deque()
        self._numbers = itertools.count()

    def __repr__(self) -> str:
        there = ", ".join(f"{worker.address}: {worker.files} files" for worker in self._workers.values())
        return f"<Plan {len(self._waiting)} waiting, {len(self._suspects)} suspects; {there or 'no worker'}>"

    @property
    def workers(self) -> tuple[str, ...]:
        """The addresses of the workers."""
        return tuple(self._workers)

    @property
    def room(self) -> int:
        """How many files all workers may have."""
        return sum(room_for(worker.at_once) for worker in self._workers.values())

    @property
    def is_empty(self) -> bool:
        """Whether no file waits or is with a worker."""
        return not (self._waiting or self._suspects or any(worker.batches for worker in self._workers.values()))

    def add(self, file: _F) -> None:
        """A file to be inspected."""
        self._waiting.append(_Waiting(file))

    def joined(self, address: str, at_once: int) -> None:
        """A worker is there that works on so many files at once."""
        self._workers.setdefault(address, _Worker(address, at_once))

    def answered(self, batch: Batch[_F]) -> bool:
        """A batch is done. Whether it was still expected: that of a worker which was given up is not."""
        worker = self._workers.get(batch.worker)
        if worker is None or batch not in worker.batches:
            return False
        worker.batches.remove(batch)
        return True

    def failed(self, batch: Batch[_F]) -> list[_F]:
        """A batch came to nothing, as if its worker were lost; gives the files that are given up for good."""
        return self._suspect(batch) if self.answered(batch) else []

    def lost(self, address: str) -> list[_F]:
        """A worker is gone; gives the files that are given up for good."""
        worker = self._workers.pop(address, None)
        return [file for batch in worker.batches for file in self._suspect(batch)] if worker else []

    def drain(self) -> list[_F]:
        """Forget all files; gives them."""
        with_workers = [item for worker in self._workers.values() for batch in worker.batches for item in batch.items]
        files = [item.file for item in (*with_workers, *self._suspects, *self._waiting)]
        self._waiting.clear()
        self._suspects.clear()
        for worker in self._workers.values():
            worker.batches.clear()
        return files

    def batches(self) -> Iterator[Batch[_F]]:
        """What is to be sent now."""
        yield from self._suspects_to_send()
        while self._waiting:
            worker = max(self._workers.values(), key=lambda each: each.room, default=None)
            if worker is None or worker.room < 1:
                return
            count = min(BATCH_FILES_MAX, worker.room)
            if worker.is_short_of_work:
                count = min(count, -(-len(self._waiting) // len(self._workers)))
            elif len(self._waiting) < BATCH_FILES_MAX:
                return  # more are about to come, or this worker has enough to do until the end
            yield self._send(worker, [self._waiting.popleft() for _ in range(count)])

    def _suspects_to_send(self) -> Iterator[Batch[_F]]:
        for item in tuple(self._suspects):
            free = [worker for worker in self._workers.values() if not worker.has_suspect]
            others = [worker for worker in free if worker.address != item.lost_with]
            if set(self._workers) == {item.lost_with}:
                others = free  # it is back under its address, and there is no other
            if others:
                self._suspects.remove(item)
                yield self._send(max(others, key=lambda each: each.room), [item])

    def _send(self, worker: _Worker[_F], items: list[_Waiting[_F]]) -> Batch[_F]:
        batch = Batch(next(self._numbers), worker.address, items)
        worker.batches.append(batch)
        return batch

    def _suspect(self, batch: Batch[_F]) -> list[_F]:
        if batch.is_suspect:
            return batch.files
        for item in batch.items:
            item.lost_with = batch.worker
            self._suspects.append(item)
        return []
