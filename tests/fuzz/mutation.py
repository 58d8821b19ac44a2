"""Damages documents at random: a seed and a number make one document, always the same.

What is packed is unpacked first: most of what a mutation of a ZIP's own bytes reaches is a checksum, and no more than
the unpacker is tried. So members are damaged and packed again, taken from other documents, swapped, renamed, left out.
Text in XML is cut along its tags and numbers.
"""

from __future__ import annotations

import io
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

BYTES_MAX = 1 << 20
"""No mutant is larger."""
_SECTOR = 512
_MEMBER_BYTES_MAX = 4 << 20
_NUMBERS = (
    b"0", b"-1", b"1", b"65535", b"65536", b"2147483647", b"-2147483648", b"4294967296", b"99999999999", b"1e308",
)  # fmt: skip
_INTEGERS = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\1\0\0\0", b"\xfe\xff\xff\xff")
_TEXTS = (
    b"", b"\xef\xbf\xbe", b"&#0;", b"&undeclared;", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"\xff\xfe",
    "\u202e\u0300".encode() * 50, b"A" * 5000,
)  # fmt: skip
_NAMES = ("../{}", "/{}", "{}/", "{}\0.xml", "C:\\{}", "./{}", "{}".upper(), "a" * 300 + "/{}")
_NOISE_SUFFIXES = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "doc", "xls", "ppt", "rtf", "pdf", "xlsb", "odg")

_TAG = re.compile(rb"<[^<>]{1,400}>")
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_VALUE = re.compile(rb'="([^"<>]{0,200})"')

Change = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True, slots=True)
class Original:
    """A document to damage; its name tells its type."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The suffix without its dot."""
        return PurePath(self.name).suffix[1:].lower()


@dataclass(frozen=True, slots=True)
class Mutant:
    """A damaged document and how it was made. `noise` says that nothing of a document is in it."""

    name: str
    data: bytes
    recipe: tuple[str, ...]
    noise: bool = False


def mutant(originals: Sequence[Original], seed: int, number: int) -> Mutant:
    """The mutant of this seed and number. The same for the same originals in the same order."""
    chance = random.Random(f"{seed}:{number}")
    if chance.random() < 0.03:
        suffix = chance.choice(_NOISE_SUFFIXES)
        return Mutant(f"noise.{suffix}", chance.randbytes(chance.randrange(1, 20_000)), ("noise",), noise=True)
    suffix = chance.choice(sorted({each.suffix for each in originals}))  # each format as often, however many there are
    original = chance.choice([each for each in originals if each.suffix == suffix])
    data, recipe = original.data, [original.name]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        data, step = _damaged(chance, data, originals)
        recipe.append(step)
    return Mutant(f"mutant.{suffix}", data[:BYTES_MAX], tuple(recipe))


def _damaged(chance: random.Random, data: bytes, originals: Sequence[Original]) -> tuple[bytes, str]:
    if data[:2] == b"PK" and chance.random() < 0.85 and (members := _unpacked(data)):
        return _repacked(chance, members, originals)
    change = chance.choice(_changes_for(data))
    if change is None:
        other = chance.choice(originals)
        return _spliced(chance, data, other.data), f"spliced with {other.name}"
    return change(chance, data), change.__name__[1:]


def _changes_for(data: bytes) -> tuple[Change | None, ...]:
    """What may be done to bytes; `None` stands for a part of another document."""
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        return (*_OF_BYTES, _sectors_swapped, _sectors_swapped, _integer_changed, _integer_changed, None)
    if b"<" in data[:2000] and data.count(b">", 0, 20_000) > 5:
        return (*_OF_XML, *_OF_XML, *_OF_BYTES, None)
    return (*_OF_BYTES, _number_changed, None)


# Bytes


def _span(chance: random.Random, data: bytes) -> tuple[int, int]:
    """Begin and end of a part, mostly a small one."""
    begin = chance.randrange(len(data) + 1)
    size = int(len(data) ** chance.random())
    return begin, min(len(data), begin + size)


def _bits_flipped(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 16, 64)) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _truncated(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _part_lost(chance: random.Random, data: bytes) -> bytes:
    begin, end = _span(chance, data)
    return data[:begin] + data[end:]


def _part_doubled(chance: random.Random, data: bytes) -> bytes:
    begin, end = _span(chance, data)
    times = min(chance.choice((1, 1, 2, 10, 1000)), 1 + BYTES_MAX // (end - begin + 1))
    return data[:end] + data[begin:end] * times + data[end:]


def _parts_swapped(chance: random.Random, data: bytes) -> bytes:
    a, b, c, d = sorted((*_span(chance, data), *_span(chance, data)))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _part_overwritten(chance: random.Random, data: bytes) -> bytes:
    begin, end = _span(chance, data)
    filler = chance.choice((b"\0", b"\xff", b" ", b"<", chance.randbytes(64)))
    return data[:begin] + (filler * (end - begin))[: end - begin] + data[end:]


def _integer_changed(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 10))):
        at = chance.randrange(max(1, len(data) // 4)) * 4
        changed[at : at + 4] = chance.choice(_INTEGERS)[: len(changed) - at]
    return bytes(changed)


def _sectors_swapped(chance: random.Random, data: bytes) -> bytes:
    """Sectors of a compound file: its table and directories among them."""
    changed = bytearray(data)
    count = len(data) // _SECTOR
    for _ in range(chance.choice((1, 1, 4)) if count else 0):
        one, other = (chance.randrange(count) * _SECTOR for _ in range(2))
        changed[one : one + _SECTOR], changed[other : other + _SECTOR] = (
            changed[other : other + _SECTOR],
            changed[one : one + _SECTOR],
        )
    return bytes(changed)


def _spliced(chance: random.Random, data: bytes, other: bytes) -> bytes:
    begin, end = _span(chance, other)
    at = chance.randrange(len(data) + 1)
    return data[:at] + other[begin:end] + data[at + chance.choice((0, end - begin)) :]


def _number_changed(chance: random.Random, data: bytes) -> bytes:
    return _matches_replaced(chance, data, _NUMBER, lambda _found: chance.choice(_NUMBERS))


# XML


def _tag_lost(chance: random.Random, data: bytes) -> bytes:
    return _matches_replaced(chance, data, _TAG, lambda _found: b"")


def _tag_repeated(chance: random.Random, data: bytes) -> bytes:
    times = chance.choice((2, 10, 300, 3000))
    return _matches_replaced(chance, data, _TAG, lambda found: found * min(times, 1 + BYTES_MAX // (4 * len(found))))


def _value_changed(chance: random.Random, data: bytes) -> bytes:
    texts = _VALUE.findall(data[:200_000]) or [b""]
    return _matches_replaced(
        chance, data, _VALUE, lambda _found: b'="' + chance.choice((*_TEXTS, *_NUMBERS, chance.choice(texts))) + b'"'
    )


def _text_put_in(chance: random.Random, data: bytes) -> bytes:
    return _matches_replaced(chance, data, _TAG, lambda found: found + chance.choice(_TEXTS))


def _element_moved(chance: random.Random, data: bytes) -> bytes:
    tags = [found.start() for found in _TAG.finditer(data[:_MEMBER_BYTES_MAX])]
    if len(tags) < 4:
        return data
    a, b, c = sorted(chance.choice(tags) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _matches_replaced(
    chance: random.Random, data: bytes, pattern: re.Pattern[bytes], replaced: Callable[[bytes], bytes]
) -> bytes:
    """Some matches, few of them as a rule, replaced."""
    found = list(pattern.finditer(data[:_MEMBER_BYTES_MAX]))
    if not found:
        return data
    chosen = chance.sample(found, min(len(found), chance.choice((1, 1, 2, 5, 30))))
    for match in sorted(chosen, key=lambda each: each.start(), reverse=True):
        data = data[: match.start()] + replaced(match.group()) + data[match.end() :]
    return data


_OF_BYTES: tuple[Change, ...] = (
    _bits_flipped, _truncated, _part_lost, _part_doubled, _parts_swapped, _part_overwritten, _integer_changed,
)  # fmt: skip
_OF_XML: tuple[Change, ...] = (
    _tag_lost, _tag_repeated, _value_changed, _text_put_in, _element_moved, _number_changed,
)  # fmt: skip


# ZIP packages

Members = list[tuple[str, bytes]]


def _unpacked(data: bytes) -> Members:
    """The members, also of a package that was damaged already; none if it cannot be read."""
    members: Members = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for entry in package.infolist():
                if entry.file_size <= _MEMBER_BYTES_MAX:
                    with package.open(entry) as member:
                        members.append((entry.filename, member.read(_MEMBER_BYTES_MAX)))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return []
    return members


def _repacked(chance: random.Random, members: Members, originals: Sequence[Original]) -> tuple[bytes, str]:
    at = chance.randrange(len(members))
    name, content = members[at]
    what = chance.choice((*["inside"] * 6, "lost", "renamed", "doubled", "swapped", "foreign"))
    if what == "inside":
        content, step = _damaged_member(chance, content, originals)
        members[at] = name, content
        return _packed(members), f"{name}: {step}"
    if what == "lost":
        del members[at]
    elif what == "renamed":
        members[at] = chance.choice(_NAMES).format(name), content
    elif what == "doubled":
        members.insert(chance.randrange(len(members) + 1), (name, _truncated(chance, content)))
    elif what == "swapped":
        other = chance.randrange(len(members))
        members[at], members[other] = (name, members[other][1]), (members[other][0], content)
    elif foreign := _foreign_member(chance, name, originals):
        members[at] = name, foreign
    return _packed(members), f"{name}: {what}"


def _damaged_member(chance: random.Random, content: bytes, originals: Sequence[Original]) -> tuple[bytes, str]:
    change = chance.choice(_changes_for(content))
    if change is None:
        return _spliced(chance, content, chance.choice(originals).data), "spliced"
    return change(chance, content), change.__name__[1:]


def _foreign_member(chance: random.Random, name: str, originals: Sequence[Original]) -> bytes:
    """What another package has under the same name, or under any."""
    members = _unpacked(chance.choice([each for each in originals if each.data[:2] == b"PK"]).data)
    same = [content for other, content in members if other == name]
    return same[0] if same else chance.choice(members)[1] if members else b""


def _packed(members: Members) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as package:
        warnings.simplefilter("ignore")  # of a name that is there already, which is meant
        for name, content in members:
            entry = zipfile.ZipInfo(name or "x")  # of 1980: no clock in what a seed makes
            stored = name == "mimetype"
            package.writestr(entry, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
