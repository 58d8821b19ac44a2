"""The facts of a document that cannot be shown: as rows for a person, as JSON for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator

from preview_app import __version__
from preview_app.desktop import figures
from preview_app.desktop.details import FileFacts, Section, modified_iso
from preview_app.desktop.file_look import FileLook
from preview_app.desktop.language import tr
from preview_app.desktop.sentences import failed_text, failure_details, type_label
from preview_app.preview_states import Failed


def failed_json(state: Failed, file: FileFacts, look: FileLook) -> str:
    """All facts as JSON, indented; the same names as the command line's `--json`. In English in any language."""
    failure = state.failure
    told = {
        "docpeek": __version__,
        "file": str(state.path),
        "ok": False,
        "kind": failure.outcome,
        "message": failure.message,
        "diagnostics": failure.diagnostics or None,
        "type": look.type_id or None,
        "bytes": file.size_bytes,
        "modified": modified_iso(file),
        "sha256": look.sha256 or None,
        "engine": failure.engine_name or None,
        "engine_version": failure.engine_version or None,
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def failed_sections(state: Failed, file: FileFacts, look: FileLook) -> list[Section]:
    """What there is to tell, under headings."""
    return [
        Section(tr("File"), tuple(_file_rows(state, file, look))),
        Section(tr("Result"), tuple(_result_rows(state))),
    ]


def _file_rows(state: Failed, file: FileFacts, look: FileLook) -> Iterator[tuple[str, str]]:
    yield tr("Name"), state.path.name
    yield tr("Folder"), str(state.path.parent)
    if look.type_id:
        yield tr("Type"), type_label(look.type_id)
    if file.size_bytes is not None:
        yield tr("Size"), figures.size(file.size_bytes)
    gone = tr("The file is gone")
    yield tr("Modified"), gone if file.modified_s is None else figures.moment(file.modified_s)
    if look.sha256:
        yield "SHA-256", look.sha256


def _result_rows(state: Failed) -> Iterator[tuple[str, str]]:
    failure = state.failure
    yield tr("Outcome"), failure.outcome
    if failure.outcome != "cancelled":  # what was given up may have come to an engine or not
        yield tr("Engine"), failure.engine or tr("None was asked")
    yield tr("Message"), failed_text(state)
    if more := failure_details(failure):
        yield tr("Details"), more
