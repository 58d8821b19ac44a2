"""OOXML documents that reach for something outside themselves; see `hostile_documents`."""

from __future__ import annotations

from tests.engines.packages import archive
from tests.real.hostile_documents import INSIDE, Canaries

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_SCHEMAS = "http://schemas.openxmlformats.org"
_RELATIONS = f"{_SCHEMAS}/officeDocument/2006/relationships"
_WORD = f'xmlns:w="{_SCHEMAS}/wordprocessingml/2006/main"'
_SHEET = f'xmlns="{_SCHEMAS}/spreadsheetml/2006/main"'
_SLIDE = f'xmlns:p="{_SCHEMAS}/presentationml/2006/main"'
_LINKS = f'xmlns:r="{_RELATIONS}" xmlns:a="{_SCHEMAS}/drawingml/2006/main"'
_OLD_DRAWING = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
_BLIP = '<a:blip r:link="rId1"/><a:stretch><a:fillRect/></a:stretch>'
_GEOMETRY = '<a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/>'

Relation = tuple[str, str, bool]
"""The end of its type, its target, whether that is outside the package. They are `rId1` and so on."""


def _relations(*relations: Relation) -> str:
    items = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/{kind}" Target="{target}"'
        f' TargetMode="{"External" if outside else "Internal"}"/>'
        for n, (kind, target, outside) in enumerate(relations, 1)
    )
    return f'{_XML}<Relationships xmlns="{_SCHEMAS}/package/2006/relationships">{items}</Relationships>'


def _package(main: str, parts: dict[str, tuple[str, str]], others: dict[str, str]) -> bytes:
    """A package: parts with the middle of their content type, and what needs none."""
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for name, (kind, _) in parts.items()
    )
    types = (
        f'{_XML}<Types xmlns="{_SCHEMAS}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    root = {"[Content_Types].xml": types, "_rels/.rels": _relations(("officeDocument", main, False))}
    return archive({**root, **{name: content for name, (_, content) in parts.items()}, **others})


def _word(body: str, *relations: Relation, settings: Relation | None = None, declaration: str = "") -> bytes:
    document = f"{_XML}{declaration}<w:document {_WORD} {_LINKS} {_OLD_DRAWING}><w:body>{body}<w:p><w:r><w:t>{INSIDE}"
    document += "</w:t></w:r></w:p></w:body></w:document>"
    parts = {"word/document.xml": ("wordprocessingml.document.main", document)}
    others = {"word/_rels/document.xml.rels": _relations(*relations)}
    if settings:
        content = f'{_XML}<w:settings {_WORD} {_LINKS}><w:attachedTemplate r:id="rId1"/></w:settings>'
        parts["word/settings.xml"] = ("wordprocessingml.settings", content)
        others["word/_rels/settings.xml.rels"] = _relations(settings)
        others["word/_rels/document.xml.rels"] = _relations(("settings", "settings.xml", False), *relations)
    return _package("word/document.xml", parts, others)


def _field(instruction: str) -> str:
    return f'<w:p><w:fldSimple w:instr="{instruction}"><w:r><w:t>old</w:t></w:r></w:fldSimple></w:p>'


def _texts(at: Canaries) -> dict[str, bytes]:
    drawing = f"{_SCHEMAS}/drawingml/2006"
    picture = (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="{drawing}/wordprocessingDrawing"><wp:extent cx="900000" '
        f'cy="900000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="{drawing}/picture"><pic:pic '
        f'xmlns:pic="{drawing}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr>'
        f"<pic:blipFill>{_BLIP}</pic:blipFill><pic:spPr>{_GEOMETRY}</pic:spPr></pic:pic></a:graphicData></a:graphic>"
        "</wp:inline></w:drawing></w:r></w:p>"
    )
    shape = '<v:shape style="width:90pt;height:90pt"><v:imagedata r:id="rId1"/></v:shape>'
    ole = f'<w:p><w:r><w:object>{shape}<o:OLEObject Type="Link" ProgID="Word.Document.12" '
    ole += 'ShapeID="s" DrawAspect="Content" r:id="rId2" UpdateMode="Always"/></w:object></w:r></w:p>'
    image, document = ("image", at.picture, True), ("oleObject", at.document, True)
    fields = _field(f"INCLUDEPICTURE &quot;{at.picture}&quot; \\d") + _field(f"INCLUDETEXT &quot;{at.text}&quot;")
    fields += _field(f"DDEAUTO soffice &quot;{at.document}&quot; s") + _field(
        f"LINK Word.Document &quot;{at.document}&quot; \\a"
    )
    return {
        "image": _word(picture, image),
        "old-image": _word(f"<w:p><w:r><w:pict>{shape}</w:pict></w:r></w:p>", image),
        "ole": _word(ole, image, document),
        "template": _word("", settings=("attachedTemplate", at.document, True)),
        "chunk": _word('<w:altChunk r:id="rId1"/>', ("aFChunk", at.text, True)),
        "sub-document": _word('<w:subDoc r:id="rId1"/>', ("subDocument", at.document, True)),
        "fields": _word(fields),
        "entity": _word(
            "<w:p><w:r><w:t>&e;</w:t></w:r></w:p>", declaration=f'<!DOCTYPE d [<!ENTITY e SYSTEM "{at.text}">]>'
        ),
    }


def _workbook(at: Canaries) -> bytes:
    formulas = (f'WEBSERVICE("{at.text}")', "[1]A!A1", "[2]!s", f"HYPERLINK(&quot;{at.text}&quot;)")
    cells = "".join(f"<c><f>{each.replace(chr(34), '&quot;')}</f><v>0</v></c>" for each in formulas)
    sheet = f'<worksheet {_SHEET} {_LINKS}><sheetData><row><c t="inlineStr"><is><t>{INSIDE}</t></is></c>{cells}</row>'
    sheet += '</sheetData><drawing r:id="rId1"/></worksheet>'
    kind = "spreadsheetml"
    workbook = (
        f'<workbook {_SHEET} {_LINKS}><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets><externalReferences>'
    )
    workbook += '<externalReference r:id="rId2"/><externalReference r:id="rId3"/></externalReferences></workbook>'
    book = f'<externalLink {_SHEET} {_LINKS}><externalBook r:id="rId1"><sheetNames><sheetName val="A"/></sheetNames>'
    dde = f'<externalLink {_SHEET}><ddeLink ddeService="soffice" ddeTopic="{at.document}"><ddeItems><ddeItem name="s" '
    drawing = (
        f'<xdr:wsDr xmlns:xdr="{_SCHEMAS}/drawingml/2006/spreadsheetDrawing" {_LINKS}><xdr:absoluteAnchor><xdr:pos '
    )
    drawing += 'x="0" y="900000"/><xdr:ext cx="900000" cy="900000"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="p"/>'
    drawing += (
        f"<xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill>{_BLIP}</xdr:blipFill><xdr:spPr>{_GEOMETRY}</xdr:spPr></xdr:pic>"
    )
    parts = {
        "xl/workbook.xml": (f"{kind}.sheet.main", workbook),
        "xl/worksheets/s.xml": (f"{kind}.worksheet", sheet),
        "xl/externalLinks/b.xml": (f"{kind}.externalLink", f"{book}</externalBook></externalLink>"),
        "xl/externalLinks/d.xml": (f"{kind}.externalLink", f'{dde}advise="1"/></ddeItems></ddeLink></externalLink>'),
        "xl/drawings/d.xml": ("drawing", f"{drawing}<xdr:clientData/></xdr:absoluteAnchor></xdr:wsDr>"),
    }
    links = [("externalLink", f"externalLinks/{name}.xml", False) for name in "bd"]
    others = {
        "xl/_rels/workbook.xml.rels": _relations(("worksheet", "worksheets/s.xml", False), *links),
        "xl/worksheets/_rels/s.xml.rels": _relations(("drawing", "../drawings/d.xml", False)),
        "xl/externalLinks/_rels/b.xml.rels": _relations(("externalLinkPath", at.document, True)),
        "xl/drawings/_rels/d.xml.rels": _relations(("image", at.picture, True)),
    }
    return _package("xl/workbook.xml", parts, others)


def _slides(at: Canaries) -> bytes:
    names = '<p:cNvPr id="{}" name="{}"/>'
    picture = f"<p:pic><p:nvPicPr>{names.format(2, 'p')}<p:cNvPicPr/><p:nvPr>"
    picture += '<a:videoFile r:link="rId2"/></p:nvPr></p:nvPicPr>'
    picture += f"<p:blipFill>{_BLIP}</p:blipFill><p:spPr>{_GEOMETRY}</p:spPr></p:pic>"
    ole = f"<p:graphicFrame><p:nvGraphicFramePr>{names.format(3, 'o')}<p:cNvGraphicFramePr/><p:nvPr/>"
    ole += "</p:nvGraphicFramePr>"
    ole += '<p:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></p:xfrm><a:graphic><a:graphicData '
    ole += f'uri="{_SCHEMAS}/presentationml/2006/ole"><p:oleObj name="o" r:id="rId3" progId="Word.Document.12"><p:link '
    ole += 'updateAutomatic="1"/></p:oleObj></a:graphicData></a:graphic></p:graphicFrame>'
    text = (
        f"<p:sp><p:nvSpPr>{names.format(4, 't')}<p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>{_GEOMETRY}</p:spPr><p:txBody>"
    )
    text += f"<a:bodyPr/><a:p><a:r><a:t>{INSIDE}</a:t></a:r></a:p></p:txBody></p:sp>"
    group = f"<p:nvGrpSpPr>{names.format(1, '')}<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
    slide = f"<p:sld {_SLIDE} {_LINKS}><p:cSld><p:spTree>{group}{picture}{ole}{text}</p:spTree></p:cSld></p:sld>"
    show = f'<p:presentation {_SLIDE} {_LINKS}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst>'
    show += '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    parts = {
        "ppt/presentation.xml": ("presentationml.presentation.main", show),
        "ppt/slides/s.xml": ("presentationml.slide", slide),
    }
    outside: list[Relation] = [
        ("image", at.picture, True),
        ("video", at.picture, True),
        ("oleObject", at.document, True),
    ]
    others = {
        "ppt/_rels/presentation.xml.rels": _relations(("slide", "slides/s.xml", False)),
        "ppt/slides/_rels/s.xml.rels": _relations(*outside),
    }
    return _package("ppt/presentation.xml", parts, others)


def documents(at: Canaries) -> dict[str, bytes]:
    """Every document, by a file name whose suffix says its type."""
    texts = {f"{name}.docx": data for name, data in _texts(at).items()}
    return texts | {"links.xlsx": _workbook(at), "links.pptx": _slides(at)}
