"""A bound on the memory of this process, kept by looking.

LibreOffice swallows a failed allocation and leaves out what did not fit, so a limit of the system's would give PDFs
with parts missing. Being killed is the honest end: the supervisor sees the peak in what the kernel tells of it.
"""

from __future__ import annotations

import os
import signal
import threading
import time

_POLL_S = 0.05
_STATM = "/proc/self/statm"


class MemoryLimit:
    """At most `bytes_max` of resident memory."""

    def __init__(self, bytes_max: int) -> None:
        self._pages_max = bytes_max // os.sysconf("SC_PAGE_SIZE")

    def watch(self) -> None:
        """Begin to look, on a thread that ends with the process."""
        threading.Thread(target=self._look, name="memory-limit", daemon=True).start()

    def _look(self) -> None:
        descriptor = os.open(_STATM, os.O_RDONLY | os.O_CLOEXEC)
        while int(os.pread(descriptor, 256, 0).split()[1]) <= self._pages_max:
            time.sleep(_POLL_S)
        os.kill(os.getpid(), signal.SIGKILL)
