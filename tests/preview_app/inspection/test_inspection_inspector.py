"""Order, duplicates, stops and bounds of a run, with a runner that a test opens file by file."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from preview_app.inspection.inspector import Inspector
from preview_app.inspection.records import FileInspection, Times

Done = Callable[[FileInspection | None], None]


def record_of(name: str, digest: str | None = None) -> FileInspection:
    return FileInspection(name, "ok", "fine", digest=digest, pages=1, seconds=Times(total=1.0))


class HeldRunner:
    """Keeps what is submitted until the test settles it; may settle at once."""

    def __init__(self, capacity: int = 2, *, at_once: bool = False, message: str = "fine") -> None:
        self.message = message
        self.capacity = capacity
        self.at_once = at_once
        self.held: dict[str, Done] = {}
        self.submitted: list[str] = []
        self.cancelled = False

    def submit(self, file: Path, done: Done) -> None:
        self.submitted.append(str(file))
        if self.at_once:
            done(replace(record_of(str(file)), message=self.message))
        else:
            self.held[str(file)] = done

    def settle(self, *names: str) -> None:
        for name in names:
            self.held.pop(name)(record_of(name))

    def cancel(self) -> None:
        self.cancelled = True
        for done in self.held.values():
            done(None)
        self.held.clear()


def distinct(file: Path) -> str:
    return f"digest of {file}"


def paths(*names: str) -> list[Path]:
    return [Path(name) for name in names]


def names_of(records: Iterator[FileInspection]) -> list[str]:
    return [record.file for record in records]


def test_records_come_in_the_order_of_the_files() -> None:
    runner = HeldRunner(capacity=3)
    records = Inspector(runner, distinct).run(paths("a", "b", "c"))
    settled = threading.Thread(target=lambda: runner.settle("c", "a", "b"))
    first = _begin(records, runner, 3, settled)
    assert [first.file, *names_of(records)] == ["a", "b", "c"]


def _begin(
    records: Iterator[FileInspection], runner: HeldRunner, count: int, settle: threading.Thread
) -> FileInspection:
    """The first record; files are settled as soon as they are all submitted."""
    submit = runner.submit

    def watched(file: Path, done: Done) -> None:
        submit(file, done)
        if len(runner.submitted) == count:
            settle.start()

    runner.submit = watched  # type: ignore[method-assign]
    record = next(records)
    settle.join()
    return record


def test_the_same_bytes_are_inspected_once() -> None:
    runner = HeldRunner(at_once=True)
    records = list(Inspector(runner, lambda file: file.stem[0]).run(paths("a1.doc", "b1.doc", "a2.doc", "a3.docx")))
    assert runner.submitted == ["a1.doc", "b1.doc", "a3.docx"], "the name may decide the type"
    assert [(record.file, record.duplicate_of) for record in records] == [
        ("a1.doc", None),
        ("b1.doc", None),
        ("a2.doc", "a1.doc"),
        ("a3.docx", None),
    ]
    assert records[2] == replace(records[0], file="a2.doc", duplicate_of="a1.doc", seconds=Times())


def test_what_cannot_be_read_is_no_duplicate() -> None:
    runner = HeldRunner(at_once=True)
    records = list(Inspector(runner, lambda _file: None).run(paths("a", "b")))
    assert [record.duplicate_of for record in records] == [None, None]
    assert runner.submitted == ["a", "b"]


def test_no_more_is_under_way_than_the_bounds_say() -> None:
    runner = HeldRunner(capacity=2)
    pulled: list[str] = []

    def files() -> Iterator[Path]:
        for number in range(100):
            pulled.append(str(number))
            yield Path(str(number))

    inspector = Inspector(runner, distinct, window=6)
    records = inspector.run(files())
    settled = threading.Thread(target=lambda: runner.settle("0"))
    assert _begin(records, runner, 4, settled).file == "0"
    assert len(pulled) == 4, "twice the capacity"
    inspector.stop()
    assert names_of(records) == []


def test_a_slow_file_does_not_hold_up_the_others() -> None:
    """All that fits the window is done while the first one still runs."""
    runner = HeldRunner(capacity=2)
    submit = runner.submit

    def at_once_but_the_first(file: Path, done: Done) -> None:
        submit(file, done)
        if str(file) == "99":
            runner.settle("99", "0")
        elif str(file) != "0":
            runner.settle(str(file))

    runner.submit = at_once_but_the_first  # type: ignore[method-assign]
    records = Inspector(runner, distinct).run(Path(str(number)) for number in range(100))
    assert names_of(records) == [str(number) for number in range(100)]


def test_a_window_full_of_what_is_there_already_does_not_end_the_run() -> None:
    runner = HeldRunner(at_once=True)
    records = Inspector(runner, distinct, earlier=_Known(), window=3).run(Path(str(number)) for number in range(50))
    assert names_of(records) == [str(number) for number in range(50)]
    assert runner.submitted == []


class _Known:
    def find(self, file: str, digest: str | None) -> FileInspection | None:
        return record_of(file, digest)


def test_a_duplicate_of_a_record_that_is_there_already() -> None:
    records = list(Inspector(HeldRunner(), lambda _file: "same", earlier=_Known()).run(paths("a", "b")))
    assert [record.duplicate_of for record in records] == [None, "a"]


def test_after_a_stop_what_is_done_comes_and_nothing_else() -> None:
    runner = HeldRunner(capacity=2)
    inspector = Inspector(runner, distinct)
    records = inspector.run(paths("a", "b", "c", "d", "e"))

    def act() -> None:
        runner.settle("a", "c")
        inspector.stop()

    assert [_begin(records, runner, 4, threading.Thread(target=act)).file, *names_of(records)] == ["a", "c"]
    assert inspector.stopped
    assert runner.cancelled


def test_a_run_that_nobody_reads_on_is_given_up() -> None:
    runner = HeldRunner(capacity=2)
    records = Inspector(runner, distinct).run(paths("a", "b", "c"))
    _begin(records, runner, 3, threading.Thread(target=lambda: runner.settle("a")))
    assert isinstance(records, Iterator)
    records.close()  # type: ignore[attr-defined]
    assert runner.cancelled


def largest_bytes(count: int) -> int:
    """What a run over so many files allocates at most, with records of 5,000 bytes."""
    runner = HeldRunner(at_once=True, message="x" * 5_000)
    tracemalloc.start()
    try:
        for _record in Inspector(runner, distinct).run(Path(str(each)) for each in range(count)):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_records() -> None:
    """Of each file a key and a number are kept, so that its copies are known: much less than its record."""
    few, many = largest_bytes(200), largest_bytes(2_000)
    assert (many - few) / 1_800 < 500, "bytes a file"


@pytest.mark.parametrize("files", [[], paths("a")])
def test_short_runs(files: list[Path]) -> None:
    inspector = Inspector(HeldRunner(at_once=True), distinct)
    assert len(list(inspector.run(files))) == len(files)
    assert not inspector.stopped
