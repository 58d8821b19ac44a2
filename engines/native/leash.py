"""Child main: become LibreOffice, bounded, without network and foreign files, tied to the life of the parent (POSIX).

    leash PARENT_PID CPU_S FILE_BYTES_MAX READABLE PROGRAM [ARGUMENT ...]

READABLE are paths, separated as in PATH; written may only be below the current folder. Seccomp is missing of what a
forked kit has: its filter would not let a program be started.
"""

from __future__ import annotations

import contextlib
import os
import sys

from engines import landlock, process, sandbox
from engines.native.pipes import PIPE_FOLDERS


def main() -> None:
    """Give up what a conversion has no need of, then replace this program by the one that is named."""
    parent, cpu_s, file_bytes_max = map(int, sys.argv[1:4])
    process.die_with_parent(parent)
    process.forbid_new_privileges()
    process.limit(cpu_s, file_bytes_max)
    sandbox.leave_network()
    with contextlib.suppress(OSError):  # a kernel without it, or a container that withholds it
        _restrict_files(sys.argv[4].split(os.pathsep))
    os.execv(sys.argv[5], sys.argv[5:])  # noqa: S606 - this is the whole purpose; there is no shell


def _restrict_files(readable: list[str]) -> None:
    with landlock.Ruleset() as ruleset:
        ruleset.allow(readable, execute=True)
        ruleset.allow((os.getcwd(), "/dev/null"), write=True)  # noqa: PTH109
        ruleset.allow(PIPE_FOLDERS, sockets=True)
        ruleset.restrict_self()


if __name__ == "__main__":
    main()
