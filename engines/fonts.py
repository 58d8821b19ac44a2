"""Font faces and the catalogue of those that are there. Only the standard library: kits import this.

A catalogue is plain data: found in the parent (`fontscan`), handed to kits as JSON, asked through `FontResolver`
(`fontmatching`) with the tables of `fontsubstitution`.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

_NOT_IN_KEYS = re.compile(r"[\s_\-'’.]+")


def family_key(name: str) -> str:
    """A name to look a family up by: case, width (full or half), spaces and hyphens do not count."""
    return _NOT_IN_KEYS.sub("", unicodedata.normalize("NFKC", name).casefold()).removeprefix("@")


class Coverage:
    """A set of code points, kept as text until it is asked: `"20-7e a0 2013-2014"`, hexadecimal, ascending."""

    __slots__ = ("_bounds", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        self._bounds: tuple[list[int], list[int]] | None = None

    @classmethod
    def of(cls, codepoints: Iterable[int]) -> Self:
        """The set of these code points."""
        return cls.of_ranges((codepoint, codepoint) for codepoint in codepoints)

    @classmethod
    def of_ranges(cls, ranges: Iterable[tuple[int, int]]) -> Self:
        """The set of all from the first to the last of each pair; the pairs may touch and overlap."""
        merged: list[list[int]] = []
        for first, last in sorted(ranges):
            if merged and first <= merged[-1][1] + 1:
                merged[-1][1] = max(merged[-1][1], last)
            else:
                merged.append([first, last])
        return cls(" ".join(f"{first:x}-{last:x}" if last > first else f"{first:x}" for first, last in merged))

    def __contains__(self, codepoint: int) -> bool:
        starts, ends = self._bounds or self._parse()
        index = bisect_right(starts, codepoint) - 1
        return index >= 0 and codepoint <= ends[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coverage) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Coverage({self.text[:40]!r}...)" if len(self.text) > 40 else f"Coverage({self.text!r})"

    def _parse(self) -> tuple[list[int], list[int]]:
        pairs = [part.partition("-") for part in self.text.split()]
        self._bounds = [int(low, 16) for low, _, _ in pairs], [int(high or low, 16) for low, _, high in pairs]
        return self._bounds


@dataclass(frozen=True, slots=True)
class FontFace:
    """One face of a font file.

    `family` is the name by which LibreOffice knows the face once it has read the file (name 1 of the file's `name`
    table, in English where there is one); `families` are all names that it may be asked for, in any language.
    `weight` is CSS's 100 to 900, `width` a percentage of normal. `index` counts the faces of a collection.
    `is_variable` marks a file whose faces are made on the fly; it counts as its default face. `made_from` is set on
    a stand-in that was made for a missing family (`fontstandins`): the family that its glyphs are of. `bytes` and
    `mtime_ns` are the file's size and age, for the fingerprint.
    """

    path: str
    family: str
    families: tuple[str, ...]
    style: str = "Regular"
    index: int = 0
    weight: int = 400
    italic: bool = False
    width: int = 100
    monospace: bool = False
    symbol: bool = False
    is_variable: bool = False
    made_from: str = ""
    coverage: Coverage = field(default_factory=Coverage)
    bytes: int = 0
    mtime_ns: int = 0

    @property
    def look(self) -> tuple[str, int, bool, int]:
        """What two faces share if they are the same for a reader."""
        return family_key(self.family), self.weight, self.italic, self.width

    @property
    def identity(self) -> str:
        """What makes a face another one when its file changes."""
        return json.dumps([self.family, self.style, self.weight, self.italic, self.width, self.bytes, self.mtime_ns])


_FIELDS = tuple(name for name in FontFace.__dataclass_fields__ if name != "coverage")


class FontCatalogue:
    """The faces that are there; immutable, in a stable order.

    Of faces that look the same the first one given counts, so the order of `faces` is the order of preference.
    """

    def __init__(self, faces: Iterable[FontFace]) -> None:
        unique: dict[tuple[str, int, bool, int], FontFace] = {}
        for face in faces:
            known = unique.setdefault(face.look, face)
            if known.is_variable and not face.is_variable:
                unique[face.look] = face
        self.faces = tuple(sorted(unique.values(), key=lambda face: (*face.look, face.path, face.index)))
        by_family: dict[str, list[FontFace]] = {}
        for face in self.faces:
            for key in dict.fromkeys(map(family_key, (face.family, *face.families))):
                by_family.setdefault(key, []).append(face)
        self._by_family: Mapping[str, tuple[FontFace, ...]] = MappingProxyType(
            {key: tuple(family) for key, family in by_family.items()}
        )

    def __len__(self) -> int:
        return len(self.faces)

    def __repr__(self) -> str:
        return f"FontCatalogue({len(self.faces)} faces)"

    def __contains__(self, family: str) -> bool:
        return family_key(family) in self._by_family

    def family(self, name: str) -> tuple[FontFace, ...]:
        """The faces of a family, by any of its names; empty if it is not there."""
        return self._by_family.get(family_key(name), ())

    @property
    def fingerprint(self) -> str:
        """Hexadecimal BLAKE2 of the faces: it changes when a font comes, goes or is replaced."""
        digest = hashlib.blake2b(digest_size=32)
        for identity in sorted(face.identity for face in self.faces):
            digest.update(identity.encode() + b"\n")
        return digest.hexdigest()

    def to_json(self) -> str:
        """Everything, as compact JSON; each coverage is written once however many faces share it."""
        coverages = list(dict.fromkeys(face.coverage.text for face in self.faces))
        number = {text: position for position, text in enumerate(coverages)}
        rows = [[*(getattr(face, name) for name in _FIELDS), number[face.coverage.text]] for face in self.faces]
        return json.dumps({"fields": _FIELDS, "coverages": coverages, "faces": rows}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> FontCatalogue:
        """The catalogue that `to_json` wrote."""
        raw = json.loads(text)
        coverages = [Coverage(each) for each in raw["coverages"]]
        return cls(_face_from_row(raw["fields"], row, coverages) for row in raw["faces"])

    def relocated(self, paths: Mapping[str, str]) -> FontCatalogue:
        """The same faces at other paths (those of a guest); faces whose path is not named stay where they are."""
        return FontCatalogue(replace(face, path=paths.get(face.path, face.path)) for face in self.faces)


def _face_from_row(fields: list[str], row: list[Any], coverages: list[Coverage]) -> FontFace:
    values = dict(zip(fields, row, strict=False))
    values["families"] = tuple(values["families"])
    return FontFace(**values, coverage=coverages[row[-1]])
