"""LibreOffice's applications: what each opens, exports with and is packaged as. Only the standard library."""

from __future__ import annotations

from dataclasses import dataclass

from engines.formats import DOCUMENT_TYPES, DocumentType, Family
from engines.notices import Notice, NoticeKind

CANNOT_READ = "The document is damaged: LibreOffice cannot read it."
MATH_FILTER = "math8"
"""The filter by which it is known whether Math is there, the application for equations."""
MATH_FACTORY = "private:factory/smath"
NO_EQUATIONS = Notice(
    "Equations are not shown: the LibreOffice of this machine lacks Math (install libreoffice-math).",
    NoticeKind.EQUATIONS,
)
CANNOT_EXPORT = "LibreOffice could not export the document."


@dataclass(frozen=True, slots=True)
class Module:
    """One application: the family that it shows, its URL for an empty document, the service of its documents."""

    family: Family
    name: str
    factory: str
    service: str
    pdf_filter: str
    package: str

    @property
    def missing(self) -> str:
        """What to tell somebody who wants it where it is not installed."""
        return f"The LibreOffice of this machine lacks {self.name}: install the package {self.package}."

    @property
    def import_filters(self) -> list[str]:
        """The filters that it must have for every type of its family."""
        return sorted({each.import_filter for each in DOCUMENT_TYPES if each.family is self.family})


def _module(family: Family, name: str, factory: str, service: str, pdf_filter: str) -> Module:
    return Module(
        family, name, f"private:factory/{factory}", f"com.sun.star.{service}", pdf_filter, f"libreoffice-{name.lower()}"
    )


# In the order in which a document is asked what it is: a presentation is a drawing as well.
MODULES: tuple[Module, ...] = (
    _module(Family.SHEET, "Calc", "scalc", "sheet.SpreadsheetDocument", "calc_pdf_Export"),
    _module(
        Family.SLIDES, "Impress", "simpress", "presentation.PresentationDocument", "impress_pdf_Export"
    ),
    _module(Family.DRAWING, "Draw", "sdraw", "drawing.DrawingDocument", "draw_pdf_Export"),
    _module(Family.TEXT, "Writer", "swriter", "text.GenericTextDocument", "writer_pdf_Export"),
)  # fmt: skip


_OLDER_FILTERS = {"doc": ("MS WinWord 6.0", "MS Word 95", "MS WinWord 5")}
"""Filters for what came before: the suffix and the container are the same, and each refuses what is not its own."""


def filters_for(kind: DocumentType) -> tuple[str, ...]:
    """The import filters to try for a type, in this order."""
    return (kind.import_filter, *_OLDER_FILTERS.get(kind.id, ()))


def of_family(family: Family) -> Module:
    """The application for a family; raises `KeyError` for PDF, which needs none."""
    return {each.family: each for each in MODULES}[family]
