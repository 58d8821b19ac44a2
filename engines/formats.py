"""The one table of document types, and what the bytes of a document really are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """The kind of document, as a person would call it."""

    TEXT = "text"
    SHEET = "sheet"
    SLIDES = "slides"
    DRAWING = "drawing"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class DocumentType:
    """One accepted type.

    `id` is the canonical suffix without a dot (`"docx"`); it names the staged file, since an engine may look at it.
    """

    id: str
    label: str
    family: Family
    mime: str
    suffixes: tuple[str, ...]
    import_filter: str
