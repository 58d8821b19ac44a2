"""How much stack the calling thread has: a guest that recursed past its end would take the process along."""

from __future__ import annotations

import ctypes
import sys


def stack_bytes() -> int | None:
    """The size of the calling thread's stack; None where the system cannot say. Little of it is used by then."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    attributes = ctypes.create_string_buffer(128)  # pthread_attr_t, with room to spare
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    libc.pthread_self.restype = ctypes.c_void_p
    if libc.pthread_getattr_np(ctypes.c_void_p(libc.pthread_self()), attributes):
        return None
    libc.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
    libc.pthread_attr_destroy(attributes)
    return size.value if start.value else None
