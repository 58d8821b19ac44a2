"""What is told of documents, as JSON: the same words as the command line's `--json` where they mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from converter.conversion import Conversion
from engines.base import EngineInfo
from engines.formats import by_id, by_suffix, same_kind, suffix_of
from preview_app.facts import as_dict, facts_of
from preview_app.jupyter.documents import OpenDocument
from preview_app.links import may_be_followed
from preview_app.preview_states import Converted
from preview_app.raster.api import Box, Hit, Link, OutlineEntry, TextLine


def document(entry: OpenDocument, engines: Sequence[EngineInfo]) -> dict[str, Any]:
    """A document that is open, for the page that shows it. Lengths in points."""
    opened, conversion = entry.opened, entry.opened.conversion
    made = conversion.engine.fingerprint
    name = entry.path.rpartition("/")[2]
    return {
        "id": entry.id,
        "path": entry.path,
        "name": name,
        "etag": entry.pdf.etag,
        "pages": [[page.width_pt, page.height_pt] for page in entry.pdf.document.pages],
        "engine": conversion.engine.name if made else None,
        "engine_version": conversion.engine.version,
        "engine_note": conversion.engine.note,
        "generation": conversion.generation,
        "digest": conversion.digest,
        "type": {"id": conversion.document_type, "label": by_id(conversion.document_type).label},
        "claimed_suffix_differs": _claims_another_type(name, conversion.document_type),
        "notices": notices(conversion),
        "missing_fonts": [{"family": font.requested, "replacement": font.used} for font in conversion.missing_fonts],
        "seconds": _seconds(conversion),
        "from_cache": conversion.from_cache,
        "pdf_bytes": entry.pdf.size_bytes,
        "source_bytes": conversion.source_bytes,
        "modified": opened.modified,
        "other_engines": [each.name for each in engines if each.name != conversion.engine.name] if made else [],
        "print_layout": opened.print_layout,
        "protected": opened.protected,
    }


def facts(entry: OpenDocument) -> dict[str, Any]:
    """All facts of a document for quality assurance."""
    conversion = entry.opened.conversion
    converted = Converted(
        pdf=b"",
        engine="",
        seconds=conversion.seconds.convert,
        missing_fonts=conversion.missing_fonts,
        notices=conversion.notices,
        from_cache=conversion.from_cache,
        facts=facts_of(conversion),
    )
    modified = entry.opened.modified or None
    return as_dict(entry.path, modified, None, entry.pdf.document.pages, converted, entry.pdf.size_bytes)


def notices(conversion: Conversion) -> list[dict[str, str]]:
    """What a person should know of the result."""
    return [{"kind": each.kind.value, "message": str(each)} for each in conversion.notices]


def text(lines: Sequence[TextLine], links: Sequence[Link]) -> dict[str, Any]:
    """What stands on a page; pages count from 1."""
    told = [
        {
            "text": line.text,
            "box": _box(line.box),
            "block": line.block,
            "vertical": line.vertical,
            "edges": line.edges,
        }
        for line in lines
    ]
    return {"lines": told, "links": [_link(link) for link in links if _safe(link)]}


def outline(entries: Sequence[OutlineEntry]) -> dict[str, Any]:
    """The table of contents; pages count from 1."""
    return {
        "entries": [
            {"level": each.level, "title": each.title, "page": _from_one(each.page), "y": each.y} for each in entries
        ]
    }


def hits(page: int, found: Sequence[Hit]) -> dict[str, Any]:
    """Where something was found on a page (counted from 0 here, from 1 in what is told)."""
    return {"page": page + 1, "hits": [{"boxes": [_box(box) for box in hit.boxes]} for hit in found]}


def _seconds(conversion: Conversion) -> dict[str, float]:
    seconds = conversion.seconds
    return {name: round(getattr(seconds, name), 4) for name in ("queue", "convert", "total")}


def _claims_another_type(name: str, type_id: str) -> bool:
    claimed, found = by_suffix(suffix_of(name)), by_id(type_id)
    return claimed is not None and claimed is not found and not same_kind(claimed, found)


def _box(box: Box) -> list[float]:
    return [box.x0, box.y0, box.x1, box.y1]


def _safe(link: Link) -> bool:
    """What may not be followed is not told at all."""
    return link.page is not None if link.uri is None else may_be_followed(link.uri)


def _link(link: Link) -> dict[str, Any]:
    if link.uri is not None:
        return {"box": _box(link.box), "uri": link.uri}
    return {"box": _box(link.box), "page": _from_one(link.page), "x": link.x, "y": link.y}


def _from_one(page: int | None) -> int | None:
    return None if page is None else page + 1
