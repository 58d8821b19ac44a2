"""What an inspection writes down: values, and their one JSON form, which `schema.json` describes.

A report is a `Run`, then one `FileInspection` a file, then an `End`; where that is missing or says `interrupted`, the
run did not get to its end. `SCHEMA` rises when a field changes its meaning or goes; fields may be added.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from engines.base import FontReplacement
from preview_app.inspection.findings import Finding
from preview_app.inspection.source_facts import SourceFacts

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class EngineUsed:
    """What converted: `native` or `wasm` (`none` for a PDF, which is shown as it is), its version, and the generation,
    a fingerprint of engine, payload, fonts and configuration."""

    name: str
    version: str
    generation: str


@dataclass(frozen=True, slots=True)
class PagesOfSize:
    """So many pages have this size, in points; sizes in the order of their appearance."""

    width: float
    height: float
    pages: int


@dataclass(frozen=True, slots=True)
class FontUsed:
    """A font of the PDF: PostScript name, kind as PDF names it, whether it is embedded, on how many pages it is."""

    name: str
    kind: str
    embedded: bool
    pages: int


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: waiting for a slot of the converter, in the engine, looking at the document and at its pages, and in
    all. The only part of a report that differs from run to run. All are zero for a duplicate."""

    queue: float = 0.0
    convert: float = 0.0
    document: float = 0.0
    pages: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class FileInspection:
    """One file. `outcome` is a kind of the command-line contract (`ok`, `corrupt`, `encrypted` ...), `message` its
    sentence. `type` is the id of the type that the bytes were found to be (`docx`), `digest` the hexadecimal BLAKE3
    of the bytes; both `null` where they could not be read. `duplicate_of` names an earlier file with the same bytes,
    whose inspection this is. What the conversion gives (`engine` to `fonts`) is `null` or empty where it failed.
    `missing_fonts` are the document's, `fonts` those of the PDF. `source` is what was read in the document itself."""

    file: str
    outcome: str
    message: str
    type: str | None = None
    bytes: int | None = None
    digest: str | None = None
    duplicate_of: str | None = None
    engine: EngineUsed | None = None
    pages: int | None = None
    page_sizes: tuple[PagesOfSize, ...] = ()
    pdf_bytes: int | None = None
    fonts: tuple[FontUsed, ...] = ()
    missing_fonts: tuple[FontReplacement, ...] = ()
    source: SourceFacts | None = None
    notices: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    seconds: Times = field(default_factory=Times)
    record: Literal["file"] = "file"


@dataclass(frozen=True, slots=True)
class Run:
    """The first line of a report: which program and engine, and the settings that make a difference. Two runs with
    equal ones give equal records of equal files, but for their `seconds`."""

    docpeek: str
    engine: EngineUsed
    settings: dict[str, str | int | float | bool | None]
    schema: int = SCHEMA
    record: Literal["run"] = "run"


@dataclass(frozen=True, slots=True)
class End:
    """The last line of a report: how many files, findings by severity and outcomes by kind, and how long it took.
    `interrupted` tells that the run was given up: files that are not here were not inspected."""

    files: int
    outcomes: dict[str, int]
    findings: dict[str, int]
    interrupted: bool
    seconds: float
    record: Literal["end"] = "end"


Record = Run | FileInspection | End
_KINDS: dict[str, type[Run] | type[FileInspection] | type[End]] = {"run": Run, "file": FileInspection, "end": End}


def plain(record: Record) -> dict[str, Any]:
    """A record as JSON's types."""
    told: dict[str, Any] = msgspec.to_builtins(record)
    return {"record": told.pop("record"), **told}


def line(record: Record) -> str:
    """A record as one line of JSON, in ASCII: a file name may hold bytes that no encoding has."""
    return json.dumps(plain(record), separators=(",", ":"), allow_nan=False) + "\n"


def record_of(text: str) -> Record:
    """The record on a line. Raises `ValueError`."""
    try:
        told = json.loads(text)
        return msgspec.convert(told, _KINDS[told["record"]])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"this is no record of an inspection: {error}") from error
