"""A seccomp filter for a process that works on one document: what it has no use for, it cannot ask the kernel for.

A list of what is denied, not of what is allowed: Python, wasmtime and LibreOffice with its libraries use some 150
calls, others with each version of the C library, and a list that kills an honest conversion is a list that gets
switched off. It is closed at its upper end instead: calls newer than this file do not exist for the process, for which
every C library has a fall-back. Three answers, by what can be meant:

- `EPERM` for what an honest library may try in passing: sockets, starting a program, another process's affairs.
- `ENOSYS` for what has an older way around it, and arguments that a filter cannot see (`clone3`, `io_uring`).
- the end of the process, by SIGSYS, for what only an attack would ask for here.

A process that has yet to become the program that reads the document (`starts`) may do so once: by the path at one
address of its own memory, which is no address of that program's. That program may make Unix sockets, with which
LibreOffice looks whether it runs already, and connect them to nothing.

Standard library only. Source: the kernel's `userspace-api/seccomp_filter` and `linux/seccomp.h`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

from engines.syscallnumbers import NEWEST, X86_64_AND_AARCH64

_KILLED = """
ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise process_mrelease
bpf perf_event_open userfaultfd memfd_secret fanotify_init open_by_handle_at add_key keyctl request_key
mount umount2 move_mount open_tree mount_setattr fsopen fsconfig fsmount fspick pivot_root chroot setns unshare
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd
sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex iopl ioperm modify_ldt
move_pages migrate_pages
"""
_REFUSED = """
socket socketpair connect bind listen accept accept4
execve execveat fork vfork
tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
setpriority ioprio_set sched_setattr sched_setscheduler sched_setparam sched_setaffinity
shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink
chmod fchmodat fchmodat2 chown lchown fchownat utime utimes futimesat utimensat
setxattr lsetxattr removexattr lremovexattr
name_to_handle_at lookup_dcookie personality syslog vhangup
"""
"""Among them the changes to a file's mode, owner, times and attributes by its path, which Landlock lets through."""
_ABSENT = "clone3 io_uring_setup io_uring_enter io_uring_register"
_OF_UNIX_SOCKETS = "bind listen accept accept4"
_WRITING = """
creat truncate rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir
mknod mknodat fchmod fchown fsetxattr fremovexattr
"""
_WRITING_ABSENT = "openat2"

_CLONE_THREAD = 0x10000
_OPEN_TO_WRITE = 0o3 | 0o100 | 0o1000  # O_ACCMODE, O_CREAT, O_TRUNC
_AF_UNIX = 1
_PR_SET_PDEATHSIG = 1
_SIGNALS_BY_FCNTL = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: the kernel would send a signal to anybody for us
_FORGING_IOCTLS = (0x5412, 0x541C, 0x8901, 0x8902)  # TIOCSTI, TIOCLINUX: typing for the user; FIOSETOWN, SIOCSPGRP

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x05, 0x15, 0x25, 0x45, 0x06
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By the name of the machine: the column of the table of numbers, and `AUDIT_ARCH_*` of its 64-bit calls."""

Instruction = tuple[int, int, int, int]
"""Code, distance when true, distance when false, constant: `struct sock_filter`."""


def restrict_self(*, write: bool, starts: int | None = None) -> None:
    """Install the filter for this machine and process; see `program`.

    Raises `OSError`, also where the machine is not known here.
    """
    machine = platform.machine()
    if sys.platform != "linux" or sys.byteorder != "little" or machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no numbers of system calls are known for {machine}")
    install(program(machine, os.getpid(), write=write, starts=starts))


def program(machine: str, process: int, *, write: bool, starts: int | None = None) -> list[Instruction]:
    """The filter for a `machine`, for a process whose number is `process`; `write`: it has a folder to write to.

    `starts` is the address of the path of the one program that it may still become.
    """
    column, architecture = _MACHINES[machine]
    numbers = {name: both[column] for name, both in X86_64_AND_AARCH64.items()}
    instructions: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # the 32-bit calls have other numbers, which nobody looked at
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_ABOVE, 0, 1, NEWEST),  # also those of x32, which begin at 1 << 30
        _refuse(errno.ENOSYS),
    ]
    bodies = {
        name: _choose(argument, test, values, when, otherwise)
        for name, argument, test, values, when, otherwise in _conditions(process, write=write)
    }
    if starts is not None:
        bodies |= {"execve": _start_only(starts), "socket": _choose(0, _EQUAL, (_AF_UNIX,), _YES, _NO)}
    for name, body in bodies.items():
        if (number := numbers[name]) is not None:
            instructions += [(_EQUAL, 0, len(body), number), *body]
    allowed = _OF_UNIX_SOCKETS if starts is not None else ""
    refused = " ".join(name for name in _REFUSED.split() if name not in allowed.split())
    groups = [(_KILLED, (_RETURN, 0, 0, _KILL)), (refused, _refuse(errno.EPERM)), (_ABSENT, _refuse(errno.ENOSYS))]
    if not write:
        groups += [(_WRITING, _refuse(errno.EPERM)), (_WRITING_ABSENT, _refuse(errno.ENOSYS))]
    for names, answer in groups:
        instructions += _any_of([n for name in names.split() if (n := numbers[name]) is not None], answer)
    return [*instructions, (_RETURN, 0, 0, _ALLOW)]


_Condition = tuple[str, int, int, tuple[int, ...], Instruction, Instruction]
_YES, _NO = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | errno.EPERM)


def _conditions(process: int, *, write: bool) -> list[_Condition]:
    """Calls that depend on an argument: name, number of the argument, test, values, answer if it holds, otherwise."""
    yes, no = _YES, _NO
    conditions = [
        ("clone", 0, _ANY_BIT, (_CLONE_THREAD,), yes, no),  # threads, but no processes
        ("kill", 0, _EQUAL, (process,), yes, no),
        ("tgkill", 0, _EQUAL, (process,), yes, no),  # of abort()
        ("prlimit64", 0, _EQUAL, (0,), yes, no),
        ("prctl", 0, _EQUAL, (_PR_SET_PDEATHSIG,), no, yes),  # it dies with its parent
        ("fcntl", 1, _EQUAL, _SIGNALS_BY_FCNTL, no, yes),
        ("ioctl", 1, _EQUAL, _FORGING_IOCTLS, no, yes),
    ]
    if not write:
        conditions.append(("openat", 2, _ANY_BIT, (_OPEN_TO_WRITE,), no, yes))
        conditions.append(("open", 1, _ANY_BIT, (_OPEN_TO_WRITE,), no, yes))
    return conditions


def _refuse(number: int) -> Instruction:
    return _RETURN, 0, 0, _ERRNO | number


def _choose(
    argument: int, test: int, values: tuple[int, ...], when: Instruction, otherwise: Instruction
) -> list[Instruction]:
    """`when` if the test holds for any value. The lower half of the argument is all that the kernel reads of these."""
    tests = [(test, len(values) - index, 0, value) for index, value in enumerate(values)]
    return [(_LOAD, 0, 0, _ARGUMENTS_OFFSET + 8 * argument), *tests, otherwise, when]


def _start_only(address: int) -> list[Instruction]:
    """Allow if the first argument, all 64 bits of it, is this address."""
    low, high = address & 0xFFFFFFFF, address >> 32
    return [
        (_LOAD, 0, 0, _ARGUMENTS_OFFSET),
        (_EQUAL, 0, 3, low),
        (_LOAD, 0, 0, _ARGUMENTS_OFFSET + 4),
        (_EQUAL, 0, 1, high),
        _YES,
        _NO,
    ]


def _any_of(numbers: list[int], answer: Instruction) -> list[Instruction]:
    """`answer` if the number of the call is one of these (at most 255, the reach of a jump)."""
    tests = [(_EQUAL, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
    return [*tests, (_JUMP, 0, 0, 1), answer]


def install(instructions: list[Instruction]) -> None:
    """Put a filter over the calling thread and all that it starts, for good. Raises `OSError`.

    Sets `no_new_privs`, without which the kernel takes no filter from an ordinary user.
    """
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in instructions))
    header = struct.pack("@HP", len(instructions), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "the seccomp filter was not accepted")
