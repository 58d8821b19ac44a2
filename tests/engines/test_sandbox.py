"""The sandbox as the code in it meets it: each attempt is made confined, and unconfined as the control."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import landlock, sandboxprobe
from engines.base import ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.formats import DocumentType, Family
from engines.kits import Kits
from engines.kits_forked import ForkedKits
from engines.kits_spawned import SpawnedKits
from engines.protocol import Init
from engines.sandbox import LANDLOCK, NETWORK_NAMESPACE, SECCOMP, SandboxReport
from engines.supervisor import Supervisor
from tests.conftest import REPOSITORY
from tests.engines.cancel_token import Token
from tests.engines.sandbox_attempts import DEADLY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of parts of Linux")

NETWORK = {"socket", "connect", "connect a socket made before"}
READING = {"read", "read by a link", "read by dots", "list"}
WRITING = {"make", "truncate", "truncate what may be read", "chmod", "touch", "remove"}
PROCESSES = {"execute", "start a program", "fork"}
OTHERS = {"signal the parent", "signal the group", "hold the parent", "limit the parent", "outlive the parent"}
REFUSED = NETWORK | READING | WRITING | PROCESSES | OTHERS
REFUSED |= {"socketpair", "have signals sent", "shared memory of System V", "run what scratch holds"}
ABSENT = {"io_uring", "clone3", "a call of tomorrow"}
FATAL = {"trace", "unshare", *DEADLY}
NEEDED = {"read what may be read", "list what may be read", "thread", "signal itself", "limit itself"}
SCRATCH = {"scratch"}

Attempts = Callable[[str], dict[str, str]]


def run(program: list[str], **environment: str) -> Any:
    """What a program of the repository prints, as JSON. In a session of its own: it signals its group."""
    told = subprocess.run(
        [sys.executable, *program],
        capture_output=True,
        check=True,
        timeout=60,
        cwd=REPOSITORY,
        start_new_session=True,
        env=os.environ | environment,
    )
    return json.loads(told.stdout)


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attempts]:
    """What becomes of each attempt in one way of being confined; made once for a way."""
    made: dict[str, dict[str, str]] = {}
    with socket.create_server(("127.0.0.1", 0)) as server:

        def make(way: str) -> dict[str, str]:
            if way not in made:
                folder = _playground(tmp_path_factory.mktemp(way), way)
                port = str(server.getsockname()[1])
                made[way] = run(["-m", "tests.engines.sandbox_attempts", way, str(folder), port])
            return made[way]

        yield make


def _playground(folder: Path, way: str) -> Path:
    for name in ("open", "closed", "scratch"):
        (folder / name).mkdir()
    (folder / "closed" / "canary").write_text("sing")
    (folder / "closed" / f"victim-{way}").write_text("")
    (folder / "open" / "font").write_text("glyphs")
    (folder / "open" / "link").symlink_to("../closed/canary")
    shutil.copy("/bin/true", folder / "scratch" / "program")
    return folder


def _those(outcomes: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: outcomes[name] for name in sorted(names)}


def _fences() -> SandboxReport:
    return sandboxprobe.probe()


needs_landlock = pytest.mark.skipif(landlock.abi() < 3, reason="this kernel has no Landlock, or an early one")
needs_both = pytest.mark.skipif(
    landlock.abi() < 3 or (sys.platform == "linux" and not _fences().seccomp), reason="Landlock or seccomp is missing"
)


def test_everything_works_without_it(attempts: Attempts) -> None:
    free = attempts("free")
    assert {name for name, what in free.items() if what == "works"} >= REFUSED | NEEDED | SCRATCH | {"trace", "unshare"}
    assert "SIGSYS" not in {free[name] for name in FATAL}


@needs_both
def test_what_a_kit_has_no_use_for_is_refused(attempts: Attempts) -> None:
    outcomes = _those(attempts("confined"), REFUSED | SCRATCH)
    assert not {name: what for name, what in outcomes.items() if what not in {"EPERM", "EACCES"}}


@needs_both
def test_an_attack_on_the_kernel_ends_the_process(attempts: Attempts) -> None:
    assert set(_those(attempts("confined"), FATAL).values()) == {"SIGSYS"}


@needs_both
def test_what_has_an_older_way_around_it_does_not_exist(attempts: Attempts) -> None:
    assert set(_those(attempts("confined"), ABSENT).values()) == {"ENOSYS"}
    assert attempts("confined")["32-bit code"] != "works"


@needs_both
@pytest.mark.parametrize("way", ["confined", "scratch"])
def test_what_a_conversion_needs_still_works(attempts: Attempts, way: str) -> None:
    assert set(_those(attempts(way), NEEDED).values()) == {"works"}
    assert attempts(way)["abort"] == "SIGABRT"


@needs_both
def test_a_scratch_folder_is_the_only_place_to_write_to(attempts: Attempts) -> None:
    outcomes = attempts("scratch")
    assert set(_those(outcomes, SCRATCH).values()) == {"works"}
    assert set(_those(outcomes, REFUSED).values()) == {"EPERM", "EACCES"}


@needs_both
def test_each_fence_stands_alone(attempts: Attempts) -> None:
    filtered, walled = attempts("seccomp"), attempts("landlock")
    assert set(_those(filtered, REFUSED - READING).values()) == {"EPERM"}
    assert set(_those(filtered, READING).values()) == {"works"}, "or this would show nothing"
    assert set(_those(walled, READING | WRITING - {"chmod", "touch"}).values()) == {"EACCES"}


def test_the_probe_agrees_with_itself() -> None:
    report = _fences()
    assert report.landlock_abi == landlock.abi()
    fences = {LANDLOCK: report.landlock_abi, SECCOMP: report.seccomp, NETWORK_NAMESPACE: report.network_namespace}
    assert set(report.missing) >= {name for name, stands in fences.items() if not stands}
    if all(fences.values()):
        assert report.missing == ()


WITHOUT = """
import errno, json, os, sys
from dataclasses import asdict
from engines import sandbox, sandboxprobe, seccomp
from tests.engines.seccomp_refusal import refusal
for name in sys.argv[1:]:
    seccomp.install(refusal(name))
report = sandboxprobe._try_on_this_process()
print(json.dumps(asdict(report) | {"text": str(report)}))
"""


@needs_both
@pytest.mark.parametrize(
    ("refused", "missing"),
    [
        (["landlock"], ["landlock", "network namespace", "files"]),
        (["seccomp"], ["seccomp", "network namespace", "processes"]),
        (["landlock", "seccomp"], ["landlock", "seccomp", "network namespace", "network", "files", "processes"]),
    ],
)
def test_what_a_container_withholds_is_named(refused: list[str], missing: list[str]) -> None:
    report = run(["-c", WITHOUT, *refused])
    assert report["missing"] == missing
    assert report["text"].endswith("missing: " + ", ".join(missing))
    assert (report["landlock_abi"] == 0, report["seccomp"]) == ("landlock" in refused, "seccomp" not in refused)


LEFT = """
import json, os, socket, sys, tempfile
from engines import sandbox
before = (os.getuid(), os.getgid())
left = sandbox.leave_network()
tried = socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1])))
tempfile.TemporaryFile().close()  # its user can still own a file
print(json.dumps([left, tried, before == (os.getuid(), os.getgid())]))
"""

# The kernel mistrusts a process that has changed its user until it starts a program; this one says that it is sound.
BECOME = """
import ctypes
os.setgroups([])
os.setgid({user})
os.setuid({user})
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
"""


@pytest.mark.parametrize("user", [None, 65534])
def test_a_network_of_its_own_is_empty(user: int | None) -> None:
    if user is not None and os.getuid() != 0:
        pytest.skip("only root can become another user")
    program = ["-c", LEFT.replace("before =", BECOME.format(user=user) + "before =", 1) if user else LEFT]
    with socket.create_server(("127.0.0.1", 0)) as server:
        left, tried, same_user = run([*program, str(server.getsockname()[1])])
    assert same_user
    assert (left, tried != 0) in {(True, True), (False, False)}
    if not left:
        pytest.skip("this machine gives no network namespace")


KITS: dict[str, Callable[[Init], Kits]] = {"forked": ForkedKits, "spawned": SpawnedKits}
TEXT = DocumentType("txt", "Text", Family.TEXT, "text/plain", (".txt",), "Text")


@pytest.fixture
def supervisor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Supervisor]:
    (tmp_path / "font").write_text("glyphs")
    (tmp_path / "canary").write_text("sing")
    way, confined = request.param
    settings = {"sandbox": {"read": [str(tmp_path / "font")]}} if confined else {}
    one = Supervisor(lambda: KITS[way](Init("tests.engines.prying_office:PryingOffice", settings)))
    yield one
    one.stop(2)


def pry(supervisor: Supervisor, path: Path, do: str = "read") -> str:
    document = SourceDocument(json.dumps({"do": do, "path": str(path)}).encode(), TEXT)
    artifact = supervisor.convert(document, ExportOptions(), deadline_s=30, cancel=Token(), progress=None)
    return artifact.pdf.decode()


@needs_landlock
@pytest.mark.parametrize("supervisor", [("forked", True), ("spawned", True)], indirect=True)
def test_a_kit_reads_what_its_office_named_and_no_more(supervisor: Supervisor, tmp_path: Path) -> None:
    told = pry(supervisor, tmp_path / "font")
    assert "glyphs" in told
    assert "Seccomp:\t2" in told
    assert "NoNewPrivs:\t1" in told
    assert "CapEff:\t0000000000000000" in told
    with pytest.raises(EngineError, match="unexpectedly") as caught:
        pry(supervisor, tmp_path / "canary")
    assert caught.value.kind is ErrorKind.ENGINE
    assert "PermissionError" in caught.value.diagnostics


@needs_both
@pytest.mark.parametrize("supervisor", [("forked", True), ("spawned", True)], indirect=True)
def test_an_attack_on_the_kernel_is_told(supervisor: Supervisor, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="its sandbox denies") as caught:
        pry(supervisor, tmp_path, "attack")
    assert caught.value.kind is ErrorKind.ENGINE
    assert "glyphs" in pry(supervisor, tmp_path / "font"), "the next document is not harmed"


@pytest.mark.parametrize("supervisor", [("forked", False), ("spawned", False)], indirect=True)
def test_without_a_policy_the_same_kit_reads_everything(supervisor: Supervisor, tmp_path: Path) -> None:
    assert "sing" in pry(supervisor, tmp_path / "canary")
