"""What a person should know of a document that is shown: a sentence, and what kind it is of.

A `Notice` is a `str`, so whoever wants the sentence alone has it, and an engine that gives plain sentences goes on
working. Kits import this: only the standard library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

Value = str | int


class NoticeKind(StrEnum):
    """What a notice is about, so that nobody has to look at its words. `values` names the values that come with it."""

    FALSE_NAME = "false_name"
    """The name promises something else. Values: `suffix`, without a dot, and `type`, the id of what it is."""
    MACROS = "macros"
    """There are macros, which were not run."""
    EXTERNAL = "external_content"
    """The document refers to content elsewhere, which was not fetched."""
    FIRST_PAGES = "first_pages"
    """Only so many pages are shown. Values: `pages`."""
    FIRST_CELLS = "first_cells"
    """Only a part of a sheet is shown. Values: `sheet`, `columns`, `rows`."""
    PRINT_LAYOUT = "print_layout"
    """A sheet does not go on one page, so the workbook is laid out as for print."""
    HIDDEN_UNKNOWN = "hidden_sheets_unknown"
    """Which sheets are hidden cannot be told, so the workbook is laid out as for print."""
    CUT_TEXT = "cut_text"
    """A text runs past its sheet and is cut off."""
    EMPTY = "empty_workbook"
    """There is nothing in the workbook."""
    MISSING_CHARACTERS = "missing_characters"
    """No font has some characters. Values: `characters`, the first of them, as text."""
    EQUATIONS = "equations_left_out"
    """LibreOffice's Math is not installed."""
    OTHER = "other"
    """Known by its sentence only."""


class Notice(str):  # slots would not hold: a notice is copied and compared as the string that it is
    """A sentence for a person, in English, with its kind and the values in it."""

    kind: NoticeKind
    values: Mapping[str, Value]

    def __new__(cls, sentence: str, kind: NoticeKind = NoticeKind.OTHER, **values: Value) -> Self:
        notice = super().__new__(cls, sentence)
        notice.kind = kind
        notice.values = MappingProxyType(values)
        return notice

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (str(self), self.kind, dict(self.values))


def tells_of_a_cut(notices: Iterable[str]) -> bool:
    """Whether one of them says that a bound has left out pages or cells of the document."""
    return any(notice_of(each).kind in {NoticeKind.FIRST_PAGES, NoticeKind.FIRST_CELLS} for each in notices)


def notice_of(sentence: str) -> Notice:
    """A sentence of unknown origin as a notice; a notice is left as it is."""
    return sentence if isinstance(sentence, Notice) else Notice(sentence)


def encoded(notices: Iterable[str]) -> list[list[Any]]:
    """Notices as JSON takes them, for a frame."""
    return [[each.kind.value, str(each), dict(each.values)] for each in map(notice_of, notices)]


def decoded(notices: Iterable[str | list[Any]]) -> tuple[Notice, ...]:
    """What `encoded` made; plain sentences are taken as well."""
    return tuple(notice_of(each) if isinstance(each, str) else _remade(each[1], each[0], each[2]) for each in notices)


def _remade(sentence: str, kind: str, values: Mapping[str, Value]) -> Notice:
    known = NoticeKind(kind) if kind in NoticeKind.__members__.values() else NoticeKind.OTHER
    notice = Notice(str(sentence), known)
    notice.values = MappingProxyType(dict(values))  # not as arguments: a kit may call them what it likes
    return notice
