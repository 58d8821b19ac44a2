"""Small documents made for tests: packages, compound files, texts."""

from __future__ import annotations

import io
import struct
import zipfile

from engines.compound import SIGNATURE

_FREE, _END, _FAT, _NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
    ' Target="{target}"/></Relationships>'
)
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/{target}" ContentType="{content_type}"/></Types>'
)


def archive(parts: dict[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of these parts, in this order."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", compression) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content, compression)
    return raw.getvalue()


def ooxml(
    content_type: str = WORD, target: str = "word/document.xml", parts: dict[str, bytes | str] | None = None
) -> bytes:
    """An Office Open XML package with one main part."""
    return archive(
        {
            "[Content_Types].xml": TYPES.format(target=target, content_type=content_type),
            "_rels/.rels": RELATIONS.format(target=target),
            target: "<w/>",
            **(parts or {}),
        }
    )


def odf(mime: str = "application/vnd.oasis.opendocument.text", parts: dict[str, bytes | str] | None = None) -> bytes:
    """An OpenDocument package."""
    return archive({"mimetype": mime, "content.xml": "<content/>", **(parts or {})})


Storage = dict[str, "bytes | Storage"]
"""Streams, and storages in it, by their names."""


def compound(storage: Storage) -> bytes:
    """A compound file (version 3) with these streams and storages, each padded to the size of ordinary streams."""
    sectors: list[bytes] = []
    table: list[int] = []
    entries = [b""]
    child = _add(storage, entries, sectors, table)
    entries[0] = _directory_entry("Root Entry", 5, child=child, sector=_END, size=0)
    directory = _put(b"".join(entries), 512, sectors, table)
    fat_first = len(sectors)
    fat_count = -(-(len(table) + 8) // 128)
    table += [_FAT] * fat_count
    table += [_FREE] * (fat_count * 128 - len(table))
    numbers = (0, fat_count, directory, 0, 4096, _END, 0, _END, 0)
    header = struct.pack("<8s16x5H6x9I", SIGNATURE, 62, 3, 0xFFFE, 9, 6, *numbers)
    difat = [*range(fat_first, fat_first + fat_count)] + [_FREE] * (109 - fat_count)
    return header + struct.pack("<109I", *difat) + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)


def _add(storage: Storage, entries: list[bytes], sectors: list[bytes], table: list[int]) -> int:
    """Write what is in a storage, in the order that readers look in; the number of its first entry."""
    names = sorted(storage, key=lambda name: (len(name), name.upper()))
    first = len(entries)
    entries += [b""] * len(names)
    for number, name in enumerate(names, first):
        content = storage[name]
        right = number + 1 if name != names[-1] else _NONE
        if isinstance(content, dict):
            child = _add(content, entries, sectors, table)
            entries[number] = _directory_entry(name, 1, child=child, right=right, sector=0, size=0)
        else:
            size = max(4096, -(-len(content) // 512) * 512)
            sector = _put(content, 4096, sectors, table)
            entries[number] = _directory_entry(name, 2, right=right, sector=sector, size=size)
    return first if names else _NONE


def _put(content: bytes, bytes_min: int, sectors: list[bytes], table: list[int]) -> int:
    """Write a chain of sectors; the first of them."""
    padded = content.ljust(max(bytes_min, -(-len(content) // 512) * 512), b"\0")
    first = len(sectors)
    sectors += [padded[at : at + 512] for at in range(0, len(padded), 512)]
    table += [*range(first + 1, len(sectors)), _END]
    return first


def _directory_entry(name: str, kind: int, *, child: int = _NONE, right: int = _NONE, sector: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<64sHBB3I16x4x16xIQ", encoded, len(encoded), kind, 1, _NONE, right, child, sector, size)


def word_stream(*, encrypted: bool = False) -> bytes:
    """The beginning of a Word 97 main stream."""
    return struct.pack("<5HH", 0xA5EC, 193, 0, 1033, 0, 0x0100 if encrypted else 0).ljust(512, b"\0")


def workbook_stream(*, encrypted: bool = False) -> bytes:
    """The beginning of a workbook: BOF, perhaps FILEPASS, EOF."""
    passed = struct.pack("<2HH", 0x2F, 2, 0) if encrypted else b""
    return struct.pack("<2H2H12x", 0x809, 16, 0x600, 5) + passed + struct.pack("<2H", 0x0A, 0)
