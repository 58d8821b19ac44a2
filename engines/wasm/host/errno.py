"""The guest's error numbers (WASI's, which Emscripten's libc uses) and the exception that carries one."""

from __future__ import annotations

from enum import IntEnum


class Errno(IntEnum):
    """Error numbers as the guest's `errno.h` has them; they differ from those of the host's system."""

    EACCES = 2
    EAFNOSUPPORT = 5
    EAGAIN = 6
    EBADF = 8
    EBUSY = 10
    EEXIST = 20
    EFAULT = 21
    EFBIG = 22
    EINVAL = 28
    EISDIR = 31
    ELOOP = 32
    EMFILE = 33
    ENAMETOOLONG = 37
    ENODEV = 43
    ENOENT = 44
    ENOMEM = 48
    ENOSPC = 51
    ENOSYS = 52
    ENOTDIR = 54
    ENOTEMPTY = 55
    ENOTSUP = 58
    ENOTTY = 59
    EPERM = 63
    EPIPE = 64
    ERANGE = 68
    ESPIPE = 70


class ErrnoError(Exception):
    """A call of the guest fails with `errno`. The linker turns it into the call's result."""

    def __init__(self, errno: Errno) -> None:
        super().__init__(errno.name)
        self.errno = errno
