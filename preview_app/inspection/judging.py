"""From facts to findings. Pure: the same facts give the same findings, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from engines.base import FontReplacement
from engines.fonts import family_key
from engines.fontsubstitution import metric_twins
from engines.notices import Notice, NoticeKind
from preview_app.inspection.findings import Finding, finding
from preview_app.inspection.records import FontUsed
from preview_app.inspection.source_facts import SourceFacts
from preview_app.raster.facts import PageFacts, Spot, SpotKind

FINDINGS_OF_A_KIND_MAX = 100
"""Of one file; one more says how many others there are."""
_CHARACTERS_NAMED_MAX = 8
_STANDARD_FONTS = ("Courier", "Helvetica", "Times", "Symbol", "ZapfDingbats")
"""Fonts that every reader of PDF brings along (ISO 32000-1, 9.6.2.2)."""
_FONTS_OF_SIGNS = frozenset({"opensymbol", "starsymbol"})
"""What LibreOffice brings along to draw the signs of Symbol, Wingdings and their like."""
_NOTICES = {
    NoticeKind.FALSE_NAME: "false_name",
    NoticeKind.FIRST_PAGES: "first_pages",
    NoticeKind.FIRST_CELLS: "first_cells",
    NoticeKind.PRINT_LAYOUT: "print_layout",
    NoticeKind.CUT_TEXT: "text_clipped",
    NoticeKind.EMPTY: "empty_workbook",
    NoticeKind.EQUATIONS: "equations_left_out",
    NoticeKind.MISSING_CHARACTERS: "no_glyph",
    NoticeKind.MACROS: "macros",
    NoticeKind.EXTERNAL: "external_reference",
}


def of_notices(notices: Sequence[Notice], source: SourceFacts | None) -> Iterator[Finding]:
    """What the converter has told; not what the document's own facts tell better."""
    told_better = set()
    if source is not None and source.macros:
        told_better.add(NoticeKind.MACROS)
    if source is not None and source.external:
        told_better.add(NoticeKind.EXTERNAL)
    for notice in notices:
        if notice.kind not in told_better:
            yield finding(_NOTICES.get(notice.kind, "notice"), str(notice))


def of_missing_fonts(fonts: Iterable[FontReplacement]) -> Iterator[Finding]:
    """Families that the document asks for and that are not installed."""
    for font in fonts:
        kind, how = _replaced(font)
        yield finding(kind, f"The font “{font.requested}” is not installed; “{font.used}” stands in{how}.")


def _replaced(font: FontReplacement) -> tuple[str, str]:
    used = family_key(font.used)
    if used in map(family_key, metric_twins(font.requested)):
        return "font_replaced_same_widths", ", with the same widths"
    if used in _FONTS_OF_SIGNS:
        return "signs_replaced", " for its signs"
    return "font_replaced", ", with other widths"


def of_pdf_fonts(fonts: Iterable[FontUsed]) -> Iterator[Finding]:
    """Fonts that a PDF only names."""
    for font in fonts:
        if not font.embedded and font.kind != "Type3" and not font.name.startswith(_STANDARD_FONTS):
            yield finding("font_not_embedded", f"The font “{font.name}” is not embedded in the PDF.")


def of_pages(pages: Sequence[PageFacts], *, family: str, empty_is_known: bool) -> Iterator[Finding]:
    """What is wrong on the pages, page by page. `family` is the document's kind (`sheet`); see `formats.Family`."""
    for number, page in enumerate(pages, 1):
        if not page.drawn and not empty_is_known:
            yield finding("empty_page", "The page is empty.", number)
        left = _untold(page)
        for kind in SpotKind:
            if kind is not SpotKind.HASHES or family == "sheet":
                spots = [spot for spot in page.spots if spot.kind is kind]
                yield from _of_spots(kind, _merged(spots) if kind in _TOGETHER else spots, left.get(kind, 0), number)


def _of_spots(kind: SpotKind, spots: Sequence[Spot], left: int, page: int) -> Iterator[Finding]:
    kind_id, sentence = _SPOTS[kind]
    for spot in spots:
        yield finding(kind_id, sentence(spot), page, (spot.x0, spot.y0, spot.x1, spot.y1))
    if left:
        yield finding(kind_id, f"The page has {left:,} more such places.", page)


def _merged(spots: Sequence[Spot]) -> list[Spot]:
    """Pieces of one text: what lies beside a page, or behind a scanned one, is one thing to look at."""
    if not spots:
        return []
    text = " ".join(spot.text for spot in spots)
    boxes = [(spot.x0, spot.y0, spot.x1, spot.y1) for spot in spots]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return [Spot(spots[0].kind, text, min(lefts), min(tops), max(rights), max(bottoms))]


def _untold(page: PageFacts) -> dict[SpotKind, int]:
    told = Counter(spot.kind for spot in page.spots)
    return {kind: left for kind in SpotKind if (left := page.counts.get(kind.value, 0) - told[kind]) > 0}


_TOGETHER = frozenset({SpotKind.OFF_PAGE, SpotKind.INVISIBLE})


def _quoted(spot: Spot) -> str:
    text = spot.text if len(spot.text) <= 40 else f"{spot.text[:40]}…"
    return f"“{text}”"


def _stands(count: int) -> str:
    return "stands" if count == 1 else f"stand {count}"


def _named(spot: Spot) -> str:
    points = list(dict.fromkeys(map(ord, spot.text)))
    more = " …" if len(points) > _CHARACTERS_NAMED_MAX else ""
    return " ".join(f"U+{point:04X}" for point in points[:_CHARACTERS_NAMED_MAX]) + more


_SPOTS: dict[SpotKind, tuple[str, Callable[[Spot], str]]] = {
    SpotKind.NO_GLYPH: ("no_glyph", lambda spot: f"No font has a glyph for {_named(spot)} (as the PDF names it)."),
    SpotKind.UNREADABLE: (
        "unreadable_character",
        lambda spot: f"Characters were lost before: here {_stands(len(spot.text))} U+FFFD.",
    ),
    SpotKind.BEYOND_PAGE: ("beyond_page", lambda spot: f"The text {_quoted(spot)} reaches over the edge of the page."),
    SpotKind.OFF_PAGE: ("off_page", lambda spot: f"The text {_quoted(spot)} lies beside the page."),
    SpotKind.CLIPPED: ("text_clipped", lambda spot: f"The text {_quoted(spot)} is cut at an edge."),
    SpotKind.HASHES: ("cells_too_narrow", lambda _spot: "A cell is too narrow for its number, and shows ###."),
    SpotKind.INVISIBLE: ("invisible_text", lambda spot: f"The text {_quoted(spot)} is not to be seen."),
}


def of_annotations(pages: Sequence[PageFacts]) -> Iterator[Finding]:
    """Comments in a PDF. Links and the fields of forms are none."""
    for number, page in enumerate(pages, 1):
        count = sum(times for kind, times in page.annotations.items() if kind not in {"Link", "Widget", "Popup"})
        if count:
            yield finding("comments", f"The page has {_some(count, 'comment')}.", number)


def of_source(source: SourceFacts) -> Iterator[Finding]:
    """What stands in the document beside its pages."""
    if source.macros:
        yield finding("macros", f"There is program code ({_listed(source.macros)}). It was not run.")
    for reference in source.external:
        yield finding(
            "external_reference",
            f"{_article(reference.kind)} elsewhere is referred to: “{reference.target}”. It was not fetched.",
        )
    if left := source.external_count - len(source.external):
        yield finding("external_reference", f"There are {left:,} more references to content elsewhere.")
    for command in source.dde:
        yield finding("dde", f"A field asks another program for data (“{command}”). It was not asked.")
    yield from _of_hidden_things(source)
    yield from _of_review(source)
    if source.embedded:
        yield finding("embedded_object", f"There {_are(source.embedded, 'embedded object')}.")
    for sentence in source.not_read:
        yield finding("not_read", sentence)


def _of_hidden_things(source: SourceFacts) -> Iterator[Finding]:
    if source.hidden_text:
        sample = f", beginning with “{source.hidden_sample}”" if source.hidden_sample else ""
        yield finding("hidden_text", f"There {_are(source.hidden_text, 'hidden character')}{sample}.")
    for sheet in source.hidden_sheets:
        yield finding("hidden_sheet", f"The sheet “{sheet}” is hidden.")
    for slide in source.hidden_slides:
        yield finding("hidden_slide", f"Slide {slide} is hidden.")
    if source.hidden_cells:
        yield finding(
            "hidden_cells", f"There {_are(source.hidden_cells, 'hidden row or column', 'hidden rows and columns')}."
        )


def _of_review(source: SourceFacts) -> Iterator[Finding]:
    changes = source.changes
    if changes.count:
        parts = [
            _some(count, word, plural)
            for count, word, plural in (
                (changes.insertions, "insertion", ""),
                (changes.deletions, "deletion", ""),
                (changes.moves, "move", ""),
                (changes.formatting, "change of format", "changes of format"),
                (changes.cells, "changed cell", ""),
            )
            if count
        ]
        told = ", ".join(parts)
        yield finding("tracked_changes", f"Changes stand open{_by(changes.authors)}: {told}.")
    if source.comments:
        yield finding("comments", f"There {_are(source.comments, 'comment')}{_by(source.comment_authors)}.")


def bounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in order: the whole document's first, then page by page; not too many of a kind."""
    kept: list[Finding] = []
    counts: Counter[str] = Counter()
    for each in sorted(findings, key=lambda each: each.place.page if each.place else 0):
        counts[each.id] += 1
        if counts[each.id] <= FINDINGS_OF_A_KIND_MAX:
            kept.append(each)
    for kind, count in counts.items():
        if count > FINDINGS_OF_A_KIND_MAX:
            kept.append(
                finding(kind, f"{count - FINDINGS_OF_A_KIND_MAX:,} more findings of this kind are left out here.")
            )
    return tuple(kept)


def _some(count: int, word: str, plural: str = "") -> str:
    return f"{count:,} {word if count == 1 else plural or word + 's'}"


def _are(count: int, word: str, plural: str = "") -> str:
    return f"{'is' if count == 1 else 'are'} {_some(count, word, plural)}"


def _article(word: str) -> str:
    return f"{'An' if word[:1] in 'aeio' else 'A'} {word}"


def _by(authors: Sequence[str]) -> str:
    return f" by {_listed(authors)}" if authors else ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
