"""The pages of a PDF, looked at one after another by a raster worker, within a bound of time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from converter.cancellation import CancellationToken
from preview_app.inspection.findings import Finding, finding
from preview_app.inspection.records import FontUsed, PagesOfSize
from preview_app.inspection.source_facts import Metadata, SourceFacts
from preview_app.raster.api import PageSize, RasterError
from preview_app.raster.blocking import PageRenderer
from preview_app.raster.facts import Font, PageFacts, PdfFacts

_NOTHING = PageFacts(0, 0, True)
"""Stands for a page that could not be looked at."""
_FONTS_MAX = 200


@dataclass(frozen=True, slots=True)
class SeenPages:
    """What was found: `sizes` of all pages (none if the PDF cannot be opened), `pages` as far as they were looked at,
    the fonts by name, and findings about the looking itself."""

    sizes: tuple[PageSize, ...] = ()
    pages: tuple[PageFacts, ...] = ()
    fonts: tuple[FontUsed, ...] = ()
    pdf: PdfFacts | None = None
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0


def look_at_pages(renderer: PageRenderer, pdf: bytes, token: CancellationToken, seconds_max: float) -> SeenPages:
    """Look at every page that the time allows. Raises `Cancelled`."""
    begun = time.monotonic()
    try:
        sizes, about = renderer.open(pdf), renderer.pdf_facts()
    except RasterError as error:
        unreadable = finding("page_unreadable", f"The PDF cannot be looked at: {error.message}")
        return SeenPages(findings=(unreadable,), seconds=time.monotonic() - begun)
    pages, findings = [], []
    for number in range(len(sizes)):
        token.raise_if_cancelled()
        if time.monotonic() - begun > seconds_max:
            left = len(sizes) - number
            findings.append(finding("pages_not_inspected", f"The last {left:,} pages were not looked at: no time."))
            break
        try:
            pages.append(renderer.page_facts(number))
        except RasterError as error:
            pages.append(_NOTHING)
            findings.append(finding("page_unreadable", f"The page cannot be read: {error.message}", number + 1))
    return SeenPages(sizes, tuple(pages), _fonts(pages), about, tuple(findings), time.monotonic() - begun)


def page_sizes(sizes: Iterable[PageSize]) -> tuple[PagesOfSize, ...]:
    """The sizes, each with how many pages have it, in the order of their appearance."""
    counts = Counter((round(size.width_pt, 1), round(size.height_pt, 1)) for size in sizes)
    return tuple(PagesOfSize(width, height, count) for (width, height), count in counts.items())


def _fonts(pages: Sequence[PageFacts]) -> tuple[FontUsed, ...]:
    counts: Counter[Font] = Counter()
    for page in pages:
        counts.update(set(page.fonts))
    return tuple(FontUsed(*font, count) for font, count in sorted(counts.items())[:_FONTS_MAX])


def of_pdf(pdf: PdfFacts) -> SourceFacts:
    """What a document that is a PDF itself tells."""
    told = pdf.metadata
    metadata = Metadata(
        title=told.get("title", ""),
        subject=told.get("subject", ""),
        keywords=told.get("keywords", ""),
        author=told.get("author", ""),
        created=told.get("creationDate", ""),
        modified=told.get("modDate", ""),
        application=told.get("creator", "") or told.get("producer", ""),
    )
    return SourceFacts(metadata, macros=("JavaScript",) if pdf.scripts else (), embedded=pdf.attachments)
