"""Child main: become the given command, tied to the life of the parent.

    python leash.py PARENT_PID COMMAND [ARGUMENT ...]

The command dies with its parent even if that is killed (on Linux; the wish to be signalled survives `exec`).
Standard library only, run by its path.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Tie this process to its parent, then replace it by the command."""
    parent_pid, command = int(arguments[0]), arguments[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent_pid:  # it died before the request was made
            sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 - this is the whole purpose; there is no shell


if __name__ == "__main__":
    main(sys.argv[1:])
