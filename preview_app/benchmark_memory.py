"""The memory of an engine's processes: at rest, and of the one that holds a document (Linux).

PSS is resident memory in which each shared page is divided by the number of processes that share it; private dirty
memory is what a process has changed for itself, so what one more such process costs.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from preview_app.benchmark_rounds import Measure, NoMeasureError

_ZYGOTE, _KIT = "docpeek-zygote", "docpeek-kit"
_AT_WORK = (_KIT, "soffice.bin")
"""The names of processes that hold documents."""
_SPARE_S = 15.0
_POLL_S = 0.1
_LOOK_S = 0.005
_END_S = 5.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of a process."""

    pss: int
    private_dirty: int


def can_measure() -> bool:
    """Whether this system tells what is asked."""
    return Path("/proc/self/smaps_rollup").is_file()


def of(pid: int) -> Memory | None:
    """The memory of a process; `None` when it is gone, or not ours to look at."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return None
    if not text:  # it has ended and waits to be reaped
        return None
    sizes = {
        name: int(rest.split()[0]) << 10 for name, _, rest in (line.partition(":") for line in text.splitlines()[1:])
    }
    return Memory(sizes["Pss"], sizes["Private_Dirty"])


def measure(convert: Measure, files: Mapping[str, Path], known: set[int]) -> dict[str, dict[str, Memory]]:
    """Memory at rest by name of the process (`at rest`), and of the one at work by name of the document (`at work`).

    The latter at its largest. `known` are the processes that were there before those that `convert` uses.
    """
    with contextlib.suppress(NoMeasureError):
        convert(next(iter(files.values())))  # what it loads with its first document, it keeps
    resting = _at_rest(known)
    working = {}
    for name, file in files.items():
        with contextlib.suppress(NoMeasureError), _watched(known) as largest:
            convert(file)
        if found := largest():
            working[name] = found
    return {"at rest": resting, "at work": working}


def children() -> set[int]:
    """The processes below this one."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def _named(known: set[int]) -> dict[int, str]:
    found = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.pid not in known:
                found[process.pid] = process.name()
    return found


def _at_rest(known: set[int]) -> dict[str, Memory]:
    """The processes that are there between documents; of a zygote, once it has warmed up and forked a spare kit."""
    deadline = time.monotonic() + _SPARE_S
    while (names := _named(known)) and _ZYGOTE in names.values() and _KIT not in names.values():
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    found = {}
    for pid, name in sorted(names.items(), key=lambda each: each[1]):  # the kit before its zygote
        if memory := of(pid):
            found[name] = memory
        if name == _KIT:
            _end(pid)
    return found


def _end(spare: int) -> None:
    """Kill a spare kit, with which its zygote would share what is its own; it forks another one when it needs one."""
    with contextlib.suppress(psutil.Error):
        psutil.Process(spare).kill()
    deadline = time.monotonic() + _END_S
    while of(spare) is not None and time.monotonic() < deadline:
        time.sleep(_LOOK_S)


@contextmanager
def _watched(known: set[int]) -> Iterator[Callable[[], Memory | None]]:
    """Look at the processes that hold documents all the while; gives what tells the largest that was seen."""
    seen: list[Memory] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_S):
            at_work = [pid for pid, name in _named(known).items() if name in _AT_WORK]
            seen.extend(memory for pid in at_work if (memory := of(pid)))

    thread = threading.Thread(target=look, name="docpeek-benchmark-memory")
    thread.start()
    try:
        yield lambda: max(seen, key=lambda memory: memory.private_dirty, default=None)
    finally:
        ended.set()
        thread.join()
