"""The cache: C9, C10, C12, and a model test."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from converter.cache import ConversionCache
from converter.conversion import NO_ENGINE, Conversion


def conversion(digest: str, size: int = 10, generation: str = "g1") -> Conversion:
    return Conversion(bytes(size), 1, digest, "txt", NO_ENGINE, generation, 0)


def cache(pdfs_max: int = 3, bytes_max: int = 100, aliases_max: int = 3) -> ConversionCache:
    return ConversionCache(pdfs_max=pdfs_max, bytes_max=bytes_max, aliases_max=aliases_max)


def test_c10_the_least_recently_used_goes() -> None:
    kept = cache(pdfs_max=2)
    for digest in "ab":
        assert kept.put(conversion(digest))
    assert kept.get("a") is not None
    kept.put(conversion("c"))
    assert [digest for digest in "abc" if kept.get(digest)] == ["a", "c"]
    kept.check()


def test_c10_bytes_are_bounded_and_the_oversize_is_not_kept() -> None:
    kept = cache()
    kept.put(conversion("a", 40))
    kept.put(conversion("b", 60))
    assert (kept.pdfs, kept.pdf_bytes) == (2, 100)
    assert not kept.put(conversion("c", 101))
    assert (kept.pdfs, kept.pdf_bytes) == (2, 100), "and it drives nothing out"
    assert kept.put(conversion("d", 100))
    assert (kept.pdfs, kept.pdf_bytes) == (1, 100)
    kept.check()


def test_putting_the_same_digest_again_counts_once() -> None:
    kept = cache()
    kept.put(conversion("a", 40))
    kept.put(conversion("a", 30))
    assert (kept.pdfs, kept.pdf_bytes) == (1, 30)


def test_c9_aliases_and_pdfs_are_evicted_independently() -> None:
    kept = cache(pdfs_max=1, aliases_max=2)
    kept.put(conversion("a"))
    kept.alias("here", "a")
    kept.put(conversion("b"))
    assert kept.find("here") is None, "the PDF is gone"
    assert kept.aliases == 1, "the alias is not"
    kept.put(conversion("a"))
    assert kept.find("here") is not None
    for key in ("one", "two"):
        kept.alias(key, "a")
    assert kept.find("here") is None
    assert kept.get("a") is not None
    kept.check()


def test_finding_makes_an_alias_and_its_pdf_recent() -> None:
    kept = cache(pdfs_max=2, aliases_max=2)
    for digest in "ab":
        kept.put(conversion(digest))
        kept.alias(f"key {digest}", digest)
    assert kept.find("key a")
    kept.put(conversion("c"))
    kept.alias("key c", "c")
    assert kept.find("key a")
    assert kept.find("key b") is None
    assert kept.find("unknown") is None


def test_c8_a_generation_is_forgotten() -> None:
    kept = cache()
    kept.put(conversion("old", generation="g1"))
    kept.put(conversion("new", generation="g2"))
    kept.discard_generation("g1")
    assert (kept.get("old"), kept.pdfs, kept.pdf_bytes) == (None, 1, 10)
    kept.clear()
    assert (kept.pdfs, kept.pdf_bytes, kept.aliases) == (0, 0, 0)
    assert repr(kept) == "<ConversionCache 0 PDFs, 0 bytes, 0 aliases>"


def test_a_cache_of_nothing_keeps_nothing() -> None:
    assert not cache(pdfs_max=0).put(conversion("a"))
    nothing = cache(aliases_max=0)
    nothing.alias("here", "a")
    assert nothing.aliases == 0


def test_check_finds_a_wrong_account() -> None:
    kept = cache()
    kept.put(conversion("a"))
    kept._bytes += 1
    with pytest.raises(AssertionError):
        kept.check()


class CacheMachine(RuleBasedStateMachine):
    """Against lists in order of use."""

    def __init__(self) -> None:
        super().__init__()
        self.cache = cache(pdfs_max=3, bytes_max=50, aliases_max=2)
        self.pdfs: list[tuple[str, int]] = []
        self.aliases: list[tuple[str, str]] = []

    digests = st.sampled_from("abcde")
    keys = st.sampled_from("xyz")

    @rule(digest=digests, size=st.integers(0, 60))
    def put(self, digest: str, size: int) -> None:
        assert self.cache.put(conversion(digest, size)) == (size <= 50)
        if size <= 50:
            self.pdfs = [entry for entry in self.pdfs if entry[0] != digest] + [(digest, size)]
            while len(self.pdfs) > 3 or sum(size for _, size in self.pdfs) > 50:
                self.pdfs.pop(0)

    @rule(key=keys, digest=digests)
    def alias(self, key: str, digest: str) -> None:
        self.cache.alias(key, digest)
        self.aliases = ([entry for entry in self.aliases if entry[0] != key] + [(key, digest)])[-2:]

    @rule(digest=digests)
    def get(self, digest: str) -> None:
        self._expect(digest, self.cache.get(digest))

    @rule(key=keys)
    def find(self, key: str) -> None:
        found = self.cache.find(key)
        digest = dict(self.aliases).get(key)
        if digest is None:
            assert found is None
            return
        self.aliases.sort(key=lambda entry: entry[0] == key)
        self._expect(digest, found)

    def _expect(self, digest: str, found: Conversion | None) -> None:
        known = dict(self.pdfs)
        assert (found is not None) == (digest in known)
        if found is not None:
            assert (found.digest, len(found.pdf)) == (digest, known[digest])
            self.pdfs.sort(key=lambda entry: entry[0] == digest)

    @invariant()
    def agrees(self) -> None:
        self.cache.check()
        assert list(self.cache._pdfs) == [digest for digest, _ in self.pdfs]
        assert list(self.cache._aliases.items()) == self.aliases


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
