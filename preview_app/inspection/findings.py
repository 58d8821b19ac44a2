"""The catalogue of findings: every id, its severity and what it means. Ids are stable; a new one may be added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from converter.errors import Outcome

Box = tuple[float, float, float, float]
"""Left, top, right and bottom on a page as shown, in points from its top left corner."""


class Severity(StrEnum):
    """How much a finding weighs, the heaviest first."""

    ERROR = "error"
    """A reader does not get what the author wrote."""
    WARNING = "warning"
    """Somebody should look at it before the document is passed on."""
    INFO = "info"
    """Good to know."""

    def reaches(self, other: Severity) -> bool:
        """Whether it weighs as much as the other, or more."""
        order = list(Severity)
        return order.index(self) <= order.index(other)


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One line of the catalogue."""

    id: str
    severity: Severity
    meaning: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding is: a page, from 1, and a box on it as shown (left, top, right, bottom, in points from the top
    left corner), `null` where it is the whole page."""

    page: int
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a file that a reviewer should know: one sentence, its id and severity by the catalogue
    (`preview_app/inspection/findings.py`), and its place, `null` where it is the whole document."""

    id: str
    severity: Severity
    sentence: str
    place: Place | None = None


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

_OUTCOMES = tuple(
    FindingKind(outcome.value, _E, f"Not shown. {outcome.sentence}") for outcome in Outcome if outcome is not Outcome.OK
)
_PAGES = (
    FindingKind("no_glyph", _E, "No font has a glyph for characters: a box or nothing is shown for them."),
    FindingKind("beyond_page", _E, "Text reaches over the edge of the page and is cut there."),
    FindingKind("cells_too_narrow", _E, "A cell shows ### since its column is too narrow for the number."),
    FindingKind("equations_left_out", _E, "Equations are missing, since LibreOffice's Math is not installed."),
    FindingKind("page_unreadable", _E, "A page of the PDF cannot be read."),
    FindingKind("text_clipped", _W, "Text is cut at the edge of its cell or frame."),
    FindingKind("off_page", _W, "Text lies wholly beside the page."),
    FindingKind("unreadable_character", _W, "Characters are U+FFFD: their meaning was lost before."),
    FindingKind("empty_page", _W, "A page has no text, no picture and no drawing that can be seen."),
    FindingKind("empty_workbook", _W, "There is nothing in the workbook."),
    FindingKind("first_pages", _W, "Only the first pages were converted; the document has more."),
    FindingKind("first_cells", _W, "Only a part of a very large sheet was converted."),
    FindingKind("pages_not_inspected", _W, "The time for one file was over before all its pages were looked at."),
    FindingKind("invisible_text", _I, "Text on a page is there to be found, not to be seen."),
    FindingKind("print_layout", _I, "A sheet does not go on one page: the workbook is laid out as for print."),
)
_FONTS = (
    FindingKind("font_replaced", _W, "A font is not installed, and the one in its place has other widths."),
    FindingKind("font_not_embedded", _W, "A font of the PDF is not embedded: each reader shows another one."),
    FindingKind("signs_replaced", _I, "A font of signs is not installed; those of LibreOffice's own are shown."),
    FindingKind("font_replaced_same_widths", _I, "A font is not installed; the one in its place has the same widths."),
)
_SOURCE = (
    FindingKind("macros", _W, "There is program code in the document. It was not run."),
    FindingKind("external_reference", _W, "The document refers to content elsewhere. It was not fetched."),
    FindingKind("dde", _W, "A field asks another program for data (DDE). It was not asked."),
    FindingKind("hidden_text", _W, "There is text that is not shown."),
    FindingKind("tracked_changes", _W, "There are changes that nobody has accepted or rejected."),
    FindingKind("comments", _W, "There are comments."),
    FindingKind("hidden_sheet", _W, "A sheet of the workbook is hidden."),
    FindingKind("hidden_slide", _W, "A slide of the presentation is hidden."),
    FindingKind("false_name", _W, "The name promises another type of document."),
    FindingKind("hidden_cells", _I, "Rows or columns are hidden."),
    FindingKind("embedded_object", _I, "Other documents or programs' objects are embedded."),
    FindingKind("password", _I, "The document is encrypted, and was opened with its password."),
    FindingKind("not_read", _I, "A part of the document was not looked at for hidden things."),
    FindingKind("notice", _I, "Something else that the converter has told."),
)
_COMPARED = (
    FindingKind("page_count_changed", _W, "The document has more or fewer pages than what it is compared with."),
    FindingKind("page_added", _W, "A page has no counterpart in what the document is compared with."),
    FindingKind("page_removed", _W, "A page of what the document is compared with is not there."),
    FindingKind("text_changed", _W, "Words of a page differ from what it is compared with."),
    FindingKind("text_look_changed", _W, "The words are the same, and have another size, font or colour."),
    FindingKind("content_moved", _W, "Lines stand elsewhere on their page, apart from the text around them."),
    FindingKind("pixels_changed", _W, "Pictures, drawings or colours of a page look different."),
    FindingKind("fonts_changed", _I, "The PDF has other fonts, in which the same words look alike."),
    FindingKind("content_shifted", _I, "The same text stands higher or lower, or reaches over to the next page."),
    FindingKind("not_compared", _W, "The document, or some of its pages, could not be compared."),
    FindingKind("not_in_baseline", _W, "The baseline has no such document."),
    FindingKind("only_in_baseline", _W, "The baseline has the document, and the folder has it no more."),
    FindingKind("not_saved", _E, "The document could not be put into the baseline."),
)

CATALOGUE: tuple[FindingKind, ...] = (*_OUTCOMES, *_PAGES, *_FONTS, *_SOURCE, *_COMPARED)
COMPARED = frozenset(kind.id for kind in _COMPARED)
"""What only a comparison finds."""
OUTCOMES = frozenset(kind.id for kind in _OUTCOMES)
"""Why a document is not shown."""
_BY_ID = {kind.id: kind for kind in CATALOGUE}


def finding(kind_id: str, sentence: str, page: int | None = None, box: Box | None = None) -> Finding:
    """A finding with the severity that the catalogue gives. Raises `KeyError` for an id that is not in it."""
    place = None if page is None else Place(page, box)
    return Finding(kind_id, _BY_ID[kind_id].severity, _printable(sentence), place)


def _printable(sentence: str) -> str:
    """Without what a document may hold to play with a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(sentence.split()))


class FailOn:
    """Which findings fail a run: severities (and all that weighs more) and ids."""

    def __init__(self, words: Iterable[str] = (Severity.ERROR.value,)) -> None:
        """Raises `ValueError` for a word that is neither a severity nor an id."""
        chosen = [word.strip() for word in words if word.strip() not in {"", "none"}]
        unknown = [word for word in chosen if word not in _BY_ID and word not in Severity.__members__.values()]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is neither a severity (error, warning, info) nor the id of a finding")
        self._severities = [Severity(word) for word in chosen if word in Severity.__members__.values()]
        self._ids = frozenset(chosen) - set(self._severities)

    def __call__(self, found: Finding) -> bool:
        """Whether this finding fails the run."""
        return found.id in self._ids or any(found.severity.reaches(least) for least in self._severities)
