"""The engine over an installed LibreOffice: both ways of having a process a document, and what is left of one."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engines import sandboxprobe, select
from engines.assets import assets_dir
from engines.base import Artifact, Engine
from engines.errors import EngineError, ErrorKind
from engines.native import capability, modules, pipes, scratch
from engines.native.convert_cli import CommandKits
from engines.native.engine import NativeEngine, NativeLimits, trial_documents
from tests.conftest import REPOSITORY
from tests.real.conversions import SAMPLES, convert, made_by, words
from tests.real.engine_contract import EngineContract

WELCOME = assets_dir() / "samples" / "welcome.docx"


@pytest.fixture
def state(native_engine: NativeEngine) -> select.NativeState:
    """The installed LibreOffice; the fixture skips where there is none."""
    return select.look()


def _engine(state: select.NativeState, *, forked: bool = True, **options: object) -> NativeEngine:
    assert state.installation is not None
    found = state.found if forked else replace(state.found, python="", uno="")
    return NativeEngine(state.installation, found, **options)  # type: ignore[arg-type]


@pytest.fixture
def own(state: select.NativeState) -> Iterator[NativeEngine]:
    """An engine that a test may kill."""
    engine = _engine(state, warm_up=False)
    engine.start()
    yield engine
    engine.stop()


class TestForked(EngineContract):
    """The warm way keeps the contract."""

    @pytest.fixture
    def engine(self, native_engine: NativeEngine) -> NativeEngine:
        return native_engine

    @pytest.fixture
    def fresh(self, state: select.NativeState) -> Iterator[Callable[[], Engine]]:
        with made_by(lambda: _engine(state, warm_up=False)) as make:
            yield make


class TestCommand(EngineContract):
    """So does a program a document."""

    @pytest.fixture
    def engine(self, state: select.NativeState) -> Iterator[NativeEngine]:
        engine = _engine(state, forked=False)
        yield engine
        engine.stop()

    @pytest.fixture
    def fresh(self, state: select.NativeState) -> Iterator[Callable[[], Engine]]:
        with made_by(lambda: _engine(state, forked=False)) as make:
            yield make


def _folder_of(engine: NativeEngine) -> Path:
    """The scratch folder of an engine: where its zygote works."""
    return Path(psutil.Process(_zygote(engine)).cwd())


def _zygote(engine: NativeEngine) -> int:
    kits = engine._supervisor._kits._kits  # type: ignore[union-attr]
    assert isinstance(kits.pid, int)
    return kits.pid


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_both_ways_give_the_same_words_in_the_same_places(
    native_engine: NativeEngine, state: select.NativeState, sample: Path, tmp_path: Path
) -> None:
    engine = _engine(state, forked=False)
    try:
        started = words(convert(engine, sample).pdf, tmp_path)
    finally:
        engine.stop()
    assert words(convert(native_engine, sample).pdf, tmp_path) == started


def test_the_trial_finds_everything(state: select.NativeState) -> None:
    assert state.installation is not None
    found = capability.probe(state.installation, trial_documents(), again=True)
    assert found.complete
    assert found.version.startswith(state.installation.product)
    assert found == state.found, "and it is remembered"


def test_a_word_6_document_opens_with_the_filter_of_its_time(native_engine: NativeEngine, corpus: Path) -> None:
    assert convert(native_engine, corpus / "doc" / "poi-Word6.doc").pdf


def test_equations_are_there_or_their_absence_is_told(
    native_engine: NativeEngine, state: select.NativeState, corpus: Path, tmp_path: Path
) -> None:
    artifact = convert(native_engine, corpus / "docx" / "docling-equations.docx")
    seen = {word[5] for word in words(artifact.pdf, tmp_path)}
    assert ("π" in seen) is not bool(state.found.lacking)
    assert artifact.notices == ((modules.NO_EQUATIONS,) if state.found.lacking else ())


def test_no_file_is_left_of_a_document(own: NativeEngine) -> None:
    folder = _folder_of(own)
    convert(own, WELCOME)
    spare = {f"job-{child.pid}" for child in psutil.Process(_zygote(own)).children()}
    assert {path.name for path in folder.glob("job-*")} <= spare
    own.stop()
    assert not folder.exists()


def _kill_while_it_converts(engine: NativeEngine, victim: str) -> list[EngineError | Artifact]:
    """Kill the zygote or the kit at its first phase; what came of the document."""
    ended: list[EngineError | Artifact] = []

    def kill(_step: object) -> None:
        zygote = psutil.Process(_zygote(engine))
        for process in [zygote] if victim == "zygote" else zygote.children():
            process.kill()

    try:
        ended.append(convert(engine, WELCOME, progress=kill))
    except EngineError as error:
        ended.append(error)
    return ended


@pytest.mark.parametrize("victim", ["zygote", "kit"])
def test_a_kill_harms_one_document_and_leaves_nothing(own: NativeEngine, victim: str) -> None:
    folder = _folder_of(own)
    (ended,) = _kill_while_it_converts(own, victim)
    assert isinstance(ended, EngineError)
    assert ended.kind is ErrorKind.ENGINE
    assert convert(own, WELCOME).pdf
    own.stop()
    assert not folder.exists()


_PARENT = """
import sys
sys.path.insert(0, {repository!r})
from engines import sandboxprobe, select
from engines.native.engine import NativeEngine
from pathlib import Path
from tests.real.conversions import convert
state = select.look()
engine = NativeEngine(state.installation, state.found)
engine.start()
def progress(step):
    print(engine._supervisor._kits._kits.pid, flush=True)
    sys.stdin.read()
convert(engine, Path({sample!r}), progress=progress)
"""


def test_the_parent_is_killed_and_nothing_is_left(state: select.NativeState) -> None:
    program = _PARENT.format(repository=str(REPOSITORY), sample=str(WELCOME))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        zygote = psutil.Process(int(parent.stdout.readline()))
        folder = Path(zygote.cwd())
        family = [zygote, *zygote.children(recursive=True)]
        parent.kill()
    _gone, alive = psutil.wait_procs(family, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert not folder.exists()


def test_a_command_whose_parent_is_killed_goes_too(state: select.NativeState) -> None:
    program = _PARENT.format(repository=str(REPOSITORY), sample=str(WELCOME))
    program = program.replace("state.found)", "__import__('dataclasses').replace(state.found, python='', uno=''))")
    program = program.replace("engine._supervisor._kits._kits.pid", "0").replace("sys.stdin.read()", "None")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()  # it is about to start LibreOffice
        command, folder = _command_of(parent.pid)
        parent.kill()
    _gone, alive = psutil.wait_procs([command], timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert folder in scratch.clear_old(folder.parent, now=folder.stat().st_mtime + 3600)
    assert not folder.exists()


def _command_of(parent: int) -> tuple[psutil.Process, Path]:
    """The child that works in a folder of its own, and the folder of its engine."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for child in psutil.Process(parent).children():
            with suppress(psutil.NoSuchProcess):  # it may be ending, a zombie included
                if (folder := Path(child.cwd())).name.startswith("job-"):
                    return child, folder.parent
    raise AssertionError("LibreOffice was not started")


def _huge_picture(width: int) -> bytes:
    """A black square PNG, `width` pixels wide: small as a file, large once it is decoded."""
    rows = zlib.compress(bytes((width + 1) * width), 1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("forked", [True, False], ids=["forked", "command"])
def test_a_document_has_no_more_memory_than_its_limit(state: select.NativeState, tmp_path: Path, forked: bool) -> None:
    file = tmp_path / "huge.docx"
    with zipfile.ZipFile(WELCOME) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, _huge_picture(22_000) if name.endswith(".jpg") else source.read(name))
    engine = _engine(state, forked=forked, limits=NativeLimits(memory_bytes_max=400 << 20), warm_up=False)
    try:
        with pytest.raises(EngineError) as caught:
            convert(engine, file)
        assert caught.value.kind is ErrorKind.LIMIT
        assert convert(engine, WELCOME).pdf, "the next document is not harmed"
    finally:
        engine.stop()


def test_a_pdf_over_the_limit_is_told_as_that(state: select.NativeState) -> None:
    engine = _engine(state, limits=NativeLimits(result_bytes_max=50_000), warm_up=False)
    try:
        with pytest.raises(EngineError) as caught:
            convert(engine, WELCOME)
        assert caught.value.kind is ErrorKind.LIMIT
    finally:
        engine.stop()


def test_a_zygote_that_stands_still_is_replaced(own: NativeEngine) -> None:
    os.kill(_zygote(own), signal.SIGSTOP)
    with pytest.raises(EngineError) as caught:
        convert(own, WELCOME, deadline_s=0.2)
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert convert(own, WELCOME).pdf
    assert own.starts == 2


def test_a_command_leaves_no_socket_whether_it_ends_or_is_killed(state: select.NativeState) -> None:
    before = _sockets()
    engine = _engine(state, forked=False)
    convert(engine, WELCOME)
    with pytest.raises(EngineError):
        convert(engine, WELCOME, deadline_s=0.02)
    for seconds in (0.05, 0.1, 0.2, 0.3):
        with suppress(EngineError):  # an idle machine may be done before
            convert(engine, WELCOME, deadline_s=seconds)
    engine.stop()
    assert _sockets() <= before


def test_a_command_is_confined_like_a_kit(state: select.NativeState) -> None:
    engine, seen = _engine(state, forked=False), list[tuple[dict[str, str], str]]()
    begun = threading.Event()

    def look() -> None:
        """While it runs: what the kernel says of it, and where its network is."""
        begun.wait(20)
        command, _folder = _command_of(os.getpid())
        while not seen and command.is_running():
            with suppress(OSError):
                lines = Path(f"/proc/{command.pid}/status").read_text(encoding="utf-8").splitlines()
                told = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
                if told["Name"].startswith("soffice"):
                    seen.append((told, str(Path(f"/proc/{command.pid}/ns/net").readlink())))

    watcher = threading.Thread(target=look)
    watcher.start()
    convert(engine, WELCOME, progress=lambda _step: begun.set())
    watcher.join(20)
    engine.stop()
    (told, network), reached = seen[0], sandboxprobe.probe()
    assert told["NoNewPrivs"] == "1"
    assert told["Seccomp"] == ("2" if reached.seccomp else "0")
    assert (network != str(Path("/proc/self/ns/net").readlink())) == reached.network_namespace


def _sockets() -> set[Path]:
    return {path for folder in pipes.PIPE_FOLDERS for path in Path(folder).glob("OSL_PIPE_*") if path.is_socket()}


def test_commands_refuse_after_stop(state: select.NativeState, tmp_path: Path) -> None:
    assert state.installation is not None
    kits = CommandKits(state.installation, tmp_path, memory_bytes_max=1 << 30, readable=())
    assert not kits.alive()
    kits.start()
    assert kits.alive()
    kits.stop(0)
    assert not kits.alive()
