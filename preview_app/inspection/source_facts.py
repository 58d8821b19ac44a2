"""What the bytes of a document tell beside its pages: values only, which the child that reads it shares.

Lists are bounded, counts are not. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NAMES_MAX = 50
"""Of each list."""
NAME_CHARACTERS_MAX = 200


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a document says of itself; empty where it says nothing. Dates as it has them, mostly ISO 8601."""

    title: str = ""
    subject: str = ""
    keywords: str = ""
    author: str = ""
    last_author: str = ""
    company: str = ""
    created: str = ""
    modified: str = ""
    application: str = ""
    template: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Content elsewhere that the document would load: what it is (`image`, `template`, `workbook` ...) and where."""

    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes that were tracked and stand open, and who made them; `cells` are those of cells in a workbook."""

    insertions: int = 0
    deletions: int = 0
    moves: int = 0
    formatting: int = 0
    cells: int = 0
    authors: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """All of them."""
        return self.insertions + self.deletions + self.moves + self.formatting + self.cells


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What stands in the document itself. `macros` names where code is; `external` what would be loaded from
    elsewhere, `hyperlinks` counts what a reader may click; `hidden_text` counts characters, `hidden_sample` is their
    beginning; `hidden_cells` counts hidden rows and columns; `embedded` counts objects of other programs. `not_read`
    says in sentences what was not looked at."""

    metadata: Metadata = field(default_factory=Metadata)
    macros: tuple[str, ...] = ()
    external: tuple[Reference, ...] = ()
    external_count: int = 0
    hyperlinks: int = 0
    dde: tuple[str, ...] = ()
    hidden_text: int = 0
    hidden_sample: str = ""
    changes: Changes = field(default_factory=Changes)
    comments: int = 0
    comment_authors: tuple[str, ...] = ()
    hidden_sheets: tuple[str, ...] = ()
    hidden_slides: tuple[int, ...] = ()
    hidden_cells: int = 0
    embedded: int = 0
    not_read: tuple[str, ...] = ()
