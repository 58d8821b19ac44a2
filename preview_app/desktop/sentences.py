"""What the converter says, in the language of the window: names of types, notices, errors.

The converter speaks English and gives kinds along with its sentences. In English its sentences are shown as they are;
in another language the kind decides, and what only the sentence tells stays in the details, in English.
"""

from __future__ import annotations

import os

from engines.formats import DOCUMENT_TYPES
from engines.notices import Notice, NoticeKind, Value
from preview_app.desktop import figures
from preview_app.desktop.file_look import is_there
from preview_app.desktop.language import mark, tr
from preview_app.desktop.reasons import translated
from preview_app.preview_states import Failed, Failure
from preview_app.raster.api import RasterError

TYPES = {
    "docx": mark("Word document"),
    "docm": mark("Word document with macros"),
    "dotx": mark("Word template"),
    "dotm": mark("Word template with macros"),
    "doc": mark("Word 97-2003 document"),
    "rtf": mark("RTF document"),
    "odt": mark("OpenDocument text"),
    "ott": mark("OpenDocument text template"),
    "fodt": mark("flat OpenDocument text"),
    "txt": mark("plain text"),
    "html": mark("HTML page"),
    "xlsx": mark("Excel workbook"),
    "xlsm": mark("Excel workbook with macros"),
    "xltx": mark("Excel template"),
    "xltm": mark("Excel template with macros"),
    "xlsb": mark("Excel binary workbook"),
    "xls": mark("Excel 97-2003 workbook"),
    "ods": mark("OpenDocument spreadsheet"),
    "ots": mark("OpenDocument spreadsheet template"),
    "fods": mark("flat OpenDocument spreadsheet"),
    "csv": mark("CSV table"),
    "tsv": mark("TSV table"),
    "pptx": mark("PowerPoint presentation"),
    "pptm": mark("PowerPoint presentation with macros"),
    "ppsx": mark("PowerPoint slide show"),
    "ppsm": mark("PowerPoint slide show with macros"),
    "potx": mark("PowerPoint template"),
    "potm": mark("PowerPoint template with macros"),
    "ppt": mark("PowerPoint 97-2003 presentation"),
    "odp": mark("OpenDocument presentation"),
    "otp": mark("OpenDocument presentation template"),
    "fodp": mark("flat OpenDocument presentation"),
    "odg": mark("OpenDocument drawing"),
    "otg": mark("OpenDocument drawing template"),
    "fodg": mark("flat OpenDocument drawing"),
    "pdf": mark("PDF document"),
}
"""Labels of `engines.formats` by type; a test keeps them in step."""

NOTICES = {
    NoticeKind.FALSE_NAME: mark("The name ends in .{suffix}, but this is: {type}."),
    NoticeKind.MACROS: mark("The document contains macros; they are never run."),
    NoticeKind.EXTERNAL: mark("The document refers to content elsewhere, which was not fetched."),
    NoticeKind.FIRST_PAGES: mark("Only the first {pages} pages are shown; the document has more."),
    NoticeKind.FIRST_CELLS: mark("Only the first {columns} columns and {rows} rows of sheet “{sheet}” are shown."),
    NoticeKind.PRINT_LAYOUT: mark(
        "A sheet is too large for one page, so the workbook is laid out as it would be printed."
    ),
    NoticeKind.HIDDEN_UNKNOWN: mark(
        "The workbook is laid out as it would be printed: which of its sheets are hidden is not known this way."
    ),
    NoticeKind.CUT_TEXT: mark(
        "A text runs on for more than 40 inches past its sheet and is cut off; the print layout shows all of it."
    ),
    NoticeKind.EMPTY: mark("The workbook is empty."),
    NoticeKind.MISSING_CHARACTERS: mark("No installed font shows these characters: {characters}."),
    NoticeKind.EQUATIONS: mark(
        "Equations are not shown: the LibreOffice of this machine lacks Math (install libreoffice-math)."
    ),
}

FIRST_PAGE = mark("Only the first page is shown; the document has more.")
"""`NoticeKind.FIRST_PAGES` of one page."""

FAILURES = {
    "unsupported": mark("This is not a document that can be shown, whatever its name says."),
    "encrypted": mark("The document is encrypted: it opens with its password only."),
    "bad_password": mark("The password does not open the document."),
    "corrupt": mark("The document is damaged beyond reading."),
    "empty": mark("The file is empty."),
    "limit": mark("The document is larger than the limits set here allow."),
    "timeout": mark("The document took too long; try again with more time."),
    "unavailable": mark("There is no conversion engine yet."),
    "engine": mark("The conversion engine failed on this document; try again."),
    "not_found": mark("There is no such file."),
    "not_allowed": mark("This file may not be opened here."),
    "changed": mark("The file changed while it was being read; open it again."),
    "busy": mark("Too much is being converted already; try again soon."),
    "evicted": mark("This was being prepared in advance and made room for something more urgent."),
    "closed": mark("The converter is closing."),
    "cancelled": mark("Opening was cancelled."),
    "crashed": mark("The process that draws pages died over this document."),
}
"""By outcome of the converter or kind of the rasterizer."""

BOUNDS = {
    "bytes of a document": mark("Bytes of the document: {figure}; at most {limit} are allowed."),
    "bytes of a PDF": mark("Bytes of the PDF: {figure}; at most {limit} are allowed."),
}

PHASES = {"waiting": mark("waiting for its turn"), "reading pages": mark("reading the pages")}
"""What `preview_app.preview` tells."""

PREPARING = (
    mark("Another process is preparing the engine; waiting for it"),
    mark("Fetching LibreOffice and fonts"),
    mark("Verifying what was fetched"),
    mark("Translating the module"),
    mark("Compiling for this processor"),
    mark("Storing"),
    mark("The engine is ready"),
)
"""What `engines.wasm.progress` tells."""

_ACTIONABLE = frozenset({"unavailable", "not_allowed"})
"""Outcomes whose own sentence says what to do, so that it is shown in any language."""


def type_label(type_id: str) -> str:
    """The name of a document type, with a capital letter."""
    known = TYPES.get(type_id)
    label = tr(known) if known else next((each.label for each in DOCUMENT_TYPES if each.id == type_id), type_id)
    return label[:1].upper() + label[1:]


def notice_text(notice: Notice) -> str:
    """A notice for a person."""
    template = NOTICES.get(notice.kind, "")
    if notice.kind is NoticeKind.FIRST_PAGES and notice.values.get("pages") == 1:
        template = FIRST_PAGE
    spoken = tr(template) if template else ""
    if spoken == template:
        return str(notice)
    try:
        return spoken.format(**{name: _value(name, value) for name, value in notice.values.items()})
    except (LookupError, ValueError):  # a translation with other fields, or an engine that gives no values
        return str(notice)


def failure_text(failure: Failure) -> str:
    """Why something cannot be shown, for a person."""
    template = FAILURES.get(failure.outcome, "")
    spoken = tr(template) if template else ""
    if spoken == template:
        return failure.message
    if failure.bound is not None and failure.bound.name in BOUNDS:
        numbers = {"figure": _value("", failure.bound.figure), "limit": _value("", failure.bound.limit)}
        return f"{spoken} {tr(BOUNDS[failure.bound.name]).format(**numbers)}"
    if known := translated(failure.message):
        return known
    if failure.outcome in _ACTIONABLE and failure.message not in ("", template):
        return f"{spoken}\n{failure.message}"
    return spoken


def failed_text(state: Failed) -> str:
    """Why a document cannot be shown; a file that may not be read is told from one that docpeek does not open."""
    refused = state.failure.outcome == "not_allowed" and is_there(state.path)
    if refused and not os.access(state.path, os.R_OK):
        return tr("You have no permission to read this file. Once that has been changed, try again.")
    return failure_text(state.failure)


def raster_text(error: RasterError) -> str:
    """Why a page cannot be drawn."""
    return failure_text(Failure(error.kind, error.message))


def phase_text(phase: str) -> str:
    """How far an opening is; what the converter is doing is told in the language of the window already."""
    known = PHASES.get(phase)
    return phase if known is None else tr(known)


def failure_details(failure: Failure) -> str:
    """What there is beside `failure_text`, in English."""
    shown = failure_text(failure)
    parts = [part for part in (failure.message, failure.diagnostics) if part and part not in shown]
    if failure.message == FAILURES.get(failure.outcome):
        parts = [part for part in parts if part != failure.message]
    return "\n\n".join(parts)


def _value(name: str, value: Value) -> str:
    if name == "type":
        return type_label(str(value))
    return figures.whole(value) if isinstance(value, int) else value
