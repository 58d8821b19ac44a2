"""Prepare the WASM engine, once a machine: fetch, verify, translate, compile, store.

Theory. Each step makes one sealed entry of the cache out of sealed entries before it:

    packages --fetch, verify--> source, image, fonts      source --translate--> translated --compile--> module

A run looks for the last entry that is still good and goes on from there, so an interrupted run loses at most one
step. `source` and `translated` are dropped at the end. One process at a time holds the lock; the next one waits, then
finds everything done.
"""

from __future__ import annotations

import contextlib
import errno
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import filelock

from engines.base import CancelToken
from engines.errors import EngineError, ErrorKind
from engines.wasm import machine, module, payload
from engines.wasm import progress as phases
from engines.wasm.cache import DamagedError, Entry, Store, make_private
from engines.wasm.manifest import Manifest, Package, load_manifest
from engines.wasm.npm import NodeTools, find_node_tools
from engines.wasm.prepared import (
    COMPILED_NAME,
    FONTS,
    IMAGE,
    LASTING,
    MODULE,
    SOURCE,
    TRANSLATED,
    PreparedEngine,
    current_keys,
    describe,
    engine_store,
    lasting_keys,
    preparation_lock,
)
from engines.wasm.progress import Meter, PrepareProgress, ProgressCallback

_LOCK_POLL_S = 0.3
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST})
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Surroundings:
    """What preparing takes from outside. Tests hand in their own; the defaults are the real ones."""

    manifest: Manifest
    find_tools: Callable[[], NodeTools]
    make_fetcher: Callable[[NodeTools], payload.Fetcher] = payload.NpmFetcher
    free_disk_bytes: Callable[[Path], int] = machine.free_disk_bytes
    free_memory_bytes: Callable[[], int] = machine.free_memory_bytes


def default_surroundings() -> Surroundings:
    """The manifest of docpeek, the npm client of this machine, its disk and memory."""
    manifest = load_manifest()
    return Surroundings(manifest, lambda: find_node_tools(manifest.needs))


def prepare(
    progress: ProgressCallback | None = None,
    *,
    cache_dir: Path | None = None,
    cancel: CancelToken | None = None,
    surroundings: Surroundings | None = None,
) -> PreparedEngine:
    """Make the engine ready and return it; blocks, for about two minutes the first time, for a moment after that.

    What is there is read in full and tried with wasmtime; what is damaged or refused is made anew. `progress` is
    called on the calling thread, several times a second. It may raise to give up: like an interrupt or `cancel`, that
    kills the running step, leaves nothing half made and passes on.

    Raises `EngineError`: `unavailable` with the remedy, or `cancelled`.
    """
    around = surroundings or default_surroundings()
    report = _with_cancel(progress or (lambda _moment: None), cancel)
    store = engine_store(cache_dir)
    with _storage_errors(store.root):
        make_private(store.root)
        with _locked(store, report):
            store.sweep()
            try:
                return _Run(store, around, report).run()
            finally:
                store.sweep()


def _with_cancel(report: ProgressCallback, cancel: CancelToken | None) -> ProgressCallback:
    def checked(moment: PrepareProgress) -> None:
        if cancel is not None and cancel.cancelled:
            raise EngineError(ErrorKind.CANCELLED, "Preparing the engine was cancelled.")
        report(moment)

    return checked


@contextlib.contextmanager
def _storage_errors(root: Path) -> Iterator[None]:
    """A full or forbidden disk is a sentence with a remedy, wherever it shows. Other errors (a pipe of the caller's
    progress display, say) pass unchanged.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            message = f"The disk of {root} is full: free some space"
        elif error.errno in _FORBIDDEN:
            message = f"The cache {root} cannot be written: make it yours"
        else:
            raise
        raise EngineError(
            ErrorKind.UNAVAILABLE, f"{message}, or set DOCPEEK_CACHE_DIR to another directory.", str(error)
        ) from error


@contextlib.contextmanager
def _locked(store: Store, report: ProgressCallback) -> Iterator[None]:
    lock = preparation_lock(store)
    while True:
        try:
            lock.acquire(timeout=_LOCK_POLL_S)
            break
        except filelock.Timeout:
            report(phases.waiting())
    try:
        yield
    finally:
        lock.release()


class _Run:
    """One preparation, by the holder of the lock."""

    def __init__(self, store: Store, around: Surroundings, report: ProgressCallback) -> None:
        self._store = store
        self._around = around
        self._report = report
        self._manifest = around.manifest
        self._keys = current_keys(around.manifest)
        self._tools: NodeTools | None = None
        self._meter = Meter((), {}, report)

    def run(self) -> PreparedEngine:
        """Make what is missing, drop what is not needed any more."""
        entries = {kind: self._open(kind, key) for kind, key in lasting_keys(self._keys).items()}
        entries[MODULE] = self._loadable(entries[MODULE])
        translated = self._open(TRANSLATED, self._keys.translated) if entries[MODULE] is None else None
        source = self._open(SOURCE, self._keys.source) if entries[MODULE] is None and translated is None else None
        missing = {kind for kind, entry in entries.items() if entry is None}
        if MODULE in missing and translated is None and source is None:
            missing.add(SOURCE)
        self._meter = Meter(self._plan(missing, translated), self._manifest.expected_s, self._report)
        self._check_space(missing)
        made = self._fetch(missing - {MODULE})
        if MODULE in missing:
            made[MODULE] = self._make_module(translated, source or made.get(SOURCE))
        self._clean()
        self._meter.finish()
        lasting = {kind: entries[kind] or made[kind] for kind in LASTING}
        return describe(self._manifest, self._keys, lasting)

    def _open(self, kind: str, key: str) -> Entry | None:
        """The entry, read in full; a damaged one is removed."""
        try:
            return self._store.open(kind, key, thorough=True)
        except DamagedError as error:
            _log.warning("the cached %s is damaged (%s) and is made anew", kind, error)
            self._store.discard(self._store.path(kind, key))
            return None

    def _loadable(self, entry: Entry | None) -> Entry | None:
        """The compiled module, unless wasmtime refuses it; then it is removed."""
        if entry is None:
            return None
        flaw = module.load_flaw(self._manifest.source, entry.path / COMPILED_NAME)
        if flaw is None:
            return entry
        _log.warning("wasmtime refuses the cached module (%s); it is compiled anew", flaw)
        self._store.discard(entry.path)
        return None

    def _plan(self, missing: set[str], translated: Entry | None) -> Sequence[str]:
        plan: list[str] = []
        if missing - {MODULE}:
            plan += [phases.FETCH, phases.VERIFY]
        if MODULE in missing:
            plan += [*([] if translated else [phases.TRANSLATE]), phases.COMPILE, phases.STORE]
        return plan

    def _check_space(self, missing: set[str]) -> None:
        needs, around = self._manifest.needs, self._around
        if MODULE in missing:
            machine.require_memory(around.free_memory_bytes(), needs.memory_bytes)
        if missing:
            needed = needs.disk_bytes if SOURCE in missing else needs.disk_bytes // 2
            machine.require_disk(self._store.root, around.free_disk_bytes(self._store.root), needed)

    def _node(self) -> NodeTools:
        if self._tools is None:
            self._tools = self._around.find_tools()
        return self._tools

    def _fetch(self, missing: set[str]) -> dict[str, Entry]:
        """Fetch all missing packages at once, then verify and store the files that are used."""
        if not missing:
            return {}
        with self._store.stage() as fetched:
            self._meter.start(phases.FETCH)
            fetcher = self._around.make_fetcher(self._node())
            fetcher.fetch(self._packages(missing), fetched, self._meter.tick)
            self._meter.start(phases.VERIFY)
            return {kind: self._lay_out(kind, fetched) for kind in sorted(missing)}

    def _packages(self, missing: set[str]) -> list[Package]:
        manifest = self._manifest
        packages: list[Package] = []
        if missing & {SOURCE, IMAGE}:
            packages.append(manifest.payload.package)
        if SOURCE in missing:
            packages.append(manifest.translator.package)
        if FONTS in missing:
            packages += [font.package for font in manifest.fonts]
        return packages

    def _lay_out(self, kind: str, fetched: Path) -> Entry:
        manifest, keys = self._manifest, self._keys
        with self._store.stage() as staged:
            if kind == SOURCE:
                payload.lay_out_source(fetched, manifest.payload, manifest.translator, staged)
                return self._store.publish(kind, keys.source, staged)
            if kind == IMAGE:
                payload.lay_out_image(fetched, manifest.payload, staged)
                return self._store.publish(kind, keys.image, staged)
            payload.lay_out_fonts(fetched, manifest.fonts, staged)
            return self._store.publish(kind, keys.fonts, staged)

    def _make_module(self, translated: Entry | None, source: Entry | None) -> Entry:
        if translated is None:
            assert source is not None
            translated = self._translate(source)
        self._meter.start(phases.COMPILE)
        with self._store.stage() as staged:
            module.compile_module(
                self._manifest.source, translated.path / payload.MODULE_NAME, staged / COMPILED_NAME, self._meter.tick
            )
            self._meter.start(phases.STORE)
            return self._store.publish(MODULE, self._keys.module, staged)

    def _translate(self, source: Entry) -> Entry:
        self._meter.start(phases.TRANSLATE)
        with self._store.stage() as staged:
            module.translate(
                self._node().node,
                self._manifest.translator,
                source.path / payload.TRANSLATOR_NAME,
                source.path / payload.MODULE_NAME,
                staged / payload.MODULE_NAME,
                self._meter.tick,
            )
            return self._store.publish(TRANSLATED, self._keys.translated, staged)

    def _clean(self) -> None:
        """Drop the intermediates, and what other versions have left unused for long."""
        for kind in (SOURCE, TRANSLATED):
            for path in self._store.root.glob(f"{kind}-*"):
                self._store.discard(path)
        for kind, key in lasting_keys(self._keys).items():
            self._store.prune(kind, key)
