"""The engine as it lies in the cache: find it, describe it, remove it. Nothing here fetches or compiles."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import filelock

from engines.cachedir import default_cache_dir
from engines.errors import EngineError, ErrorKind
from engines.wasm.cache import DamagedError, Entry, Store
from engines.wasm.keys import Keys, machine, make_keys, wasmtime_version
from engines.wasm.manifest import Guest, Manifest, Runtime, load_manifest
from engines.wasm.npm import node_tool_candidates
from engines.wasm.payload import IMAGE_NAME, INDEX_NAME, LICENCES_NAME

COMPILED_NAME = "module.cwasm"
SOURCE, TRANSLATED = "source", "translated"
IMAGE, MODULE, FONTS = "image", "module", "fonts"
LASTING = (IMAGE, MODULE, FONTS)
_REMOVE_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class PreparedEngine:
    """Everything that the host needs, verified.

    `module_path` is native code for `runtime` (load it by `Module.deserialize_file` with the engine of
    `config.make_engine`; if wasmtime refuses it, `prepare` builds it anew), `image` the bytes of the guest's files,
    `image_index` the JSON `{"files": [{"filename", "start", "end"}]}` that divides them, `font_files` plain TrueType
    files in `fonts_dir`. `fingerprint` is a hexadecimal BLAKE3 over all that can change a result. Sizes are bytes.
    """

    module_path: Path
    image: Path
    image_index: Path
    fonts_dir: Path
    font_files: tuple[Path, ...]
    licences_dir: Path
    fingerprint: str
    guest: Guest
    runtime: Runtime
    versions: dict[str, str]
    sizes: dict[str, int]


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What there is, for `docpeek engines`. `reason` says in one sentence why it is not prepared; empty if it is."""

    prepared: bool
    reason: str
    fingerprint: str
    versions: dict[str, str]
    licences: dict[str, str]
    directory: Path
    paths: dict[str, Path] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    npm: str = ""


def engine_store(cache_dir: Path | None) -> Store:
    """The part of the cache directory (the default one if `None`) that the WASM engine owns."""
    return Store((cache_dir or default_cache_dir()) / "wasm")


def current_keys(manifest: Manifest) -> Keys:
    """The keys of this manifest with the wasmtime and on the machine of now."""
    return make_keys(manifest, wasmtime_version(), machine())


def find(cache_dir: Path | None = None, *, manifest: Manifest | None = None) -> PreparedEngine | None:
    """The prepared engine, or `None` if there is none that may be used. Cheap: a few dozen `stat` calls.

    Files whose stat is not as sealed are read and compared with their BLAKE3 (a fraction of a second).
    """
    wanted = manifest or load_manifest()
    store, keys = engine_store(cache_dir), current_keys(wanted)
    entries = {kind: _usable(store, kind, key) for kind, key in lasting_keys(keys).items()}
    found = {kind: entry for kind, entry in entries.items() if entry is not None}
    return describe(wanted, keys, found) if len(found) == len(entries) else None


def lasting_keys(keys: Keys) -> dict[str, str]:
    """The key of each kind of entry that stays after preparing."""
    return {IMAGE: keys.image, MODULE: keys.module, FONTS: keys.fonts}


def _usable(store: Store, kind: str, key: str) -> Entry | None:
    try:
        return store.open(kind, key)
    except DamagedError:
        return None


def describe(manifest: Manifest, keys: Keys, entries: dict[str, Entry]) -> PreparedEngine:
    """The prepared engine made of its three entries."""
    image, module, fonts = (entries[kind] for kind in LASTING)
    return PreparedEngine(
        module_path=module.path / COMPILED_NAME,
        image=image.path / IMAGE_NAME,
        image_index=image.path / INDEX_NAME,
        fonts_dir=fonts.path,
        font_files=tuple(fonts.path / name for name in fonts.files if "/" not in name),
        licences_dir=image.path / LICENCES_NAME,
        fingerprint=keys.fingerprint,
        guest=manifest.guest,
        runtime=manifest.runtime,
        versions=versions(manifest),
        sizes={kind: entry.total_bytes for kind, entry in entries.items()},
    )


def versions(manifest: Manifest) -> dict[str, str]:
    """The version of each part."""
    payload, translator = manifest.payload.package, manifest.translator.package
    return {
        "libreoffice": manifest.payload.libreoffice,
        "payload": f"{payload.name} {payload.version}",
        "translator": f"{translator.name} {translator.version}",
        "wasmtime": wasmtime_version(),
    }


def status(cache_dir: Path | None = None, *, manifest: Manifest | None = None) -> EngineStatus:
    """What is there and, if the engine is not prepared, why not. Starts nothing, changes nothing but a seal's stat."""
    wanted = manifest or load_manifest()
    store, keys = engine_store(cache_dir), current_keys(wanted)
    flaws: list[str] = []
    paths, sizes = {}, {}
    for kind, key in lasting_keys(keys).items():
        entry, flaw = _look(store, kind, key)
        if entry is not None:
            paths[kind], sizes[kind] = entry.path, entry.total_bytes
        else:
            flaws.append(flaw)
    client = next(node_tool_candidates(), None)
    return EngineStatus(
        prepared=not flaws,
        reason=_reason(flaws),
        fingerprint=keys.fingerprint,
        versions=versions(wanted),
        licences=_licences(wanted),
        directory=store.root,
        paths=paths,
        sizes=sizes,
        npm=f"{client.npm[-1]} ({client.origin})" if client else "",
    )


def _look(store: Store, kind: str, key: str) -> tuple[Entry | None, str]:
    try:
        entry = store.open(kind, key)
    except DamagedError as error:
        return None, f"{kind}: {error}"
    if entry is not None:
        return entry, ""
    others = any(store.root.glob(f"{kind}-*"))
    return None, f"{kind}: made for another version or processor" if others else f"{kind}: not there"


def _reason(flaws: list[str]) -> str:
    return f"Not prepared ({'; '.join(flaws)}): run `docpeek engines prepare`." if flaws else ""


def _licences(manifest: Manifest) -> dict[str, str]:
    packages = [manifest.payload.package, manifest.translator.package, *(font.package for font in manifest.fonts)]
    return {package.name: package.licence for package in packages}


def preparation_lock(store: Store) -> filelock.FileLock:
    """The lock that whoever writes to the store holds. Its file stays: removing it would let two hold it."""
    return filelock.FileLock(store.root / "prepare.lock", thread_local=False)


def remove(cache_dir: Path | None = None) -> int:
    """Delete the prepared engine and all leftovers; returns the bytes freed.

    Raises `EngineError` of kind `unavailable` while another process is preparing.
    """
    store = engine_store(cache_dir)
    if not store.root.is_dir():
        return 0
    try:
        with preparation_lock(store).acquire(timeout=_REMOVE_WAIT_S):
            return sum(_delete(path) for path in list(store.root.iterdir()) if path.is_dir())
    except filelock.Timeout:
        raise EngineError(
            ErrorKind.UNAVAILABLE, "Another process is preparing the engine: wait until it is done, then try again."
        ) from None


def _delete(directory: Path) -> int:
    size = sum(path.lstat().st_size for path in directory.rglob("*") if not path.is_dir())
    shutil.rmtree(directory)
    return size
