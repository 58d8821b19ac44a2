"""A minimal PDF writer: pages of known size with known rectangles, words, links and outlines, encrypted if wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

RED = (1.0, 0.0, 0.0)
BLUE = (0.0, 0.0, 1.0)

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


@dataclass
class PdfPage:
    """A page; coordinates of what is put on it are points from the top left corner of the unrotated media box."""

    width: float = 200.0
    height: float = 100.0
    rotate: int = 0
    crop: tuple[float, float, float, float] | None = None
    content: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def rectangle(self, x: float, y: float, width: float, height: float, colour: Sequence[float]) -> PdfPage:
        """A filled rectangle."""
        red, green, blue = colour
        self.content.append(f"{red} {green} {blue} rg {x} {self.height - y - height} {width} {height} re f")
        return self

    def text(self, x: float, y: float, text: str, size: float = 10.0) -> PdfPage:
        """A line of Helvetica whose base line is `y` points from the top."""
        escaped = text.replace("\\", "\\\\").replace("(", r"\(").replace(")", r"\)")
        self.content.append(f"0 g BT /F1 {size} Tf {x} {self.height - y} Td ({escaped}) Tj ET")
        return self

    def curves(self, count: int) -> PdfPage:
        """Translucent curves across the whole page, each stroked alone: slow to draw, the same every time."""
        seed = 1
        for _ in range(count):
            numbers = []
            for index in range(8):
                seed = (seed * 1103515245 + 12345) % (1 << 31)
                numbers.append(seed % int(self.height if index % 2 else self.width))
            self.content.append("{} {} m {} {} {} {} {} {} c S".format(*numbers))
        self.content.insert(0, "/G1 gs 0.5 w")
        return self

    def link(self, box: tuple[float, float, float, float], target: str | int) -> PdfPage:
        """A link to a URI or to a page (from 0)."""
        x0, y0, x1, y1 = box
        place = f"[{x0} {self.height - y1} {x1} {self.height - y0}]"
        action = f"/A << /S /URI /URI ({target}) >>" if isinstance(target, str) else f"/Dest [{target} /Fit]"
        self.links.append(f"<< /Type /Annot /Subtype /Link /Rect {place} /Border [0 0 0] {action} >>")
        return self


def make_pdf(pages: Iterable[PdfPage], *, outline: Sequence[tuple[str, int]] = (), password: str = "") -> bytes:
    """The bytes of a PDF. With a password: RC4, 40 bits, the password needed to open."""
    pages = list(pages)
    writer = _Writer(password)
    for number, page in enumerate(pages):
        writer.add(3 + 2 * number, _page_object(page, 4 + 2 * number, page_ids=[3 + 2 * n for n in range(len(pages))]))
        writer.add_stream(4 + 2 * number, "\n".join(page.content).encode("latin-1"))
    first = 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    writer.add(2, f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>")
    catalog = "/Type /Catalog /Pages 2 0 R"
    if outline:
        catalog += f" /Outlines {first} 0 R"
        writer.add(first, f"<< /Type /Outlines /First {first + 1} 0 R /Last {first + len(outline)} 0 R >>")
        for index, (title, page_number) in enumerate(outline):
            here = first + 1 + index
            following = f"/Next {here + 1} 0 R" if index + 1 < len(outline) else ""
            dest = f"/Dest [{3 + 2 * page_number} 0 R /Fit]"
            writer.add(here, f"<< /Title ({title}) /Parent {first} 0 R {following} {dest} >>")
    writer.add(1, f"<< {catalog} >>")
    return writer.finish()


def _page_object(page: PdfPage, content: int, page_ids: list[int]) -> str:
    links = " ".join(page.links)
    for number, identity in enumerate(page_ids):
        links = links.replace(f"/Dest [{number} /Fit]", f"/Dest [{identity} 0 R /Fit]#")
    crop = f"/CropBox [{' '.join(map(str, page.crop))}]" if page.crop else ""
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}] {crop} /Rotate {page.rotate} "
        f"/Contents {content} 0 R /Annots [{links.replace('#', '')}] "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> "
        "/ExtGState << /G1 << /CA 0.5 /ca 0.5 >> >> >> >>"
    )


class _Writer:
    def __init__(self, password: str) -> None:
        self._objects: dict[int, bytes] = {}
        self._key = b""
        self._encrypt = ""
        if password:
            self._set_password(password.encode())

    def add(self, number: int, body: str) -> None:
        self._objects[number] = body.encode("latin-1")

    def add_stream(self, number: int, data: bytes) -> None:
        if self._key:
            salt = number.to_bytes(3, "little") + b"\0\0"
            data = _rc4(hashlib.md5(self._key + salt).digest()[:10], data)
        self._objects[number] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)

    def finish(self) -> bytes:
        out = bytearray(b"%PDF-1.4\n")
        offsets = {}
        for number in sorted(self._objects):
            offsets[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self._objects[number])
        start, size = len(out), max(offsets) + 1
        out += b"xref\n0 1\n0000000000 65535 f \n"
        for number, offset in offsets.items():
            out += b"%d 1\n%010d 00000 n \n" % (number, offset)
        out += f"trailer\n<< /Size {size} /Root 1 0 R {self._encrypt} >>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)

    def _set_password(self, password: bytes) -> None:
        """Algorithms 2 to 4 of the PDF 1.4 reference, revision 2."""
        padded = (password + _PADDING)[:32]
        identity = bytes(16)
        owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
        permissions = (-4).to_bytes(4, "little", signed=True)
        self._key = hashlib.md5(padded + owner + permissions + identity).digest()[:5]
        user = _rc4(self._key, _PADDING)
        rules = f"/Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4"
        self._encrypt = f"/Encrypt << {rules} >> /ID [<{identity.hex()}> <{identity.hex()}>]"


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
