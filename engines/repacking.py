"""A ZIP package with some of its parts replaced. Only the standard library."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

from engines.archive import Archive
from engines.errors import EngineError, ErrorKind

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_UTF8 = 0x800
_DATE = 0x21
"""The first day of 1980."""


def with_parts(source: memoryview, package: Archive, parts: Mapping[str, bytes]) -> bytes:
    """The archive with these parts in place of those of that name. Without holes, which LibreOffice does not accept.

    Raises `EngineError` (corrupt) where the directory cannot be copied.
    """
    checksums = _checksums(source, package)
    body, directory = io.BytesIO(), io.BytesIO()
    for name, entry in package.entries.items():
        if name in parts:
            data = parts[name]
            packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
            packed: bytes | memoryview = packer.compress(data) + packer.flush()
            method, checksum, size = zipfile.ZIP_DEFLATED, zlib.crc32(data), len(data)
        else:
            packed = source[entry.start : entry.start + entry.deflated_bytes]
            method, checksum, size = entry.method, checksums[name], entry.inflated_bytes
        encoded = name.encode()
        fields = (20, _UTF8, method, 0, _DATE, checksum, len(packed), size, len(encoded))
        directory.write(_CENTRAL.pack(b"PK\1\2", 20, *fields, 0, 0, 0, 0, 0, body.tell()) + encoded)
        body.write(_LOCAL.pack(b"PK\3\4", *fields, 0) + encoded)
        body.write(packed)
    start, count = body.tell(), len(package.entries)
    body.write(directory.getvalue())
    body.write(_END.pack(b"PK\5\6", 0, 0, count, count, directory.tell(), start, 0))
    return body.getvalue()


def _checksums(source: memoryview, package: Archive) -> dict[str, int]:
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            checksums = {entry.filename: entry.CRC for entry in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise EngineError(ErrorKind.CORRUPT, "The package is damaged.", repr(error)) from error
    if not package.entries.keys() <= checksums.keys():
        raise EngineError(ErrorKind.CORRUPT, "The package is damaged: two readers see different parts in it.")
    return checksums
