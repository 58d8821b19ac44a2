"""The filter itself, on both kinds of machine: interpreted as the kernel would, for every call there is."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from engines import seccomp
from engines.syscallnumbers import NEWEST, X86_64_AND_AARCH64

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
EVERY_MACHINE = pytest.mark.parametrize("machine", MACHINES)
US = 4711
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
CONDITIONAL = {"clone", "kill", "tgkill", "prlimit64", "prctl", "fcntl", "ioctl", "open", "openat"}
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}


def verdict(program: list[seccomp.Instruction], architecture: int, number: int, *arguments: int) -> int:
    """What a program of classic BPF returns for a call."""
    data = {0: number, 4: architecture} | {
        16 + 8 * n + 4 * half: value >> 32 * half & 0xFFFFFFFF
        for n, value in enumerate((*arguments, 0, 0, 0))
        for half in (0, 1)
    }
    accumulator = position = 0
    while True:
        code, when_true, when_false, constant = program[position]
        position += 1
        if code == 0x06:
            return constant
        if code == 0x20:
            accumulator = data[constant]
        elif code == 0x05:
            position += constant
        else:
            holds = {0x15: accumulator == constant, 0x25: accumulator > constant, 0x45: bool(accumulator & constant)}
            position += when_true if holds[code] else when_false


class Filter:
    """The filter for a machine, asked by the names of calls."""

    def __init__(self, machine: str, *, write: bool = False, starts: int | None = None) -> None:
        self._architecture = MACHINES[machine]
        self._program = seccomp.program(machine, US, write=write, starts=starts)
        self.numbers = {
            name: number
            for name, both in X86_64_AND_AARCH64.items()
            if (number := both[list(MACHINES).index(machine)]) is not None
        }

    def says(self, call: str | int, *arguments: int) -> int:
        number = call if isinstance(call, int) else self.numbers[call]
        return verdict(self._program, self._architecture, number, *arguments)


@EVERY_MACHINE
@pytest.mark.parametrize("write", [False, True])
def test_every_call_of_the_table_is_denied_and_no_other(machine: str, write: bool) -> None:
    one = Filter(machine, write=write)
    assert len(set(one.numbers.values())) == len(one.numbers)
    denied = {number for number in range(NEWEST + 1) if one.says(number) != ALLOW}
    known = {number for name, number in one.numbers.items() if name not in CONDITIONAL}
    names = {number: name for name, number in one.numbers.items()}
    assert {names[number] for number in denied - known} == {"clone", "kill", "tgkill"}, "which depend on arguments"
    writing = {names[number] for number in known - denied}
    assert writing >= {"mkdirat", "renameat", "unlinkat", "truncate", "openat2"} if write else not writing


@EVERY_MACHINE
def test_answers(machine: str) -> None:
    one = Filter(machine)
    assert one.says("socket") == one.says("execve") == one.says("chown" if machine == "x86_64" else "fchownat") == EPERM
    assert one.says("ptrace") == one.says("bpf") == one.says("mount") == one.says("keyctl") == KILL
    assert one.says("clone3") == one.says("io_uring_setup") == ENOSYS
    assert one.says(NEWEST + 1) == one.says(0x40000000 + 39) == one.says(0xFFFFFFFF) == ENOSYS


@EVERY_MACHINE
def test_only_to_itself(machine: str) -> None:
    one = Filter(machine)
    for call in ("kill", "tgkill"):
        assert one.says(call, US) == ALLOW
        assert one.says(call, 0) == one.says(call, 1) == one.says(call, -1) == one.says(call, -US) == EPERM
    assert (one.says("prlimit64", 0), one.says("prlimit64", 1)) == (ALLOW, EPERM)
    assert (one.says("prctl", 15), one.says("prctl", 1)) == (ALLOW, EPERM)
    assert (one.says("fcntl", 3, 1), one.says("fcntl", 3, 8), one.says("fcntl", 3, 15)) == (ALLOW, EPERM, EPERM)
    assert (one.says("ioctl", 0, 0x5401), one.says("ioctl", 0, 0x5412)) == (ALLOW, EPERM)


@EVERY_MACHINE
def test_threads_and_no_processes(machine: str) -> None:
    one = Filter(machine)
    thread_of_glibc = 0x3D0F00
    process_of_glibc, of_posix_spawn = 0x1200011, 0x4111
    assert one.says("clone", thread_of_glibc) == ALLOW
    assert one.says("clone", process_of_glibc) == one.says("clone", of_posix_spawn) == EPERM


@EVERY_MACHINE
def test_one_start_of_one_program(machine: str) -> None:
    address = 0x7F12_3456_789A
    one, other = Filter(machine, write=True, starts=address), Filter(machine, write=True)
    assert one.says("execve", address) == ALLOW
    for wrong in (0, address + 1, address & 0xFFFFFFFF, address ^ 1 << 40):
        assert one.says("execve", wrong) == EPERM
    assert one.says("execveat", 0, address) == other.says("execve", address) == EPERM


@EVERY_MACHINE
def test_what_is_started_has_unix_sockets_that_lead_nowhere(machine: str) -> None:
    one = Filter(machine, write=True, starts=1)
    assert one.says("socket", 1) == one.says("bind") == one.says("listen") == one.says("accept4") == ALLOW
    assert {one.says("socket", family) for family in (0, 2, 10, 16, 17)} == {EPERM}
    assert one.says("connect") == one.says("socketpair") == EPERM
    changed = {
        number for number in range(NEWEST + 1) if one.says(number, 1) != Filter(machine, write=True).says(number, 1)
    }
    assert {name for name, number in one.numbers.items() if number in changed} == {
        "execve", "socket", "bind", "listen", "accept", "accept4",
    }  # fmt: skip


@EVERY_MACHINE
def test_opening_to_write(machine: str) -> None:
    reader, writer = Filter(machine), Filter(machine, write=True)
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_RDWR | os.O_CREAT | os.O_EXCL):
        assert reader.says("openat", 0, 0, flags) == EPERM
        assert writer.says("openat", 0, 0, flags) == ALLOW
    assert reader.says("openat", 0, 0, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY) == ALLOW


@EVERY_MACHINE
def test_calls_of_another_architecture_end_the_process(machine: str) -> None:
    program = seccomp.program(machine, US, write=True)
    others = {0x40000003, 0x40000028, *MACHINES.values()} - {MACHINES[machine]}
    assert {verdict(program, other, number) for other in others for number in (0, 20, 39)} == {KILL}


@EVERY_MACHINE
def test_numbers_are_those_of_the_headers(machine: str) -> None:
    header = Path("/usr/include", HEADERS[machine])
    if not header.is_file():
        pytest.skip(f"{header} is not installed")
    defined: dict[str, int] = {}
    for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", header.read_text(encoding="utf-8")):
        defined.setdefault(name, int(number))
    ours = Filter(machine).numbers
    assert {name: number for name, number in ours.items() if name in defined} == {
        name: number for name, number in defined.items() if name in ours
    }
    assert set(ours) - set(defined) <= {"fchmodat2"}, "newer than some headers"
