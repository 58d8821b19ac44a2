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
    "native": mark("LibreOffice"),
    "wasm": mark("LibreOffice in WebAssembly"),
}


def _now(name: str, label: str) -> Field:
    return Field(name, label, Kind.SWITCH, later=False)


GENERAL = (
    Group(
        mark("Appearance"),
        (
            Field("theme", mark("Colours"), Kind.CHOICE, choices=_THEMES, later=False),
            _now("list_thumbnails", mark("First pages in the list")),
            _now("show_hidden_files", mark("Show hidden files in the list")),
        ),
    ),
    Group(
        mark("Documents"),
        (
            _now("prefetch_neighbours", mark("Convert the next documents ahead of time")),
            Field("single_page_sheets", mark("Show each sheet of a table on one page *"), Kind.SWITCH),
            Field("pages_max", mark("Most pages of a document *"), high=1_000_000),
        ),
    ),
    Group(
        mark("LibreOffice"),
        (
            Field("engine", mark("Engine *"), Kind.CHOICE, choices=_ENGINES),
            Field("native_program", mark("Installed program *"), Kind.PROGRAM),
        ),
    ),
)
LIMITS = (
    Group(
        mark("A document"),
        (
            Field("source_bytes_max", mark("Largest document"), Kind.MIB, _MIB_MAX),
            Field("pdf_bytes_max", mark("Largest PDF"), Kind.MIB, _MIB_MAX),
            Field("deadline_s", mark("Longest conversion"), Kind.SECONDS, int(DEADLINE_S_MAX)),
            Field("soft_limit_s", mark("Offer to keep waiting after"), Kind.SECONDS, int(DEADLINE_S_MAX)),
            Field("kit_memory_bytes_max", mark("Memory for a conversion"), Kind.MIB, _MIB_MAX),
        ),
    ),
    Group(
        mark("Kept in memory"),
        (
            Field("cached_pdfs_max", mark("PDFs kept ready"), high=10_000),
            Field("cached_bytes_max", mark("Memory for them"), Kind.MIB, _MIB_MAX),
            Field("page_pixels_cache_bytes_max", mark("Memory for drawn pages"), Kind.MIB, _MIB_MAX),
        ),
    ),
)
ADVANCED = (
    Group(
        mark("At once"),
        (
            Field("slots", mark("Conversions"), high=64),
            Field("background_slots", mark("Conversions ahead of time"), high=64),
            Field("raster_workers", mark("Processes that draw pages"), high=8),
        ),
    ),
    Group(
        mark("In the line"),
        (
            Field("readers_max", mark("Most requests"), high=10_000),
            Field("waiting_jobs_max", mark("Most conversions that wait"), high=10_000),
            Field("reserved_bytes_max", mark("Memory for documents being read"), Kind.MIB, _MIB_MAX),
        ),
    ),
    Group(
        mark("LibreOffice in WebAssembly"),
        (Field("kit_file_bytes_max", mark("Files of a conversion"), Kind.MIB, _MIB_MAX),),
    ),
)


def all_fields() -> list[Field]:
    """Every setting, in the order of the dialog."""
    return [field for page in (GENERAL, LIMITS, ADVANCED) for group in page for field in group.fields]


def problem_of(values: Mapping[str, Any]) -> str:
    """What stands against these settings, in a sentence; empty if nothing does."""
    if values["source_bytes_max"] > values["reserved_bytes_max"]:
        return tr("The memory for documents being read must not be below the largest document.")
    program = values["native_program"]
    if program and not (Path(program).is_file() and os.access(program, os.X_OK)):
        return tr("“{}” is no program.").format(program)
    return ""
