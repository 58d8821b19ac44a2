"""Files that workers of a cluster have looked at: their bytes here, and their records under their names here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from blake3 import blake3

from converter.errors import ConversionError, Outcome
from converter.request import Locator
from preview_app import app
from preview_app.inspection.inspect_one import failed
from preview_app.inspection.records import FileInspection


def as_asked(path: Path, digest: str | None, record: FileInspection) -> FileInspection:
    """A worker's record under the name that the file has here; a failure where the worker read other bytes."""
    if digest is not None and record.digest is not None and record.digest != digest:
        message = f"The worker read something else at {record.file} than is here."
        return failed(path, ConversionError(Outcome.CHANGED, message))
    return replace(record, file=str(path))


def lost_twice(path: Path) -> FileInspection:
    """The record of a file that two workers were lost with."""
    message = "Two workers of the cluster were lost while they had this file."
    return failed(path, ConversionError(Outcome.ENGINE, message))


def digest_here(file: Path, bytes_max: int) -> str | None:
    """The digest of a file's bytes, `None` if they cannot be read."""
    try:
        source = app.whole_machine().authorize(Locator.of(file.absolute()))
        data, _version = source.read(bytes_max)
    except (ConversionError, OSError):
        return None
    return blake3(data).hexdigest() if len(data) <= bytes_max else None
