"""What is remembered: PDFs by digest, and aliases from a source version to a digest.

Theory: two bounded maps, least recently used first. The aliases only point; a PDF may go while its aliases stay (the
source is then read again) and the other way round (the next read finds the PDF by content) (C9). Nothing here is
shared between threads: the owner calls every method under its own lock.

Guarantees: at most `pdfs_max` PDFs of at most `bytes_max` bytes together, at most `aliases_max` aliases; a PDF larger
than the cache is not kept (C10); the bytes are `bytes`, which nobody can change (C12); `check` proves the accounts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from converter.conversion import Conversion


class ConversionCache:
    """Ready conversions and the aliases that lead to them. Transient (C13); not thread-safe."""

    def __init__(self, *, pdfs_max: int, bytes_max: int, aliases_max: int) -> None:
        self.pdfs_max = pdfs_max
        self.bytes_max = bytes_max
        self.aliases_max = aliases_max
        self._pdfs: OrderedDict[str, Conversion] = OrderedDict()
        self._aliases: OrderedDict[Hashable, str] = OrderedDict()
        self._bytes = 0

    def __repr__(self) -> str:
        return f"<ConversionCache {len(self._pdfs)} PDFs, {self._bytes} bytes, {len(self._aliases)} aliases>"

    @property
    def pdfs(self) -> int:
        """How many PDFs are kept."""
        return len(self._pdfs)

    @property
    def pdf_bytes(self) -> int:
        """How many bytes they have together."""
        return self._bytes

    @property
    def aliases(self) -> int:
        """How many aliases are kept."""
        return len(self._aliases)

    def get(self, digest: str) -> Conversion | None:
        """A ready conversion, which becomes the most recently used."""
        conversion = self._pdfs.get(digest)
        if conversion is not None:
            self._pdfs.move_to_end(digest)
        return conversion

    def find(self, key: Hashable) -> Conversion | None:
        """A ready conversion by what is known before reading."""
        digest = self._aliases.get(key)
        if digest is None:
            return None
        self._aliases.move_to_end(key)
        return self.get(digest)

    def put(self, conversion: Conversion) -> bool:
        """Keep a conversion; the least recently used go until it fits. Whether it is kept (C10)."""
        size = len(conversion.pdf)
        if size > self.bytes_max or self.pdfs_max < 1:
            return False
        self._remove(conversion.digest)
        self._pdfs[conversion.digest] = conversion
        self._bytes += size
        while len(self._pdfs) > self.pdfs_max or self._bytes > self.bytes_max:
            self._remove(next(iter(self._pdfs)))
        return True

    def alias(self, key: Hashable, digest: str) -> None:
        """Note that the source known as `key` has this digest."""
        self._aliases[key] = digest
        self._aliases.move_to_end(key)
        while len(self._aliases) > self.aliases_max:
            self._aliases.popitem(last=False)

    def discard_generation(self, generation: str) -> None:
        """Forget the PDFs of a generation that is no more; their aliases lead nowhere and age out (C8)."""
        for digest in [d for d, conversion in self._pdfs.items() if conversion.generation == generation]:
            self._remove(digest)

    def clear(self) -> None:
        """Forget everything."""
        self._pdfs.clear()
        self._aliases.clear()
        self._bytes = 0

    def check(self) -> None:
        """Compare the accounts with the content; raises `AssertionError` where they differ."""
        assert self._bytes == sum(len(conversion.pdf) for conversion in self._pdfs.values())
        assert len(self._pdfs) <= self.pdfs_max
        assert self._bytes <= self.bytes_max
        assert len(self._aliases) <= self.aliases_max
        assert all(digest == conversion.digest for digest, conversion in self._pdfs.items())
        assert all(type(conversion.pdf) is bytes for conversion in self._pdfs.values())

    def _remove(self, digest: str) -> None:
        conversion = self._pdfs.pop(digest, None)
        if conversion is not None:
            self._bytes -= len(conversion.pdf)
