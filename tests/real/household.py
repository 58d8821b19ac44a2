"""What engines have while nothing is asked of them, and whatever is there beyond that: the strays.

At rest an engine has its zygote, at most one spare kit, and in its scratch folder that kit's own. Everything else that
lives below this process, a zombie as well, has outlived its document.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

from engines.base import Engine

_OURS = ("docpeek-", "soffice", "oosplash")


def zygote_of(engine: Engine) -> psutil.Process | None:
    """The zygote of an engine that has one."""
    kits = engine._supervisor._kits  # type: ignore[attr-defined]
    pid = getattr(getattr(kits, "_kits", kits), "pid", None)
    return psutil.Process(pid) if pid is not None and psutil.pid_exists(pid) else None


def scratch_of(engine: Engine) -> Path | None:
    """The scratch folder of an engine that has one on disk."""
    scratch = getattr(engine._supervisor._kits, "_scratch", None)  # type: ignore[attr-defined]
    return None if scratch is None else Path(scratch.path)


class Household:
    """The processes and files of some engines, compared with what was there before."""

    def __init__(self, *engines: Engine) -> None:
        self.engines = engines
        self._known = {process.pid for process in _descendants()}

    def strays(self) -> list[str]:
        """What nobody should have to see: empty at rest. Other engines may be at rest beside these."""
        return [*self._processes(), *map(str, self._folders())]

    def pss_bytes(self, kind: str = "Pss") -> dict[str, int]:
        """Memory of each engine's family, the zygote and its spare kit; what pages they share is counted once.

        Pages of files are shared with whoever else has them open, so the figure depends on the whole machine but with
        `Pss_Anon`, which leaves them out.
        """
        return {
            engine.info.name: sum(_pss(each, kind) for each in _family(zygote_of(engine))) for engine in self.engines
        }

    def descriptors(self) -> dict[str, int]:
        """Open descriptors of this process and of each zygote."""
        counts = {"parent": len(os.listdir("/proc/self/fd"))}
        for engine in self.engines:
            if (zygote := zygote_of(engine)) is not None:
                counts[engine.info.name] = zygote.num_fds()
        return counts

    def _processes(self) -> Iterator[str]:
        ours = {zygote.pid for engine in self.engines if (zygote := zygote_of(engine))}
        living = [(process, *_told(process)) for process in _descendants()]
        kits = Counter(parent for _, name, _, parent in living if name == "docpeek-kit")
        zygotes = ours | {process.pid for process, name, _, _ in living if name == "docpeek-zygote"} & self._known
        for process, name, status, parent in living:
            at_rest = process.pid in self._known | zygotes or (parent in zygotes and kits[parent] <= 1)
            if status == psutil.STATUS_ZOMBIE or (name.startswith(_OURS) and not at_rest):
                yield f"process {process.pid} {name} ({status})"

    def _folders(self) -> Iterator[Path]:
        """Folders of kits in the scratch folders, but for that of the kit that waits."""
        for engine in self.engines:
            if (scratch := scratch_of(engine)) is not None:
                folders = sorted(scratch.glob("job-*"))
                at_rest = {f"job-{process.pid}" for process in _family(zygote_of(engine))}
                yield from (folder for folder in folders if folder.name not in at_rest)


def _descendants() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def _told(process: psutil.Process) -> tuple[str, str, int]:
    """Name, status and parent of a process."""
    try:
        return process.name(), process.status(), process.ppid()
    except psutil.NoSuchProcess:
        return "", "gone", 0


def _family(zygote: psutil.Process | None) -> list[psutil.Process]:
    try:
        return [zygote, *zygote.children()] if zygote else []
    except psutil.NoSuchProcess:
        return []


def _pss(process: psutil.Process, kind: str) -> int:
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{kind}:"))
