"""What stands on a page and what is wrong with it: glyphs that are missing, text that is cut, pages with nothing.

The second module, beside the worker, that imports PyMuPDF; only the worker imports it. A page is run once through a
device that looks at each object and draws nothing. Coordinates are those of the page as shown, in points from the top
left corner.
"""

# mypy: disable-error-code="no-untyped-call,misc"
# PyMuPDF declares that it is typed and leaves most of its functions without types.

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pymupdf
from pymupdf import mupdf

SPOTS_MAX = 20
"""Of each kind, on one page; what is more is counted."""
TEXT_MAX = 80
_BEYOND_PT = 2.0
"""What reaches less far over an edge is within the fuzziness of glyphs' boxes."""
_OVER_CLIP_PT = 0.5
"""LibreOffice leaves out the characters behind the edge of a cell, so that little of the last one reaches over it."""
_CUT_HEIGHT = 0.25
"""The part of its height that a line may lose: ascenders and accents reach over tight rows."""
_BLANK_SIDE_PX = 400.0
_FONTS_MAX = 500
_HASHES = re.compile(r"#{3,}")
_REPLACEMENT = 0xFFFD
_INVISIBLE = 3
"""The way of showing text that shows nothing (ISO 32000-1, 9.3.6): behind scanned pages."""
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me", "Mc"})
_BLANKS = frozenset({0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0})
"""Letters and signs that are blank by definition."""

Rect = tuple[float, float, float, float]
Glyphs = dict[str, dict[tuple[int, int], str]]
"""Of each font, what is wrong with a pair of character and glyph; empty if nothing is."""
_EVERYWHERE: Rect = (-math.inf, -math.inf, math.inf, math.inf)


class _Spots:
    """Places on a page, by kind; bounded."""

    def __init__(self) -> None:
        self.found: list[list[object]] = []
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, text: str, box: Rect) -> None:
        """Note a place."""
        self.counts[kind] += 1
        if self.counts[kind] <= SPOTS_MAX:
            self.found.append([kind, text.strip()[:TEXT_MAX], *map(_finite, box)])


class _Device(mupdf.FzDevice2):
    """Looks at the objects that a page draws, not at each character: that takes too long from here."""

    def __init__(self, page: Rect, spots: _Spots) -> None:
        super().__init__()
        for name in _CALLS:
            getattr(self, f"use_virtual_{name}")()
        self.fonts: dict[str, Any] = {}
        self.images = self.shapes = 0
        self._page = page
        self._spots = spots
        self._clips: list[Rect] = []

    def fill_text(self, _context: Any, text: Any, matrix: Any, *_: Any) -> None:
        self._shown(text, matrix)

    def stroke_text(self, _context: Any, text: Any, _stroke: Any, matrix: Any, *_: Any) -> None:
        self._shown(text, matrix)

    def fill_path(self, *_: Any) -> None:
        self.shapes += 1

    def stroke_path(self, *_: Any) -> None:
        self.shapes += 1

    def fill_shade(self, *_: Any) -> None:
        self.shapes += 1

    def fill_image(self, *_: Any) -> None:
        self.images += 1

    def fill_image_mask(self, *_: Any) -> None:
        self.images += 1

    def clip_path(self, _context: Any, path: Any, _even_odd: Any, matrix: Any, _scissor: Any) -> None:
        self._clips.append(_common(self._clip, _rect(mupdf.ll_fz_bound_path(path, None, matrix))))

    def clip_stroke_path(self, *_: Any) -> None:
        self._clips.append(self._clip)

    def clip_text(self, *_: Any) -> None:
        self._clips.append(self._clip)

    def clip_stroke_text(self, *_: Any) -> None:
        self._clips.append(self._clip)

    def clip_image_mask(self, *_: Any) -> None:
        self._clips.append(self._clip)

    def pop_clip(self, _context: Any) -> None:
        if self._clips:
            self._clips.pop()

    @property
    def _clip(self) -> Rect:
        return self._clips[-1] if self._clips else _EVERYWHERE

    def _shown(self, text: Any, matrix: Any) -> None:
        for span in _spans(text):
            font = span.font()
            self.fonts[mupdf.fz_font_name(font)] = font
        kind = self._cut(box := _rect(mupdf.ll_fz_bound_text(text, None, matrix)))
        if kind and (content := _text_of(text)).strip():
            self._spots.add(kind, content, box)

    def _cut(self, box: Rect) -> str:
        if _is_empty(box):
            return ""
        if _is_empty(_common(box, self._page)):
            return "off_page"
        if _is_cut(box, self._page):
            return "beyond_page"
        if _is_cut(box, self._clip, _OVER_CLIP_PT) and not _is_empty(_common(box, self._clip)):
            return "clipped"
        return ""


class _Characters:
    """Looks at each character of a page, as MuPDF's own trace of it has them."""

    def __init__(self, fonts: dict[str, Any], spots: _Spots, rotation: Any, known: Glyphs) -> None:
        self._fonts = fonts
        self._spots = spots
        self._rotation = rotation
        self._known = known
        self.shown = 0

    def look(self, span: dict[str, Any]) -> None:
        """Look at a run of characters in one font."""
        text = "".join(map(_character, (each[0] for each in span["chars"])))
        visible = text.strip()
        if span["type"] == _INVISIBLE:
            if visible:
                self._add("invisible", text, span["bbox"])
            return
        self.shown += len(visible)
        if _HASHES.fullmatch(visible):
            self._add("hashes", text, span["bbox"])
        self._look_at_glyphs(span)

    def _look_at_glyphs(self, span: dict[str, Any]) -> None:
        """Neighbours with the same fault become one place."""
        faults = self._faults(span)
        if not faults:
            return
        kind, found, box = "", "", _EVERYWHERE
        for codepoint, glyph, _origin, here in span["chars"]:
            this = faults.get((codepoint, glyph), "")
            if this and this == kind:
                found, box = found + _character(codepoint), _around(box, here)
                continue
            if kind:
                self._add(kind, found, box)
            kind, found, box = this, _character(codepoint), here
        if kind:
            self._add(kind, found, box)

    def _faults(self, span: dict[str, Any]) -> dict[tuple[int, int], str]:
        """What is wrong with which characters of a run; each pair of character and glyph is judged once."""
        known = self._known.setdefault(span["font"], {})
        pairs = {(character[0], character[1]) for character in span["chars"]}
        for pair in pairs - known.keys():
            known[pair] = self._fault(span["font"], *pair)
        return {pair: fault for pair in pairs if (fault := known[pair])}

    def _fault(self, name: str, codepoint: int, glyph: int) -> str:
        if codepoint == _REPLACEMENT:
            return "unreadable"
        if glyph < 0 or not _is_shown(codepoint):
            return ""
        font = self._fonts.get(name)
        return "no_glyph" if font is not None and _is_missing(font, glyph) else ""

    def _add(self, kind: str, text: str, box: Rect) -> None:
        self._spots.add(kind, text, _rect(pymupdf.Rect(box) * self._rotation))


_CALLS = (
    "fill_text", "stroke_text", "fill_path", "stroke_path", "fill_shade", "fill_image",
    "fill_image_mask", "clip_path", "clip_stroke_path", "clip_text", "clip_stroke_text", "clip_image_mask", "pop_clip",
)  # fmt: skip


def page_facts(document: Any, number: int, known: Glyphs) -> dict[str, object]:
    """The facts of a page (counted from 0), as they go over the wire; `preview_app.raster.facts` reads them.

    `known` is what has been found of the document's glyphs; it grows. Raises what PyMuPDF raises.
    """
    page = document[number]
    spots = _Spots()
    device = _Device((0.0, 0.0, page.rect.width, page.rect.height), spots)
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    characters = _Characters(device.fonts, spots, page.rotation_matrix, known)
    for span in _trace(page):
        characters.look(span)
    drawn = characters.shown > 0 or device.images > 0 or (device.shapes > 0 and not _is_blank(page))
    return {
        "characters": characters.shown,
        "images": device.images,
        "drawn": drawn,
        "spots": spots.found,
        "counts": dict(spots.counts),
        "fonts": list(_fonts(page)),
        "annotations": dict(Counter(annotation.type[1] for annotation in page.annots())),
    }


def _trace(page: Any) -> list[dict[str, Any]]:
    """The runs of characters, whose fonts have their full names, so that subsets of one family are told apart."""
    pymupdf.TOOLS.set_subset_fontnames(True)
    try:
        return list(page.get_texttrace())
    finally:
        pymupdf.TOOLS.set_subset_fontnames(False)


def document_facts(document: Any) -> dict[str, object]:
    """What a PDF says of itself, and what is in it beside its pages."""
    metadata = {name: str(value)[:500] for name, value in (document.metadata or {}).items() if value}
    catalog = document.pdf_catalog()
    keys = ("Names/JavaScript", "OpenAction/JS", "AA")
    scripts = any(document.xref_get_key(catalog, key)[0] != "null" for key in keys)
    return {"metadata": metadata, "scripts": scripts, "attachments": int(document.embfile_count())}


def _fonts(page: Any) -> Iterator[list[object]]:
    """Name without its subset's mark, kind, whether it is embedded."""
    for _, extension, kind, name, *_ in page.get_fonts()[:_FONTS_MAX]:
        yield [re.sub(r"^[A-Z]{6}\+", "", name)[:TEXT_MAX], kind, extension != "n/a"]


def _is_blank(page: Any) -> bool:
    """Whether a page with shapes only shows none of them: white on white."""
    scale = min(1.0, _BLANK_SIDE_PX / max(page.rect.width, page.rect.height, 1.0))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    return bool(pixmap.is_unicolor and pixmap.pixel(0, 0) == (255,))


def _spans(text: Any) -> Iterator[Any]:
    span = text.head
    while span:
        yield mupdf.FzTextSpan(span)
        span = span.next


def _text_of(text: Any) -> str:
    return "".join(_character(span.items(index).ucs) for span in _spans(text) for index in range(span.m_internal.len))


def _character(codepoint: int) -> str:
    """A character; nothing for the rest of a ligature, and for what cannot stand alone."""
    return chr(codepoint) if 0 < codepoint < 0x110000 and not 0xD800 <= codepoint < 0xE000 else ""


def _is_shown(codepoint: int) -> bool:
    """Whether a reader would miss it: neither space nor control nor a mark on another character."""
    return codepoint not in _BLANKS and unicodedata.category(_character(codepoint) or " ") not in _UNSEEN


def _is_missing(font: Any, glyph: int) -> bool:
    """Whether a glyph stands for a missing one: the first of its font, a copy of that, or one that draws nothing.

    LibreOffice copies the first glyph, and empties it when it makes a subset.
    """
    if mupdf.ll_fz_font_flags(font.m_internal).ft_substitute or mupdf.ll_fz_font_t3_procs(font.m_internal):
        return False
    if glyph == 0:
        return True
    first, this = (_rect(mupdf.fz_bound_glyph(font, each, mupdf.FzMatrix())) for each in (0, glyph))
    if _is_empty(this):
        return True
    widths = [mupdf.fz_advance_glyph(font, each, 0) for each in (0, glyph)]
    return first == this and widths[0] == widths[1]


def _is_cut(box: Rect, edge: Rect, beyond_pt: float = _BEYOND_PT) -> bool:
    """Whether a part of the box that counts lies beyond the edges; `beyond_pt` is for the sides."""
    sideways = max(edge[0] - box[0], box[2] - edge[2])
    upright = max(edge[1] - box[1], box[3] - edge[3])
    return sideways > beyond_pt or upright > max(_BEYOND_PT, _CUT_HEIGHT * (box[3] - box[1]))


def _rect(rect: Any) -> Rect:
    return rect.x0, rect.y0, rect.x1, rect.y1


def _common(one: Rect, other: Rect) -> Rect:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _around(one: Rect, other: Rect) -> Rect:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _is_empty(box: Rect) -> bool:
    return box[0] >= box[2] or box[1] >= box[3]


def _finite(value: float) -> float:
    return round(value, 2) if math.isfinite(value) else 0.0
