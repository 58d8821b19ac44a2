"""Sealed entries by themselves: publishing, replacing, pruning, the disk and memory of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.cachedir import default_cache_dir
from engines.errors import EngineError
from engines.wasm.cache import DamagedError, Entry, Store, digest_file
from engines.wasm.machine import free_disk_bytes, free_memory_bytes

_KEY = "ab" * 32
_OTHER = "cd" * 32
_MONTH_S = 30 * 86400


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def publish(store: Store, kind: str, key: str, content: bytes = b"content") -> Entry:
    with store.stage() as staged:
        (staged / "sub").mkdir()
        (staged / "sub" / "file").write_bytes(content)
        (staged / "empty").write_bytes(b"")
        return store.publish(kind, key, staged)


def test_published_is_opened(store: Store) -> None:
    entry = publish(store, "kind", _KEY)
    assert store.open("kind", _KEY) == entry == store.open("kind", _KEY, thorough=True)
    assert entry.files == {"empty": 0, "sub/file": 7}
    assert entry.total_bytes == 7
    assert store.open("kind", _OTHER) is None


def test_publishing_again_replaces(store: Store) -> None:
    publish(store, "kind", _KEY)
    entry = publish(store, "kind", _KEY, b"newer")
    assert (entry.path / "sub/file").read_bytes() == b"newer"
    assert store.open("kind", _KEY) == entry
    assert list((store.root / "staging").iterdir()) == []


def test_entry_under_another_key_is_damaged(store: Store) -> None:
    """Two keys may share the shortened name; the seal tells them apart."""
    publish(store, "kind", _KEY)
    with pytest.raises(DamagedError, match="seal does not match"):
        store.open("kind", _KEY[:32] + "00" * 16)


def test_link_in_place_of_a_file_is_damaged(store: Store, tmp_path: Path) -> None:
    entry = publish(store, "kind", _KEY)
    (tmp_path / "elsewhere").write_bytes(b"content")
    (entry.path / "sub/file").unlink()
    (entry.path / "sub/file").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedError, match="not a regular file"):
        store.open("kind", _KEY)


def test_touched_file_is_read_and_sealed_anew(store: Store) -> None:
    entry = publish(store, "kind", _KEY)
    before = (entry.path / "seal.json").read_bytes()
    os.utime(entry.path / "sub/file")
    assert store.open("kind", _KEY) == entry
    after = (entry.path / "seal.json").read_bytes()
    assert before != after
    assert store.open("kind", _KEY) == entry
    assert (entry.path / "seal.json").read_bytes() == after


def test_staging_is_removed_whatever_happens(store: Store) -> None:
    def fail() -> None:
        with store.stage() as staged:
            (staged / "partial").write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list((store.root / "staging").iterdir()) == []


def test_sweep_takes_what_a_killed_run_left(store: Store) -> None:
    (store.root / "staging" / "old").mkdir(parents=True)
    (store.root / "staging" / "old" / "file").write_bytes(b"half")
    store.sweep()
    assert not (store.root / "staging").exists()


def test_prune_takes_only_what_is_long_unused(store: Store) -> None:
    kept, recent, old = (publish(store, "kind", key) for key in (_KEY, _OTHER, "ef" * 32))
    another = publish(store, "another", "ef" * 32)
    now = (kept.path / "seal.json").stat().st_mtime
    for entry in (kept, old, another):
        os.utime(entry.path / "seal.json", (now - _MONTH_S, now - _MONTH_S))
    store.prune("kind", _KEY, now)
    assert [entry.path.exists() for entry in (kept, recent, old, another)] == [True, True, False, True]


def test_opening_notes_the_use(store: Store) -> None:
    entry = publish(store, "kind", _KEY)
    seal = entry.path / "seal.json"
    os.utime(seal, (0, 0))
    store.open("kind", _KEY)
    assert seal.stat().st_mtime > 0


def test_digest_of_nothing_and_of_something(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "abc").write_bytes(b"abc")
    assert digest_file(tmp_path / "empty").startswith("af1349b9f5f9a1a6")
    assert digest_file(tmp_path / "abc").startswith("6437b3ac38465133")


def test_cache_dir_is_the_users_or_the_chosen_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCPEEK_CACHE_DIR", str(tmp_path))
    assert default_cache_dir() == tmp_path
    monkeypatch.delenv("DOCPEEK_CACHE_DIR")
    assert default_cache_dir().name == "docpeek"


def test_memory_of_a_container(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert free_memory_bytes(tmp_path) == 2000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory_bytes(tmp_path) > 10_000
    assert free_disk_bytes(tmp_path) > 0


def test_directory_of_another_user_is_refused(store: Store) -> None:
    store.root.mkdir(parents=True)
    (store.root / "staging").mkdir()
    (store.root / "staging").chmod(0o777)
    with pytest.raises(EngineError, match="chmod 700"), store.stage():
        pass
