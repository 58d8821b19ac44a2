"""Child main: become LibreOffice, bounded, without a network, and tied to the life of the parent (POSIX).

leash PARENT_PID CPU_S FILE_BYTES_MAX PROGRAM [ARGUMENT ...]
"""

from __future__ import annotations

import os
import sys

from engines import process, sandbox


def main() -> None:
    """Give up what a conversion has no need of, then replace this program by the one that is named."""
    parent, cpu_s, file_bytes_max = map(int, sys.argv[1:4])
    process.die_with_parent(parent)
    process.forbid_new_privileges()
    process.limit(cpu_s, file_bytes_max)
    sandbox.leave_network()
    os.execv(sys.argv[4], sys.argv[4:])  # noqa: S606 - this is the whole purpose; there is no shell


if __name__ == "__main__":
    main()
