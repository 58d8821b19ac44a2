"""PDFs as LibreOffice writes them for one page a sheet, made small for tests."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import count

FONT = b"<</Type/Font/Subtype/TrueType/FirstChar 0/LastChar 3\n/Widths[0 500 500 1000 ]\n>>"


@dataclass(frozen=True)
class Page:
    """A page of points: its size, its content, and what else it refers to by a name of its own."""

    width: float = 100.0
    height: float = 50.0
    content: bytes = b"0.1 w\n"
    secret: bytes = b""
    unit: float = 1.0


def shown(codes: bytes, x: float, clip: tuple[float, float, float, float], size: float = 10.0) -> bytes:
    """A text of these character codes, drawn as LibreOffice draws a cell."""
    left, bottom, width, height = clip
    return b"q %g %g %g %g re\nW* n\nq 0 0 0 rg\nBT\n%g 10 Td /F1 %g Tf<%b>Tj\nET\nQ\nQ " % (
        left,
        bottom,
        width,
        height,
        x,
        size,
        codes.hex().encode(),
    )


def pdf_of(*pages: Page, nested: bool = False) -> bytes:
    """A PDF with one table and one list of pages."""
    numbers = count(1)
    objects: dict[int, bytes] = {}
    font, fonts, resources, tree, catalog = (next(numbers) for _ in range(5))
    kids = []
    for page in pages:
        number, contents, extra = next(numbers), next(numbers), next(numbers)
        packed = zlib.compress(page.content)
        objects[contents] = b"<</Length %d/Filter/FlateDecode>>\nstream\n%b\nendstream" % (len(packed), packed)
        objects[extra] = b"(%b)" % page.secret
        objects[number] = (
            b"<</Type/Page/Parent %d 0 R/Resources %d 0 R/MediaBox[0 0 %g %g]/UserUnit %g"
            b"/Contents %d 0 R/PieceInfo %d 0 R>>"
            % (tree, resources, page.width, page.height, page.unit, contents, extra)
        )
        kids.append(number)
    if nested:
        inner = next(numbers)
        objects[inner] = b"<</Type/Pages/Kids[%b]/Count %d>>" % (_references(kids), len(kids))
        kids = [inner]
    objects |= {
        font: FONT,
        fonts: b"<</F1 %d 0 R>>" % font,
        resources: b"<</Font %d 0 R/ProcSet[/PDF/Text]>>" % fonts,
        tree: b"<</Type/Pages/Resources %d 0 R/Kids[ %b]/Count %d>>" % (resources, _references(kids), len(pages)),
        catalog: b"<</Type/Catalog/Pages %d 0 R/OpenAction[%d 0 R /XYZ null null 0]>>" % (tree, kids[-1]),
    }
    return _written(objects, catalog)


def _references(numbers: list[int]) -> bytes:
    return b"".join(b"%d 0 R " % number for number in numbers)


def _written(objects: dict[int, bytes], catalog: int) -> bytes:
    out = b"%PDF-1.7\n%\xc3\xa4\n"
    entries = [b"0000000000 65535 f \n"]
    for number in range(1, len(objects) + 1):
        entries.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%b\nendobj\n\n" % (number, objects[number])
    size = len(objects) + 1
    table = b"xref\n0 %d\n%b" % (size, b"".join(entries))
    return out + table + b"trailer\n<</Size %d/Root %d 0 R\n>>\nstartxref\n%d\n%%%%EOF\n" % (size, catalog, len(out))
