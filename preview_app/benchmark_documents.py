"""Documents to measure a viewer with, made in a folder: as many as are wanted, no two with the same bytes."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path

from engines.assets import assets_dir

PAGES = 60
KINDS_OF_PAGES = ("text", "text and a picture")
"""Of the long PDF, in turns."""
_PICTURE = (900, 600)
_TEXT = "The quick brown fox jumps over the lazy dog and runs along the river bank until it is dark"


def copies(folder: Path, count: int) -> list[Path]:
    """So many Word documents that look alike and differ in their bytes, so that none is known from another."""
    folder.mkdir()
    original = assets_dir() / "samples" / "welcome.docx"
    paths = [folder / f"{number:05}.docx" for number in range(1, count + 1)]
    for path in paths:
        shutil.copyfile(original, path)
        with zipfile.ZipFile(path, "a") as archive:
            archive.comment = f"{folder.name} {path.name}".encode()
    return paths


def empty_files(folder: Path, count: int) -> None:
    """So many files of no bytes, with the names that documents have."""
    folder.mkdir()
    for number in range(count):
        suffix = ("docx", "xlsx", "pptx", "pdf", "odt")[number % 5]
        (folder / f"Report {number} of the year {1990 + number % 40}.{suffix}").touch()


def long_pdf(pages: int = PAGES, lines: int = 50) -> bytes:
    """A PDF of A4 pages full of Helvetica, half of them with a picture as well."""
    content = "BT /F1 11 Tf 14 TL 50 790 Td " + " ".join(f"({line:3} {_TEXT}) '" for line in range(lines)) + " ET"
    with_picture = f"{content} q 450 0 0 300 70 100 cm /P Do Q"
    fonts = "/Font << /F1 3 0 R >>"
    first_page = 7
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /MediaBox [0 0 595 842] /Kids "
        f"[{' '.join(f'{first_page + page} 0 R' for page in range(pages))}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        _stream("", content.encode()),
        _stream("", with_picture.encode()),
        _picture(),
    ]
    for page in range(pages):
        contents, resources = (5, f"{fonts} /XObject << /P 6 0 R >>") if page % 2 else (4, fonts)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R /Resources << {resources} >> >>".encode()
        )
    return _assemble(objects)


def _stream(entries: str, data: bytes) -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def _picture() -> bytes:
    width, height = _PICTURE
    rows = (
        bytes((x * y) % 256 if channel == y % 3 else x % 256 for x in range(width) for channel in range(3))
        for y in range(height)
    )
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height}"
    return _stream(
        f"{entries} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode", zlib.compress(b"".join(rows), 1)
    )


def _assemble(objects: list[bytes]) -> bytes:
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + (head + tail).encode()
