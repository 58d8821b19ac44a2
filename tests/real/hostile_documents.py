"""Documents that reach for something outside themselves, made by code: each way of each format, to one address.

Every document carries the word in `INSIDE`; what it reaches for, in `Canaries`, carries `CANARY` or is magenta.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.engines.packages import archive

INSIDE, CANARY, MACRO = "inside", "CANARY9471", "MACRORAN"
MAGENTA = (255, 0, 255)


@dataclass(frozen=True, slots=True)
class Canaries:
    """Where to reach: addresses of a picture, a text, a document, a style sheet, a drawing and a template."""

    picture: str
    text: str
    document: str
    style: str
    drawing: str

    @classmethod
    def below(cls, base: str) -> Canaries:
        """Those of a folder or a server, by the names of `write`."""
        return cls(*(f"{base}/{name}" for name in ("c.png", "c.txt", "c.fodt", "c.css", "c.svg")))


def write(folder: Path) -> None:
    """Put the canaries into a folder."""
    (folder / "c.png").write_bytes(picture())
    (folder / "c.txt").write_text(CANARY)
    (folder / "c.fodt").write_bytes(flat_text(f'<text:section text:name="s"><text:p>{CANARY}</text:p></text:section>'))
    (folder / "c.css").write_text(f'p {{ color: #ff00ff }} p:before {{ content: "{CANARY}" }}')
    (folder / "c.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="#f0f"/>'
        "</svg>"
    )


def picture(side: int = 64) -> bytes:
    """A magenta PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(MAGENTA) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# OpenDocument

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        **{
            name: f"urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"
            for name, uri in {
                "office": "office",
                "text": "text",
                "table": "table",
                "draw": "drawing",
                "style": "style",
                "svg": "svg-compatible",
                "fo": "xsl-fo-compatible",
                "meta": "meta",
                "script": "script",
                "presentation": "presentation",
                "form": "form",
            }.items()
        },
        "xlink": "http://www.w3.org/1999/xlink",
        "ooo": "http://openoffice.org/2004/office",
        "dom": "http://www.w3.org/2001/xml-events",
        "of": "urn:oasis:names:tc:opendocument:xmlns:of:1.2",
    }.items()
)
_SIZE = 'svg:width="3cm" svg:height="3cm" text:anchor-type="as-char"'
_LINK = 'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"'


def _flat(kind: str, body: str, *, before: str = "", declaration: str = "") -> bytes:
    element = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation"}[kind]
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{declaration}<office:document {_NAMESPACES} office:version="1.3" '
        f'office:mimetype="application/vnd.oasis.opendocument.{kind}">{before}<office:body><office:{element}>{body}'
        f"</office:{element}></office:body></office:document>"
    ).encode()


def flat_text(body: str, *, before: str = "", declaration: str = "") -> bytes:
    """A flat text document."""
    return _flat("text", f"{body}<text:p>{INSIDE}</text:p>", before=before, declaration=declaration)


def _frame(content: str) -> str:
    return f"<text:p><draw:frame {_SIZE}>{content}</draw:frame></text:p>"


def _styled(properties: str) -> str:
    return (
        '<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties>'
        f"{properties}</style:page-layout-properties></style:page-layout></office:automatic-styles>"
        '<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"/>'
        "</office:master-styles>"
    )


def _flat_texts(at: Canaries) -> dict[str, bytes]:
    section = '<text:section text:name="s"><text:section-source xlink:href="{}"/><text:p>old</text:p></text:section>'
    dde = '<text:section text:name="s"><office:dde-source office:dde-application="soffice" office:dde-topic="{}" '
    dde += 'office:dde-item="s" office:automatic-update="true"/><text:p>old</text:p></text:section>'
    template = f'<office:meta><meta:template xlink:href="{at.document}" xlink:type="simple" meta:date="2001-01-01"/>'
    template += f'<meta:auto-reload xlink:href="{at.document}" meta:delay="PT0S"/></office:meta>'
    entity = f'<!DOCTYPE d [<!ENTITY e SYSTEM "{at.text}">]>'
    return {
        "image": flat_text(_frame(f'<draw:image xlink:href="{at.picture}" {_LINK}/>')),
        "drawing": flat_text(_frame(f'<draw:image xlink:href="{at.drawing}" {_LINK}/>')),
        "ole": flat_text(_frame(f'<draw:object xlink:href="{at.document}" {_LINK}/>')),
        "plugin": flat_text(_frame(f'<draw:plugin xlink:href="{at.picture}" draw:mime-type="image/png" {_LINK}/>')),
        "iframe": flat_text(_frame(f'<draw:floating-frame xlink:href="{at.document}" draw:frame-name="f" {_LINK}/>')),
        "section": flat_text(section.format(at.document)),
        "section-text": flat_text(section.format(at.text)),
        "dde": flat_text(dde.format(at.document)),
        "background": flat_text("", before=_styled(f'<style:background-image xlink:href="{at.picture}" {_LINK}/>')),
        "template": flat_text("", before=template),
        "entity": flat_text("<text:p>&e;</text:p>", declaration=entity),
        "outer-dtd": flat_text("", declaration=f'<!DOCTYPE office:document SYSTEM "{at.text}">'),
    }


def _flat_sheets(at: Canaries) -> dict[str, bytes]:
    def sheet(formula: str, extra: str = "") -> bytes:
        cells = f'<table:table-cell office:value-type="string"><text:p>{INSIDE}</text:p></table:table-cell>{formula}'
        table = f'<table:table table:name="A">{extra}<table:table-row>{cells}</table:table-row></table:table>'
        return _flat("spreadsheet", table)

    def cell(formula: str) -> str:
        return f'<table:table-cell table:formula="of:={formula}" office:value-type="string"/>'

    source = f'<table:table-source xlink:href="{at.document}" table:mode="copy-all" table:refresh-delay="PT1S"/>'
    graphic = (
        f'<table:shapes><draw:frame svg:width="3cm" svg:height="3cm"><draw:image xlink:href="{at.picture}" {_LINK}/>'
    )
    return {
        "webservice": sheet(cell(f"WEBSERVICE(&quot;{at.text}&quot;)")),
        "external-cell": sheet(cell(f"&apos;{at.document}&apos;#$A.A1")),
        "dde-cell": sheet(cell(f"DDE(&quot;soffice&quot;;&quot;{at.document}&quot;;&quot;A.A1&quot;)")),
        "linked-sheet": sheet("", source),
        "image": sheet("", f"{graphic}</draw:frame></table:shapes>"),
    }


def _slides(at: Canaries) -> bytes:
    frames = (
        f'<draw:frame svg:width="3cm" svg:height="3cm"><draw:image xlink:href="{at.picture}" {_LINK}/></draw:frame>'
    )
    frames += (
        f'<draw:frame svg:width="3cm" svg:height="3cm"><draw:plugin xlink:href="{at.picture}" {_LINK}/></draw:frame>'
    )
    box = '<draw:frame svg:width="9cm" svg:height="3cm">'
    box += f"<draw:text-box><text:p>{INSIDE}</text:p></draw:text-box></draw:frame>"
    return _flat("presentation", f'<draw:page draw:name="p">{frames}{box}</draw:page>')


def text_with_film(*, packed: bool) -> bytes:
    """A text with a film that is linked to, flat or in a package."""
    film = f'<draw:plugin xlink:href="film.mp4" draw:mime-type="application/vnd.sun.star.media" {_LINK}/>'
    text = flat_text(f'<text:p><draw:frame svg:width="3cm" svg:height="3cm">{film}</draw:frame></text:p>')
    return _packaged(text) if packed else text


def _packaged_text(at: Canaries) -> bytes:
    """An ODT whose own picture, a drawing, refers to others."""
    drawing = f"""<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "{at.text}">]>
<?xml-stylesheet type="text/css" href="{at.style}"?><svg xmlns="http://www.w3.org/2000/svg"
xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90"><style>@import url("{at.style}");</style>
<image xlink:href="{at.picture}" width="40" height="40"/><image href="{at.drawing}" width="40" height="40" y="40"/>
<use xlink:href="{at.drawing}#r"/><text y="20">&e;</text></svg>"""
    body = _frame(f'<draw:image xlink:href="Pictures/d.svg" {_LINK}/>')
    return _packaged(flat_text(body), {"Pictures/d.svg": (drawing, "image/svg+xml")})


def text_with_picture(png: bytes) -> bytes:
    """An ODT with a picture in it."""
    text = flat_text(_frame(f'<draw:image xlink:href="Pictures/p.png" {_LINK}/>'))
    return _packaged(text, {"Pictures/p.png": (png, "image/png")})


def _packaged(flat: bytes, others: Mapping[str, tuple[str | bytes, str]] | None = None) -> bytes:
    """A flat text as a package, with other parts and their types."""
    content = flat.decode().replace("office:document ", "office:document-content ", 1)
    content = content.replace("</office:document>", "</office:document-content>")
    parts: dict[str, tuple[str | bytes, str]] = {"content.xml": (content, "text/xml"), **(others or {})}
    entries = {"/": "application/vnd.oasis.opendocument.text", **{name: kind for name, (_, kind) in parts.items()}}
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    for path, kind in entries.items():
        manifest += f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
    files = {name: part for name, (part, _) in parts.items()}
    whole = {"mimetype": entries["/"], **files, "META-INF/manifest.xml": f"{manifest}</manifest:manifest>"}
    return archive(dict(whole), zipfile.ZIP_STORED)


# HTML and RTF


def _pages(at: Canaries) -> dict[str, bytes]:
    def page(body: str, head: str = "") -> bytes:
        return f"<!DOCTYPE html><html><head>{head}</head><body>{body}<p>{INSIDE}</p></body></html>".encode()

    return {
        "image": page(f'<img src="{at.picture}" width="90" height="90">'),
        "drawing": page(f'<img src="{at.drawing}" width="90" height="90">'),
        "style-sheet": page("", f'<link rel="stylesheet" type="text/css" href="{at.style}">'),
        "import": page("", f'<style>@import url("{at.style}");</style>'),
        "background": page(f'<table background="{at.picture}"><tr><td width="200" height="200">x</td></tr></table>'),
        "iframe": page(f'<iframe src="{at.document}" width="300" height="300"></iframe>'),
        "object": page(f'<object data="{at.picture}" type="image/png"></object><embed src="{at.picture}">'),
        "script": page(f'<script src="{at.text}"></script>'),
        "refresh": page("", f'<meta http-equiv="refresh" content="0; url={at.document}">'),
        "base": page('<img src="c.png" width="90" height="90">', f'<base href="{at.picture.rpartition("/")[0]}/">'),
    }


def _rich_text(at: Canaries) -> bytes:
    fields = "".join(
        rf'{{\field{{\*\fldinst {kind} "{target}" \\* MERGEFORMAT}}{{\fldrslt old}}}}\par '
        for kind, target in (("INCLUDEPICTURE", at.picture), ("INCLUDETEXT", at.text), ("LINK soffice", at.document))
    )
    return rf"{{\rtf1\ansi{{\*\template {at.document}}}{fields}{INSIDE}\par}}".encode()


# What opens a document runs


def macros(trace: Path) -> bytes:
    """A text whose macro, run when it is opened, makes the file `trace`, writes into the text and ends the office."""
    code = f'''Sub Main
      ThisComponent.Text.String = "{MACRO}"
      Open "{trace}" For Output As #1
      Close #1
      StarDesktop.terminate()
    End Sub'''
    listeners = "".join(
        f'<script:event-listener script:language="ooo:script" script:event-name="{event}" xlink:type="simple" '
        'xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document"/>'
        for event in ("dom:load", "office:load-finished", "office:view-created")
    )
    library = '<ooo:libraries><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>'
    library += f"{code}</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries>"
    scripts = f'<office:scripts><office:script script:language="ooo:Basic">{library}</office:script>'
    scripts += f"<office:event-listeners>{listeners}</office:event-listeners></office:scripts>"
    return flat_text("", before=scripts)


def documents(at: Canaries) -> dict[str, bytes]:
    """Every document, by a file name whose suffix says its type."""
    named = {f"{name}.fodt": data for name, data in _flat_texts(at).items()}
    named |= {f"{name}.fods": data for name, data in _flat_sheets(at).items()}
    named |= {f"{name}.html": data for name, data in _pages(at).items()}
    table = f'{INSIDE},"=WEBSERVICE(""{at.text}"")","=DDE(""soffice"";""{at.document}"";""A.A1"")"\n'
    return named | {
        "slides.fodp": _slides(at),
        "drawing.odt": _packaged_text(at),
        "fields.rtf": _rich_text(at),
        "formulas.csv": table.encode(),
    }
