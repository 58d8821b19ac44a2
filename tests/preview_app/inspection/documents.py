"""Documents made by tests: each with one thing in it that an inspection must find."""

from __future__ import annotations

from tests.engines import packages

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
POWERPOINT = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
_ODF = {
    "office": "office", "text": "text", "table": "table", "draw": "drawing", "presentation": "presentation",
    "style": "style", "meta": "meta", "script": "script", "manifest": "manifest",
}  # fmt: skip
ODF_NAMES = " ".join(
    [
        *(f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for prefix, name in _ODF.items()),
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:ooo="http://openoffice.org/2004/office"',
    ]
)


def run(text: str, properties: str = "") -> str:
    """A run of a Word document."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def docx(body: str, **parts: str) -> bytes:
    """A Word document. Parts by their name below `word/`, dots as two underscores."""
    document = f"<w:document {_W} {_R}><w:body>{body}</w:body></w:document>"
    named = {f"word/{name.replace('__', '.')}": text for name, text in parts.items()}
    return _package(packages.WORD, "word/document.xml", document, named)


def _package(content_type: str, target: str, main: str, parts: dict[str, str]) -> bytes:
    return packages.archive(
        {
            "[Content_Types].xml": packages.TYPES.format(target=target, content_type=content_type),
            "_rels/.rels": packages.RELATIONS.format(target=target),
            target: main,
            **parts,
        }
    )


def story(name: str, content: str) -> str:
    """A part of a Word document whose root is `name` (`w:styles`)."""
    return f"<{name} {_W}>{content}</{name}>"


def relations(*external: tuple[str, str], **internal: str) -> str:
    """A part with relations: kind and target of external ones, id and target of internal ones."""
    told = [
        f'<Relationship Id="e{number}" Type="{_TYPE}/{kind}" Target="{target}" TargetMode="External"/>'
        for number, (kind, target) in enumerate(external)
    ]
    told += [f'<Relationship Id="{key}" Type="{_TYPE}/slide" Target="{target}"/>' for key, target in internal.items()]
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(told)}</Relationships>'


def xlsx(sheets: str = '<sheet name="One" sheetId="1"/>', parts: dict[str, str] | None = None) -> bytes:
    """A workbook with these entries of sheets."""
    workbook = f"<workbook {_S}><sheets>{sheets}</sheets></workbook>"
    return _package(packages.EXCEL, "xl/workbook.xml", workbook, parts or {})


def sheet_part(root: str, content: str) -> str:
    """A part of a workbook."""
    return f"<{root} {_S}>{content}</{root}>"


def pptx(*slides: str, parts: dict[str, str] | None = None) -> bytes:
    """A presentation whose slides have these attributes; stored in another order than shown."""
    listed = "".join(f'<p:sldId id="{number}" r:id="s{number}"/>' for number in range(1, len(slides) + 1))
    main = f"<p:presentation {_P} {_R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    last = len(slides) + 1
    names = {f"s{number}": f"slides/slide{last - number}.xml" for number in range(1, last)}
    stored = {
        f"ppt/slides/slide{last - number}.xml": f"<p:sld {_P} {slide}/>" for number, slide in enumerate(slides, 1)
    }
    relation = {"ppt/_rels/presentation.xml.rels": relations(**names)}
    return _package(POWERPOINT, "ppt/presentation.xml", main, {**relation, **stored, **(parts or {})})


def odf(kind: str, body: str, *, styles: str = "", parts: dict[str, str] | None = None, before: str = "") -> bytes:
    """An OpenDocument package: `kind` is `text`, `spreadsheet` or `presentation`."""
    content = (
        f"<office:document-content {ODF_NAMES}>{before}<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return packages.archive({"mimetype": mime, "content.xml": content, **(parts or {})})


def flat(body: str, prolog: str = "") -> bytes:
    """A flat OpenDocument text."""
    mime = "application/vnd.oasis.opendocument.text"
    return (
        f'<?xml version="1.0"?>{prolog}<office:document {ODF_NAMES} office:mimetype="{mime}">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document>"
    ).encode()


def style(family: str, properties: str, name: str = "hide", parent: str = "") -> str:
    """A style of OpenDocument."""
    based = f' style:parent-style-name="{parent}"' if parent else ""
    return f'<style:style style:name="{name}" style:family="{family}"{based}>{properties}</style:style>'


def rtf(content: str) -> bytes:
    """An RTF document."""
    return (r"{\rtf1\ansi\ansicpg1252 " + content + "}").encode("latin-1")
