"""A program: makes each attempt of a list in a child of its own, confined in one way, and prints what came of it.

    python sandbox_attempts.py WAY FOLDER PORT      WAY: free, confined, scratch, seccomp, landlock

FOLDER holds `open/` (which a policy names), `closed/` (which it does not) and `scratch/`, PORT is a server on loopback.
Outcomes: `works`, the name of the error, or the name of the signal that ended the child.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from engines import landlock, sandbox, seccomp
from engines.syscallnumbers import X86_64_AND_AARCH64

libc = ctypes.CDLL(None, use_errno=True)
COLUMN = {"x86_64": 0, "aarch64": 1}
DEADLY = ("keyctl", "bpf", "perf_event_open", "userfaultfd", "mount", "setns", "process_vm_readv", "kexec_load")


def call(name: str, *arguments: int) -> None:
    number = X86_64_AND_AARCH64[name][COLUMN[os.uname().machine]]
    raw(number or -1, *arguments)


def raw(number: int, *arguments: int) -> None:
    if libc.syscall(ctypes.c_long(number), *(ctypes.c_long(each) for each in arguments)) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def start_a_thread() -> None:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def use(scratch: Path) -> None:
    (scratch / "made").write_text("1")
    (scratch / "made").rename(scratch / "renamed")
    (scratch / "renamed").unlink()
    (scratch / "folder").mkdir()
    (scratch / "folder").rmdir()


def call_as_32_bit_code() -> None:
    """`getpid` by `int 0x80`, the way around a filter that looks at 64-bit numbers only."""
    if os.uname().machine != "x86_64":
        raise OSError(errno.ENOSYS, "")
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()


def attempts(folder: Path, port: int) -> dict[str, Callable[[], object]]:
    parent = os.getpid()
    closed, scratch, made_before = folder / "closed", folder / "scratch", socket.socket()
    server = ("127.0.0.1", port)
    return {
        "socket": socket.socket,
        "socketpair": socket.socketpair,
        "connect": lambda: socket.create_connection(server, 5),
        "connect a socket made before": lambda: made_before.connect(server),
        "read": (closed / "canary").read_text,
        "read by a link": (folder / "open" / "link").read_text,
        "read by dots": (folder / "open" / ".." / "closed" / "canary").read_text,
        "list": lambda: os.listdir(closed),
        "make": lambda: (closed / "new").write_text(""),
        "truncate": lambda: os.truncate(closed / "canary", 6),
        "truncate what may be read": lambda: os.close(os.open(folder / "open" / "font", os.O_RDONLY | os.O_TRUNC)),
        "chmod": lambda: (closed / "canary").chmod(0o600),
        "touch": lambda: os.utime(closed / "canary"),
        "remove": (closed / f"victim-{sys.argv[1]}").unlink,
        "execute": lambda: os.execv("/bin/true", ["true"]),
        "start a program": lambda: subprocess.run(["/bin/true"], check=True),
        "fork": fork,
        "signal the parent": lambda: os.kill(parent, signal.SIGUSR1),
        "signal the group": lambda: os.kill(0, signal.SIGUSR1),
        "hold the parent": lambda: os.pidfd_open(parent),
        "limit the parent": lambda: resource.prlimit(parent, resource.RLIMIT_CORE, (0, 0)),
        "outlive the parent": lambda: call("prctl", 1, 0, 0, 0, 0),
        "have signals sent": lambda: call("fcntl", 0, 8, parent),
        "trace": lambda: call("ptrace", 0, 0, 0, 0),
        "unshare": lambda: call("unshare", 0x400),
        "shared memory of System V": lambda: call("shmget", 0, 4096, 0o600),
        **{name: partial(call, name, 0, 0, 0, 0, 0) for name in DEADLY},
        "io_uring": lambda: call("io_uring_setup", 1, 0),
        "clone3": lambda: call("clone3", 0, 0),
        "a call of tomorrow": lambda: raw(463, -1, 0, 0, 0, 0, 0),
        "32-bit code": call_as_32_bit_code,
        "read what may be read": (folder / "open" / "font").read_text,
        "list what may be read": lambda: os.listdir(folder / "open"),
        "thread": start_a_thread,
        "signal itself": lambda: os.kill(os.getpid(), 0),
        "limit itself": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        "abort": os.abort,
        "scratch": partial(use, scratch),
        "run what scratch holds": lambda: os.execv(scratch / "program", ["program"]),
    }


def confine(way: str, folder: Path) -> None:
    readable = (str(folder / "open"), "/etc/not-there")
    if way == "confined":
        sandbox.enter(sandbox.SandboxPolicy(readable))
    elif way == "scratch":
        sandbox.enter(sandbox.SandboxPolicy(readable, write=(str(folder / "scratch"),)))
    elif way == "seccomp":
        seccomp.restrict_self(write=False)
    elif way == "landlock":
        with landlock.Ruleset() as ruleset:
            ruleset.allow(readable)
            ruleset.restrict_self()


def outcome(way: str, folder: Path, attempt: Callable[[], object]) -> str:
    """Make the attempt in a child."""
    child = os.fork()
    if child == 0:
        try:
            confine(way, folder)
            attempt()
        except OSError as error:
            os._exit(error.errno or 255)
        except BaseException:  # noqa: BLE001 - a fault of the program itself
            os._exit(255)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return signal.Signals(-code).name if code < 0 else errno.errorcode.get(code, "fault") if code else "works"


def main() -> None:
    way, folder, port = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    print(json.dumps({name: outcome(way, folder, each) for name, each in attempts(folder, port).items()}))


if __name__ == "__main__":
    main()
