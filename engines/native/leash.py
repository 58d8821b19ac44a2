"""Child main: become LibreOffice, bounded, without network and foreign files, tied to the life of the parent (POSIX).

    leash PARENT_PID CPU_S FILE_BYTES_MAX READABLE PROGRAM [ARGUMENT ...]

READABLE are paths, separated as in PATH; written may only be below the current folder. The seccomp filter is that of a
forked kit, but for one start of PROGRAM and for Unix sockets that connect to nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

from engines import landlock, process, sandbox, seccomp
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
    _become(sys.argv[5:])


def _become(command: list[str]) -> None:
    """Replace this program, under a filter that allows this one start."""
    path = ctypes.create_string_buffer(os.fsencode(command[0]))
    arguments = (ctypes.c_char_p * (len(command) + 1))(*map(os.fsencode, command), None)
    variables = [b"=".join(each) for each in os.environb.items()]
    environment = (ctypes.c_char_p * (len(variables) + 1))(*variables, None)
    with contextlib.suppress(OSError):  # a machine whose calls are not known, or a container that withholds it
        seccomp.restrict_self(write=True, starts=ctypes.addressof(path))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.execve(path, arguments, environment)
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), command[0])


def _restrict_files(readable: list[str]) -> None:
    with landlock.Ruleset() as ruleset:
        ruleset.allow(readable, execute=True)
        ruleset.allow((os.getcwd(), "/dev/null"), write=True)  # noqa: PTH109
        ruleset.allow(PIPE_FOLDERS, sockets=True)
        ruleset.restrict_self()


if __name__ == "__main__":
    main()
