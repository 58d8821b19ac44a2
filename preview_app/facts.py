"""All facts of a document for quality assurance, under the names that the command line's `--json` has. No toolkit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from converter.conversion import Conversion
from preview_app import __version__
from preview_app.preview_states import Converted, Facts
from preview_app.raster.api import PageSize


def facts_of(conversion: Conversion) -> Facts:
    """Where a conversion comes from."""
    engine = conversion.engine
    return Facts(
        type_id=conversion.document_type,
        engine_name=engine.name if engine.fingerprint else "",
        engine_version=engine.version,
        generation=conversion.generation,
        digest=conversion.digest,
        source_bytes=conversion.source_bytes,
        queue_seconds=conversion.seconds.queue,
        total_seconds=conversion.seconds.total,
        engine_note=engine.note,
    )


def as_dict(
    file: str,
    modified: str | None,
    size_bytes: int | None,
    pages: Sequence[PageSize],
    converted: Converted,
    pdf_bytes: int,
    stale: str | None = None,
) -> dict[str, Any]:
    """Every fact, fit for JSON.

    `modified` is ISO 8601; `size_bytes` stands in where the conversion does not know the size of the file; `stale`
    says why a newer version of the file could not be shown.
    """
    facts = converted.facts
    return {
        "docpeek": __version__,
        "file": file,
        "type": facts.type_id or None,
        "bytes": facts.source_bytes or size_bytes,
        "modified": modified,
        "pages": len(pages),
        "page_sizes_pt": page_sizes(pages),
        "engine": facts.engine_name or None,
        "engine_version": facts.engine_version or None,
        "generation": facts.generation or None,
        "digest": facts.digest or None,
        "pdf_bytes": pdf_bytes,
        "from_cache": converted.from_cache,
        "seconds": {
            "queue": round(facts.queue_seconds, 4),
            "convert": round(converted.seconds, 4),
            "total": round(facts.total_seconds, 4),
        },
        "missing_fonts": [{"requested": font.requested, "used": font.used} for font in converted.missing_fonts],
        "notices": [str(notice) for notice in converted.notices],
        "notice_kinds": [notice.kind.value for notice in converted.notices],
        "stale": stale,
    }


def page_sizes(pages: Sequence[PageSize]) -> list[dict[str, Any]]:
    """The sizes of pages in points, each with how many have it, in the order of appearance."""
    counts = Counter((round(page.width_pt, 1), round(page.height_pt, 1)) for page in pages)
    return [{"width": width, "height": height, "pages": count} for (width, height), count in counts.items()]
