"""Signatures of binary formats: those that docpeek shows without a container, and those that it can only name."""

from __future__ import annotations

import re
import struct

_BIFF_VERSIONS = ((0x0009, 4), (0x0209, 6), (0x0409, 6), (0x0809, 8), (0x0809, 16))
BIFF_BEGINNINGS = tuple(struct.pack("<2H", record, size) for record, size in _BIFF_VERSIONS)
"""The first record (BOF) of Excel files that are older than the OLE container, and of some that lost it."""

_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_OBJECT = re.compile(rb"\d+[ \t\r\n]+\d+[ \t\r\n]+obj\b")
_PDF_HEADER_WITHIN = 1024

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"\xd7\xcd\xc6\x9a", "a Windows metafile"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0\1\0\0Standard Jet DB", "an Access database"),
    (b"\0\1\0\0Standard ACE DB", "an Access database"),
    (b"AT&TFORM", "a DjVu document"),
    (b"\xffWPC", "a WordPerfect document"),
    (b"%!PS", "a PostScript document"),
    (b"\xc5\xd0\xd3\xc6", "an EPS picture"),
    (b"\xdb\xa5-\0", "a Word 2 document"),
    (b"\x31\xbe\0\0", "a Write document"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO", "a font"),
    (b"ITSF", "a compiled help file"),
    (b"ID;P", "an SYLK table"),
    (b"MIME-Version:", "a web archive (MHTML)"),
)
_RIFF = {b"WEBP": "a WebP picture", b"WAVE": "a recording", b"AVI ": "a film"}


def has_pdf_signature(view: memoryview) -> bool:
    """Whether this is a PDF: its header in the first 1,024 bytes, and not as a word in some text."""
    found = _PDF_HEADER.search(view[:_PDF_HEADER_WITHIN])
    return found is not None and (found.start() == 0 or _PDF_OBJECT.search(view[found.end() : 65_536]) is not None)


def foreign_name(head: bytes) -> str | None:
    """What a file of a known kind that docpeek does not show is, with its article."""
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            # Two letters are too few to tell a program from a text that begins with them.
            return None if signature == b"MZ" and b"\0" not in head[:64] else name
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return "a film or picture (ISO media)"
    if head.startswith(b"BM") and b"\0\0\0\0" in head[6:10]:
        return "a bitmap picture"
    return None
