"""The facts of a document that is shown, for quality assurance: as rows for a person, as JSON for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engines.fontsubstitution import metric_twins
from preview_app.desktop import figures
from preview_app.desktop.language import tr
from preview_app.desktop.sentences import failure_text, notice_text, type_label
from preview_app.facts import as_dict, page_sizes
from preview_app.preview_states import Showing


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file system says of a file: bytes, seconds since 1970. `None` where it is gone."""

    size_bytes: int | None = None
    modified_s: float | None = None

    @classmethod
    def of(cls, path: Path) -> FileFacts:
        """Ask now."""
        try:
            status = path.stat()
        except OSError:
            return cls()
        return cls(status.st_size, status.st_mtime)


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a heading; a row is a name and a text."""

    title: str
    rows: tuple[tuple[str, str], ...]


def as_json(state: Showing, file: FileFacts) -> str:
    """All facts as JSON, indented; the same names as the command line's `--json`."""
    told = as_dict(
        str(state.path),
        modified_iso(file),
        file.size_bytes,
        state.document.pages,
        state.converted,
        len(state.converted.pdf),
        state.stale.message if state.stale else None,
    )
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def modified_iso(file: FileFacts) -> str | None:
    """When the file was changed last, with the zone of this machine."""
    return None if file.modified_s is None else datetime.fromtimestamp(file.modified_s).astimezone().isoformat()


def sections(state: Showing, file: FileFacts) -> list[Section]:
    """What there is to tell, under headings; empty rows are left out."""
    converted = state.converted
    found = [
        Section(tr("File"), tuple(_file_rows(state, file))),
        Section(tr("Pages"), tuple(_page_rows(state))),
        Section(tr("Conversion"), tuple(_conversion_rows(state))),
        Section(tr("Fonts replaced"), tuple(_font_rows(state))),
        Section(tr("Notices"), tuple(("", notice_text(notice)) for notice in converted.notices)),
    ]
    return [section for section in found if section.rows]


def _file_rows(state: Showing, file: FileFacts) -> Iterator[tuple[str, str]]:
    facts = state.converted.facts
    yield tr("Name"), state.path.name
    yield tr("Folder"), str(state.path.parent)
    if facts.type_id:
        yield tr("Type"), type_label(facts.type_id)
    size = facts.source_bytes or file.size_bytes
    if size is not None:
        yield tr("Size"), figures.size(size)
    if file.modified_s is not None:
        yield tr("Modified"), figures.moment(file.modified_s)
    else:
        yield tr("Modified"), tr("The file is gone")
    if state.stale is not None:
        yield tr("Not the newest"), failure_text(state.stale)


def _page_rows(state: Showing) -> Iterator[tuple[str, str]]:
    yield tr("Pages"), figures.whole(len(state.document.pages))
    for size in page_sizes(state.document.pages)[:4]:
        width, height = (figures.whole(round(size[side] / 72 * 25.4)) for side in ("width", "height"))
        yield tr("Size"), f"{width} × {height} mm ({figures.whole(size['pages'])})"
    yield "PDF", figures.size(len(state.converted.pdf))


def _conversion_rows(state: Showing) -> Iterator[tuple[str, str]]:
    converted, facts = state.converted, state.converted.facts
    yield tr("Engine"), converted.engine or tr("None: the PDF as it is")
    if converted.from_cache:
        took = tr("Was ready (took {})").format(figures.seconds(converted.seconds))
        yield tr("Conversion"), took if converted.seconds else tr("Was ready")
    elif converted.engine:
        yield tr("Conversion"), figures.seconds(converted.seconds)
    if converted.engine:
        yield tr("Queue"), figures.seconds(facts.queue_seconds)
    if facts.total_seconds:
        yield tr("In all"), figures.seconds(facts.total_seconds)
    if facts.generation:
        yield tr("Generation"), facts.generation
    if facts.digest:
        yield tr("Digest"), facts.digest


def _font_rows(state: Showing) -> Iterator[tuple[str, str]]:
    for font in state.converted.missing_fonts:
        same = font.used in metric_twins(font.requested)
        yield font.requested, tr("{} (same widths)").format(font.used) if same else font.used
