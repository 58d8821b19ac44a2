"""What a kit gives up before it reads its document: the network, files, other programs and other processes (Linux).

    sandbox.leave_network()                     once, in the zygote or the spawned kit, before it has threads
    sandbox.enter(office.sandbox_policy())      in the kit, after the fork, on its one thread, before the document

`enter` never raises: it takes what the kernel and the container offer, and names the rest in its report. Four fences
stand one behind the other. Seccomp: no socket, no new program or process, no signal to others, none of the kernel's
dangerous calls, and no writing at all for a kit without a scratch folder. Landlock: no file but those that the policy
names. A network namespace of its own, without so much as a loopback: for the zygote and all its kits. No privileges:
capabilities dropped, and none to be gained. What is open stays usable: the kit's document, its PDF and its socket.

Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engines import landlock, seccomp

LANDLOCK, SECCOMP, NETWORK_NAMESPACE = "landlock", "seccomp", "network namespace"
_CLONE_NEWNET, _CLONE_NEWUSER = 0x40000000, 0x10000000
_CAPABILITIES_VERSION = 0x20080522
_PYTHON = (str(Path(os.__file__).parent), str(Path(__file__).parent), "/etc/localtime")
"""What Python may still import or look up in any kit: its library, this package, the time zone."""


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """What a kit keeps of the file system: absolute paths; a folder stands for all that is below it.

    Python's library and this package are always readable.
    `read` may be read, and its code mapped, never started; `write` is scratch, where files may also be made, renamed
    and removed. A kit without scratch cannot write, make or remove any file, even where there is no Landlock.
    `address_space_bytes_max` is RLIMIT_AS, which does not go together with wasmtime.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    address_space_bytes_max: int | None = None


@dataclass(frozen=True, slots=True)
class SandboxReport:
    """The level that was reached.

    `landlock_abi` is 0 where files stay as open as to any process of this user. `missing` names the fences that do not
    stand (`landlock`, `seccomp`, `network namespace`) and, where `engines.sandboxprobe` reports, what a kit reaches for
    want of them (`network`, `files`, `processes`).
    """

    landlock_abi: int
    seccomp: bool
    network_namespace: bool
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"Landlock {self.landlock_abi}"] if self.landlock_abi else []
        parts += ["seccomp"] if self.seccomp else []
        parts += ["own network namespace"] if self.network_namespace else []
        missing = f"missing: {', '.join(self.missing)}" if self.missing else ""
        return "; ".join(filter(None, (", ".join(parts) or "none", missing)))


def leave_network() -> bool:
    """Move this process, which must have one thread, to a network of its own in which there is nothing; whether it did.

    About 0.7 ms. An ordinary user needs a user namespace for that, in which the process keeps its own user and group.
    """
    if sys.platform != "linux":
        return False
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None)
    if libc.unshare(_CLONE_NEWNET) == 0:
        return True
    if not os.access("/proc/self/uid_map", os.W_OK) or libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    with contextlib.suppress(OSError):
        Path("/proc/self/setgroups").write_bytes(b"deny")
        Path("/proc/self/uid_map").write_bytes(b"%d %d 1" % (user, user))
        Path("/proc/self/gid_map").write_bytes(b"%d %d 1" % (group, group))
    return True


def enter(policy: SandboxPolicy, *, network_namespace: bool = False) -> SandboxReport:
    """Confine the calling thread and all that it starts, for good; `network_namespace` is what `leave_network` said."""
    abi, filtered = 0, False
    if sys.platform == "linux":
        _limit(policy)
        _drop_capabilities()
        abi = landlock.abi() if _succeeds(lambda: _restrict_files(policy)) else 0
        filtered = _succeeds(lambda: seccomp.restrict_self(write=bool(policy.write)))
    fences = {LANDLOCK: abi > 0, SECCOMP: filtered, NETWORK_NAMESPACE: network_namespace}
    return SandboxReport(abi, filtered, network_namespace, tuple(name for name, stands in fences.items() if not stands))


def _restrict_files(policy: SandboxPolicy) -> None:
    with landlock.Ruleset() as ruleset:
        ruleset.allow((*_PYTHON, *policy.read))
        ruleset.allow(policy.write, write=True)
        ruleset.restrict_self()


def _succeeds(step: Callable[[], None]) -> bool:
    try:
        step()
    except OSError:
        return False
    return True


def _limit(policy: SandboxPolicy) -> None:
    from engines import process  # noqa: PLC0415 - it needs `resource`, which not every system has

    process.forbid_new_privileges()
    if policy.address_space_bytes_max is not None:
        process.limit_address_space(policy.address_space_bytes_max)


def _drop_capabilities() -> None:
    """A kit of root, or of the owner of a user namespace, is no more than an ordinary process."""
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    ctypes.CDLL(None).capset(header, bytes(24))
