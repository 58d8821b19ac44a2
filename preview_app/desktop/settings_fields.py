"""What the settings dialog offers: each setting of `preview_app.config`, with its words, its unit and its range."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from preview_app.config import DEADLINE_S_MAX
from preview_app.desktop.language import mark, tr

MIB = 1 << 20
_MIB_MAX = 1 << 20


class Kind(Enum):
    """What a setting is set with."""

    SWITCH = "switch"
    CHOICE = "choice"
    COUNT = "count"
    MIB = "mib"
    """Bytes, shown in MiB."""
    SECONDS = "seconds"
    PROGRAM = "program"
    """The path of a program, or empty."""


@dataclass(frozen=True, slots=True)
class Field:
    """One setting. `later` tells that it takes effect at the next start."""

    name: str
    label: str
    kind: Kind = Kind.COUNT
    high: int = 1
    choices: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    """What stands behind a count."""
    later: bool = True


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that belong together, under a heading."""

    title: str
    fields: tuple[Field, ...]


_THEMES = {
    "system": mark("Like the system"),
    "light": mark("Light"),
    "dark": mark("Dark"),
    "contrast": mark("High contrast"),
}
_ENGINES = {
    "auto": mark("The best one there is"),
    "native": mark("The installed LibreOffice"),
    "wasm": mark("docpeek's own LibreOffice (WebAssembly)"),
}


def _now(name: str, label: str) -> Field:
    return Field(name, label, Kind.SWITCH, later=False)


GENERAL = (
    Group(
        mark("Appearance"),
        (
            Field("theme", mark("Colours"), Kind.CHOICE, choices=_THEMES, later=False),
            _now("list_thumbnails", mark("Show the first page of each document in the list")),
            _now("show_hidden_files", mark("Show hidden files in the list")),
        ),
    ),
    Group(
        mark("Documents"),
        (
            _now("prefetch_neighbours", mark("Convert the documents before and after the open one in advance")),
            Field("single_page_sheets", mark("Show each sheet of a spreadsheet on one page *"), Kind.SWITCH),
            Field("pages_max", mark("Show at most *"), high=1_000_000, unit=mark(" pages")),
        ),
    ),
    Group(
        mark("LibreOffice"),
        (
            Field("engine", mark("Convert documents with *"), Kind.CHOICE, choices=_ENGINES),
            Field("native_program", mark("Program of the installed LibreOffice *"), Kind.PROGRAM),
        ),
    ),
)
LIMITS = (
    Group(
        mark("A document"),
        (
            Field("source_bytes_max", mark("Largest file that is opened"), Kind.MIB, _MIB_MAX),
            Field("pdf_bytes_max", mark("Largest PDF made of it"), Kind.MIB, _MIB_MAX),
            Field("deadline_s", mark("Give up converting after"), Kind.SECONDS, int(DEADLINE_S_MAX)),
            Field("soft_limit_s", mark("Offer to wait longer after"), Kind.SECONDS, int(DEADLINE_S_MAX)),
            Field("kit_memory_bytes_max", mark("Memory for converting it"), Kind.MIB, _MIB_MAX),
        ),
    ),
    Group(
        mark("Kept in memory"),
        (
            Field("cached_pdfs_max", mark("Converted documents"), high=10_000),
            Field("cached_bytes_max", mark("Memory for these at most"), Kind.MIB, _MIB_MAX),
            Field("page_pixels_cache_bytes_max", mark("Memory for pages as pictures"), Kind.MIB, _MIB_MAX),
        ),
    ),
)
ADVANCED = (
    Group(
        mark("At the same time"),
        (
            Field("slots", mark("Conversions"), high=64),
            Field("background_slots", mark("Conversions in advance among them"), high=64),
            Field("raster_workers", mark("Processes that draw pages"), high=8),
        ),
    ),
    Group(
        mark("Waiting"),
        (
            Field("readers_max", mark("Requests at most"), high=10_000),
            Field("waiting_jobs_max", mark("Conversions that may wait"), high=10_000),
            Field("reserved_bytes_max", mark("Memory for documents being read"), Kind.MIB, _MIB_MAX),
        ),
    ),
    Group(
        mark("docpeek's own LibreOffice (WebAssembly)"),
        (Field("kit_file_bytes_max", mark("Temporary files of one conversion"), Kind.MIB, _MIB_MAX),),
    ),
)


def all_fields() -> list[Field]:
    """Every setting, in the order of the dialog."""
    return [field for page in (GENERAL, LIMITS, ADVANCED) for group in page for field in group.fields]


def problem_of(values: Mapping[str, Any]) -> str:
    """What stands against these settings, in a sentence; empty if nothing does."""
    if values["source_bytes_max"] > values["reserved_bytes_max"]:
        return tr(
            "“Memory for documents being read” (Advanced) must not be less than “Largest file that is opened” (Limits)."
        )
    program = values["native_program"]
    if program and not (Path(program).is_file() and os.access(program, os.X_OK)):
        return tr("There is no program “{}”.").format(program)
    return ""
